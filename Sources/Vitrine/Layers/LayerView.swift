import VitrineFiles
import VitrineGPU
import VitrineLayers
import VitrineMath
import VitrineMotion
import VitrineScene
import VitrineWindow

/// Shows a tree of layers in a window and hands on what a person does to them.
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
/// It draws when the tree has changed, while `onUpdate` says that something moves, and while `rendersContinuously`; at rest it asks for nothing. One pointer, or one finger, presses at a
/// time: a second is not listened to until the first is gone.
@MainActor
public final class LayerView {
    /// As large as the window, in points: it follows its size.
    public let root = Layer(name: "root")
    /// Behind all layers.
    public var background: Color { didSet { setNeedsDisplay() } }
    /// Whether it draws with every picture of the display. Default false.
    public var rendersContinuously = false { didSet { setNeedsDisplay() } }
    /// Called before each picture with the seconds on the window's clock: the place to move things. What it changes is in that picture.
    ///
    /// - Returns: Whether something goes on moving, so that another picture is wanted after this one.
    public var onUpdate: (@MainActor (_ time: Double) -> Bool)?
    /// Told of a press, from its beginning to its end.
    public var onPress: (@MainActor (LayerPress) -> Void)?
    /// Told of every event, before presses are made of them; a picture follows.
    public var onEvent: (@MainActor (InputEvent) -> Void)?
    /// The window's size, points.
    public private(set) var size = Vector2(0, 0)
    /// What the last picture took.
    public var statistics: LayerStatistics { renderer?.statistics ?? LayerStatistics() }

    private var renderer: LayerRenderer?
    private weak var window: Window?
    private var press: Press?
    private var isMoving = false
    /// What changes then is in the picture already.
    private var isUpdating = false

    /// The pointer or finger that presses.
    private struct Press {
        let finger: Int64?
        let layer: Layer?
        var place: Vector2
    }

    public init(background: Color = .white) {
        self.background = background
        root.onChange = { [weak self] in MainActor.assumeIsolated { self?.layersDidChange() } }
    }

    /// Asks for a new picture: changes of layers do that by themselves.
    public func setNeedsDisplay() { window?.requestFrame() }

    private func layersDidChange() { if !isUpdating { setNeedsDisplay() } }

    /// A picture of the tree without a window.
    ///
    /// - Parameters: size: Points. scale: Pixels a point.
    public func snapshot(size: Vector2, scale: Float = 1, adapter: GPUAdapterChoice = .automatic) throws -> Image {
        let renderer = try self.renderer ?? LayerRenderer(GPUDevice.make(adapter))
        if self.renderer == nil { self.renderer = renderer }
        resize(to: size)
        return try renderer.picture(of: root, size: size, scale: scale, background: background)
    }

    private func resize(to size: Vector2) {
        self.size = size
        root.frame = Rectangle(origin: Vector2(0, 0), size: size)
    }
}

extension LayerView: WindowContent {
    public func prepare(
        in window: Window, device: GPUDevice, format: GPUTextureFormat, progress: @escaping @MainActor (LoadingProgress) -> Void
    ) async throws {
        self.window = window
        let renderer = try LayerRenderer(device)
        self.renderer = renderer
        progress(LoadingProgress(0.5, stage: "drawing"))
        // Once unseen: compiles what draws it, uploads images.
        resize(to: window.size)
        _ = try renderer.picture(of: root, size: pointwiseMax(size, Vector2(1, 1)), background: background)
        progress(LoadingProgress(1, stage: "ready"))
    }

    public func draw(_ frame: WindowFrame) throws {
        guard let renderer else { return }
        let points = Vector2(Float(frame.width), Float(frame.height)) / frame.scale
        if points != size { resize(to: points) }
        isUpdating = true
        isMoving = onUpdate?(frame.time) ?? false
        isUpdating = false
        try renderer.render(root, to: frame.target, scale: frame.scale, background: background)
    }

    public var frameDemand: FrameDemand { rendersContinuously || isMoving ? .next : .none }

    public func windowDidClose() { (renderer, window, press) = (nil, nil, nil) }

    public func handle(_ event: InputEvent) {
        if let onEvent {
            onEvent(event)
            setNeedsDisplay()
        }
        switch event.kind {
        case .pointerPressed(.left, let place, _): begin(nil, place, event.time)
        case .pointerMoved(let place): move(nil, place, event.time)
        case .pointerReleased(.left, let place): end(nil, place, .ended, event.time)
        case .touchBegan(let finger, let place): begin(finger, place, event.time)
        case .touchMoved(let finger, let place): move(finger, place, event.time)
        case .touchEnded(let finger, let place): end(finger, place, .ended, event.time)
        case .touchCancelled(let finger): end(finger, nil, .cancelled, event.time)
        case .focusLost: if let press { end(press.finger, nil, .cancelled, event.time) }
        default: break
        }
    }

    private func begin(_ finger: Int64?, _ place: Vector2, _ time: Double) {
        guard press == nil, place.isFinite else { return }
        press = Press(finger: finger, layer: root.hitTest(place)?.layer, place: place)
        tell(.began, time)
    }

    private func move(_ finger: Int64?, _ place: Vector2, _ time: Double) {
        guard press != nil, press?.finger == finger, place.isFinite else { return }
        press?.place = place
        tell(.moved, time)
    }

    private func end(_ finger: Int64?, _ place: Vector2?, _ phase: LayerPress.Phase, _ time: Double) {
        guard press != nil, press?.finger == finger else { return }
        if let place, place.isFinite { press?.place = place }
        tell(phase, time)
        press = nil
    }

    private func tell(_ phase: LayerPress.Phase, _ time: Double) {
        guard let press else { return }
        onPress?(
            LayerPress(
                phase: phase, layer: press.layer, location: press.place, point: press.layer?.convertFromRoot(press.place), time: time))
    }
}

/// A press of a layer by a pointer or a finger.
public struct LayerPress {
    public enum Phase: Equatable, Sendable { case began, moved, ended, cancelled }

    public let phase: Phase
    /// What was pressed when it began, and has the press until its end; nil: nothing.
    public let layer: Layer?
    /// Points of the window.
    public let location: Vector2
    /// The place on the layer's plane, in its own coordinates; nil where the line of sight misses the plane.
    public let point: Vector2?
    /// Seconds on the window's clock.
    public let time: Double
}
