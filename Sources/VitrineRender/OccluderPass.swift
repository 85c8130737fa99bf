import VitrineGPU
import VitrineMath

/// Fills the depth of the scene's pass with that of things which are not in the scene, so that they hide what lies behind them.
///
/// Every sample of a pixel gets the same depth: the edges are as fine as the pixels.
final class OccluderPass {
    /// One picture's depth, ready to be drawn at the beginning of the scene's pass.
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

    /// Throws `RenderError.invalidOption` when the picture doesn't go with what is drawn into.
    static func validate(_ picture: GPUTextureView?, for target: GPUTextureView) throws(RenderError) {
        guard let picture else { return }
        guard picture.format == .r32Float else { throw .invalidOption(name: "occluder", reason: "must be r32Float") }
        let (own, wanted) = (picture.texture, target.texture)
        guard own.width == wanted.width, own.height == wanted.height else {
            throw .invalidOption(
                name: "occluder", reason: "has \(own.width) × \(own.height) texels, the picture \(wanted.width) × \(wanted.height)")
        }
    }

    /// nil where missing pipelines are only noted.
    func prepare(
        _ picture: GPUTextureView, _ clipFromView: Matrix4, target plan: FramePlan, sampleCount: Int
    ) throws(RenderError) -> Draw? {
        try attempting("hiding a scene") { () throws(GPUError) in
            // Clip z and w at so many metres ahead: −m of the third column, and the fourth.
            let terms = Vector4(-clipFromView.z.z, clipFromView.w.z, -clipFromView.z.w, clipFromView.w.w)
            let uniforms = try device.makeBuffer("occluder", contents: [terms], usage: .uniform)
            guard let pipeline = try pipeline(plan.colorFormat, sampleCount) else { return nil }
            let group = try device.makeBindGroup("occluder", layout: layout, [.texture(0, picture), .buffer(1, uniforms)])
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
                    depthStencil: GPUDepthStencilState(FrameTargets.depthFormat, depthCompare: .always), sampleCount: sampleCount))
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
            // Reversed depth: 0 is infinitely far, where nothing hides anything.
            var depth = 0.0;
            if (ahead > 0.0) { depth = saturate((terms.x * ahead + terms.y) / (terms.z * ahead + terms.w)); }
            return Hidden(depth, vec4f(0.0));
        }
        """
}
