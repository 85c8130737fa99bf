import VitrineMath
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The tracking side of a session, off the main actor: turns sensor events into frames and delivers them.
///
/// Each camera sample passes through a chain of values: `SensorEvent` (`SensorReader`) → `TrackedFrame` (`TrackingRunner`) → `WorldUpdate`
/// (`WorldModel`) → `ARFrame`. Commands of the app take effect between two samples.
actor SessionEngine {
    private let state: SessionState
    private let reader: SensorReader
    /// Serializes requests for frames.
    private let lock = AsyncLock()
    /// nil before the first run.
    private var runner: TrackingRunner?
    /// Whether the current configuration estimates positions.
    private var estimatesPosition = false
    private var world = WorldModel()
    /// The map of the current configuration.
    private var initialMap: ARWorldMap?
    /// An update whose frame was not delivered before a pause.
    private var pending: WorldUpdate?
    private var lastReportedState: TrackingState?
    /// The time at which the tracker began to initialize; infinity once that was reported.
    private var initializingSince: Double?
    private var hasReportedScale = false
    /// The frames so far that a mesh could not be reconstructed from; nil once that was reported, or a depth image arrived.
    private var framesWithoutDepth: Int? = 0
    private static let fewFramesWithoutDepth = 30
    private static let longInitialization = 5.0
    /// The timings of the next frame so far.
    private var timings = ARFrameTimings()

    init(source: any SensorSource, pace: ARSession.Pace, state: SessionState) {
        (self.state, reader) = (state, SensorReader(source, pace: pace))
    }

    private var source: any SensorSource { reader.source }

    // MARK: Frames

    /// Produces and delivers the next frame; returns nil if the run is over.
    func nextFrame(epoch: Int, for session: ARSession?) async -> ARFrame? {
        await lock.lock()
        defer { lock.unlock() }
        while true {
            do throws(ARError) {
                return try await produceFrame(epoch: epoch, for: session)
            } catch {
                // A run command that arrived meanwhile is tried before the run fails.
                if await fail(error, epoch: epoch, for: session) { return nil }
            }
        }
    }

    private func produceFrame(epoch: Int, for session: ARSession?) async throws(ARError) -> ARFrame? {
        guard let commands = state.takeCommands(epoch: epoch) else { return nil }
        try await apply(commands)
        try await reader.start()
        if let update = pending {
            pending = nil
            if let frame = await deliver(update, epoch: epoch, for: session) { return frame }
        }
        while state.isCurrent(epoch) {
            guard let event = try await reader.next() else {
                await end(epoch: epoch, for: session)
                return nil
            }
            if let frame = try await process(event, epoch: epoch, for: session) { return frame }
        }
        return nil
    }

    /// Processes one event; returns a frame for a usable camera sample.
    private func process(_ event: SensorEvent, epoch: Int, for session: ARSession?) async throws(ARError) -> ARFrame? {
        switch event {
        case .inertial: _ = runner?.process(event)
        case .interruptionBegan: await beginInterruption(for: session)
        case .interruptionEnded: await endInterruption(for: session)
        case .image(let sample):
            if let problem = reader.problem(with: sample) {
                state.report(problem)
                return nil
            }
            await reader.waitUntilDue(sample) { state.isCurrent(epoch) }
            // If the run is over or a command fails, the next run starts with this sample.
            reader.unread(sample)
            guard let commands = state.takeCommands(epoch: epoch) else { return nil }
            try await apply(commands)
            reader.accept(sample)
            guard let frame = runner?.process(event) else { preconditionFailure("a run starts with a tracker") }
            return await deliver(update(with: frame), epoch: epoch, for: session)
        }
        return nil
    }

    private func update(with frame: TrackedFrame) -> WorldUpdate {
        if frame.hasInvalidPose { state.report("image at \(frame.sample.time) s: the tracker returned a pose that is not rigid") }
        let update = world.update(with: frame, estimatesPosition: estimatesPosition, milliseconds: &timings.understanding)
        if let move = world.moveOriginToCamera(update) { state.transformRaycasts(by: move) }
        return update
    }

    /// Makes the update's frame the current one and delivers it; returns nil if the run is over.
    private func deliver(_ update: WorldUpdate, epoch: Int, for session: ARSession?) async -> ARFrame? {
        let frame = world.makeFrame(update, mapping: runner?.tracker.mapping)
        timings.reading += reader.takeMilliseconds()
        timings.tracking += runner?.takeMilliseconds() ?? 0
        defer { timings = ARFrameTimings() }
        guard state.publish(frame, timings, epoch: epoch) else {
            // The next run delivers a recording's frame; a live one would be outdated.
            if !source.isLive { pending = update }
            return nil
        }
        let changes = world.anchorChanges
        world.confirmAnchorChanges()
        reportProblems(of: update, frame)
        let outcome = relocalizationOutcome(update, frame)
        let hasNewState = frame.camera.trackingState != lastReportedState
        lastReportedState = frame.camera.trackingState
        let raycasts = state.castTrackedRaycasts(in: frame)
        if let session, state.snapshot.delegate != nil || !raycasts.isEmpty {
            await session.deliver(frame, changes: changes, hasNewState: hasNewState, outcome: outcome, raycasts: raycasts)
        }
        await state.broadcast.send(frame, isDropping: source.isLive)
        return frame
    }

    /// Returns the outcome of relocalization in this frame; nil if it did not.
    private func relocalizationOutcome(_ update: WorldUpdate, _ frame: ARFrame) -> RelocalizationOutcome? {
        if update.frame.result.startsNewWorld { return .startedNewWorld }
        guard lastReportedState == .limited(.relocalizing) else { return nil }
        return switch frame.camera.trackingState {
        case .normal, .limited(.scaleUnknown), .limited(.insufficientFeatures), .limited(.excessiveMotion): .succeeded
        case .notAvailable, .limited(.relocalizing), .limited(.initializing): nil
        }
    }

    /// Reports a mesh without depth, a long initialization with its cause, and a guessed scale, once each.
    private func reportProblems(of update: WorldUpdate, _ frame: ARFrame) {
        if world.reconstructsMesh, let count = framesWithoutDepth {
            framesWithoutDepth = frame.sceneDepth == nil ? count + 1 : nil
            if count == Self.fewFramesWithoutDepth {
                framesWithoutDepth = nil
                state.report("sceneReconstruction needs depth images, which the source does not have: there is no mesh")
            }
        }
        guard frame.camera.trackingState == .limited(.initializing) else {
            initializingSince = nil
            if frame.camera.trackingState == .limited(.scaleUnknown), !hasReportedScale {
                hasReportedScale = true
                state.report("the scale is unknown: the device has no IMU and no depth sensor, and no marker size or depth was given")
            }
            return
        }
        let since = initializingSince ?? frame.timestamp
        initializingSince = since
        guard since.isFinite, frame.timestamp - since >= Self.longInitialization else { return }
        initializingSince = .infinity
        let reason = frame.camera.trackingAdvice.map { ": \($0.text)" } ?? ""
        state.report("tracking has been initializing for \(Int(Self.longInitialization)) s\(reason)")
    }

    // MARK: Commands

    /// Applies commands in order. Commands after one that fails stay for the next run.
    private func apply(_ commands: [SessionCommand]) async throws(ARError) {
        var removed = Set<UUID>()
        for (index, command) in commands.enumerated() {
            // Consecutive removals are applied at once: each pass visits all anchors.
            if case .remove(let identifier) = command {
                removed.insert(identifier)
                continue
            }
            remove(&removed)
            do throws(ARError) {
                try await apply(command)
            } catch {
                state.requeue(commands[(index + 1)...])
                throw error
            }
        }
        remove(&removed)
    }

    private func apply(_ command: SessionCommand) async throws(ARError) {
        switch command {
        case .run(let configuration, let options): try await configure(configuration, options)
        case .add(let anchor): world.add(anchor)
        case .remove(let identifier): world.remove([identifier])
        case .moveOrigin(let worldFromOrigin):
            world.moveOrigin(worldFromOrigin)
            state.transformRaycasts(by: worldFromOrigin.inverse)
        }
    }

    private func remove(_ identifiers: inout Set<UUID>) {
        guard !identifiers.isEmpty else { return }
        world.remove(identifiers)
        identifiers = []
    }

    private func configure(_ configuration: any ARConfiguration, _ options: ARSession.RunOptions) async throws(ARError) {
        guard configuration.isSupported(by: source.rig) else { throw .unsupported(configuration) }
        let worldTracking = configuration as? ARWorldTrackingConfiguration
        let (isWorldTracking, alignment) = (worldTracking != nil, worldTracking?.worldAlignment ?? .gravity)
        guard alignment != .gravityAndHeading else { throw .heading }
        let method = isWorldTracking || configuration.tracking != .automatic ? configuration.tracking : .orientation
        let isNewTracker = runner?.method != method.resolved(for: source.rig) || estimatesPosition != isWorldTracking
        let newRunner = isNewTracker ? try makeRunner(method) : runner
        let map = worldTracking?.initialWorldMap
        let hasNewAlignment = (alignment == .camera) != world.followsCamera
        let hasNewMap = try needsRelocalization(in: map, newRunner)
        (runner, estimatesPosition, initialMap) = (newRunner, isWorldTracking, map)
        let isRewound = try await reader.rewindAtEnd()
        if isRewound {
            runner?.restartTimestamps()
            pending = nil
        }
        if isNewTracker || isRewound || hasNewMap || hasNewAlignment || options.contains(.resetTracking) { resetTracking() }
        if options.contains(.removeExistingAnchors) { world.removeAllAnchors() }
        runner?.tracker.setNewWorldDelay(worldTracking?.newWorldDelay)
        if options.contains(.resetSceneReconstruction) { world.resetMesh() }
        world.configure(configuration)
        reader.restartPacing()
    }

    private func makeRunner(_ method: TrackingMethod) throws(ARError) -> TrackingRunner {
        do throws(TrackingMethodError) {
            var new = try TrackingRunner(method, rig: source.rig)
            new.continueTimestamps(of: runner)
            return new
        } catch {
            throw ARError(error)
        }
    }

    /// Whether the configuration has a new map to relocalize in.
    private func needsRelocalization(in map: ARWorldMap?, _ runner: TrackingRunner?) throws(ARError) -> Bool {
        guard let map, map != initialMap else { return false }
        guard runner?.tracker.mapping != nil else { throw .relocalization }
        guard map.supportsRelocalization else { throw .mapWithoutKeyframes }
        return true
    }

    /// Restarts tracking with a new world, or with that of the initial map.
    private func resetTracking() {
        runner?.reset()
        world.reset()
        if let update = pending {
            // It belongs to the old world: its sample is processed once more.
            pending = nil
            reader.reprocess(update.frame.sample)
            runner?.rewindTimestamps(to: update.frame)
        }
        guard let initialMap else { return }
        runner?.tracker.mapping?.relocalize(in: initialMap.landmarkMap)
        world.relocalize(in: initialMap)
    }

    /// The current world map.
    ///
    /// - Throws: `ARError` with `.insufficientFeatures` if nothing is mapped yet.
    func worldMap() throws(ARError) -> ARWorldMap {
        try world.worldMap(anchors: state.snapshot.frame?.anchors ?? [], mapping: runner?.tracker.mapping)
    }

    // MARK: Interruptions and ends

    private func beginInterruption(for session: ARSession?) async {
        guard reader.beginInterruption() else { return state.report("interrupted while interrupted") }
        let camera = state.snapshot.frame?.camera.with(trackingState: .notAvailable)
        let hasNewState = camera != nil && lastReportedState != .notAvailable
        if hasNewState { lastReportedState = .notAvailable }
        await session?.callDelegate { session, delegate in
            delegate.sessionWasInterrupted(session)
            if hasNewState, let camera { delegate.session(session, cameraDidChangeTrackingState: camera) }
        }
    }

    private func endInterruption(for session: ARSession?) async {
        guard reader.endInterruption() else { return state.report("an interruption ended that had not started") }
        let attemptsRelocalization = await session?.reportInterruptionEnd() ?? false
        guard attemptsRelocalization else { return resetTracking() }
        runner?.interrupt()
        world.relocalizeAfterInterruption()
    }

    private func end(epoch: Int, for session: ARSession?) async {
        guard state.stop(epoch: epoch) else { return }
        await reader.stop()
        await session?.callDelegate { session, delegate in delegate.sessionDidReachEnd(session) }
    }

    /// Ends the run with an error.
    ///
    /// - Returns: Whether the run is over; false if a new run command replaced it.
    private func fail(_ error: ARError, epoch: Int, for session: ARSession?) async -> Bool {
        guard state.stop(epoch: epoch, failure: error) else { return !state.isCurrent(epoch) }
        await reader.stop()
        await session?.callDelegate { session, delegate in delegate.session(session, didFailWithError: error) }
        return true
    }

    /// Stops the source after a pause, unless the session runs again by then.
    func stopSourceIfPaused() async {
        await lock.lock()
        if !state.snapshot.isRunning { await reader.stop() }
        lock.unlock()
    }
}

