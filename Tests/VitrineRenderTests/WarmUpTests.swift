import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Whatever a first picture needs is compiled before it, on other threads.
@Suite struct WarmUpTests {
    enum Look: CaseIterable {
        case plain, skyAndText, cascades, spot, holes, halfTransparent, transmission, blended, bloomAndVignette, lens, screenOcclusion
        case skin, grounded, blurred, catcher, areaLight, singleSample, wireframe
    }

    /// A ball over a square, and what the look asks for.
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
        case .catcher: floor.mesh?.parts[0].material.isShadowReceiver = true
        case .areaLight: addLight(.rectangle(width: 1, height: 1), to: scene)
        case .singleSample: options.sampleCount = 1
        case .wireframe: options.debugView = .wireframe
        }
        return (scene, view, options)
    }

    private func addLight(_ kind: Light.Kind, to scene: Scene) {
        let lamp = Node(name: "lamp")
        lamp.light = Light(kind, intensity: 5, castsShadow: true)
        lamp.transform = .lookAt(eye: Vector3(2, 4, 2), target: Vector3(0, 0, 0))
        scene.rootNode.addChildNode(lamp)
    }

    @Test(arguments: Look.allCases) func theFirstPictureCompilesNothing(_ look: Look) async throws {
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
        let picture = try studio.picture(of: scene, from: view, width: 48, height: 36, options: options)
        #expect(renderer.resources.pipelines.compiledInPlace == 0)
        // And it is the picture that it would have been.
        let unprepared = try Studio()
        #expect(try unprepared.picture(of: scene, from: view, width: 48, height: 36, options: options).bytes == picture.bytes)
        #expect(unprepared.renderer.resources.pipelines.compiledInPlace > 0)
    }

    /// What is drawn meanwhile keeps its targets, its vertices and its shadow maps.
    @Test func anotherSceneIsLeftAlone() throws {
        let (shown, view, options) = try stage(.cascades)
        let studio = try Studio()
        let before = try studio.picture(of: shown, from: view, width: 48, height: 36, options: options)
        let targets = try #require(studio.renderer.transientTextures.texture(labeled: "depth"))
        let (next, _, _) = try stage(.spot)
        let warmUp = try studio.renderer.warmUp(of: next, from: view, to: .rgba8Unorm, options: options)
        for work in try warmUp.pendingPipelines() { studio.renderer.take(try work.run()) }
        try warmUp.draw()
        #expect(try studio.picture(of: shown, from: view, width: 48, height: 36, options: options).bytes == before.bytes)
        #expect(studio.renderer.transientTextures.texture(labeled: "depth") === targets)
    }
}
