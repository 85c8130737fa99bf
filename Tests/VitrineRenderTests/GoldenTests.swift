import Testing
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineRender

/// Images that must not change: inspect them before updating with VITRINE_UPDATE_GOLDENS=1.
@Suite struct GoldenTests {
    /// A bumpy, coated, textured sphere over a square, under the studio.
    private func stillLife() throws -> (Scene, View) {
        let scene = Scene()
        let material = Material(baseColor: Color(sRGB: 0xC03028), roughness: 0.45)
        material.baseColor.map = TextureMap(try checker())
        material.normal = NormalSlot(map: TextureMap(try bumps()), scale: 0.6)
        material.clearcoat.factor = 1.0
        material.clearcoat.roughness = 0.05
        material.emission.factor = Vector4(0, 0.02, 0.06, 1)
        scene.rootNode.addChildNode(Node(name: "sphere", mesh: Mesh(geometry: try sphere(), material: material)))
        let floor = Node(name: "floor", mesh: Mesh(geometry: try square(), material: Material(metalness: 1, roughness: 0.3)))
        floor.eulerAngles.x = -.pi / 2
        floor.position.y = -1
        floor.scale = Vector3(repeating: 2.5)
        scene.rootNode.addChildNode(floor)
        scene.environment = .studio()
        return (scene, .orbit(target: Vector3(0, -0.2, 0), azimuth: .degrees(25), elevation: .degrees(20), distance: 4.2))
    }

    private func checker() throws -> Texture {
        var bytes: [UInt8] = []
        for y in 0..<16 { for x in 0..<16 { bytes += (x + y) % 2 == 0 ? [255, 255, 255, 255] : [120, 140, 220, 255] } }
        return Texture(try Image(width: 16, height: 16, format: .rgba8, bytes: bytes, name: "checker"))
    }

    private func bumps() throws -> Texture {
        var bytes: [UInt8] = []
        for y in 0..<64 {
            for x in 0..<64 {
                let (a, b) = (sin(Float(x) / 8 * .pi), cos(Float(y) / 8 * .pi))
                let n = normalize(Vector3(a, b, 2)) * 127.5 + 127.5
                bytes += [UInt8(n.x), UInt8(n.y), UInt8(n.z), 255]
            }
        }
        return Texture(try Image(width: 64, height: 64, format: .rgba8, bytes: bytes, name: "bumps"))
    }

    @Test func environmentAndCoat() throws {
        let (scene, view) = try stillLife()
        try GoldenImage.check(try Studio().image(of: scene, from: view), named: "still-life")
    }

    @Test func withoutAntialiasing() throws {
        let (scene, view) = try stillLife()
        let options = RenderOptions(sampleCount: 1, toneMapping: .agx, exposure: 0.5)
        try GoldenImage.check(try Studio().image(of: scene, from: view, options: options), named: "still-life-single-agx")
    }

    @Test func orthographicWithLights() throws {
        let (scene, _) = try stillLife()
        scene.environment.image = nil
        scene.environment.background = .color(Color(sRGB: 0x303840))
        for (kind, position, color) in [
            (Light.Kind.directional, Vector3(1, 2, 3), Color(sRGB: 0xFFF0E0)), (.point, Vector3(-2, 1, 1.5), Color(sRGB: 0x4080FF)),
        ] {
            let node = Node(name: "light")
            node.light = Light(kind, color: color, intensity: kind == .directional ? 2 : 6)
            node.position = position
            node.look(at: Vector3(0, 0, 0))
            scene.rootNode.addChildNode(node)
        }
        let camera = Camera(projection: .orthographic(scale: 1.7), near: 0.1, far: 20)
        let view = View(camera: camera, worldFromCamera: .lookAt(eye: Vector3(2, 2, 4), target: Vector3(0, -0.3, 0)))
        try GoldenImage.check(try Studio().image(of: scene, from: view), named: "still-life-orthographic-lights")
    }

    @Test func glassInFront() throws {
        let (scene, view) = try stillLife()
        let glass = Material(baseColor: Color(linearRed: 0.1, green: 0.6, blue: 0.3, alpha: 0.4), roughness: 0.05)
        glass.alphaMode = .blend
        glass.isDoubleSided = true
        let node = Node(name: "pane", mesh: Mesh(geometry: try square(), material: glass))
        node.position = Vector3(0.6, 0, 1.3)
        node.eulerAngles.y = 0.5
        scene.rootNode.addChildNode(node)
        try GoldenImage.check(try Studio().image(of: scene, from: view), named: "still-life-glass")
    }

    @Test func glowAndDarkCorners() throws {
        let (scene, view) = try stillLife()
        scene.environment.background = .environment
        let options = RenderOptions(bloom: Bloom(intensity: 0.2), vignette: Vignette())
        try GoldenImage.check(try Studio().image(of: scene, from: view, options: options), named: "still-life-bloom-vignette")
    }

    @Test func shadeFromDepth() throws {
        let (scene, view) = try stillLife()
        let options = RenderOptions(screenOcclusion: ScreenOcclusion(radius: 1))
        try GoldenImage.check(try Studio().image(of: scene, from: view, options: options), named: "still-life-screen-occlusion")
    }

    @Test func throughALens() throws {
        let (scene, orbit) = try stillLife()
        var view = orbit
        view.camera.lens = Lens(focusDistance: 3.4, fNumber: 0.06)
        try GoldenImage.check(try Studio().image(of: scene, from: view), named: "still-life-lens")
    }

    @Test(arguments: DebugView.allCases) func debugView(_ debug: DebugView) throws {
        let (scene, view) = try stillLife()
        let image = try Studio().image(of: scene, from: view, options: RenderOptions(debugView: debug))
        try GoldenImage.check(image, named: "debug-\(debug.name)")
    }
}