/// The outcome of relocalization.
private enum RelocalizationOutcome {
    case succeeded, startedNewWorld
}

extension ARSession {
    /// Calls the delegate if there is one.
    @MainActor fileprivate func callDelegate(_ call: @MainActor @Sendable (ARSession, any ARSessionDelegate) -> Void) {
        if let delegate { call(self, delegate) }
    }

    @MainActor fileprivate func deliver(
        _ frame: ARFrame, changes: AnchorChanges, hasNewState: Bool, outcome: RelocalizationOutcome?, raycasts: [RaycastDelivery]
    ) {
        callDelegate { session, delegate in
            switch outcome {
            case .succeeded: delegate.sessionDidRelocalize(session)
            case .startedNewWorld: delegate.sessionDidStartNewWorld(session)
            case nil: break
            }
            if hasNewState { delegate.session(session, cameraDidChangeTrackingState: frame.camera) }
            delegate.session(session, didUpdate: frame)
            if !changes.added.isEmpty { delegate.session(session, didAdd: changes.added) }
            if !changes.updated.isEmpty { delegate.session(session, didUpdate: changes.updated) }
            if !changes.removed.isEmpty { delegate.session(session, didRemove: changes.removed) }
        }
        for raycast in raycasts { raycast.handler(raycast.results) }
    }

    /// Reports the end of an interruption; returns whether to relocalize.
    @MainActor fileprivate func reportInterruptionEnd() -> Bool {
        guard let delegate else { return false }
        delegate.sessionInterruptionEnded(self)
        return delegate.sessionShouldAttemptRelocalization(self)
    }
}
