/// Shows an `ObjectCaptureSession`: the camera image with the object's box, the covered directions, what to do, and buttons.
///
/// ```swift
/// let session = ObjectCaptureSession(source: source)
/// try session.start(imagesDirectory: photos)
/// try await Window("Capture", showing: ObjectCaptureView(session)).run()
/// ```
///
/// Each button has a key, which it names. The view redraws with each frame of the session.
@MainActor
public final class ObjectCaptureView {
    /// The session that the view shows and controls.
    public let session: ObjectCaptureSession
    /// The orientation of the view. Default `.landscapeRight`.
    public var orientation = InterfaceOrientation.landscapeRight { didSet { setNeedsDisplay() } }
    /// Called after a button or a key; `error` if the session refused it.
    package var onCommand: (@MainActor (CaptureCommand, ObjectCaptureSession.InvalidCall?) -> Void)?
    /// Called when the session has completed or failed.
    public var onEnd: (@MainActor () -> Void)?

    private let content: CaptureLayers
    private let layers = LayerView(background: .black)
    private weak var window: Window?
    private var watching: Task<Void, Never>?
    private var shotCount: Int
    private var lastShot: ContinuousClock.Instant?
    private var drag: BoxDrag?
    private var viewSize = Vector2(0, 0)

    /// Creates a view of a session, before or after its start.
    ///
    /// - Parameter font: The font of the texts; nil uses `Font.system()`. Without a font, the view has no text.
    public init(_ session: ObjectCaptureSession, font: Font? = nil) {
        self.session = session
        content = CaptureLayers(font: font)
        shotCount = session.numberOfShotsTaken
        layers.root.add(content.root)
        // The frame that is drawn shows these changes: they request no other one.
        layers.onUpdate = { [weak self] _ in
            self?.update()
            return false
        }
    }

    private func update() { content.update(display, orientation: orientation, size: viewSize) }

    /// Requests a new frame.
    public func setNeedsDisplay() { window?.requestFrame() }

    /// Performs a command if the session's state allows it.
    package func perform(_ command: CaptureCommand) {
        do throws(ObjectCaptureSession.InvalidCall) {
            switch command {
            case .detect: try session.startDetecting()
            case .reset: try session.resetDetection()
            case .capture, .captureArea: try session.startCapturing()
            case .shoot: try session.requestImageCapture()
            case .toggleAutomatic: session.isAutoCaptureEnabled.toggle()
            case .nextPass: try session.beginNewScanPass()
            case .flip: try session.beginNewScanPassAfterFlip()
            case .finish: try session.finish()
            }
            onCommand?(command, nil)
        } catch {
            onCommand?(command, error)
        }
        setNeedsDisplay()
    }

    /// Renders an image of the present state without a window.
    ///
    /// - Parameters:
    ///   - size: Points.
    ///   - scale: Pixels per point.
    ///   - adapter: The GPU to use if the view has none yet.
    public func snapshot(size: Vector2, scale: Float = 1, adapter: RenderAdapter = .automatic) throws -> Image {
        viewSize = size
        update()
        return try layers.snapshot(size: size, scale: scale, adapter: adapter)
    }

    private var display: CaptureDisplay {
        if session.numberOfShotsTaken > shotCount { lastShot = .now }
        shotCount = session.numberOfShotsTaken
        return CaptureDisplay(session, secondsSinceShot: lastShot.map { (ContinuousClock.now - $0) / .seconds(1) })
    }

    /// Redraws when the session changes.
    private func watch() {
        watching?.cancel()
        watching = Task { [weak self] in
            var seen: (frame: Double, state: ObjectCaptureSession.CaptureState)?
            while !Task.isCancelled {
                guard let self else { return }
                let now = (frame: session.currentFrame?.timestamp ?? -1, state: session.state)
                if seen.map({ $0 != now }) ?? true { setNeedsDisplay() }
                seen = now
                switch session.state {
                case .completed, .failed:
                    onEnd?()
                    return
                default: break
                }
                try? await Task.sleep(for: .milliseconds(15))
            }
        }
    }
}

