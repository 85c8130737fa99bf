import VitrineGPU

/// Runs a fragment shader `fill(in: Covering) -> @location(0) vec4f` over a whole target; compiled on first use of each format.
final class CoverPass {
    private let device: GPUDevice
    private let pipelines: PipelineCache
    private let label: String
    private let code: String
    private let constants: [GPUConstant]
    private let blend: GPUBlendState?
    private let entries: [GPUBindGroupLayoutEntry]
    private var knownLayout: GPUBindGroupLayout?

    /// Creates a pass that covers its whole target.
    ///
    /// - Parameters:
    ///   - label: A label that is unique for each code, because pipelines are cached by it.
    ///   - entries: Group 0.
    ///   - blend: The blending with the target's contents; nil to clear the target.
    init(
        _ device: GPUDevice, _ pipelines: PipelineCache, _ label: String, _ entries: [GPUBindGroupLayoutEntry],
        constants: [GPUConstant] = [], blend: GPUBlendState? = nil, code: String
    ) {
        (self.device, self.pipelines, self.label, self.entries) = (device, pipelines, label, entries)
        (self.constants, self.blend, self.code) = (constants, blend, code)
    }

    /// Draws unless the pipeline is missing and missing pipelines are only recorded.
    ///
    /// - Parameter blendConstant: Value of `GPUBlendFactor.constant` in all channels.
    func draw(
        _ resources: [GPUBindGroupEntry], to target: GPUTextureView, blendConstant: Double = 0, timestamps: GPUPassTimestamps? = nil,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        let layout = try layout()
        guard let pipeline = try pipeline(target.format, layout) else { return }
        let group = try device.makeBindGroup(label, layout: layout, resources)
        let attachment = GPUColorAttachment(target, load: blend == nil ? .clear(.clear) : .load)
        encoder.renderPass(GPURenderPassDescriptor(label, colors: [attachment], timestamps: timestamps)) { pass in
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            if blend != nil { pass.setBlendConstant(GPUColor(blendConstant, blendConstant, blendConstant, blendConstant)) }
            pass.draw(vertexCount: 3)
        }
    }

    private func layout() throws(GPUError) -> GPUBindGroupLayout {
        if let knownLayout { return knownLayout }
        let made = try device.makeBindGroupLayout(label, entries)
        knownLayout = made
        return made
    }

    private func pipeline(_ format: GPUTextureFormat, _ layout: GPUBindGroupLayout) throws(GPUError) -> GPURenderPipeline? {
        let name = PipelineName.cover(CoverKey(label: label, constants: constants.map { $0.value.bitPattern }, format: format))
        if let known = pipelines[name] { return known }
        let (device, label, code, constants, blend) = (device, label, code, constants, blend)
        return try pipelines.pipeline(name) { () throws(GPUError) in
            let module = try device.makeShader("\(label).wgsl", wgsl: coverShader + code)
            return try device.makeRenderPipeline(
                GPURenderPipelineDescriptor(
                    label, layout: try device.makePipelineLayout(label, [layout]), vertex: GPUShaderStage(module, "cover"),
                    fragment: GPUShaderStage(module, "fill", constants: constants), targets: [GPUColorTarget(format, blend: blend)]))
        }
    }
}

/// Identifies the pipeline of a `CoverPass`.
struct CoverKey: Hashable {
    let label: String
    /// Bit patterns of the values, in order.
    let constants: [UInt64]
    let format: GPUTextureFormat
}

/// A triangle over the whole target. `uv` is 0…1 from the upper left corner.
package let coverShader = """
    struct Covering {
        @builtin(position) position: vec4f,
        @location(0) uv: vec2f,
    }

    @vertex fn cover(@builtin(vertex_index) index: u32) -> Covering {
        let uv = vec2f(f32((index << 1u) & 2u), f32(index & 2u));
        return Covering(vec4f(uv * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0), 0.0, 1.0), uv);
    }

    """

/// A level of a texture that is sampled around a position: `at(uv, offset in texels, size of a texel)`.
let levelShader = """
    @group(0) @binding(0) var source: texture_2d<f32>;
    @group(0) @binding(1) var linear: sampler;

    fn at(uv: vec2f, offset: vec2f, texel: vec2f) -> vec4f { return textureSampleLevel(source, linear, uv + offset * texel, 0.0); }

    """
