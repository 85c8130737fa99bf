import VitrineGPU
import VitrineMath

/// Draws lines of text over the upper left corner of a picture: statistics, mostly.
///
/// ASCII letters, digits and a few marks; anything else is a box. Costs one small draw, and the text's pixels made anew when it changes.
public final class TextOverlay {
    private let device: GPUDevice
    private let layout: GPUBindGroupLayout
    private var pipelines: [GPUTextureFormat: GPURenderPipeline] = [:]
    private var shown: (lines: [String], scale: Float, panel: TextPanel, group: GPUBindGroup)?

    public init(_ device: GPUDevice) throws(RenderError) {
        self.device = device
        layout = try attempting("setting up text") { () throws(GPUError) in
            try device.makeBindGroupLayout("text", [.texture(0, .fragment, .unfilterableFloat)])
        }
    }

    /// Draws the lines over what the target holds. Without lines, or on a target too small for them, nothing is drawn.
    ///
    /// - Parameter scale: Pixels a point: capitals are 9 points high.
    public func draw(_ lines: [String], over target: GPUTextureView, scale: Float = 1) throws(RenderError) {
        guard !lines.isEmpty, scale > 0 else { return }
        do throws(GPUError) {
            try prepare(lines, scale: scale)
            guard let shown else { return }
            let inset = Int((10 * scale).rounded())
            let (width, height) = (shown.panel.width, shown.panel.height)
            guard inset + width <= target.texture.width, inset + height <= target.texture.height else { return }
            let pipeline = try pipeline(target.format)
            let encoder = try device.makeCommandEncoder("text")
            encoder.renderPass(GPURenderPassDescriptor("text", colors: [GPUColorAttachment(target, load: .load)])) { pass in
                pass.setPipeline(pipeline)
                pass.setBindGroup(0, shown.group)
                pass.setViewport(x: Float(inset), y: Float(inset), width: Float(width), height: Float(height))
                pass.setScissor(x: inset, y: inset, width: width, height: height)
                pass.draw(vertexCount: 3)
            }
            device.queue.submit(try encoder.finish())
            try device.checkErrors()
        } catch {
            throw .gpu(error, doing: "drawing text")
        }
    }

    private func prepare(_ lines: [String], scale: Float) throws(GPUError) {
        if let shown, shown.lines == lines, shown.scale == scale { return }
        let panel = TextPanel(lines, unit: 1.5 * scale)
        let texture = try device.makeTexture(
            GPUTextureDescriptor(
                "text", size: GPUExtent(panel.width, panel.height), format: .rgba8Unorm, usage: [.textureBinding, .copyDestination]))
        device.queue.write(panel.pixels, to: GPUTexturePlace(texture: texture))
        let group = try device.makeBindGroup("text", layout: layout, [.texture(0, try texture.makeView())])
        shown = (lines, scale, panel, group)
    }

    private func pipeline(_ format: GPUTextureFormat) throws(GPUError) -> GPURenderPipeline {
        if let known = pipelines[format] { return known }
        let module = try device.makeShader("text.wgsl", wgsl: Self.code)
        let made = try device.makeRenderPipeline(
            GPURenderPipelineDescriptor(
                "text", layout: try device.makePipelineLayout("text", [layout]), vertex: GPUShaderStage(module, "cover"),
                fragment: GPUShaderStage(module, "text"), targets: [GPUColorTarget(format, blend: .premultiplied)]))
        pipelines[format] = made
        return made
    }

    private static let code = """
        @group(0) @binding(0) var panel: texture_2d<f32>;

        struct Corner { @builtin(position) position: vec4f, @location(0) uv: vec2f }

        @vertex fn cover(@builtin(vertex_index) index: u32) -> Corner {
            let uv = vec2f(f32((index << 1u) & 2u), f32(index & 2u));
            return Corner(vec4f(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
        }

        @fragment fn text(corner: Corner) -> @location(0) vec4f {
            return textureLoad(panel, vec2i(corner.uv * vec2f(textureDimensions(panel))), 0);
        }
        """
}
