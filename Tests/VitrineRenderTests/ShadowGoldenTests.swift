import Testing
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineRender

/// Shadows of every kind of light as golden images: inspect them before updating with VITRINE_UPDATE_GOLDENS=1. Feet must touch their shadows
/// (no peter-panning), lit faces and round shapes be clean (no acne), soft edges widen with the distance.
@Suite struct ShadowGoldenTests {
    /// A block that stands, a ball on its side, a thin board that leans, on a floor or on a shadow receiver.
    private func stage(_ light: Light?, from eye: Vector3, isCaught: Bool = false) throws -> Scene {
        let scene = Scene()
        let ground = Material(baseColor: Color(sRGB: 0xD8D4CC), roughness: 0.9)
        ground.isShadowReceiver = isCaught
        func add(_ name: String, _ geometry: Geometry, _ material: Material, _ position: Vector3) -> Node {
            let node = Node(name: name, mesh: Mesh(geometry: geometry, material: material))
            node.position = position
            scene.rootNode.addChildNode(node)
            return node
        }
        let size: Float = isCaught ? 40 : 14
        add("floor", .plane(width: size, height: size), ground, Vector3(0, 0, 0)).eulerAngles.x = -.pi / 2
        let block = Material(baseColor: Color(sRGB: 0x3A6EA5), roughness: 0.6)
        add("block", .box(size: Vector3(0.8, 1.6, 0.8)), block, Vector3(-0.9, 0.8, 0)).eulerAngles.y = 0.5
        _ = add("ball", try sphere(), Material(baseColor: Color(sRGB: 0xC03028), roughness: 0.5), Vector3(0.9, 1, -0.3))
        let board = add("board", .box(size: Vector3(0.9, 0.04, 1.2)), Material(roughness: 0.8), Vector3(0.2, 0.35, 1.4))
        board.eulerAngles = Vector3(0.55, 0.3, 0)
        scene.environment = try uniformEnvironment(light == nil ? 1 : 0.25)
        if light == nil { scene.environment = .studio() }
        scene.environment.background = .color(Color(sRGB: 0xF0F0F0))
        if let light {
            let lightNode = Node(name: "light")
            lightNode.light = light
            lightNode.light?.castsShadow = true
            lightNode.transform = .lookAt(eye: eye, target: Vector3(0, 0.4, 0))
            scene.rootNode.addChildNode(lightNode)
        }
        return scene
    }

    private func light(_ kind: Light.Kind, _ intensity: Float, radius: Float = 0, degrees: Float = 0) -> Light {
        var light = Light(kind, intensity: intensity)
        (light.radius, light.angularDiameter) = (radius, .degrees(degrees))
        return light
    }

    private func check(_ scene: Scene, named name: String) throws {
        let view = View.orbit(
            target: Vector3(0, 0.5, 0.2), azimuth: .degrees(25), elevation: .degrees(24), distance: 6.2, fieldOfView: .degrees(40))
        let image = try Studio().image(of: scene, from: view, width: 240, height: 180)
        #expect(try Studio().image(of: scene, from: view, width: 240, height: 180).bytes == image.bytes, "differs in a second run")
        try GoldenImage.check(image, named: name)
    }

    @Test func sunHard() throws { try check(stage(light(.directional, 2.5), from: Vector3(-4, 5, 3)), named: "shadow-sun-hard") }

    @Test func sunSoft() throws {
        try check(stage(light(.directional, 2.5, degrees: 6), from: Vector3(-4, 5, 3)), named: "shadow-sun-soft")
    }

    @Test func spot() throws {
        let spot = light(.spot(inner: .degrees(24), outer: .degrees(32)), 90, radius: 0.15)
        try check(stage(spot, from: Vector3(-3, 5, 3)), named: "shadow-spot")
    }

    @Test func point() throws { try check(stage(light(.point, 40, radius: 0.1), from: Vector3(-1.5, 3.2, 2.2)), named: "shadow-point") }

    @Test func rectangle() throws {
        try check(stage(light(.rectangle(width: 1.6, height: 1.6), 24), from: Vector3(-3, 4, 3)), named: "shadow-rectangle")
    }

    @Test func caughtSun() throws {
        try check(stage(light(.directional, 2.5, degrees: 3), from: Vector3(-4, 5, 3), isCaught: true), named: "shadow-caught-sun")
    }

    @Test func caughtEnvironment() throws {
        try check(stage(nil, from: Vector3(0, 0, 0), isCaught: true), named: "shadow-caught-environment")
    }
}