extension ObjectCaptureView: WindowContent {
    /// Prepares the layers; the window calls it.
    public func prepare(in window: Window, progress: @escaping @MainActor (LoadingProgress) -> Void) async throws {
        self.window = window
        viewSize = window.size
        update()
        try await layers.prepare(in: window, progress: progress)
        watch()
    }

    /// Draws the newest frame; the window calls it.
    public func draw(_ frame: WindowFrame) throws {
        viewSize = Vector2(Float(frame.width), Float(frame.height)) / frame.scale
        try layers.draw(frame)
    }

    /// Presses buttons and drags the handles of the box, by pointer, finger or key; the window calls it.
    public func handle(_ event: InputEvent) {
        switch event.kind {
        case .pointerMoved(let point):
            if drag?.finger == nil { continueDrag(to: point) }
            if content.overlay.hover(point, dragged: drag?.handle) { setNeedsDisplay() }
        case .pointerPressed(.left, let point, _): press(point, finger: nil)
        case .touchBegan(let finger, let point): press(point, finger: finger)
        case .touchMoved(let finger, let point): if drag?.finger == finger { continueDrag(to: point) }
        case .pointerReleased(.left, _): if drag?.finger == nil { drag = nil }
        case .touchEnded(let finger, _), .touchCancelled(let finger): if drag?.finger == finger { drag = nil }
        case .focusLost: drag = nil
        case .keyPressed(let key, isRepeat: false) where event.modifiers.isDisjoint(with: [.control, .alt, .command]):
            let display = display
            if let command = display.commands.first(where: { $0.key.key == key && display.isEnabled($0) }) { perform(command) }
        default: break
        }
    }

    private func press(_ point: Vector2, finger: Int64?) {
        if let command = content.overlay.command(at: point) { return perform(command) }
        guard drag == nil, let handle = content.overlay.handle(at: point), let box = session.boundingBox, let ray = ray(through: point)
        else { return }
        drag = BoxDrag(handle: handle, box: box, start: ray, finger: finger)
    }

    private func continueDrag(to point: Vector2) {
        guard let drag, display.isBoxAdjustable, let ray = ray(through: point),
            let box = drag.handle.dragging(drag.box, from: drag.start, to: ray)
        else { return }
        // Refused if the state has changed during the drag: the box stays.
        try? session.adjust(boundingBox: box)
        setNeedsDisplay()
    }

    private func ray(through point: Vector2) -> Ray? {
        guard viewSize.min() > 0 else { return nil }
        return session.currentFrame?.camera.ray(through: point, orientation: orientation, viewportSize: viewSize)
    }

    /// A frame soon while the flash of a shot fades.
    public var frameDemand: FrameDemand { lastShot.map { ContinuousClock.now - $0 < .milliseconds(260) } ?? false ? .next : .none }

    /// Releases the GPU's resources. The session continues.
    public func windowDidClose() {
        watching?.cancel()
        (watching, window) = (nil, nil)
        layers.windowDidClose()
    }
}

/// The camera image and the overlay.
package final class CaptureLayers {
    package let root = Layer(name: "view")
    let overlay: CaptureOverlay
    private let board = SpriteBoard()
    private var hasImage = false

    package init(font: Font?) {
        overlay = CaptureOverlay(font: font ?? (try? Font.system()))
        root.add(overlay.root)
    }

    package func update(_ display: CaptureDisplay, orientation: InterfaceOrientation, size: Vector2) {
        root.frame = Rectangle(origin: Vector2(0, 0), size: size)
        if let frame = display.frame {
            if !hasImage { root.insert(board.root, at: 0) }
            hasImage = true
            board.orientation = orientation
            board.update(with: frame, size: size)
        }
        overlay.update(display, orientation: orientation, size: size)
    }
}
