import Vitrine
import VitrineAR
import VitrineGPU

/// The camera image as the content of a layer.
final class CameraDrawing: LayerDrawing {
    /// The visible frame; nil shows black.
    private var frame: ARFrame?
    /// The orientation of the view.
    private var orientation = InterfaceOrientation.landscapeRight
    /// Draws the content and tracks its changes.
    // Not owned, because this object owns the content: only layers that own this object draw it.
    private(set) lazy var content = DrawingContent { [unowned(unsafe) self] surface, renderer throws(LayerError) in
        try draw(into: surface, renderer)
    }
    private var background: CameraBackground?

    /// Shows the image of a frame.
    func show(_ frame: ARFrame, orientation: InterfaceOrientation) {
        (self.frame, self.orientation) = (frame, orientation)
        setNeedsDisplay()
    }

    private func draw(into surface: LayerSurface, _ renderer: LayerRenderer) throws(LayerError) {
        do throws(GPUError) {
            if background?.device !== renderer.device { background = try CameraBackground(renderer.device) }
            guard let frame, let background else {
                let encoder = try renderer.device.makeCommandEncoder("no camera")
                encoder.renderPass(GPURenderPassDescriptor("no camera", colors: [GPUColorAttachment(surface.view, load: .clear(.black))])) {
                    _ in
                }
                return renderer.device.queue.submit(try encoder.finish())
            }
            try background.draw(frame, to: surface.view, orientation: orientation)
        } catch {
            throw .gpu(error, doing: "drawing the camera image")
        }
    }
}
