import VitrineGPU
import VitrineMath

/// A particle cloud in a layer, on a transparent background.
///
/// ```swift
/// let particles = ParticleDrawing(cloud)
/// layer.fill = .drawing(particles)
/// …
/// particles.advance(to: time)   // redraws the layer
/// ```
public final class ParticleDrawing: LayerDrawing {
    /// The particle cloud to draw.
    public let cloud: ParticleCloud
    /// Draws the content and tracks its changes.
    // Not retained, because this object owns the content: only layers that retain this object draw it.
    public private(set) lazy var content = DrawingContent { [unowned(unsafe) self] surface, renderer throws(LayerError) in
        try draw(into: surface, renderer)
    }
    private var time = 0.0
    /// Whether the last frame showed particles.
    private var isShown = false

    /// Creates a drawing of a cloud.
    public init(_ cloud: ParticleCloud) { self.cloud = cloud }

    /// Advances the cloud to `time` in seconds and redraws the layers that use it. An invisible cloud (`progress` 0) is redrawn once, to clear its last
    /// image, and then costs nothing.
    public func advance(to time: Double) {
        self.time = time
        cloud.advance(to: time)
        if cloud.isVisible || isShown { setNeedsDisplay() }
    }

    private func draw(into surface: LayerSurface, _ renderer: LayerRenderer) throws(LayerError) {
        isShown = cloud.isVisible
        let particles = try renderer.particleRenderer()
        let encoder = try attempting("drawing particles") { () throws(GPUError) in try renderer.device.makeCommandEncoder("particles") }
        encoder.renderPass(GPURenderPassDescriptor("no particles", colors: [GPUColorAttachment(surface.view)])) { _ in }
        try particles.draw(cloud, over: surface, time: Float(time), encoder)
        do throws(GPUError) { renderer.device.queue.submit(try encoder.finish()) } catch { throw .gpu(error, doing: "drawing particles") }
    }
}
