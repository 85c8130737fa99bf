import VitrineGPU
import VitrineMath
import VitrineMotion

/// A window on the desktop that shows one content.
///
/// ```swift
/// let view = SceneView(scene)
/// try await Window("Card", showing: view).run()   // returns when the person closes it
/// ```
///
/// It draws when something happened or the content asks for it (`WindowContent.frameDemand`), and sleeps otherwise without using the
/// processor; the main actor stays free meanwhile, so tasks of the program go on. It is hidden until the content is ready and its first
/// picture is drawn: a person never sees an empty window. When getting ready takes longer than 0.3 s, a small bar shows how far it is.
///
/// X11 and Wayland, whichever the session has. Several windows may run at once.
@MainActor
public final class Window {
    /// How a window begins.
    public struct Options: Sendable {
        /// Points. Default 1280 × 800.
        public var width = 1280
        public var height = 800
        public var isResizable = true
        /// When finished pictures appear. What the display can't do falls back to `.fifo`, which is always there.
        public var presentMode = GPUPresentMode.fifo
        public var adapter = GPUAdapterChoice.automatic
        /// Whether a bar appears while the content gets ready for longer than 0.3 s.
        public var showsProgress = true
        /// Closes the window after so many pictures: for tests. Default: nil, never.
        public var frameLimit: Int?

        public init() {}

        /// Names the field that makes no sense, or returns nil.
        public func validate() -> String? {
            if !(1...16_384).contains(width) { return "width: \(width) is not within 1 to 16384 points" }
            if !(1...16_384).contains(height) { return "height: \(height) is not within 1 to 16384 points" }
            if let frameLimit, frameLimit < 1 { return "frameLimit: \(frameLimit) is less than 1" }
            return nil
        }
    }

    public let options: Options
    public let content: any WindowContent
    /// What stands in the title bar.
    public var title: String {
        didSet { if let native, isShown { native.title = title } }
    }
    /// Pictures shown so far.
    public internal(set) var frameCount = 0

    private var native: SDLWindow?
    private var surface: WindowSurface?
    private var mailbox: EventMailbox?
    private var waiter: EventWaiter?
    private var preparation: Preparation?
    private var pacer = FramePacer()
    private var isShown = false
    private var isHidden = false
    var isClosing = false
    var needsFrame = false
    private var losses = 0
    /// Replaces the display during headless playback.
    var headless: HeadlessPlayback?
    /// Keys pressed before the first frame is shown.
    private var earlyKeys = EarlyKeys()
    /// Keys that are down: Wayland repeats them only when asked.
    private var heldKeys = 0

    public init(_ title: String, showing content: any WindowContent, options: Options = Options()) {
        (self.title, self.content, self.options) = (title, content, options)
    }

    /// Opens the window, and returns when it is closed.
    ///
    /// - Throws: `WindowError` without a display; `GPUError`; what the content throws.
    public func run() async throws {
        guard !isRunning else { throw WindowError("run a window", reason: "it is running already") }
        if let problem = options.validate() { throw WindowError("open a window", reason: problem) }
        defer { tearDown() }
        let waiter = try open()
        while true {
            native?.collectEvents()
            SDLEventHub.shared.pump()
            for event in mailbox?.takeAll() ?? [] { handle(event) }
            if isClosing { return }
            let pause = try step()
            if isClosing { return }
            await Task.yield()
            if pause != .none { await waiter.wait(timeout: pause.seconds) }
        }
    }

    /// Closes the window; `run()` returns soon after.
    public func close() {
        isClosing = true
        waiter?.wake()
    }

    /// Asks for a new picture although the person did nothing: something in the content changed.
    public func requestFrame() {
        needsFrame = true
        waiter?.wake()
    }

    /// Points; zero while there is no window.
    public var size: Vector2 { native?.size ?? headless?.size ?? Vector2(0, 0) }
    public var pixelSize: (width: Int, height: Int) { native?.pixelSize ?? headless?.pixelSize ?? (0, 0) }
    /// Pixels a point.
    public var scale: Float { size.x > 0 ? Float(pixelSize.width) / size.x : 1 }
    public var isFullscreen: Bool {
        get { native?.isFullscreen ?? false }
        set { native?.isFullscreen = newValue }
    }
    /// Seconds on the clock of events and frames.
    public var now: Double { headless?.time ?? SDLVideo.now }

    /// Whether it plays without a display: `playHeadless`.
    package var isHeadless: Bool { headless != nil }

    var isRunning: Bool { native != nil || headless != nil }
}

// MARK: - Opening and closing

extension Window {
    private func open() throws -> EventWaiter {
        let native = try SDLWindow(title: title, width: options.width, height: options.height, isResizable: options.isResizable)
        self.native = native
        mailbox = SDLEventHub.shared.open(for: native)
        SDLGamepads.shared.start()
        let waiter = try EventWaiter(connection: native.connection)
        self.waiter = waiter
        try connectToGPU(native)
        return waiter
    }

