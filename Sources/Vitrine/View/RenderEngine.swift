import VitrineGPU
import VitrineRender
import VitrineScene

/// The renderer of a view, on one device, for pictures of one format.
@MainActor
final class RenderEngine {
    let device: GPUDevice
    private let renderer: Renderer
    private let overlay: TextOverlay
    private let format: GPUTextureFormat

    init(device: GPUDevice, format: GPUTextureFormat) throws {
        (self.device, self.format) = (device, format)
        renderer = try Renderer(device: device)
        overlay = try TextOverlay(device)
    }

    /// Uploads what `view` sees of the scene and compiles what draws it, by drawing it small: the first real picture takes no longer than
    /// any other. What fails, fails here.
    func prepare(_ scene: Scene, from view: View, options: RenderOptions) throws {
        let size = GPUExtent(64, 64)
        let texture = try device.makeTexture(
            GPUTextureDescriptor("preparation", size: size, format: format, usage: .renderAttachment))
        try renderer.render(scene, from: view, to: try texture.makeView(), options: options)
        try device.waitUntilIdle()
    }

    /// Frees what scenes that are gone have left on the GPU.
    func purge() { renderer.purge() }

    /// - Parameter lines: Text over the picture.
    func draw(
        _ scene: Scene, from view: View, into target: GPUTextureView, options: RenderOptions, lines: [String], scale: Float
    ) throws -> FrameStatistics {
        let statistics = try renderer.render(scene, from: view, to: target, options: options)
        try overlay.draw(lines, over: target, scale: scale)
        return statistics
    }

    /// The same picture without a window.
    func picture(_ scene: Scene, from view: View, width: Int, height: Int, options: RenderOptions) throws -> Image {
        let target = try OffscreenTarget(device, width: width, height: height)
        try renderer.render(scene, from: view, to: target.view, options: options)
        return try target.image()
    }
}
