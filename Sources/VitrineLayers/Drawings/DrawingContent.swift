/// The state of a drawing's content: its version, and the layers that show it.
///
/// Every `LayerDrawing` owns one. `setNeedsDisplay()` on it marks the content as changed and redraws every layer that shows the drawing.
public final class DrawingContent {
    /// Incremented by each change. A layer redraws the drawing if its last image has another count.
    public private(set) var changeCount: UInt64 = 1
    /// The layers filled with the drawing, not owned: a layer removes itself when its fill changes and when it is freed.
    private var layers: [Unmanaged<Layer>] = []

    /// Creates a content state.
    public init() {}

    /// Marks the content as changed, and with it the layers that show it: a view draws its next frame.
    public func setNeedsDisplay() {
        changeCount &+= 1
        for layer in layers { layer.takeUnretainedValue().contentChanged() }
    }

    func attach(_ layer: Layer) { layers.append(.passUnretained(layer)) }

    func detach(_ layer: Layer) {
        let pointer = Unmanaged.passUnretained(layer).toOpaque()
        if let index = layers.firstIndex(where: { $0.toOpaque() == pointer }) { layers.remove(at: index) }
    }
}
