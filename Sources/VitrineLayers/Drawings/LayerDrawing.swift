import VitrineGPU
import VitrineMath

/// Content of a layer that draws itself, such as a 3D scene or a particle cloud.
///
/// ```swift
/// final class Clock: LayerDrawing {
///     let content = DrawingContent()
///     var seconds = 0 { didSet { setNeedsDisplay() } }
///     func draw(into surface: LayerSurface, _ renderer: LayerRenderer) throws(LayerError) { … }
/// }
/// ```
public protocol LayerDrawing: AnyObject {
    /// Tracks changes and the layers that show the drawing. Return the same object every time.
    var content: DrawingContent { get }

    /// Draws all of `surface`, whose content is undefined, and submits the work to the queue. Called after `setNeedsDisplay()` and when the size of
    /// the layer changes.
    ///
    /// - Parameters:
    ///   - surface: Covers the layer's bounds: `surface.bounds` in points, `surface.scale` texels per point.
    ///   - renderer: The frame's renderer: its device and its caches.
    func draw(into surface: LayerSurface, _ renderer: LayerRenderer) throws(LayerError)
}

extension LayerDrawing {
    /// Marks the drawing as changed and redraws the layers that show it. One call is enough: their views draw the next frame.
    public func setNeedsDisplay() { content.setNeedsDisplay() }

    /// Incremented by each change.
    public var changeCount: UInt64 { content.changeCount }
}
