import VitrineMath
import VitrineTracking
import VitrineVision

/// The tracking side of a session: reads the source, follows the camera and makes frames, off the main actor.
actor SessionEngine {
    let source: any SensorSource
    let pace: ARSession.Pace
    let shared: SessionShared
    /// One frame at a time, whoever asks for it.
    let turnstile = Turnstile()

    var world = SessionWorld()
    var tracker: SessionTracker?
    /// What `tracker` was made for.
    var method: TrackingMethod?
    var understanding = SceneUnderstanding()
    /// A picture that was read but not used before a pause.
    var held: CameraSample?
    var isInterrupted = false
    var isAtEnd = false
    /// Of pictures, on the camera's clock.
    var lastTime = -Double.infinity
    /// Of frames.
    var lastTimestamp = -Double.infinity
    var lastState: TrackingState?
    var pacer = Pacer()
    /// What the frame that comes next has taken so far.
    var times = ARFrameTimes()

    init(source: any SensorSource, pace: ARSession.Pace, shared: SessionShared) {
        (self.source, self.pace, self.shared) = (source, pace, shared)
    }

    /// The next frame, told to everybody; nil where the run is over.
    func frame(epoch: Int, for session: ARSession?) async -> ARFrame? {
        await turnstile.enter()
        defer { turnstile.leave() }
        do throws(ARError) {
            try await apply(shared.takeCommands())
            while shared.isCurrent(epoch) {
                guard let event = try await nextEvent() else {
                    await end(epoch: epoch, for: session)
                    return nil
                }
                if let frame = try await take(event, epoch: epoch, for: session) { return frame }
            }
        } catch {
            await fail(error, epoch: epoch, for: session)
        }
        return nil
    }

    private func nextEvent() async throws(ARError) -> SensorEvent? {
        if let picture = held {
            held = nil
            return .picture(picture)
        }
        let watch = Stopwatch()
        defer { watch.add(to: &times.reading) }
        do {
            return try await source.next()
        } catch {
            throw ARError(.sensorFailed, "\(error)")
        }
    }

    /// What one event leads to: a frame, where it is a picture that can be used.
    private func take(_ event: SensorEvent, epoch: Int, for session: ARSession?) async throws(ARError) -> ARFrame? {
        switch event {
        case .inertial(let sample):
            let watch = Stopwatch()
            tracker?.add(sample)
            watch.add(to: &times.tracking)
        case .interruptionBegan: await beginInterruption(for: session)
        case .interruptionEnded: await endInterruption(for: session)
        case .picture(let sample):
            guard isUsable(sample) else { return nil }
            await waitUntilDue(sample, epoch: epoch)
            guard shared.isCurrent(epoch) else {
                // A live picture would be old by the time the session goes on.
                if !source.isLive { held = sample }
                return nil
            }
            lastTime = sample.time
            try await apply(shared.takeCommands())
            return await tell(makeFrame(sample), epoch: epoch, for: session)
        }
        return nil
    }

    private func isUsable(_ sample: CameraSample) -> Bool {
        guard !isInterrupted else {
            shared.report("picture at \(sample.time) s: came while the source was interrupted")
            return false
        }
        guard sample.time.isFinite, sample.time > lastTime else {
            shared.report("picture at \(sample.time) s: its time doesn't rise, the last was at \(lastTime) s")
            return false
        }
        let camera = sample.camera ?? source.rig.camera
        guard sample.image.width == camera.width, sample.image.height == camera.height else {
            shared.report(
                "picture at \(sample.time) s: has \(sample.image.width) × \(sample.image.height) pixels, the camera \(camera.width) × \(camera.height)"
            )
            return false
        }
        return true
    }

    private func waitUntilDue(_ sample: CameraSample, epoch: Int) async {
        guard pace == .realTime, !source.isLive else { return }
        let due = pacer.due(sample.time)
        while ContinuousClock.now < due, shared.isCurrent(epoch) {
            try? await Task.sleep(until: min(due, .now + Pacer.slice), clock: .continuous)
        }
    }

    private func makeFrame(_ sample: CameraSample) -> ARFrame {
        guard let tracker, let method else { preconditionFailure("frames are made after the first run") }
        let trackWatch = Stopwatch()
        let result = tracker.track(sample, rig: source.rig)
        trackWatch.add(to: &times.tracking)
        if let pose = result.worldFromCamera, !TransformCheck.isPose(pose) {
            shared.report("picture at \(sample.time) s: the tracker's pose isn't a finite turn and move")
        }
        let camera = world.camera(result, sample: sample, isPlaced: method.isWorld)
        let points = world.points(result, isTold: method.isWorld)
        let watch = Stopwatch()
        if method.isWorld, result.state == .normal { world.apply(understanding.planes(result, camera: camera.model, sample: sample)) }
        let light = understanding.light(sample)
        watch.add(to: &times.understanding)
        return ARFrame(
            timestamp: timestamp(result, sample), capturedImage: sample.image,
            camera: camera,
            anchors: world.store.anchors, lightEstimate: light, rawFeaturePoints: points,
            worldMappingStatus: method.isWorld ? world.familiarity.status(camera.trackingState) : .notAvailable, sceneDepth: sample.depth,
            surfaces: method.isWorld ? FrameSurfaces(finder: understanding.finder, sessionFromTracker: world.sessionFromTracker) : nil)
    }

    /// Rises also where the tracker finds out that the camera's clock is late.
    private func timestamp(_ result: TrackingResult, _ sample: CameraSample) -> Double {
        let time = result.time.isFinite ? result.time : sample.time + source.rig.timeOffset
        lastTimestamp = max(time, lastTimestamp.nextUp)
        return lastTimestamp
    }
}
