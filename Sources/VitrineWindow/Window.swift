import VitrineGPU
import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene
import VitrineStage

/// A desktop window that shows one content.
///
/// ```swift
/// let view = SceneView(scene)
/// try await Window("Card", showing: view).run()   // returns when the user closes it
/// ```
///
/// The window draws after events and when the content demands it (`WindowContent.frameDemand`). Otherwise it sleeps without using the
/// processor; the main actor stays free, so other tasks of the program continue. The window stays hidden until the content is prepared and its
/// first frame is drawn. If preparation takes longer than 0.3 s, a small window shows its progress.
///
/// Runs on X11 and Wayland. Several windows may run at once.
@MainActor
public final class Window {
    /// The presentation mode: when the display shows finished frames.
    public enum PresentMode: Equatable, Hashable, Sendable {
        /// The display shows frames in order, each with the next refresh. Always available.
        case fifo
        /// The display shows the newest frame with the next refresh; a newer frame replaces one that waits.
        case mailbox
        /// The display shows frames immediately, and may show parts of two frames (tearing).
        case immediate

        var gpu: GPUPresentMode {
            switch self {
            case .fifo: .fifo
            case .mailbox: .mailbox
            case .immediate: .immediate
            }
        }
    }

    /// The options of a window.
    public struct Options: Sendable {
        /// The width in points, 1…16,384. Default 1280.
        public var width = 1280
        /// The height in points, 1…16,384. Default 800.
        public var height = 800
        /// Whether the user may resize the window. Default true.
        public var isResizable = true
        /// The presentation mode. Falls back to `.fifo` if the display does not support the mode. Default `.fifo`.
        public var presentMode = PresentMode.fifo
        /// The GPU that draws. Default `.automatic`.
        public var adapter = RenderAdapter.automatic
        /// Whether a progress bar appears if preparation takes longer than 0.3 s. Default true.
        public var showsProgress = true
        /// The number of frames after which the window closes, for tests. Default nil: it stays open.
        public var frameLimit: Int?

        /// Creates the default options.
        public init() {}

        /// Returns a message that names the first invalid field; nil if all are valid.
        public func validate() -> String? {
            if !(1...16_384).contains(width) { return "width: \(width) is not within 1 to 16384 points" }
            if !(1...16_384).contains(height) { return "height: \(height) is not within 1 to 16384 points" }
            if let frameLimit, frameLimit < 1 { return "frameLimit: \(frameLimit) is less than 1" }
            return nil
        }
    }

    /// The options with which the window was created.
    public let options: Options
    /// The content that the window shows.
    public let content: any WindowContent
    /// The text of the title bar.
    public var title: String {
        didSet { if let native, isShown { native.title = title } }
    }
    /// The number of frames drawn so far.
    public private(set) var frameCount = 0

    private var native: SDLWindow?
    private var surface: WindowSurface?
    private var mailbox: EventMailbox?
    private var waiter: EventWaiter?
    private var preparation: Preparation?
    private var pacer = FramePacer()
    private var isShown = false
    private var isHidden = false
    private var isClosing = false
    private var needsFrame = false
    /// The times of the last minute at which the GPU device was lost.
    private var losses: [Double] = []
    /// The display that replaces the window during headless playback.
    private var headless: HeadlessDisplay?
    /// Keys pressed before the first frame is shown.
    private var earlyKeys = EarlyKeys()
    /// The number of keys that are down. Wayland repeats keys only when SDL is polled.
    private var heldKeys = 0

    /// Creates a window; `run()` opens it.
    public init(_ title: String, showing content: any WindowContent, options: Options = Options()) {
        (self.title, self.content, self.options) = (title, content, options)
    }

