import VitrineGeometry
import VitrineLayers
import VitrineRender
import VitrineWindow

// Layers, effects and particles with your own WebGPU passes, and your own passes in layers and windows.

extension LayerRenderer {
    /// Creates a renderer on a device of your own.
    public convenience init(on device: GPUDevice) throws(LayerError) { try self.init(device) }

    /// The device of the renderer's textures and pipelines.
    public var gpuDevice: GPUDevice { device }

    /// Renders a tree into a texture and submits the work without waiting for the GPU.
    ///
    /// - Parameters:
    ///   - root: Positioned in points of the target, with the origin in the upper left corner.
    ///   - target: `rgba8` or `bgra8`, plain or sRGB, for an image to be shown; `rgba16Float` for linear light. Its contents are replaced. Alpha is
    ///     premultiplied, after encoding if the format is encoded.
    ///   - scale: Pixels per point, 1/16…16.
    ///   - background: The colour behind all layers.
    /// - Returns: The cost of the frame.
    @discardableResult
    public func render(
        _ root: Layer, into target: GPUTextureView, scale: Float = 1, background: Color = .clear
    ) throws(LayerError) -> LayerStatistics {
        try render(root, to: target, scale: scale, background: background)
    }

    /// Records the passes of all enabled effects, in order, without reading back or waiting.
    ///
    /// - Parameters:
    ///   - source: The input, `rgba16Float`, linear and premultiplied; it is unchanged.
    ///   - bounds: The part of the layer's plane that `source` shows, in points, y down.
    ///   - scale: Texels per point.
    /// - Returns: The result and its bounds: larger than the input by the effects' sample offsets on each side. `source` itself if no effect is
    ///   enabled.
    /// - Throws: The error of an effect, before any pass is recorded.
    public func apply(
        _ effects: [ShaderEffect], to source: GPUTextureView, bounds: Rectangle, scale: Float = 1, with encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> (view: GPUTextureView, bounds: Rectangle) {
        let surface = LayerSurface(source.texture, source, bounds: bounds, scale: scale)
        let renderer = try effectRenderer()
        do throws(ShaderError) {
            let result = try renderer.apply(effects, to: surface, with: encoder)
            return (result.view, result.bounds)
        } catch {
            throw .shader(error)
        }
    }

    /// Simulates the ticks that are due and draws a cloud over a texture. Records nothing at progress 0.
    ///
    /// - Parameters:
    ///   - target: `rgba16Float`, linear and premultiplied.
    ///   - bounds: The part of the plane that `target` shows, in points, y down; the cloud fills it.
    ///   - scale: Texels per point.
    ///   - time: Seconds, for particle functions.
    public func draw(
        _ cloud: ParticleCloud, over target: GPUTextureView, bounds: Rectangle, scale: Float = 1, time: Float = 0,
        with encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) {
        let surface = LayerSurface(target.texture, target, bounds: bounds, scale: scale)
        try particleRenderer().draw(cloud, over: surface, time: time, encoder)
    }
}

extension ShaderLibrary {
    /// Compiles the whole library on a device of your own.
    ///
    /// - Throws: The compiler's first message, with its position.
    public func compile(on device: GPUDevice) throws(ShaderError) { try compile(with: device) }
}

extension DrawingContent {
    /// Creates content that your own passes draw.
    ///
    /// ```swift
    /// final class Flash: LayerDrawing {
    ///     let content = DrawingContent { view, bounds, scale, device throws(GPUError) in
    ///         let encoder = try device.makeCommandEncoder("flash")
    ///         encoder.renderPass(GPURenderPassDescriptor("flash", colors: [GPUColorAttachment(view, load: .clear(.white))])) { _ in }
    ///         device.queue.submit(try encoder.finish())
    ///     }
    /// }
    /// ```
    ///
    /// - Parameter draw: Draws all of a texture, whose content is undefined, and submits the work to the queue. Gets the texture (`rgba16Float`,
    ///   linear and premultiplied), the layer's bounds in points, the texels per point, and the device. Called after `setNeedsDisplay()` and when
    ///   the size of a layer changes.
    public convenience init(
        drawing draw: @escaping (_ view: GPUTextureView, _ bounds: Rectangle, _ scale: Float, _ device: GPUDevice) throws(GPUError) -> Void
    ) {
        self.init { surface, renderer throws(LayerError) in
            do throws(GPUError) {
                try draw(surface.view, surface.bounds, surface.scale, renderer.device)
            } catch {
                throw .gpu(error, doing: "drawing the content of a layer")
            }
        }
    }
}

extension WindowFrame {
    /// The device that draws.
    public var gpuDevice: GPUDevice { device }
    /// The texture to draw into. Its content is undefined.
    public var gpuTarget: GPUTextureView { target }
}

extension Window {
    /// The device that draws, and the format of the frames, from `WindowContent.prepare` on. Another device replaces it after a loss.
    ///
    /// - Throws: `WindowError` while the window is closed.
    public func gpuConfiguration() throws(WindowError) -> (device: GPUDevice, format: GPUTextureFormat) { try graphics() }
}
