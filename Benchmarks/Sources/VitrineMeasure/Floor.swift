import Vitrine
import VitrineGPU

@testable import VitrineRender

/// The driver's time for the basic parts of a frame of 1280×720: no renderer can be faster than the passes it needs.
///
/// DamagedHelmet covers 23 % of the benchmark's view, so what happens once for each of its pixels is measured on that share: a
/// rectangle of 614×346.
final class Floor {
    private let device: GPUDevice
    private let size = GPUExtent(1280, 720)
    private let share = GPUExtent(614, 346)
    private let textures: [GPUTexture]
    private let sampler: GPUSampler

    init() throws {
        device = try GPUDevice.make()
        // Five 2048² textures with all their levels, as the helmet has.
        let levels = GPUTexture.fullMipLevelCount(width: 2048, height: 2048)
        let device = self.device
        textures = try (0..<5).map { index in
            let texture = try device.makeTexture(
                .init(
                    "texture \(index)", size: .init(2048, 2048), format: index < 2 ? .rgba8UnormSRGB : .rgba8Unorm,
                    usage: [.textureBinding, .copyDestination], mipLevelCount: levels))
            for level in 0..<levels {
                let extent = texture.size(ofMipLevel: level)
                let bytes = (0..<extent.width * extent.height * 4).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
                device.queue.write(bytes, to: texture.copyInfo(mipLevel: level), size: extent)
            }
            return texture
        }
        sampler = try device.makeSampler(
            .init("trilinear", address: .repeat))
    }

    /// Measures all rows and returns them as JSON.
    func measure() throws -> String {
        let rows: [(String, Timing)] = [
            ("fill 8-bit colour, one sample per pixel", try pass(.rgba8Unorm, samples: 1, "vec4f(0.5)")),
            ("fill half-float colour, one sample per pixel", try pass(.rgba16Float, samples: 1, "vec4f(0.5)")),
            ("fill and resolve 8-bit colour, four samples", try pass(.rgba8Unorm, samples: 4, "vec4f(0.5)")),
            ("fill and resolve half-float colour, four samples", try pass(.rgba16Float, samples: 4, "vec4f(0.5)")),
            (
                "five trilinear texture samples for each of the helmet's pixels",
                try pass(.rgba8Unorm, samples: 1, Self.fiveSamples, on: share)
            ),
            ("the same and 200 multiply-adds", try pass(.rgba8Unorm, samples: 1, Self.fiveSamplesAndArithmetic, on: share)),
        ]
        let lines = rows.map { "{\"name\": \"\($0.0)\", \"ms\": \($0.1.values)}" }
        return "{\"rows\": [\(lines.joined(separator: ", "))]}"
    }

    private static let sum = (0..<5).map { "textureSample(t\($0), s, uv)" }.joined(separator: " + ")
    private static let fiveSamples = "(\(sum)) * 0.2"
    private static let fiveSamplesAndArithmetic = "arithmetic((\(sum)) * 0.2)"

    private func shader(_ expression: String) throws -> GPUShaderModule {
        let bindings = (0..<5).map { "@group(0) @binding(\($0)) var t\($0): texture_2d<f32>;" }.joined(separator: "\n")
        return try device.makeShader(
            "floor.wgsl",
            wgsl: """
                \(bindings)
                @group(0) @binding(5) var s: sampler;
                struct Out { @builtin(position) position: vec4f, @location(0) uv: vec2f }
                @vertex fn corner(@builtin(vertex_index) i: u32) -> Out {
                    let p = vec2f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1);
                    return Out(vec4f(p, 0, 1), p * 0.5);
                }
                fn arithmetic(start: vec4f) -> vec4f {
                    var v = start;
                    // 50 vector operations of four lanes: 200 multiply-adds.
                    for (var i = 0; i < 50; i++) { v = v * start + start.wxyz; }
                    return v;
                }
                @fragment fn pixel(in: Out) -> @location(0) vec4f { let uv = in.uv; return \(expression); }
                """)
    }

    private func pass(_ format: GPUTextureFormat, samples: Int, _ expression: String, on area: GPUExtent? = nil) throws -> Timing {
        let module = try shader(expression)
        let usesTextures = expression.contains("textureSample")
        let layoutEntries: [GPUBindGroupLayoutEntry] =
            usesTextures ? (0..<5).map { .texture($0, .fragment) } + [.sampler(5, .fragment)] : []
        let layout = try device.makeBindGroupLayout("floor", layoutEntries)
        var entries: [GPUBindGroupEntry] = []
        if usesTextures {
            for (index, texture) in textures.enumerated() { entries.append(.texture(index, try texture.makeView())) }
            entries.append(.sampler(5, sampler))
        }
        let group = try device.makeBindGroup("floor", layout: layout, entries)
        let pipeline = try device.makeRenderPipeline(
            .init(
                "floor", layout: try device.makePipelineLayout("floor", [layout]), vertex: .init(module, "corner"),
                fragment: .init(module, "pixel"), targets: [.init(format)], sampleCount: samples))
        let target = try device.makeTexture(
            .init("target", size: size, format: format, usage: [.renderAttachment, .copySource]))
        let multisampled =
            samples == 1
            ? nil
            : try device.makeTexture(
                .init("samples", size: size, format: format, usage: .renderAttachment, sampleCount: samples))
        let view = try target.makeView()
        let attachment =
            try multisampled.map { GPUColorAttachment(try $0.makeView(), load: .clear(.clear), store: .discard, resolveTarget: view) }
            ?? GPUColorAttachment(view, load: .clear(.clear))
        return try Timing(repeats: 30, warmup: 3) {
            let encoder = try device.makeCommandEncoder("floor")
            encoder.renderPass(.init("floor", colors: [attachment])) { pass in
                pass.setPipeline(pipeline)
                pass.setBindGroup(0, group)
                if let area {
                    pass.setViewport(x: 0, y: 0, width: Float(area.width), height: Float(area.height))
                    pass.setScissor(x: 0, y: 0, width: area.width, height: area.height)
                }
                pass.draw(vertexCount: 3)
            }
            device.queue.submit(try encoder.finish())
            try device.waitUntilIdle()
        }
    }
}
