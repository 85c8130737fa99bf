import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Everything that the first frame needs is compiled before it, on other threads.
@Suite struct WarmUpTests {
    enum Look: CaseIterable {
        case plain, skyAndText, cascades, spot, holes, halfTransparent, transmission, blended, bloomAndVignette, lens, screenOcclusion
        case skin, grounded, blurred, receiver, areaLight, singleSample, wireframe
    }

    /// A ball over a square, and the options of the look.
    private func stage(_ look: Look) throws -> (Scene, View, RenderOptions) {
        let material = Material(baseColor: Color(sRGB: 0xC03028), roughness: 0.4)
        let ball = Node(name: "ball", mesh: Mesh(geometry: try sphere(rings: 6, segments: 12), material: material))
        let floor = Node(name: "floor", mesh: Mesh(geometry: try square(), material: Material(roughness: 0.6)))
        (floor.eulerAngles.x, floor.position.y, floor.scale) = (-.pi / 2, -1, Vector3(repeating: 3))
        let scene = Scene()
        for node in [ball, floor] { scene.rootNode.addChildNode(node) }
        scene.environment = try uniformEnvironment(0.8)
        var options = RenderOptions()
        var view = View.orbit(target: Vector3(0, 0, 0), azimuth: .degrees(20), elevation: .degrees(25), distance: 5)
        switch look {
        case .plain: break
        case .skyAndText: scene.environment.background = .environment
        case .cascades: addLight(.directional, to: scene)
        case .spot: addLight(.spot(inner: .degrees(30), outer: .degrees(40)), to: scene)
        case .holes:
            material.alphaMode = .mask(cutoff: 0.5)
            addLight(.point, to: scene)
        case .halfTransparent:
            ball.opacity = 0.5
            addLight(.directional, to: scene)
        case .transmission: material.transmission.factor = 1
        case .blended: material.alphaMode = .blend
        case .bloomAndVignette: (options.bloom, options.vignette) = (Bloom(intensity: 0.1), Vignette())
        case .lens: view.camera.lens = Lens(focusDistance: 4, fNumber: 0.1)
        case .screenOcclusion: options.screenOcclusion = ScreenOcclusion(radius: 1)
        case .skin: ball.skin = Skin(joints: [Node(name: "joint")])
        case .grounded: (scene.environment.background, scene.environment.ground) = (.environment, GroundProjection(radius: 5))
        case .blurred: (scene.environment.background, scene.environment.backgroundBlur) = (.environment, 0.4)
        case .receiver: floor.mesh?.parts[0].material.isShadowReceiver = true
        case .areaLight: addLight(.rectangle(width: 1, height: 1), to: scene)
        case .singleSample: options.sampleCount = 1
        case .wireframe: options.debugView = .wireframe
        }
        return (scene, view, options)
    }

    private func addLight(_ kind: Light.Kind, to scene: Scene) {
        let lightNode = Node(name: "light")
        lightNode.light = Light(kind, intensity: 5, castsShadow: true)
        lightNode.transform = .lookAt(eye: Vector3(2, 4, 2), target: Vector3(0, 0, 0))
        scene.rootNode.addChildNode(lightNode)
    }

    @Test(arguments: Look.allCases) func firstFrameDoesNotCompile(_ look: Look) async throws {
        let (scene, view, options) = try stage(look)
        let studio = try Studio()
        let renderer = studio.renderer
        for work in try renderer.pendingPrograms(for: scene) { renderer.take(try await Task.detached { try work.run() }.value) }
        try renderer.prepare(scene, options: options)
        let warmUp = try renderer.warmUp(of: scene, from: view, to: .rgba8Unorm, options: options)
        let pending = try warmUp.pendingPipelines()
        #expect(!pending.isEmpty)
        for work in pending { renderer.take(try await Task.detached { try work.run() }.value) }
        try warmUp.draw()
        let image = try studio.image(of: scene, from: view, width: 48, height: 36, options: options)
        #expect(renderer.resources.pipelines.compiledInPlace == 0)
        // The image is the same as without preparation.
        let unprepared = try Studio()
        #expect(try unprepared.image(of: scene, from: view, width: 48, height: 36, options: options).bytes == image.bytes)
        #expect(unprepared.renderer.resources.pipelines.compiledInPlace > 0)
    }

    /// The scene that is drawn meanwhile keeps its targets, vertices and shadow maps.
    @Test func warmUpDoesNotAffectTheShownScene() throws {
        let (shown, view, options) = try stage(.cascades)
        let studio = try Studio()
        let before = try studio.image(of: shown, from: view, width: 48, height: 36, options: options)
        let targets = try #require(studio.renderer.transientTextures.texture(labeled: "depth"))
        let (next, _, _) = try stage(.spot)
        let warmUp = try studio.renderer.warmUp(of: next, from: view, to: .rgba8Unorm, options: options)
        for work in try warmUp.pendingPipelines() { studio.renderer.take(try work.run()) }
        try warmUp.draw()
        #expect(try studio.image(of: shown, from: view, width: 48, height: 36, options: options).bytes == before.bytes)
        #expect(studio.renderer.transientTextures.texture(labeled: "depth") === targets)
    }
}
