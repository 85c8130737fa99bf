import Testing
import Vitrine
import VitrineTestSupport

/// Path traced images against stored ones, as small as they show the lobes: inspect them before updating with VITRINE_UPDATE_GOLDENS=1.
@MainActor @Suite struct PathTracedImageTests {
    private static func view(of scene: Scene, eye: Vector3 = [0, 1.2, 3.4], target: Vector3 = [0, 0.35, 0]) -> SceneView {
        let camera = Node(name: "Camera")
        camera.camera = Camera(projection: .perspective(fieldOfView: .degrees(36)))
        camera.position = eye
        camera.look(at: target)
        scene.rootNode.addChildNode(camera)
        scene.pointOfView = camera
        return SceneView(scene)
    }

    private static func ball(_ material: Material, at x: Float) -> Node {
        let node = Node(mesh: Mesh(geometry: .sphere(radius: 0.38), material: material))
        node.position = [x, 0.38, 0]
        return node
    }

    /// Glass, rough metal and lacquer on a matt floor, under the studio and a rectangle of light.
    private static func stillLife() -> SceneView {
        let scene = Scene()
        scene.environment = .studio()
        scene.environment.background = .color(Color(white: 0.2))
        let floor = Node(
            mesh: Mesh(geometry: .floor(width: 8, length: 8), material: Material(baseColor: Color(white: 0.5), roughness: 0.9)))
        let glass = Material(baseColor: .white, roughness: 0.02)
        (glass.transmission.factor, glass.volume.thickness) = (1, 0.76)
        let metal = Material(baseColor: Color(sRGB: 0xE8B060), metalness: 1, roughness: 0.35)
        let lacquer = Material(baseColor: Color(sRGB: 0xA01830), roughness: 0.6)
        (lacquer.clearcoat.factor, lacquer.clearcoat.roughness) = (1, 0.05)
        for node in [floor, ball(glass, at: -0.9), ball(metal, at: 0), ball(lacquer, at: 0.9)] { scene.rootNode.addChildNode(node) }
        let lightNode = Node(name: "Light")
        lightNode.light = Light(.rectangle(width: 1, height: 1), intensity: 12)
        lightNode.position = [-1.5, 2.5, 1.5]
        lightNode.look(at: [0, 0, 0])
        scene.rootNode.addChildNode(lightNode)
        return view(of: scene)
    }

    @Test func aStillLife() throws {
        let view = Self.stillLife()
        let image = try view.snapshot(width: 64, height: 48, samples: 32, quality: .path)
        #expect(try view.snapshot(width: 64, height: 48, samples: 32, quality: .path).bytes == image.bytes, "not the same again")
        try GoldenImage.check(image, named: "path-still-life")
        let denoised = try view.snapshot(width: 64, height: 48, samples: 32, quality: .denoisedPath)
        #expect(denoised.bytes != image.bytes)
        try GoldenImage.check(denoised, named: "path-still-life-denoised")
    }

    /// A glowing ring and a bulb light a ball; its shadow of the environment falls on a receiver over nothing.
    @Test func glowAndCaughtShadow() throws {
        let scene = Scene()
        scene.environment = .studio()
        (scene.environment.intensity, scene.environment.background) = (0.4, .transparent)
        scene.rootNode.addChildNode(Self.ball(Material(baseColor: Color(white: 0.8), roughness: 0.3), at: 0))
        let glow = Material(baseColor: .black)
        glow.emission.factor = Vector4(6, 1.5, 0.5, 1)
        let ring = Node(mesh: Mesh(geometry: .torus(ringRadius: 0.3, pipeRadius: 0.05), material: glow))
        ring.position = [0.9, 0.4, 0.2]
        scene.rootNode.addChildNode(ring)
        let bulb = Node(name: "Bulb")
        bulb.light = Light(.point, color: Color(sRGB: 0x80B0FF), intensity: 1.5)
        bulb.light?.radius = 0.15
        bulb.position = [-1, 1, 0.6]
        scene.rootNode.addChildNode(bulb)
        scene.rootNode.addChildNode(.shadowReceiver(under: scene.bounds))
        let image = try Self.view(of: scene).snapshot(width: 64, height: 48, samples: 64, quality: .denoisedPath)
        try GoldenImage.check(image, named: "path-glow")
    }
}
