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
    /// The world that was asked for.
    var initialMap: ARWorldMap?
    var understanding = SceneUnderstanding()
    /// A picture that was read but not used before a pause.
    var held: CameraSample?
    /// A picture that was gone through, but whose frame nobody was told of before a pause.
    var untold: FrameDraft?
    /// Whether the source was told that it is read.
    var isSourceStarted = false
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
        while true {
            do throws(ARError) {
                return try await nextFrame(epoch: epoch, for: session)
            } catch {
                // What the app has asked for instead meanwhile is tried before giving up.
                if await fail(error, epoch: epoch, for: session) { return nil }
            }
        }
    }

    private func nextFrame(epoch: Int, for session: ARSession?) async throws(ARError) -> ARFrame? {
        guard let commands = shared.takeCommands(epoch: epoch) else { return nil }
        try await apply(commands)
        try await startSource()
        if let draft = untold {
            untold = nil
            if let frame = await tell(draft, epoch: epoch, for: session) { return frame }
        }
        while shared.isCurrent(epoch) {
            guard let event = try await nextEvent() else {
                await end(epoch: epoch, for: session)
                return nil
            }
            if let frame = try await take(event, epoch: epoch, for: session) { return frame }
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
            // Where the run is over or a command fails the picture is still to come; a live one would be old by then.
            if !source.isLive { held = sample }
            guard let commands = shared.takeCommands(epoch: epoch) else { return nil }
            try await apply(commands)
            held = nil
            lastTime = sample.time
            return await tell(draft(sample), epoch: epoch, for: session)
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

    /// Goes through the picture, once: with the tracker, and with what looks for planes and light.
    private func draft(_ sample: CameraSample) -> FrameDraft {
        guard let tracker, let method else { preconditionFailure("frames are made after the first run") }
        let trackWatch = Stopwatch()
        let result = tracker.track(sample, rig: source.rig)
        trackWatch.add(to: &times.tracking)
        if let pose = result.worldFromCamera, !TransformCheck.isPose(pose) {
            shared.report("picture at \(sample.time) s: the tracker's pose isn't a finite turn and move")
        }
        if world.follow(result) { understanding.reset() }
        world.see(result)
        let watch = Stopwatch()
        if method.isWorld, result.state == .normal {
            world.hasSearchedPlanes = true
            world.apply(understanding.planes(result, camera: sample.camera ?? result.rig.camera, sample: sample))
        }
        let light = understanding.light(sample)
        watch.add(to: &times.understanding)
        return FrameDraft(
            sample: sample, result: result, timestamp: timestamp(result, sample), isPlaced: method.isWorld,
            lightEstimate: light)
    }

    /// The frame as the world is now: anchors and the origin may have changed since the picture was gone through.
    func frame(_ draft: FrameDraft) -> ARFrame {
        let camera = world.camera(draft.result, sample: draft.sample, isPlaced: draft.isPlaced)
        return ARFrame(
            timestamp: draft.timestamp, capturedImage: draft.sample.image, camera: camera, anchors: world.store.anchors,
            lightEstimate: draft.lightEstimate, rawFeaturePoints: draft.isPlaced ? world.points(draft.result) : nil,
            worldMappingStatus: mappingStatus(camera.trackingState), sceneDepth: draft.sample.depth,
            surfaces: draft.isPlaced ? FrameSurfaces(finder: understanding.finder, sessionFromTracker: world.sessionFromTracker) : nil)
    }

    /// Rises also where the tracker finds out that the camera's clock is late.
    private func timestamp(_ result: TrackingResult, _ sample: CameraSample) -> Double {
        let time = result.time.isFinite ? result.time : sample.time + source.rig.timeOffset
        lastTimestamp = max(time, lastTimestamp.nextUp)
        return lastTimestamp
    }
}

/// What came of a picture, once and for all: a frame is made of it when it is told.
struct FrameDraft {
    let sample: CameraSample
    let result: TrackingResult
    let timestamp: Double
    /// Whether the camera has a place, and not only an orientation.
    let isPlaced: Bool
    let lightEstimate: ARLightEstimate?
}
