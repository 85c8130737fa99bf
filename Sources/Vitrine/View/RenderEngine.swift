import VitrineGPU
import VitrineMath
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

    /// Uploads the scene and compiles what draws it: the first picture takes no longer than any other. What fails, fails here.
    func prepare(_ scene: Scene, from view: View, options: RenderOptions) throws {
        try renderer.prepare(scene, options: options)
        try compile(scene, from: view, options: options)
    }

    /// The same in slices of a few milliseconds, between which the main actor does other things, such as drawing another scene.
    ///
    /// - Parameter progress: The share that is done, 0…1, rising.
    func prepareInSlices(_ scene: Scene, from view: View, options: RenderOptions, progress: @MainActor (Double) -> Void) async throws {
        let clock = ContinuousClock()
        var (reached, slice) = (0.0, Duration.milliseconds(10))
        while true {
            let deadline = clock.now + slice
            var share = reached
            let isDone = try renderer.prepare(scene, options: options) {
                share = max(share, $0)
                return $0 >= 1 || clock.now < deadline
            }
            // Every slice looks over what is done already: with very many parts that alone may fill it.
            if share <= reached { slice *= 2 }
            reached = share
            progress(share)
            if isDone { break }
            try Task.checkCancellation()
            await Task.yield()
        }
        try compile(scene, from: view, options: options)
    }

    /// Draws the scene small and throws the picture away: that compiles the pipelines.
    private func compile(_ scene: Scene, from view: View, options: RenderOptions) throws {
        let texture = try device.makeTexture(
            GPUTextureDescriptor("preparation", size: GPUExtent(64, 64), format: format, usage: .renderAttachment))
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