    /// Opens the window, and returns when it is closed.
    ///
    /// - Throws: `WindowError` without a display, `GPUError`, and the errors of the content.
    public func run() async throws {
        guard !isRunning else { throw WindowError("run a window", reason: "it is already running") }
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

    /// Closes the window; `run()` then returns.
    public func close() {
        isClosing = true
        waiter?.wake()
    }

    /// Requests a new frame because the content has changed.
    public func requestFrame() {
        needsFrame = true
        waiter?.wake()
    }

    /// The size in points; 0 while the window is closed.
    public var size: Vector2 { native?.size ?? headless?.size ?? Vector2(0, 0) }
    /// The size in pixels; 0 while the window is closed.
    public var pixelSize: (width: Int, height: Int) { native?.pixelSize ?? headless?.pixelSize ?? (0, 0) }
    /// The number of pixels per point.
    public var scale: Float { size.x > 0 ? Float(pixelSize.width) / size.x : 1 }
    /// Whether the window fills the screen. Setting it has no effect while the window is closed.
    public var isFullscreen: Bool {
        get { native?.isFullscreen ?? false }
        set { native?.isFullscreen = newValue }
    }
    /// The current time in seconds on the clock of events and frames.
    public var now: Double { headless?.time ?? SDLVideo.now }

    /// Whether `playHeadless` is running.
    package var isHeadless: Bool { headless != nil }

    /// Returns the device that draws and the format of its frames; available from `WindowContent.prepare` on. Another device replaces it after a loss.
    ///
    /// - Throws: `WindowError` while the window is closed.
    package func graphics() throws(WindowError) -> (device: GPUDevice, format: GPUTextureFormat) {
        if let surface { return (surface.device, surface.format) }
        if let headless { return (headless.device, headless.format) }
        throw WindowError("use a window's GPU", reason: "the window is closed")
    }

    private var isRunning: Bool { native != nil || headless != nil }
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

    /// Creates surface and device and prepares the content for them: at the start, and after the device was lost.
    private func connectToGPU(_ native: SDLWindow) throws {
        let surface = try WindowSurface(native, options: options)
        self.surface = surface
        let preparation = Preparation(name: title, showsBar: options.showsProgress && !isShown)
        self.preparation = preparation
        preparation.start(self) { [waiter] in waiter?.wake() }
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
        losses = []
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
    /// The time to wait for events before the next step.
    private enum Pause: Equatable {
        case none
        case seconds(Double)
        case untilEvent

        var seconds: Double? { if case .seconds(let seconds) = self { seconds } else { nil } }
    }

    private func step() throws -> Pause {
        if let preparation {
            guard try isDone(preparation) else {
                // Another one began after a loss.
                guard self.preparation === preparation else { return .none }
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

    /// Returns whether the content is prepared. A device that was lost meanwhile is replaced, and preparation begins again.
    private func isDone(_ preparation: Preparation) throws -> Bool {
        do {
            return try preparation.isDone()
        } catch {
            guard let native, surface?.device.isLost == true else { throw error }
            try recover(native, from: error)
            return false
        }
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

    /// The time to wait if no frame is due. While the driver finishes a frame, it may read events from the connection (see
    /// `SDLWindow.collectEvents`), which `poll` does not detect. Therefore the first waits after a frame are short.
    private var pauseWithoutDemand: Pause {
        if heldKeys > 0, native?.isWayland == true { return .seconds(0.02) }
        // Game controllers have no connection on which to wait: SDL must be polled.
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
                        device: surface.device, target: target, width: pixels.width, height: pixels.height, scale: scale, time: time))
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
        // A frame that was drawn while the window was hidden may not reach the screen.
        needsFrame = true
    }

    /// Creates a new device after a loss, three times a minute at most.
    private func recover(_ native: SDLWindow, from error: any Error) throws {
        losses.removeAll { SDLVideo.now - $0 > 60 }
        losses.append(SDLVideo.now)
        guard losses.count <= 3 else { throw error }
        surface = nil
        try connectToGPU(native)
    }
}

// MARK: - Headless playback

extension Window {
    /// Plays the content without a display: prepares it, delivers events at their times, and draws one frame after the other without waiting. The same
    /// events give the same frames, so that tests of input can use it.
    ///
    /// ```swift
    /// let drag = [
    ///     InputEvent(.pointerPressed(.left, at: [100, 100], clicks: 1), time: 0.1),
    ///     InputEvent(.pointerMoved(to: [160, 100]), time: 0.2),
    ///     InputEvent(.pointerReleased(.left, at: [160, 100]), time: 0.3),
    /// ]
    /// try await Window("Card", showing: view).playHeadless(drag, frames: 60) { frame, image in … }
    /// ```
    ///
    /// Frame n shows the time n / `framesPerSecond`, after all events up to that time. If nothing requests a new frame (`frameDemand`, events,
    /// `requestFrame()`), no frame is drawn and `onFrame` receives the last image again; `frameCount` counts the drawn frames.
    ///
    /// - Parameters:
    ///   - events: The events, sorted by time in seconds from the start; positions in points of the size in the window's options.
    ///   - frames: The number of frames, at least 1. Playback ends early if the content closes the window.
    ///   - scale: The number of pixels per point.
    ///   - onFrame: Called with each image: `.rgba8`, sRGB, straight alpha.
    /// - Throws: `WindowError` for numbers out of range; errors of the content, the GPU and `onFrame`.
    public func playHeadless(
        _ events: [InputEvent] = [], frames: Int, framesPerSecond: Double = 60, scale: Float = 1,
        onFrame: (_ frame: Int, _ image: Image) throws -> Void
    ) async throws {
        guard !isRunning else { throw WindowError("play headless", reason: "the window is already running") }
        if let problem = options.validate() { throw WindowError("play headless", reason: problem) }
        guard frames > 0, framesPerSecond > 0, framesPerSecond.isFinite, scale > 0, scale <= 16 else {
            throw WindowError("play headless", reason: "frames, framesPerSecond and scale must be above 0, scale at most 16")
        }
        let size = Vector2(Float(options.width), Float(options.height))
        let display = try HeadlessDisplay(GPUDevice.make(options.adapter.choice), size: size, scale: scale, events: events)
        headless = display
        defer { endHeadlessPlayback() }
        try await content.prepare(in: self) { _ in }
        for frame in 0..<frames where !isClosing {
            display.advance(to: Double(frame) / framesPerSecond)
            try onFrame(frame, try headlessImage(on: display))
            await Task.yield()
        }
    }

    private func endHeadlessPlayback() {
        content.windowDidClose()
        headless = nil
        (isClosing, needsFrame) = (false, false)
    }

    /// Delivers the events that are due, and draws a frame if one is due. Returns the last image otherwise.
    private func headlessImage(on display: HeadlessDisplay) throws -> Image {
        for event in display.takeEvents() { content.handle(event) }
        if let last = display.image, !needsFrame, !display.isDue(content.frameDemand) { return last }
        needsFrame = false
        try content.draw(display.frame)
        frameCount += 1
        return try display.finishFrame(content.frameDemand)
    }
}

/// The display of headless playback: an offscreen target, a clock that does not wait, and scripted input.
@MainActor
private final class HeadlessDisplay {
    /// The size in points.
    let size: Vector2
    let device: GPUDevice
    private let target: OffscreenTarget
    private var script: EventScript
    /// The time of the current frame, in seconds since the start.
    private(set) var time = 0.0
    /// The last image.
    private(set) var image: Image?
    /// The time at which the next frame is due, if the content demanded one after a delay.
    private var due = 0.0

    init(_ device: GPUDevice, size: Vector2, scale: Float, events: [InputEvent]) throws {
        (self.device, self.size) = (device, size)
        target = try OffscreenTarget(device, width: Int((size.x * scale).rounded()), height: Int((size.y * scale).rounded()))
        script = EventScript(events)
    }

    var pixelSize: (width: Int, height: Int) { (target.width, target.height) }
    var format: GPUTextureFormat { target.view.format }

    func advance(to time: Double) { self.time = time }

    /// Removes and returns the events up to the current time.
    func takeEvents() -> ArraySlice<InputEvent> { script.take(through: time) }

    func isDue(_ demand: FrameDemand) -> Bool {
        switch demand {
        case .none: false
        case .next: true
        case .after: time >= due
        }
    }

    var frame: WindowFrame {
        WindowFrame(
            device: device, target: target.view, width: target.width, height: target.height,
            scale: size.x > 0 ? Float(target.width) / size.x : 1, time: time)
    }

    /// Reads back the drawn frame.
    func finishFrame(_ demand: FrameDemand) throws -> Image {
        let image = try target.image()
        self.image = image
        if case .after(let seconds) = demand { due = time + max(0, seconds) }
        return image
    }
}
