import VitrineMath

/// The content of a `.drawing` fill: a `SceneDrawing`, a `ParticleDrawing`, or a custom type.
///
/// A custom drawing uses GPU passes: `import VitrineGPU` adds an initializer of `DrawingContent` that takes a function.
///
/// ```swift
/// layer.fill = .drawing(SceneDrawing(scene))
/// ```
public protocol LayerDrawing: AnyObject {
    /// Draws the content and tracks its changes. Return the same object every time.
    var content: DrawingContent { get }
}

extension LayerDrawing {
    /// Marks the drawing as changed and redraws the layers that use it. One call is enough: their views draw the next frame.
    public func setNeedsDisplay() { content.setNeedsDisplay() }

    /// The number of changes so far.
    public var changeCount: UInt64 { content.changeCount }
}

/// The content of a `LayerDrawing`: its draw function, its version, and the layers that use it.
///
/// Every `LayerDrawing` owns one. `setNeedsDisplay()` marks the content as changed and redraws every layer that uses the drawing.
public final class DrawingContent {
    /// Draws a whole surface, whose content is undefined, and submits the work to the queue.
    ///
    /// The surface covers the layer's bounds: `bounds` in points, with `scale` texels per point. The renderer has the device and the caches.
    package typealias Draw = (_ surface: LayerSurface, _ renderer: LayerRenderer) throws(LayerError) -> Void

    /// The version, incremented by each change. A layer redraws the drawing if its last image has another version.
    public private(set) var changeCount: UInt64 = 1
    /// The layers with the drawing as fill, not retained: a layer removes itself when its fill changes and when it is freed.
    private var layers: [Unmanaged<Layer>] = []
    private let body: Draw

    /// Creates a drawing.
    ///
    /// - Parameter draw: Called after `setNeedsDisplay()` and when the size of a layer changes.
    package init(draw: @escaping Draw) { body = draw }

    /// Marks the content as changed, and with it the layers that use it, so that a view draws its next frame.
    public func setNeedsDisplay() {
        changeCount &+= 1
        for layer in layers { layer.takeUnretainedValue().contentChanged() }
    }

    func draw(into surface: LayerSurface, _ renderer: LayerRenderer) throws(LayerError) { try body(surface, renderer) }

    func attach(_ layer: Layer) { layers.append(.passUnretained(layer)) }

    func detach(_ layer: Layer) {
        let pointer = Unmanaged.passUnretained(layer).toOpaque()
        if let index = layers.firstIndex(where: { $0.toOpaque() == pointer }) { layers.remove(at: index) }
    }
}
