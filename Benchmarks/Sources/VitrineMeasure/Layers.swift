import Vitrine
import VitrineGPU

@testable import VitrineLayers
@testable import VitrineMath
@testable import VitrineRender

/// Many layers in 1280×720: rounded rectangles with borders, at rest, moving, and turning through each other in one 3D space.
@MainActor
struct LayerMeasurement {
    let count: Int

    func measure() throws -> String {
        let device = try GPUDevice.make()
        let renderer = try LayerRenderer(device)
        let target = try OffscreenTarget(device, width: 1280, height: 720)
        let root = Layer(frame: Rectangle(x: 0, y: 0, width: 1280, height: 720))
        root.perspectiveDistance = 800
        var random = SplitMix64(seed: 1)
        for index in 0..<count {
            let origin = Vector2(Float(random.below(1240)), Float(random.below(680)))
            let layer = Layer(frame: Rectangle(origin: origin, size: Vector2(40, 40)))
            layer.cornerRadius = 8
            layer.fill = .color(Color(sRGB: UInt32(random.below(0xFFFFFF))))
            layer.stroke = Stroke(.white, width: 2, placement: .inside)
            layer.zPosition = Float(index % 10) * 10
            root.add(layer)
        }
        func draw() throws {
            try renderer.render(root, to: target.view, background: .black)
            try device.waitUntilIdle()
        }
        let still = try Timing(repeats: 20, warmup: 3) { try draw() }
        var frame = 0
        let moving = try Timing(repeats: 20, warmup: 3) {
            frame += 1
            for (index, layer) in root.sublayers.enumerated() {
                layer.transform = Matrix4(rotation: .degrees(Float(frame * 3 + index)), axis: Vector3(0, 0, 1))
            }
            try draw()
        }
        let turning = try Timing(repeats: 5, warmup: 1) {
            frame += 1
            for (index, layer) in root.sublayers.enumerated() {
                layer.transform = Matrix4(rotation: .degrees(Float(frame * 3 + index)), axis: .up)
            }
            try draw()
        }
        let nothing = try Timing(repeats: 20, warmup: 3) {
            try renderer.render(Layer(), to: target.view, background: .black)
            try device.waitUntilIdle()
        }
        let rows = [
            ("no layers", nothing), ("\(count) layers", still), ("\(count) layers, all moving", moving),
            ("\(count) layers, all turning through each other", turning),
        ]
        let lines = rows.map { "{\"name\": \"\($0.0)\", \"ms\": \($0.1.values)}" }
        return "{\"rows\": [\(lines.joined(separator: ", "))], \"draws\": \(renderer.statistics.drawCalls)}"
    }
}

/// `Examples/Button` in 1920×1080 while it is pressed, and without one of its parts.
@MainActor
struct ButtonMeasurement {
    /// The name of a row, to measure only that one.
    var only: String?

    func measure() throws -> String {
        let rows: [(String, Bool, (Layer) -> Void)] = [
            ("all", true, { _ in }), ("without particles", true, { $0.layer(named: "particles")?.isHidden = true }),
            ("without glow", true, { $0.layer(named: "border")?.isHidden = true }),
            ("without ripple", true, { $0.sublayers.first?.effects = [] }), ("not pressed", false, { _ in }),
        ]
        let lines = try rows.filter { only == nil || $0.0 == only }.map { name, isPressed, change in
            "{\"name\": \"\(name)\", \"ms\": \(try pressed(isPressed: isPressed, change).values)}"
        }
        return "{\"rows\": [\(lines.joined(separator: ", "))]}"
    }

    /// - Parameter change: A change that is applied before each frame, after the button's own update.
    private func pressed(isPressed: Bool, _ change: (Layer) -> Void) throws -> Timing {
        let size = Vector2(1920, 1080)
        let view = try makeView(size: size) {}
        view.root.frame = Rectangle(origin: .zero, size: size)
        let device = try GPUDevice.make()
        let renderer = try LayerRenderer(device)
        let target = try OffscreenTarget(device, width: 1920, height: 1080)
        if isPressed { view.onEvent?(InputEvent(.pointerPressed(.left, at: [800, 500], clicks: 1), time: 0)) }
        var frame = 0
        // From a tenth of a second to eight tenths: glow, ripple and particles are all there.
        return try Timing(repeats: 42, warmup: 6) {
            frame += 1
            _ = view.onUpdate?(Double(frame) / 60)
            change(view.root)
            try renderer.render(view.root, to: target.view, background: view.background)
            try device.waitUntilIdle()
        }
    }
}
