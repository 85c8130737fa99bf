import VitrineTracking

/// Reads a session's source: starts and stops it, rejects unusable camera samples, and paces recordings.
///
/// Camera samples reach the session in increasing time, each at most once: `unread(_:)` returns one that was read but not processed. Confined
/// to the session's actor.
final class SensorReader {
    let source: any SensorSource
    private let pace: ARSession.Pace
    private var isStarted = false
    private var isAtEnd = false
    private var isInterrupted = false
    private var unreadSample: CameraSample?
    /// The time of the last processed camera sample, on the camera's clock.
    private var lastTime = -Double.infinity
    private var pacer = Pacer()
    private var milliseconds = 0.0

    init(_ source: any SensorSource, pace: ARSession.Pace) { (self.source, self.pace) = (source, pace) }

    // MARK: Life cycle

    func start(isolation: isolated (any Actor)? = #isolation) async throws(ARError) {
        guard !isStarted else { return }
        do {
            try await source.start()
        } catch {
            throw ARError(.sensorFailed, "\(error)")
        }
        isStarted = true
    }

    func stop(isolation: isolated (any Actor)? = #isolation) async {
        guard isStarted else { return }
        isStarted = false
        await source.stop()
    }

    /// Rewinds a source that is at its end.
    ///
    /// - Returns: Whether the source starts over.
    func rewindAtEnd(isolation: isolated (any Actor)? = #isolation) async throws(ARError) -> Bool {
        guard isAtEnd else { return false }
        do {
            try await source.rewind()
        } catch {
            throw ARError(.sensorUnavailable, "\(error)")
        }
        (isAtEnd, isInterrupted, unreadSample, lastTime) = (false, false, nil, -.infinity)
        return true
    }

    /// Forgets the pacing of the last run.
    func restartPacing() { pacer = Pacer() }

    // MARK: Events

    /// The next event; nil at the end.
    func next(isolation: isolated (any Actor)? = #isolation) async throws(ARError) -> SensorEvent? {
        if let sample = unreadSample {
            unreadSample = nil
            return .image(sample)
        }
        let watch = Stopwatch()
        defer { watch.add(to: &milliseconds) }
        do {
            let event = try await source.next()
            isAtEnd = event == nil
            return event
        } catch {
            throw ARError(.sensorFailed, "\(error)")
        }
    }

    /// Returns a camera sample that was not processed, so that the next run starts with it. A live source drops it.
    func unread(_ sample: CameraSample) { if !source.isLive { unreadSample = sample } }

    /// Marks a camera sample as processed.
    func accept(_ sample: CameraSample) { (unreadSample, lastTime) = (nil, sample.time) }

    /// Returns a sample that was processed in a world that no longer exists, so that it is processed once more.
    func reprocess(_ sample: CameraSample) { (unreadSample, lastTime) = (sample, sample.time.nextDown) }

    /// Marks the source as interrupted.
    ///
    /// - Returns: False if the source was interrupted already.
    func beginInterruption() -> Bool {
        defer { isInterrupted = true }
        return !isInterrupted
    }

    /// Marks the source as no longer interrupted.
    ///
    /// - Returns: False if the source was not interrupted.
    func endInterruption() -> Bool {
        defer { isInterrupted = false }
        return isInterrupted
    }

    /// Returns the reason for which a camera sample cannot be used; nil if it can.
    func problem(with sample: CameraSample) -> String? {
        guard !isInterrupted else { return "image at \(sample.time) s: arrived while the source was interrupted" }
        guard sample.time.isFinite, sample.time > lastTime else {
            return "image at \(sample.time) s: its time does not increase, the last was at \(lastTime) s"
        }
        let camera = sample.camera ?? source.rig.camera
        guard sample.image.width == camera.width, sample.image.height == camera.height else {
            return
                "image at \(sample.time) s: has \(sample.image.width) × \(sample.image.height) pixels, the camera \(camera.width) × \(camera.height)"
        }
        return nil
    }

    /// Waits until a recorded sample is due or `isRunning` returns false, if the pace is `.realTime`.
    func waitUntilDue(
        _ sample: CameraSample, isolation: isolated (any Actor)? = #isolation, while isRunning: () -> Bool
    ) async {
        guard pace == .realTime, !source.isLive else { return }
        let due = pacer.due(sample.time)
        while ContinuousClock.now < due, isRunning() {
            try? await Task.sleep(until: min(due, .now + Pacer.pollingInterval), clock: .continuous)
        }
    }

    /// The time that reading took since the last call.
    func takeMilliseconds() -> Double {
        defer { milliseconds = 0 }
        return milliseconds
    }
}

/// Maps the times of recorded samples to the wall clock.
private struct Pacer {
    private var start: (recorded: Double, now: ContinuousClock.Instant)?
    /// The lag after which playback continues from the present instead of catching up.
    private static let maximumLag = Duration.milliseconds(250)
    /// The interval between checks whether the session still runs.
    static let pollingInterval = Duration.milliseconds(50)

    mutating func due(_ recorded: Double, now: ContinuousClock.Instant = .now) -> ContinuousClock.Instant {
        if let start {
            let due = start.now + .seconds(recorded - start.recorded)
            if now - due <= Self.maximumLag { return due }
        }
        start = (recorded, now)
        return now
    }
}
