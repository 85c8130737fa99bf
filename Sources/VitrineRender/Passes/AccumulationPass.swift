import VitrineGPU

/// Adds a share of one image to another, for the mean of several frames.
final class AccumulationPass {
    private let device: GPUDevice
    private var knownLayout: GPUBindGroupLayout?
    private var pipelines: [GPUTextureFormat: GPURenderPipeline] = [:]

    init(_ device: GPUDevice) { self.device = device }

    /// target = sum + share · image. All three have the same size.
    func draw(
        _ image: GPUTextureView, share: Float, onto sum: GPUTextureView, to target: GPUTextureView, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        let layout = try layout()
        let pipeline = try pipeline(target.format, layout)
        let uniforms = try device.makeBuffer("share", contents: [share, 0, 0, 0], usage: .uniform)
        let group = try device.makeBindGroup(
            "accumulation", layout: layout, [.texture(0, image), .texture(1, sum), .buffer(2, uniforms)])
        encoder.renderPass(GPURenderPassDescriptor("accumulation", colors: [GPUColorAttachment(target)])) { pass in
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            pass.draw(vertexCount: 3)
        }
    }

    private func layout() throws(GPUError) -> GPUBindGroupLayout {
        if let knownLayout { return knownLayout }
        let made = try device.makeBindGroupLayout(
            "accumulation",
            [
                .texture(0, .fragment, .unfilterableFloat), .texture(1, .fragment, .unfilterableFloat),
                .uniformBuffer(2, .fragment, minSize: 16),
            ])
        knownLayout = made
        return made
    }

    private func pipeline(_ format: GPUTextureFormat, _ layout: GPUBindGroupLayout) throws(GPUError) -> GPURenderPipeline {
        if let known = pipelines[format] { return known }
        let module = try device.makeShader("accumulation.wgsl", wgsl: Self.code)
        let made = try device.makeRenderPipeline(
            GPURenderPipelineDescriptor(
                "accumulation", layout: try device.makePipelineLayout("accumulation", [layout]), vertex: GPUShaderStage(module, "cover"),
                fragment: GPUShaderStage(module, "add"), targets: [GPUColorTarget(format)]))
        pipelines[format] = made
        return made
    }

    private static let code = """
        @group(0) @binding(0) var image: texture_2d<f32>;
        @group(0) @binding(1) var sum: texture_2d<f32>;
        @group(0) @binding(2) var<uniform> share: vec4f;

        @vertex fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
            return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
        }

        @fragment fn add(@builtin(position) position: vec4f) -> @location(0) vec4f {
            let at = vec2i(position.xy);
            return textureLoad(sum, at, 0) + share.x * textureLoad(image, at, 0);
        }
        """
}
