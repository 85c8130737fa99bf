import VitrineGPU

/// A fragment shader `fill(in: Covering) -> @location(0) vec4f` over the whole of a target; compiled when first used, for each format.
final class CoverPass {
    private let device: GPUDevice
    private let label: String
    private let code: String
    private let constants: [GPUConstant]
    private let blend: GPUBlendState?
    private let entries: [GPUBindGroupLayoutEntry]
    private var layout: GPUBindGroupLayout?
    private var pipelines: [GPUTextureFormat: GPURenderPipeline] = [:]

    /// - Parameters:
    ///   - entries: group 0.
    ///   - blend: with what the target holds, which is cleared without it.
    init(
        _ device: GPUDevice, _ label: String, _ entries: [GPUBindGroupLayoutEntry], constants: [GPUConstant] = [],
        blend: GPUBlendState? = nil, code: String
    ) {
        (self.device, self.label, self.entries, self.constants) = (device, label, entries, constants)
        (self.blend, self.code) = (blend, code)
    }

    /// - Parameter blendConstant: `GPUBlendFactor.constant`, in all channels.
    func draw(
        _ resources: [GPUBindGroupEntry], to target: GPUTextureView, blendConstant: Double = 0, timestamps: GPUPassTimestamps? = nil,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        let (pipeline, layout) = try pipeline(target.format)
        let group = try device.makeBindGroup(label, layout: layout, resources)
        let attachment = GPUColorAttachment(target, load: blend == nil ? .clear(.clear) : .load)
        encoder.renderPass(GPURenderPassDescriptor(label, colors: [attachment], timestamps: timestamps)) { pass in
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            if blend != nil { pass.setBlendConstant(GPUColor(blendConstant, blendConstant, blendConstant, blendConstant)) }
            pass.draw(vertexCount: 3)
        }
    }

    private func pipeline(_ format: GPUTextureFormat) throws(GPUError) -> (GPURenderPipeline, GPUBindGroupLayout) {
        let layout: GPUBindGroupLayout
        if let known = self.layout { layout = known } else { layout = try device.makeBindGroupLayout(label, entries) }
        self.layout = layout
        if let known = pipelines[format] { return (known, layout) }
        let module = try device.makeShader("\(label).wgsl", wgsl: coverShader + code)
        let made = try device.makeRenderPipeline(
            GPURenderPipelineDescriptor(
                label, layout: try device.makePipelineLayout(label, [layout]), vertex: GPUShaderStage(module, "cover"),
                fragment: GPUShaderStage(module, "fill", constants: constants), targets: [GPUColorTarget(format, blend: blend)]))
        pipelines[format] = made
        return (made, layout)
    }
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
