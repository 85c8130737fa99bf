import VitrineGPU
import VitrineScene

/// Draws a scene where nobody sees it, before its first picture, so that this one takes no longer than any other: drivers finish a pipeline
/// when it is first drawn with, and one such step at a time fits between two pictures of what is shown.
///
/// It shares with its renderer what is uploaded and compiled and has targets of its own, small ones: what the renderer draws meanwhile
/// keeps all of its. Of every draw it draws one triangle.
///
/// ```swift
/// let warmUp = try renderer.warmUp(of: scene, from: view, to: .rgba8UnormSRGB)
/// for work in try warmUp.pendingPipelines() {
///     renderer.take(try await compileElsewhere(work))
///     try warmUp.draw()
/// }
/// ```
public final class WarmUp {
    private let understudy: Renderer
    private let target: GPUTextureView
    private let scene: Scene
    private let view: View
    private let options: RenderOptions

    init(_ lead: Renderer, _ scene: Scene, _ view: View, _ format: GPUTextureFormat, _ options: RenderOptions) throws(RenderError) {
        (self.scene, self.view, self.options) = (scene, view, options)
        understudy = try Renderer(lead.device, leading: lead)
        // No power of two, as pictures mostly are none: some drivers compile anew for that.
        let size = GPUExtent(60, 45)
        target = try attempting("warming up") { () throws(GPUError) in
            try lead.device.makeTexture(
                GPUTextureDescriptor("warm-up", size: size, format: format, usage: [.renderAttachment, .textureBinding])
            ).makeView()
        }
    }

    /// What is to be compiled, after `prepare`, before the scene can be drawn, on any thread; hand the results to `Renderer.take`. Draws
    /// what needs none of it.
    public func pendingPipelines() throws(RenderError) -> [ShaderWork] {
        try understudy.pipelines.noting { () throws(RenderError) in
            try understudy.render(scene, from: view, to: target, options: options)
        }
    }

    /// Draws all that is compiled, and leaves out the rest.
    public func draw() throws(RenderError) { _ = try pendingPipelines() }
}

extension Renderer {
    /// - Parameters:
    ///   - view: as the first picture will see the scene.
    ///   - format: of the texture that it will be drawn into.
    ///   - options: as the first picture will have them.
    public func warmUp(
        of scene: Scene, from view: View, to format: GPUTextureFormat, options: RenderOptions = RenderOptions()
    ) throws(RenderError) -> WarmUp { try WarmUp(self, scene, view, format, options) }
}
