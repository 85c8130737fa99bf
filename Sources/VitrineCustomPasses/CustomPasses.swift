@_exported import VitrineGPU
import VitrineRender
import VitrineScene

// Rendering scenes with your own WebGPU passes. Part of the product VitrineGPU; apps without custom passes need none of this.

extension Renderer {
    /// Creates a renderer on a device of your own.
    ///
    /// ```swift
    /// let device = try GPUDevice.make()
    /// let renderer = try Renderer(on: device)
    /// let frame = try device.makeTexture(GPUTextureDescriptor(
    ///     "frame", size: GPUExtent(640, 480), format: .rgba16Float, usage: [.renderAttachment, .textureBinding])).makeView()
    /// try renderer.render(scene, from: .framing(scene.bounds), into: frame)
    /// // Record passes that sample `frame` with device.makeCommandEncoder.
    /// ```
    public convenience init(on device: GPUDevice) throws(RenderError) { try self.init(device: device) }

    /// The device of the renderer's textures and pipelines.
    public var gpuDevice: GPUDevice { device }

    /// Renders a scene into a texture. Submits the work without waiting for the GPU, unless time is measured: passes that are
    /// submitted later see the result.
    ///
    /// - Parameters:
    ///   - target: `rgba8` or `bgra8`, plain or sRGB, for an image to be shown; `rgba16Float` for radiance times exposure, not tone mapped.
    ///     Its contents are replaced. Alpha is premultiplied.
    ///   - occluder: Depth of real objects that occlude the scene: metres ahead of the camera, `r32Float`, of the target's size; 0 where
    ///     there is nothing.
    /// - Returns: The cost of the frame.
    @discardableResult
    public func render(
        _ scene: Scene, from view: View, into target: GPUTextureView, options: RenderOptions = RenderOptions(),
        occluder: GPUTextureView? = nil
    ) throws(RenderError) -> FrameStatistics {
        try render(scene, from: view, to: target, options: options, occluder: occluder)
    }
}

extension OffscreenTarget {
    /// The texture that holds the image, premultiplied: a render attachment, and a source of copies.
    public var gpuView: GPUTextureView { view }
}
