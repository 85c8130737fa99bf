import VitrineTracking

extension SessionEngine {
    /// Makes the picture's frame the current one and tells everybody; nil where the run is over.
    func tell(_ draft: FrameDraft, epoch: Int, for session: ARSession?) async -> ARFrame? {
        let frame = frame(draft)
        defer { times = ARFrameTimes() }
        // What could not be told stays to be told with the next frame: of a recording this one, a live picture would be old by then.
        guard shared.publish(frame, times, epoch: epoch) else {
            if !source.isLive { untold = draft }
            return nil
        }
        let changes = world.store.changes
        world.store.confirm()
        let isStateNew = frame.camera.trackingState != lastState
        lastState = frame.camera.trackingState
        let raycasts = shared.castTrackedRaycasts(in: frame)
        if let session, shared.hasDelegate || !raycasts.isEmpty {
            await session.deliver(frame, changes: changes, isStateNew: isStateNew, raycasts: raycasts)
        }
        await shared.broadcast.send(frame, isDropping: source.isLive)
        return frame
    }

    func beginInterruption(for session: ARSession?) async {
        guard !isInterrupted else { return shared.report("interrupted while interrupted") }
        isInterrupted = true
        let camera = shared.currentFrame?.camera.with(trackingState: .notAvailable)
        let isStateNew = camera != nil && lastState != .notAvailable
        if isStateNew { lastState = .notAvailable }
        await session?.deliver { session, delegate in
            delegate.sessionWasInterrupted(session)
            if isStateNew, let camera { delegate.session(session, cameraDidChangeTrackingState: camera) }
        }
    }

    func endInterruption(for session: ARSession?) async {
        guard isInterrupted else { return shared.report("an interruption ended that hadn't begun") }
        isInterrupted = false
        let isToRelocalize = await session?.askAfterInterruption() ?? false
        if isToRelocalize { world.isRelocalizing = true } else { resetTracking() }
    }

    func end(epoch: Int, for session: ARSession?) async {
        isAtEnd = true
        guard shared.stop(epoch: epoch) else { return }
        await stopSource()
        await session?.deliver { session, delegate in delegate.sessionDidReachEnd(session) }
    }

    /// - Returns: whether the run is over; it isn't where the app ran something else meanwhile.
    func fail(_ error: ARError, epoch: Int, for session: ARSession?) async -> Bool {
        guard shared.stop(epoch: epoch, failure: error) else { return !shared.isCurrent(epoch) }
        await stopSource()
        await session?.deliver { session, delegate in delegate.session(session, didFailWithError: error) }
        return true
    }

    // MARK: The source

    func startSource() async throws(ARError) {
        guard !isSourceStarted else { return }
        do {
            try await source.start()
        } catch {
            throw ARError(.sensorFailed, "\(error)")
        }
        isSourceStarted = true
    }

    private func stopSource() async {
        guard isSourceStarted else { return }
        isSourceStarted = false
        await source.stop()
    }

    /// The session was paused: once nothing is read any more, the source may rest, unless the session runs again by then.
    func rest() async {
        await turnstile.enter()
        if !shared.state.withLock({ $0.isRunning }) { await stopSource() }
        turnstile.leave()
    }
}

extension ARSession {
    /// Calls the delegate, where there is one.
    @MainActor func deliver(_ call: @MainActor @Sendable (ARSession, any ARSessionDelegate) -> Void) {
        if let delegate { call(self, delegate) }
    }

    @MainActor func deliver(_ frame: ARFrame, changes: AnchorChanges, isStateNew: Bool, raycasts: [RaycastDelivery]) {
        deliver { session, delegate in
            if isStateNew { delegate.session(session, cameraDidChangeTrackingState: frame.camera) }
            delegate.session(session, didUpdate: frame)
            if !changes.added.isEmpty { delegate.session(session, didAdd: changes.added) }
            if !changes.updated.isEmpty { delegate.session(session, didUpdate: changes.updated) }
            if !changes.removed.isEmpty { delegate.session(session, didRemove: changes.removed) }
        }
        for raycast in raycasts { raycast.handler(raycast.results) }
    }

    @MainActor func askAfterInterruption() -> Bool {
        guard let delegate else { return false }
        delegate.sessionInterruptionEnded(self)
        return delegate.sessionShouldAttemptRelocalization(self)
    }
}
