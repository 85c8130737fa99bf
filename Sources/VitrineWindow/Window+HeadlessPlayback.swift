import VitrineGPU
import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene

/// The state that replaces the display during headless playback.
struct HeadlessPlayback {
    /// Points.
    let size: Vector2
    let pixelSize: (width: Int, height: Int)
    let scale: Float
    /// Seconds since the start.
    var time = 0.0
}

extension Window {
    /// Plays the content without a display: prepares it, delivers events at their times, and draws one frame after the other on a clock that
    /// does not wait. The same events give the same frames, so tests of input use it.
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
    /// Frame n shows the time n / `framesPerSecond`, after all events up to then. If nothing requests a new frame (`frameDemand`, events,
    /// `requestFrame()`), none is drawn and `onFrame` gets the last image again: `frameCount` counts the drawn ones.
    ///
    /// - Parameters:
    ///   - events: Sorted by time, in seconds from the start; positions in points of the window's options' size.
    ///   - frames: Number of frames, at least 1. Ends early if the content closes the window.
    ///   - scale: Pixels per point.
    ///   - onFrame: Gets each image: `.rgba8`, sRGB, straight alpha.
    /// - Throws: `WindowError` for numbers out of range; errors of the content, the GPU and `onFrame`.
    public func playHeadless(
        _ events: [InputEvent] = [], frames: Int, framesPerSecond: Double = 60, scale: Float = 1,
        onFrame: (_ frame: Int, _ image: Image) throws -> Void
    ) async throws {
        guard !isRunning else { throw WindowError("play headless", reason: "the window is running already") }
        if let problem = options.validate() { throw WindowError("play headless", reason: problem) }
        guard frames > 0, framesPerSecond > 0, framesPerSecond.isFinite, scale > 0, scale <= 16 else {
            throw WindowError("play headless", reason: "frames, framesPerSecond and scale must be above 0, scale at most 16")
        }
        let size = Vector2(Float(options.width), Float(options.height))
        let pixels = (width: Int((size.x * scale).rounded()), height: Int((size.y * scale).rounded()))
        headless = HeadlessPlayback(size: size, pixelSize: pixels, scale: scale)
        defer { endHeadlessPlayback() }
        let device = try GPUDevice.make(options.adapter)
        let target = try OffscreenTarget(device, width: pixels.width, height: pixels.height)
        try await content.prepare(in: self, device: device, format: target.view.format) { _ in }
        var stage = HeadlessDisplay(device: device, target: target, script: EventScript(events))
        for frame in 0..<frames where !isClosing {
            headless?.time = Double(frame) / framesPerSecond
            try onFrame(frame, try stage.picture(of: self))
            await Task.yield()
        }
    }

    private func endHeadlessPlayback() {
        content.windowDidClose()
        headless = nil
        (isClosing, needsFrame) = (false, false)
    }

    @available(*, deprecated, renamed: "playHeadless(_:frames:framesPerSecond:scale:onFrame:)")
    public func rehearse(
        _ events: [InputEvent] = [], frames: Int, framesPerSecond: Double = 60, scale: Float = 1,
        onFrame: (_ frame: Int, _ image: Image) throws -> Void
    ) async throws {
        try await playHeadless(events, frames: frames, framesPerSecond: framesPerSecond, scale: scale, onFrame: onFrame)
    }
}

/// Delivers events and draws the frames that are due.
@MainActor
private struct HeadlessDisplay {
    let device: GPUDevice
    let target: OffscreenTarget
    private var script: EventScript
    private var last: Image?
    private var due = 0.0

    init(device: GPUDevice, target: OffscreenTarget, script: EventScript) {
        (self.device, self.target, self.script) = (device, target, script)
    }

    mutating func picture(of window: Window) throws -> Image {
        let time = window.now
        for event in script.take(through: time) { window.content.handle(event) }
        if let last, !window.needsFrame, !isDue(window, at: time) { return last }
        window.needsFrame = false
        try window.content.draw(
            WindowFrame(
                device: device, target: target.view, format: target.view.format, width: target.width, height: target.height,
                scale: window.scale, time: time))
        window.frameCount += 1
        let picture = try target.image()
        last = picture
        if case .after(let seconds) = window.content.frameDemand { due = time + max(0, seconds) }
        return picture
    }

    private func isDue(_ window: Window, at time: Double) -> Bool {
        switch window.content.frameDemand {
        case .none: false
        case .next: true
        case .after: time >= due
        }
    }
}
