import Testing
import VitrineGPU
import VitrineMath

@testable import VitrineRender

@Suite struct ToneMappingTests {
    /// Grey of all brightnesses, saturated colours, the edges of the curves' pieces.
    static let samples: [Vector3] = {
        var samples: [Vector3] = [Vector3(0, 0, 0), Vector3(0.8, 0.8, 0.8), Vector3(0.08, 0.08, 0.08), Vector3(1, 0, 0), Vector3(0, 0, 3)]
        for stop in -12...9 {
            let level = exp2(Float(stop))
            samples += [Vector3(level, level, level), Vector3(level, 0.2 * level, 0.05), Vector3(0.01, level, 0.7 * level)]
        }
        return samples
    }()

    @Test(arguments: ToneMapping.allCases) func theShaderAgreesWithTheProcessor(mapping: ToneMapping) throws {
        let device = try GPUDevice.make()
        let module = try device.makeShader(
            "tone-mapping-test.wgsl",
            wgsl: """
                override TONE_MAPPING: u32 = 0;
                \(toneMappingShader)
                @group(0) @binding(0) var<storage, read_write> colors: array<vec4f>;
                @compute @workgroup_size(1) fn map(@builtin(global_invocation_id) id: vec3u) {
                    colors[id.x] = vec4f(toneMapped(colors[id.x].rgb), 0.0);
                }
                """)
        let pipeline = try device.makeComputePipeline(
            "tone mapping", GPUShaderStage(module, "map", constants: [GPUConstant("TONE_MAPPING", Double(mapping.rawValue))]))
        let buffer = try device.makeBuffer("colours", contents: Self.samples.map { Vector4($0, 0) }, usage: [.storage, .copySource])
        let group = try device.makeBindGroup("colours", layout: try pipeline.bindGroupLayout(0), [.buffer(0, buffer)])
        let encoder = try device.makeCommandEncoder("tone mapping")
        encoder.computePass("tone mapping") { pass in
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            pass.dispatch(Self.samples.count)
        }
        device.queue.submit(try encoder.finish())
        for (sample, mapped) in zip(Self.samples, try buffer.read(as: Vector4.self)) {
            #expect(length(mapping.apply(sample) - mapped.xyz) < 0.001, "\(mapping.name) of \(sample)")
        }
    }

    @Test func neutralKeepsBaseColours() {
        // A white light on a dielectric adds 4 %: the base colour comes back.
        for color in [Vector3(0.2, 0.5, 0.1), Vector3(0.7, 0.1, 0.3), Vector3(0.5, 0.5, 0.5)] {
            #expect(length(ToneMapping.neutral.apply(color + 0.04) - color) < 1e-6)
        }
        // By hand: 1 − 0.04 = 0.96; 1 − 0.24² / (0.96 + 0.24 − 0.76) = 0.8691.
        #expect(length(ToneMapping.neutral.apply(Vector3(1, 1, 1)) - Vector3(repeating: 0.869_090_9)) < 1e-5)
        #expect(abs(ToneMapping.neutral.apply(Vector3(0.04, 0.04, 0.04)).x - 0.01) < 1e-6)
    }

    @Test func agxHasItsPublishedAnchors() {
        // Middle grey lies on the pivot: half of the display's signal, as the exponent range was chosen for.
        #expect(abs(ToneMapping.agx.apply(Vector3(repeating: 0.18)).y - pow(0.5, 2.2)) < 0.001)
        #expect(ToneMapping.agx.apply(Vector3(repeating: 0.18 * exp2(-10))).y < 1e-4)
        #expect(ToneMapping.agx.apply(Vector3(repeating: 0.18 * exp2(6.5))).y > 0.999)
        // A pure red much too bright goes towards white.
        let red = ToneMapping.agx.apply(Vector3(100, 0, 0))
        #expect(red.x > 0.95 && red.y > 0.4)
    }

    /// ACES puts 18 % grey at 10 % of the display's white.
    @Test func acesHasItsMiddleGrey() {
        #expect(abs(ToneMapping.aces.apply(Vector3(repeating: 0.18)).y - 0.105) < 0.005)
        #expect(ToneMapping.aces.apply(Vector3(repeating: 16.3)).y > 0.95)
    }

    @Test(arguments: ToneMapping.allCases) func greyRisesAndStaysGrey(mapping: ToneMapping) {
        var previous: Float = -1
        for step in 0...400 {
            let mapped = mapping.apply(Vector3(repeating: 0.0005 * exp2(Float(step) / 20)))
            #expect(mapped.y >= previous)
            #expect(mapped.max() - mapped.min() < 0.002)
            previous = mapped.y
        }
        #expect(previous > 0.99)
    }
}
