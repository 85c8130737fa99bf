import VitrineGPU
import VitrineMath

/// Draws text over a frame: statistics, help, messages.
///
/// Costs one small draw per text; a text is rasterized and uploaded again when it changes.
package final class TextOverlay {
    private let device: GPUDevice
    private let layout: GPUBindGroupLayout
    private var pipelines: [GPUTextureFormat: GPURenderPipeline] = [:]
    /// The texts of the last frame.
    private var shown: [Shown] = []

    private struct Shown {
        let lines: [String]
        let unit: Float
        let width, height: Int
        let group: GPUBindGroup
    }

    package init(_ device: GPUDevice) throws(RenderError) {
        self.device = device
        layout = try attempting("setting up text") { () throws(GPUError) in
            try device.makeBindGroupLayout("text", [.texture(0, .fragment, .unfilterableFloat)])
        }
    }

    /// Draws lines in the upper left corner.
    ///
    /// - Parameter scale: Pixels per point.
    package func draw(_ lines: [String], over target: GPUTextureView, scale: Float = 1) throws(RenderError) {
        try draw([OverlayText(lines)], over: target, scale: scale)
    }

    /// Draws texts over the target's content. Text that does not fit is scaled down; if it would be illegible then, or has no lines, it is omitted.
    ///
    /// - Parameter scale: Pixels per point.
    package func draw(_ texts: [OverlayText], over target: GPUTextureView, scale: Float = 1) throws(RenderError) {
        guard scale > 0 else { return }
        let (width, height) = (target.texture.width, target.texture.height)
        do throws(GPUError) {
            var (next, origins): ([Shown], [(x: Int, y: Int)]) = ([], [])
            for text in texts where !text.lines.isEmpty {
                guard let layout = text.layout(width: width, height: height, scale: scale) else { continue }
                let shown = try raster(layout.lines, unit: layout.unit)
                let inset = Int((OverlayText.inset * scale).rounded())
                let origin =
                    switch text.placement {
                    case .topLeft: (inset, inset)
                    case .center: ((width - shown.width) / 2, (height - shown.height) / 2)
                    case .bottomLeft: (inset, height - inset - shown.height)
                    }
                guard origin.0 >= 0, origin.1 >= 0, origin.0 + shown.width <= width, origin.1 + shown.height <= height else { continue }
                next.append(shown)
                origins.append(origin)
            }
            shown = next
            guard !next.isEmpty else { return }
            let pipeline = try pipeline(target.format)
            let encoder = try device.makeCommandEncoder("text")
            encoder.renderPass(GPURenderPassDescriptor("text", colors: [GPUColorAttachment(target, load: .load)])) { pass in
                pass.setPipeline(pipeline)
                for (text, origin) in zip(next, origins) {
                    pass.setBindGroup(0, text.group)
                    pass.setViewport(x: Float(origin.x), y: Float(origin.y), width: Float(text.width), height: Float(text.height))
                    pass.setScissor(x: origin.x, y: origin.y, width: text.width, height: text.height)
                    pass.draw(vertexCount: 3)
                }
            }
            device.queue.submit(try encoder.finish())
            try device.checkErrors()
        } catch {
            throw .gpu(error, doing: "drawing text")
        }
    }

    /// Returns the texture of the last frame, or rasterizes and uploads the text.
    private func raster(_ lines: [String], unit: Float) throws(GPUError) -> Shown {
        if let known = shown.first(where: { $0.lines == lines && $0.unit == unit }) { return known }
        let raster = TextRaster(lines, unit: unit)
        let texture = try device.makeTexture(
            GPUTextureDescriptor(
                "text", size: GPUExtent(raster.width, raster.height), format: .rgba8Unorm, usage: [.textureBinding, .copyDestination]))
        device.queue.write(raster.pixels, to: GPUTexelCopyTextureInfo(texture: texture))
        let group = try device.makeBindGroup("text", layout: layout, [.texture(0, try texture.makeView())])
        return Shown(lines: lines, unit: unit, width: raster.width, height: raster.height, group: group)
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
