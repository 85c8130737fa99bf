import VitrineGPU

/// Fills pyramids: the mean of a picture's samples into the first level, then each level from the one before.
///
/// A level is made with thirteen linear samples that weigh 36 texels of the one before (Jiménez, "Next Generation Post Processing in Call
/// of Duty: Advanced Warfare", 2014): smooth enough that neither glow nor frosted glass shows the grid.
final class PyramidPass {
    private let device: GPUDevice
    private let copyLayouts: [Int: GPUBindGroupLayout]
    private let levelLayout: GPUBindGroupLayout
    private var copies: [Int: GPURenderPipeline] = [:]
    private var reduction: GPURenderPipeline?
    private let sampler: GPUSampler

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        var layouts: [Int: GPUBindGroupLayout] = [:]
        for count in [1, 4] {
            layouts[count] = try device.makeBindGroupLayout(
                "copy", [.texture(0, .fragment, .unfilterableFloat, isMultisampled: count > 1)])
        }
        copyLayouts = layouts
        levelLayout = try device.makeBindGroupLayout("reduction", [.texture(0, .fragment), .sampler(1, .fragment)])
        sampler = try device.makeSampler(GPUSamplerDescriptor("reduction"))
    }

    /// The mean of each pixel's samples; both have one size.
    func copy(_ source: GPUTextureView, to target: GPUTextureView, _ encoder: borrowing GPUCommandEncoder) throws(GPUError) {
        let samples = source.texture.sampleCount
        guard let layout = copyLayouts[samples] else { throw .internal(resource: "copy", message: "\(samples) samples") }
        let group = try device.makeBindGroup("copy", layout: layout, [.texture(0, source)])
        let pipeline = try copyPipeline(samples: samples, layout)
        encoder.renderPass(GPURenderPassDescriptor("copy", colors: [GPUColorAttachment(target)])) { pass in
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            pass.draw(vertexCount: 3)
        }
    }

    /// Every level but the first.
    func fill(_ pyramid: Pyramid, _ encoder: borrowing GPUCommandEncoder) throws(GPUError) {
        for level in 1..<max(pyramid.levels.count, 1) { try reduce(pyramid.levels[level - 1], to: pyramid.levels[level], encoder) }
    }

    /// A picture half as large.
    func reduce(_ source: GPUTextureView, to target: GPUTextureView, _ encoder: borrowing GPUCommandEncoder) throws(GPUError) {
        let group = try device.makeBindGroup("reduction", layout: levelLayout, [.texture(0, source), .sampler(1, sampler)])
        let pipeline = try reductionPipeline()
        encoder.renderPass(GPURenderPassDescriptor("reduction", colors: [GPUColorAttachment(target)])) { pass in
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            pass.draw(vertexCount: 3)
        }
    }

    private func copyPipeline(samples: Int, _ layout: GPUBindGroupLayout) throws(GPUError) -> GPURenderPipeline {
        if let known = copies[samples] { return known }
        let made = try makePipeline("copy", layout, Self.copyCode(sampleCount: samples))
        copies[samples] = made
        return made
    }

    private func reductionPipeline() throws(GPUError) -> GPURenderPipeline {
        if let reduction { return reduction }
        let made = try makePipeline("reduction", levelLayout, Self.reductionCode)
        reduction = made
        return made
    }

    private func makePipeline(_ label: String, _ layout: GPUBindGroupLayout, _ code: String) throws(GPUError) -> GPURenderPipeline {
        let module = try device.makeShader("\(label).wgsl", wgsl: coverShader + code)
        return try device.makeRenderPipeline(
            GPURenderPipelineDescriptor(
                label, layout: try device.makePipelineLayout(label, [layout]), vertex: GPUShaderStage(module, "cover"),
                fragment: GPUShaderStage(module, "fill"), targets: [GPUColorTarget(.rgba16Float)]))
    }

    private static func copyCode(sampleCount: Int) -> String {
        """
        @group(0) @binding(0) var source: \(sampleCount > 1 ? "texture_multisampled_2d<f32>" : "texture_2d<f32>");

        @fragment fn fill(in: Covering) -> @location(0) vec4f {
            var sum = vec4f(0.0);
            for (var i = 0; i < \(sampleCount); i++) { sum += textureLoad(source, vec2i(in.position.xy), i); }
            return sum / \(sampleCount).0;
        }
        """
    }

    private static let reductionCode = """
        @group(0) @binding(0) var source: texture_2d<f32>;
        @group(0) @binding(1) var linear: sampler;

        fn at(uv: vec2f, offset: vec2f, texel: vec2f) -> vec4f { return textureSampleLevel(source, linear, uv + offset * texel, 0.0); }

        @fragment fn fill(in: Covering) -> @location(0) vec4f {
            let t = 1.0 / vec2f(textureDimensions(source));
            let uv = in.uv;
            let inner = at(uv, vec2f(-1.0, -1.0), t) + at(uv, vec2f(1.0, -1.0), t) + at(uv, vec2f(-1.0, 1.0), t) + at(uv, vec2f(1.0, 1.0), t);
            let cross = at(uv, vec2f(0.0, -2.0), t) + at(uv, vec2f(-2.0, 0.0), t) + at(uv, vec2f(2.0, 0.0), t) + at(uv, vec2f(0.0, 2.0), t);
            let corners = at(uv, vec2f(-2.0, -2.0), t) + at(uv, vec2f(2.0, -2.0), t) + at(uv, vec2f(-2.0, 2.0), t) + at(uv, vec2f(2.0, 2.0), t);
            return inner * 0.125 + cross * 0.0625 + corners * 0.03125 + at(uv, vec2f(0.0), t) * 0.125;
        }
        """
}

/// A triangle over the whole target. `uv` is 0…1 from the upper left corner.
let coverShader = """
    struct Covering {
        @builtin(position) position: vec4f,
        @location(0) uv: vec2f,
    }

    @vertex fn cover(@builtin(vertex_index) index: u32) -> Covering {
        let uv = vec2f(f32((index << 1u) & 2u), f32(index & 2u));
        return Covering(vec4f(uv * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0), 0.0, 1.0), uv);
    }

    """
