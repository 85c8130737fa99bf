import VitrineGPU
import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene

/// What stands for a display while a window runs without one.
struct Rehearsal {
    /// Points.
    let size: Vector2
    let pixelSize: (width: Int, height: Int)
    let scale: Float
    /// Seconds since it began.
    var time = 0.0
}

extension Window {
    /// Runs the content without a display: gets it ready, hands it events at their times, and draws picture after picture on a clock that
    /// doesn't wait. The same events give the same pictures, so it is how touch is tested.
    ///
    /// ```swift
    /// let drag = [
    ///     InputEvent(.pointerPressed(.left, at: [100, 100], clicks: 1), time: 0.1),
    ///     InputEvent(.pointerMoved(to: [160, 100]), time: 0.2),
    ///     InputEvent(.pointerReleased(.left, at: [160, 100]), time: 0.3),
    /// ]
    /// try await Window("Card", showing: view).rehearse(drag, frames: 60) { frame, picture in … }
    /// ```
    ///
    /// The picture of frame n stands for the moment n / `framesPerSecond`, after the events up to then. Where nothing asks for a new one
    /// (`frameDemand`, events, `requestFrame()`), none is drawn and the last one is handed on: `frameCount` counts those that were drawn.
    ///
    /// - Parameters:
    ///   - events: By rising time, in seconds from the beginning; positions in points of the window's options' size.
    ///   - frames: How many pictures, at least 1; fewer where the content closes the window.
    ///   - scale: Pixels a point.
    ///   - onFrame: Gets each picture: `.rgba8`, sRGB, straight alpha.
    /// - Throws: `WindowError` for numbers that make no sense; what the content, the GPU and `onFrame` throw.
    public func rehearse(
        _ events: [InputEvent] = [], frames: Int, framesPerSecond: Double = 60, scale: Float = 1,
        onFrame: (_ frame: Int, _ picture: Image) throws -> Void
    ) async throws {
        guard !isRunning else { throw WindowError("rehearse", reason: "the window is running already") }
        if let problem = options.validate() { throw WindowError("rehearse", reason: problem) }
        guard frames > 0, framesPerSecond > 0, framesPerSecond.isFinite, scale > 0, scale <= 16 else {
            throw WindowError("rehearse", reason: "frames, framesPerSecond and scale must be above 0, scale at most 16")
        }
        let size = Vector2(Float(options.width), Float(options.height))
        let pixels = (width: Int((size.x * scale).rounded()), height: Int((size.y * scale).rounded()))
        rehearsal = Rehearsal(size: size, pixelSize: pixels, scale: scale)
        defer { endRehearsal() }
        let device = try GPUDevice.make(options.adapter)
        let target = try OffscreenTarget(device, width: pixels.width, height: pixels.height)
        try await content.prepare(in: self, device: device, format: target.view.format) { _ in }
        var stage = RehearsalStage(device: device, target: target, script: EventScript(events))
        for frame in 0..<frames where !isClosing {
            rehearsal?.time = Double(frame) / framesPerSecond
            try onFrame(frame, try stage.picture(of: self))
            await Task.yield()
        }
    }

    private func endRehearsal() {
        content.windowDidClose()
        rehearsal = nil
        (isClosing, needsFrame) = (false, false)
    }
}

/// Draws what is due.
@MainActor
private struct RehearsalStage {
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
