import Testing
import VitrineGeometry
import VitrineMath
import VitrineScene

@testable import VitrinePathTracer

/// Renders that stop and continue in another process, and the removal of noise from shadows.
struct ResumeTests {
    private static func tracer(roughness: Float = 0.5, width: Int = 40) throws -> PathTracer {
        let scene = Scene()
        scene.environment = Environment(background: .transparent)
        let node = Node(mesh: Mesh(geometry: .sphere(radius: 0.25), material: Material(baseColor: .white, roughness: roughness)))
        scene.rootNode.addChildNode(node)
        let lightNode = Node(name: "light")
        (lightNode.light, lightNode.position) = (Light(.rectangle(width: 1, height: 1), intensity: 3), Vector3(1, 1, 2))
        lightNode.look(at: .zero)
        scene.rootNode.addChildNode(lightNode)
        return try PathTracer(
            try PathScene(scene), camera: Camera(projection: .orthographic(scale: 0.3), near: 0.01, far: 100),
            worldFromCamera: Matrix4(translation: Vector3(0, 0, 4)), width: width, height: 20)
    }

    @Test func restoredRendersEndWithTheSameBytes() throws {
        let whole = try Self.tracer()
        try whole.render(PathBudget(samples: 8))
        let first = try Self.tracer()
        try first.render(PathBudget(samples: 3))
        let second = try Self.tracer()
        try second.restore(first.savedState())
        #expect(second.radiance == first.radiance)
        try second.render(PathBudget(samples: 8))
        #expect(second.radiance == whole.radiance)
        #expect(second.denoisedRadiance() == whole.denoisedRadiance())
    }

    @Test func statesOfOtherRendersAreRefused() throws {
        let tracer = try Self.tracer()
        try tracer.render(PathBudget(samples: 2))
        let state = tracer.savedState()
        #expect(throws: PathTracerError.state(reason: "belongs to another scene, view or light")) {
            try Self.tracer(roughness: 0.6).restore(state)
        }
        #expect(throws: PathTracerError.state(reason: "belongs to an image of 40 × 20 pixels, not 41 × 20")) {
            try Self.tracer(width: 41).restore(state)
        }
        let before = tracer.radiance
        for broken in [[], Array(state.prefix(20)), Array(state.dropLast()), state + [0], [UInt8](repeating: 65, count: state.count)] {
            #expect(throws: PathTracerError.self) { try tracer.restore(broken) }
        }
        // Not a number in the last sum.
        var broken = state
        broken.replaceSubrange(broken.count - 4..<broken.count, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: PathTracerError.state(reason: "has samples that are not numbers")) { try tracer.restore(broken) }
        #expect(tracer.radiance == before)
    }

    @Test func noiseOfShadowsIsRemovedAndEdgesStay() {
        let (width, height) = (48, 32)
        var generator = SplitMix64(seed: 4)
        func noise() -> Float { (Float(generator.next() >> 40) / 16_777_216 - 0.5) * 0.2 }
        // Light to the left, shadow to the right; no receiver in the lower rows.
        let pixels = (0..<width * height).map { index in
            let isReceiver = index / width < 28
            let truth: Float = index % width < 24 ? 0.1 : 0.8
            return ShadowDenoiser.Pixel(shadow: isReceiver ? truth + noise() : 0, share: isReceiver ? 1 : 0)
        }
        let filtered = ShadowDenoiser(width: width, height: height).filtered(pixels)
        func error(_ values: [Float], columns: Range<Int>, truth: Float) -> Float {
            var (sum, count): (Float, Float) = (0, 0)
            for y in 0..<28 {
                for x in columns {
                    let d = values[y * width + x] - truth
                    sum += d * d
                    count += 1
                }
            }
            return (sum / count).squareRoot()
        }
        for (columns, truth) in [(0..<22, Float(0.1)), (26..<48, 0.8)] {
            let (before, after) = (
                error(pixels.map { $0.shadow }, columns: columns, truth: truth), error(filtered, columns: columns, truth: truth)
            )
            #expect(after < before / 3, "\(before) \(after)")
        }
        // The edge's own pixels stay on their sides.
        #expect((0..<28).allSatisfy { filtered[$0 * width + 22] < 0.3 && filtered[$0 * width + 25] > 0.6 })
        #expect(filtered.dropFirst(28 * width).allSatisfy { $0 == 0 })
    }
}
