import VitrineGPU
import VitrineMath

/// Writes the depth of real objects, which are not in the scene, before the scene is drawn, so that they occlude surfaces behind them.
///
/// All samples of a pixel get the same depth: edges are not antialiased.
final class OccluderPass {
    /// The first draw of the scene's pass.
    struct Draw {
        let pipeline: GPURenderPipeline
        let group: GPUBindGroup

        func encode(_ pass: borrowing GPURenderPass) {
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            pass.draw(vertexCount: 3)
        }
    }

    private let device: GPUDevice
    private let pipelines: PipelineCache
    private let layout: GPUBindGroupLayout

    init(_ device: GPUDevice, _ pipelines: PipelineCache) throws(GPUError) {
        (self.device, self.pipelines) = (device, pipelines)
        layout = try device.makeBindGroupLayout(
            "occluder", [.texture(0, .fragment, .unfilterableFloat), .uniformBuffer(1, .fragment, minSize: 16)])
    }

    /// Throws `RenderError.invalidOption` if format or size do not match the target.
    static func validate(_ depth: GPUTextureView?, for target: GPUTextureView) throws(RenderError) {
        guard let depth else { return }
        guard depth.format == .r32Float else { throw .invalidOption(name: "occluder", reason: "must be r32Float") }
        let (own, wanted) = (depth.texture, target.texture)
        guard own.width == wanted.width, own.height == wanted.height else {
            throw .invalidOption(
                name: "occluder", reason: "has \(own.width) × \(own.height) texels, the target \(wanted.width) × \(wanted.height)")
        }
    }

    /// Makes the draw of a depth image; nil while missing pipelines are only recorded.
    ///
    /// - Parameters:
    ///   - depth: Metres ahead of the camera.
    ///   - format: The format of the colour attachment.
    func prepare(_ depth: GPUTextureView, _ frame: FrameView, format: GPUTextureFormat) throws(RenderError) -> Draw? {
        try attempting("occluding a scene") { () throws(GPUError) in
            // Clip z and w at m metres ahead: −m times the third column, plus the fourth.
            let clipFromView = frame.clipFromView
            let terms = Vector4(-clipFromView.z.z, clipFromView.w.z, -clipFromView.z.w, clipFromView.w.w)
            let uniforms = try device.makeBuffer("occluder", contents: [terms], usage: .uniform)
            guard let pipeline = try pipeline(format, frame.options.sampleCount) else { return nil }
            let group = try device.makeBindGroup("occluder", layout: layout, [.texture(0, depth), .buffer(1, uniforms)])
            return Draw(pipeline: pipeline, group: group)
        }
    }

    private func pipeline(_ format: GPUTextureFormat, _ sampleCount: Int) throws(GPUError) -> GPURenderPipeline? {
        let (device, layout) = (device, layout)
        return try pipelines.pipeline(.occluder(format: format, sampleCount: sampleCount)) { () throws(GPUError) in
            let module = try device.makeShader("occluder.wgsl", wgsl: coverShader + Self.code)
            return try device.makeRenderPipeline(
                GPURenderPipelineDescriptor(
                    "occluder", layout: try device.makePipelineLayout("occluder", [layout]), vertex: GPUShaderStage(module, "cover"),
                    fragment: GPUShaderStage(module, "hide"), targets: [GPUColorTarget(format, writeMask: [])],
                    depthStencil: GPUDepthStencilState(FrameFormat.depth, depthCompare: .always), sampleCount: sampleCount))
        }
    }

    private static let code = """
        @group(0) @binding(0) var metres: texture_2d<f32>;
        @group(0) @binding(1) var<uniform> terms: vec4f;

        struct Hidden {
            @builtin(frag_depth) depth: f32,
            @location(0) color: vec4f,
        }

        @fragment fn hide(in: Covering) -> Hidden {
            let ahead = textureLoad(metres, vec2i(in.position.xy), 0).r;
            // Reversed depth: 0 is infinitely far and occludes nothing.
            var depth = 0.0;
            if (ahead > 0.0) { depth = saturate((terms.x * ahead + terms.y) / (terms.z * ahead + terms.w)); }
            return Hidden(depth, vec4f(0.0));
        }
        """
}
