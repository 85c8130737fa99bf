import VitrineGPU

/// Depth that is the number of a pixel's material, for deferred shading of several materials: a depth test leaves each of them its pixels, before the
/// shader runs. Discarding the others would shade all pixels with every material on a software GPU.
final class MaterialDepth {
    private let device: GPUDevice
    private let pipelines: PipelineCache
    private let layout: GPUBindGroupLayout

    init(_ device: GPUDevice, _ pipelines: PipelineCache) throws(GPUError) {
        (self.device, self.pipelines) = (device, pipelines)
        layout = try device.makeBindGroupLayout(
            "material depth", [.texture(0, .fragment, .unsignedInteger), .texture(1, .fragment, .depth)])
    }

    /// Returns the WGSL of the depth of a material, more than 0 and exact.
    ///
    /// - Parameter number: The expression of its number.
    static func depth(_ number: String) -> String { "f32(\(number) + 1u) / \(2 * AttributeBuffer.materialCount).0" }

    /// Adds the pass that fills it.
    ///
    /// - Parameters:
    ///   - attributes: Contain the numbers.
    ///   - depth: The depth of the surfaces; 0 where there is none.
    func addPass(
        to graph: inout FrameGraph, _ attributes: AttributeBuffer.Textures, depth: FrameGraph.Handle, _ frame: FrameView
    ) -> FrameGraph.Handle {
        let materials = graph.texture(
            "material depth", TextureShape(width: frame.width, height: frame.height, format: FrameFormat.depth))
        graph.addPass("material depth", reads: [attributes.second, depth], writes: [materials]) { [self] encoder, views throws(GPUError) in
            guard let pipeline = try pipeline() else { return }
            let group = try device.makeBindGroup(
                "material depth", layout: layout, [.texture(0, views.view(attributes.second)), .texture(1, views.view(depth))])
            let descriptor = GPURenderPassDescriptor(
                "material depth", colors: [],
                depthStencil: GPUDepthStencilAttachment(views.view(materials), depthLoad: .clear(0), depthStore: .store))
            encoder.renderPass(descriptor) { pass in
                pass.setPipeline(pipeline)
                pass.setBindGroup(0, group)
                pass.draw(vertexCount: 3)
            }
        }
        return materials
    }

    private func pipeline() throws(GPUError) -> GPURenderPipeline? {
        let (device, layout) = (device, layout)
        return try pipelines.pipeline(.materialDepth) { () throws(GPUError) in
            let module = try device.makeShader("material-depth.wgsl", wgsl: coverShader + Self.code)
            return try device.makeRenderPipeline(
                GPURenderPipelineDescriptor(
                    "material depth", layout: try device.makePipelineLayout("material depth", [layout]),
                    vertex: GPUShaderStage(module, "cover"), fragment: GPUShaderStage(module, "number"), targets: [],
                    depthStencil: GPUDepthStencilState(FrameFormat.depth, depthCompare: .always)))
        }
    }

    private static let code = """
        @group(0) @binding(0) var attributes: texture_2d<u32>;
        @group(0) @binding(1) var surfaces: texture_depth_2d;

        @fragment fn number(in: Covering) -> @builtin(frag_depth) f32 {
            let pixel = vec2i(in.position.xy);
            if (textureLoad(surfaces, pixel, 0) == 0.0) { return 0.0; }
            return \(depth("(textureLoad(attributes, pixel, 0).y >> \(AttributeBuffer.instanceBits)u)"));
        }
        """
}
