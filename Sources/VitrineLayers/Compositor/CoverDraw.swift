import VitrineGPU
import VitrineRender

/// A pass that fills a whole target from textures, with one triangle and a fragment shader `fill`.
final class CoverDraw {
    private let device: GPUDevice
    private let label: String
    private let code: String
    private let layout: GPUBindGroupLayout
    private var pipelines: [GPUTextureFormat: GPURenderPipeline] = [:]

    /// Compiles a draw that fills a surface.
    ///
    /// - Parameter code: WGSL with `fn fill(in: Covering) -> @location(0) vec4f`; `in.uv` is 0…1 from the upper left corner.
    init(_ device: GPUDevice, _ label: String, _ entries: [GPUBindGroupLayoutEntry], code: String) throws(GPUError) {
        (self.device, self.label, self.code) = (device, label, code)
        layout = try device.makeBindGroupLayout(label, entries)
    }

    func draw(_ resources: [GPUBindGroupEntry], to target: GPUTextureView, _ encoder: borrowing GPUCommandEncoder) throws(GPUError) {
        let pipeline = try pipeline(target.format)
        let group = try device.makeBindGroup(label, layout: layout, resources)
        encoder.renderPass(GPURenderPassDescriptor(label, colors: [GPUColorAttachment(target)])) { pass in
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            pass.draw(vertexCount: 3)
        }
    }

    private func pipeline(_ format: GPUTextureFormat) throws(GPUError) -> GPURenderPipeline {
        if let known = pipelines[format] { return known }
        let module = try device.makeShader("\(label).wgsl", wgsl: coverShader + code)
        let made = try device.makeRenderPipeline(
            GPURenderPipelineDescriptor(
                label, layout: try device.makePipelineLayout(label, [layout]), vertex: GPUShaderStage(module, "cover"),
                fragment: GPUShaderStage(module, "fill"), targets: [GPUColorTarget(format)]))
        pipelines[format] = made
        return made
    }
}