    /// Makes surface and device and has the content get ready on them: at the start, and after a device was lost.
    private func connectToGPU(_ native: SDLWindow) throws {
        let surface = try WindowSurface(native, options: options)
        self.surface = surface
        let preparation = Preparation(name: title, showsBar: options.showsProgress && !isShown)
        self.preparation = preparation
        preparation.start(self, device: surface.device, format: surface.format) { [waiter] in waiter?.wake() }
    }

    private func tearDown() {
        preparation?.cancel()
        preparation = nil
        content.windowDidClose()
        surface = nil
        if let mailbox { SDLEventHub.shared.close(mailbox) }
        native?.destroy()
        (native, mailbox, waiter) = (nil, nil, nil)
        (isShown, isClosing, needsFrame) = (false, false, false)
        earlyKeys = EarlyKeys()
    }
}

// MARK: - Events

extension Window {
    private func handle(_ event: WindowEvent) {
        switch event {
        case .closeRequested: isClosing = true
        case .resized, .exposed: needsFrame = true
        case .shown:
            isHidden = false
            needsFrame = true
        case .hidden: isHidden = true
        case .input(let input):
            countKeys(input)
            if isShown { content.handle(input) } else { earlyKeys.add(input, content) }
        }
    }

    private func countKeys(_ input: InputEvent) {
        switch input.kind {
        case .keyPressed(_, isRepeat: false): heldKeys += 1
        case .keyReleased: heldKeys = max(0, heldKeys - 1)
        case .focusLost: heldKeys = 0
        default: break
        }
    }
}

// MARK: - Frames

extension Window {
    /// How long to wait for events before the next step.
    private enum Pause: Equatable {
        case none
        case seconds(Double)
        case untilEvent

        var seconds: Double? { if case .seconds(let seconds) = self { seconds } else { nil } }
    }

    private func step() throws -> Pause {
        if let preparation {
            guard try preparation.isDone() else {
                let (isClosed, keys) = preparation.showBar()
                if isClosed { isClosing = true }
                for key in keys { earlyKeys.add(key, content) }
                return .seconds(0.05)
            }
            self.preparation = nil
            needsFrame = true
        }
        guard let native, !(isShown && (isHidden || native.isMinimized)) else { return .untilEvent }
        return try drawIfDue(native)
    }

    private func drawIfDue(_ native: SDLWindow) throws -> Pause {
        let now = SDLVideo.now
        var due: Double?
        switch content.frameDemand {
        case .none: break
        case .next: due = now
        case .after(let seconds): due = now + max(0, seconds)
        }
        if needsFrame { due = now }
        guard let due else { return pauseWithoutDemand }
        let start = max(due, pacer.earliestNextFrame)
        if start > now { return .seconds(start - now) }
        try drawFrame(native, at: now)
        return .none
    }

    /// The driver may still read from our connection while it finishes a picture (see `SDLWindow.collectEvents`), where waiting for the
    /// connection doesn't see it. So the first waits after a picture are short.
    private var pauseWithoutDemand: Pause {
        if heldKeys > 0, native?.isWayland == true { return .seconds(0.02) }
        // No connection tells of controllers: SDL asks them when it is asked.
        if SDLGamepads.shared.isAnyConnected { return .seconds(1.0 / 60) }
        return pacer.nextSettlingPause().map { .seconds($0) } ?? .untilEvent
    }

    private func drawFrame(_ native: SDLWindow, at time: Double) throws {
        guard let surface else { return }
        needsFrame = false
        let pixels = native.pixelSize
        guard pixels.width > 0, pixels.height > 0 else { return }
        do {
            pacer.frameBegins(at: time, refreshRate: native.refreshRate)
            let outcome = try surface.draw(width: pixels.width, height: pixels.height) { [content, scale] target in
                try content.draw(
                    WindowFrame(
                        device: surface.device, target: target, format: surface.format, width: pixels.width, height: pixels.height,
                        scale: scale, time: time))
            }
            switch outcome {
            case .shown: frameWasShown(native)
            case .tryAgain: needsFrame = true
            case .invisible: if !isShown { show(native) }
            }
        } catch {
            guard surface.device.isLost else { throw error }
            try recover(native, from: error)
        }
    }

    private func frameWasShown(_ native: SDLWindow) {
        frameCount += 1
        if !isShown {
            show(native)
            for key in earlyKeys.take(at: SDLVideo.now) { content.handle(key) }
        }
        if let limit = options.frameLimit, frameCount >= limit { isClosing = true }
    }

    private func show(_ native: SDLWindow) {
        isShown = true
        native.title = title
        native.show()
        // What was drawn while hidden may be lost on the way to the screen.
        needsFrame = true
    }

    /// A driver that was reset gives a new device; one that keeps failing is given up.
    private func recover(_ native: SDLWindow, from error: any Error) throws {
        losses += 1
        guard losses <= 3 else { throw error }
        surface = nil
        try connectToGPU(native)
    }
}
