import VitrineGPU
import VitrineScene

/// Draws a scene off screen before its first frame, so that this frame takes no longer than later ones: drivers finish a pipeline
/// when it is first used, and one such step at a time fits between two frames of the scene that is shown meanwhile.
///
/// It shares the renderer's resources and has small targets of its own: the renderer's frames are not affected. Of every draw it draws one
/// triangle.
///
/// ```
/// let warmUp = try renderer.warmUp(of: scene, from: view, to: .rgba8UnormSRGB)
/// for work in try warmUp.pendingPipelines() {
///     renderer.take(try await compileElsewhere(work))
///     try warmUp.draw()
/// }
/// ```
package final class WarmUp {
    private let renderer: Renderer
    private let target: GPUTextureView
    private let scene: Scene
    private let view: View
    private let options: RenderOptions

    init(
        _ resources: RenderResources, _ scene: Scene, _ view: View, _ format: GPUTextureFormat, _ options: RenderOptions
    ) throws(RenderError) {
        (self.scene, self.view, self.options) = (scene, view, options)
        renderer = try Renderer(resources, isWarmUp: true)
        // Not a power of two, as most frames: some drivers compile again for that.
        let size = GPUExtent(60, 45)
        target = try attempting("warming up") { () throws(GPUError) in
            try resources.device.makeTexture(
                GPUTextureDescriptor("warm-up", size: size, format: format, usage: [.renderAttachment, .textureBinding])
            ).makeView()
        }
    }

    /// Pipelines that can be compiled on any thread, after `prepare` and before the first frame; pass the results to `Renderer.take`. Draws
    /// everything that needs none of them.
    package func pendingPipelines() throws(RenderError) -> [ShaderWork] {
        try renderer.resources.pipelines.recordingMissing { () throws(RenderError) in
            try renderer.render(scene, from: view, to: target, options: options)
        }
    }

    /// Draws everything that is compiled, and skips the rest.
    package func draw() throws(RenderError) { _ = try pendingPipelines() }
}
