import VitrineGPU
import VitrineLayers
import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene

/// Shows a tree of layers in a window and reports presses of its layers.
///
/// ```swift
/// let view = LayerView()
/// view.root.add(button)
/// view.onPress = { press in
///     if press.phase == .began { glow(at: press.point) }
/// }
/// try await Window("Button", showing: view).run()
/// ```
///
/// The view draws when the tree changes, while `onUpdate` returns true, and while `rendersContinuously` is set. Only one pointer presses at a time:
/// while the mouse or a finger is down, further fingers are ignored.
@MainActor
public final class LayerView {
    /// The root of the tree. It has the size of the window in points.
    public let root = Layer(name: "root")
    /// The colour behind all layers.
    public var background: Color { didSet { setNeedsDisplay() } }
    /// Whether a new frame is drawn with every refresh of the display. Default false.
    public var rendersContinuously = false { didSet { setNeedsDisplay() } }
    /// Called before each frame with the seconds on the window's clock. Move layers here; the frame shows the changes.
    ///
    /// - Returns: Whether something still moves, so that another frame is needed.
    public var onUpdate: (@MainActor (_ time: Double) -> Bool)?
    /// Called with each step of a press.
    public var onPress: (@MainActor (LayerPress) -> Void)?
    /// Called with every event, before presses are recognized. A new frame follows.
    public var onEvent: (@MainActor (InputEvent) -> Void)?
    /// The size of the window in points.
    public private(set) var size = Vector2(0, 0)
    /// The statistics of the last frame.
    public var statistics: LayerStatistics { renderer?.statistics ?? LayerStatistics() }

    private(set) var renderer: LayerRenderer?
    /// Whether a window or a canvas shows the view; its device then draws.
    private(set) var isShown = false
    private let display = DisplayRequest()
    private var drag = DragGesture(minimumDistance: 0)
    /// The layer that was pressed.
    private var pressedLayer: Layer?
    private var isMoving = false

    /// Creates a view with an empty root layer.
    public init(background: Color = .white) {
        self.background = background
        // The layers may outlive the view: they retain the display request, not the view.
        root.onChange = { [display] in MainActor.assumeIsolated { display.layersDidChange() } }
    }

    /// Requests a new frame. Changes of layers request one automatically.
    public func setNeedsDisplay() { display.request() }

    /// Passes an event to `onEvent` and recognizes presses. Called by the window.
    public func handle(_ event: InputEvent) {
        if let onEvent {
            onEvent(event)
            setNeedsDisplay()
        }
        for change in drag.handle(event) { report(change) }
    }

    private func report(_ change: GestureChange<PointerMotion>) {
        let location = change.value.location
        if change.phase == .began { pressedLayer = root.hitTest(location)?.layer }
        onPress?(
            LayerPress(
                phase: change.phase, layer: pressedLayer, location: location, point: pressedLayer?.convertFromRoot(location),
                time: change.time))
        if change.phase == .ended || change.phase == .cancelled { pressedLayer = nil }
    }

    // MARK: The window or canvas that shows the view

    /// Starts drawing on a device.
    ///
    /// - Parameter request: Requests a frame of the window or canvas that shows the view; nil for images without one.
    func open(_ renderer: LayerRenderer, request: (@MainActor () -> Void)?) {
        (self.renderer, isShown) = (renderer, request != nil)
        display.request = request ?? {}
    }

    /// Releases the GPU's resources.
    func close() {
        (renderer, pressedLayer, isShown) = (nil, nil, false)
        display.request = {}
        drag = DragGesture(minimumDistance: 0)
    }

    func resize(to size: Vector2) {
        self.size = size
        root.frame = Rectangle(origin: Vector2(0, 0), size: size)
    }

    /// Calls `onUpdate` and draws the tree.
    ///
    /// - Parameter scale: The number of pixels per point.
    func draw(to target: GPUTextureView, scale: Float, time: Double) throws(LayerError) {
        guard let renderer else { return }
        let points = Vector2(Float(target.texture.width), Float(target.texture.height)) / scale
        if points != size { resize(to: points) }
        display.isUpdating = true
        isMoving = onUpdate?(time) ?? false
        display.isUpdating = false
        try renderer.render(root, to: target, scale: scale, background: background)
    }

    /// Whether the next refresh needs a frame: while `onUpdate` returned true or `rendersContinuously` is set.
    var needsFrames: Bool { rendersContinuously || isMoving }
}

/// Requests frames of a view.
@MainActor private final class DisplayRequest {
    var request: @MainActor () -> Void = {}
    /// Whether `onUpdate` runs: the current frame already shows its changes.
    var isUpdating = false

    func layersDidChange() { if !isUpdating { request() } }
}

/// A change of a press on a layer, with the mouse or a finger: its phase, position and time.
public struct LayerPress {
    /// The phase of the press.
    public let phase: GesturePhase
    /// The layer that was pressed, until the press ends; nil for none.
    public let layer: Layer?
    /// The position in points of the window.
    public let location: Vector2
    /// The position on the layer's plane, in the layer's coordinates; nil if the view ray does not intersect the plane.
    public let point: Vector2?
    /// The time in seconds on the window's clock.
    public let time: Double
}
