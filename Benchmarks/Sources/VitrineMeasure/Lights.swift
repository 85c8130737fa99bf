import Vitrine
import VitrineGPU

@testable import VitrineMath
@testable import VitrineRender

/// The cost of lights and shadows: a floor of 40 m with 400 boxes, 1280×720, no antialiasing.
@MainActor struct LightMeasurement {
    private let renderer: Renderer
    private let target: OffscreenTarget

    init() throws {
        renderer = try Renderer(device: .make())
        target = try OffscreenTarget(renderer.device, width: 1280, height: 720)
    }

    /// Measures all rows and returns them as JSON.
    func measure() throws -> String {
        var rows: [(String, Timing)] = []
        for count in [1, 100, 1000] {
            rows.append(("\(count) point lights that reach 2.5 m", try frames(Self.scene(lights: count, isSpot: false))))
        }
        rows.append(("1000 spot lights that reach 4 m", try frames(Self.scene(lights: 1000, isSpot: true))))
        rows.append(("one rectangle of light", try frames(Self.scene(Light(.rectangle(width: 6, height: 2), intensity: 20)))))
        for (name, light) in Self.sources {
            for (how, casts, size) in [("no shadow", false, Float(0)), ("hard shadow", true, 0), ("soft shadow", true, 1)] {
                var light = light
                light.castsShadow = casts
                (light.radius, light.angularDiameter) = (0.3 * size, .degrees(3 * size))
                rows.append(("\(name), \(how)", try frames(Self.scene(light))))
            }
        }
        let lines = rows.map { "{\"name\": \"\($0.0)\", \"ms\": \($0.1.values)}" }
        return "{\"rows\": [\(lines.joined(separator: ", "))]}"
    }

    private static let sources: [(String, Light)] = [
        ("sun, four cascades", Light(.directional, intensity: 3)),
        ("spot light", Light(.spot(inner: .degrees(30), outer: .degrees(50)), intensity: 300)),
        ("point light amid the boxes", Light(.point, intensity: 100)),
    ]

    /// Measures frames while the camera rotates by a degree per frame, so that no result can be reused.
    private func frames(_ scene: Scene) throws -> Timing {
        var turn: Float = 0
        return try Timing(repeats: 8, warmup: 2) {
            turn += 1
            let view = View.orbit(
                target: Vector3(0, 0, 0), azimuth: .degrees(turn), elevation: .degrees(20), distance: 18, near: 0.1)
            try renderer.render(scene, from: view, to: target.view, options: RenderOptions(sampleCount: 1))
            try renderer.device.waitUntilIdle()
        }
    }

    private static func stage() -> Scene {
        let scene = Scene()
        scene.environment.background = .color(.black)
        let floor = Node(mesh: Mesh(geometry: .plane(width: 40, height: 40), material: Material(roughness: 0.6)))
        floor.orientation = Quaternion(angle: .degrees(-90), axis: .right)
        scene.rootNode.addChildNode(floor)
        let box = Mesh(geometry: .box(size: Vector3(0.6, 1, 0.6)), material: Material(roughness: 0.5))
        for index in 0..<400 {
            let node = Node(mesh: box)
            node.position = Vector3(Float(index % 20) * 2 - 19, 0.5, Float(index / 20) * 2 - 19)
            scene.rootNode.addChildNode(node)
        }
        return scene
    }

    private static func scene(lights count: Int, isSpot: Bool) -> Scene {
        let scene = stage()
        var random = SplitMix64(seed: 7)
        for _ in 0..<count {
            let node = Node()
            let kind: Light.Kind = isSpot ? .spot(inner: .degrees(15), outer: .degrees(25)) : .point
            node.light = Light(kind, intensity: isSpot ? 8 : 1, range: isSpot ? 4 : 2.5)
            node.position = Vector3(Float(random.below(3800)) / 100 - 19, isSpot ? 3.5 : 1.2, Float(random.below(3800)) / 100 - 19)
            node.orientation = Quaternion(angle: .degrees(-90), axis: .right)
            scene.rootNode.addChildNode(node)
        }
        return scene
    }

    private static func scene(_ light: Light) -> Scene {
        let scene = stage()
        let node = Node()
        node.light = light
        let isAmid = light.kind == .point
        node.transform = .lookAt(eye: isAmid ? Vector3(1, 3, 1) : Vector3(12, 16, 6), target: Vector3(0, 0, 0))
        scene.rootNode.addChildNode(node)
        return scene
    }
}
