import VitrineTracking

extension SessionEngine {
    /// Makes the frame the current one and tells everybody; nil where the run is over.
    func tell(_ frame: ARFrame, epoch: Int, for session: ARSession?) async -> ARFrame? {
        // What could not be told stays to be told with the next frame.
        defer { times = ARFrameTimes() }
        guard shared.publish(frame, times, epoch: epoch) else { return nil }
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
        await session?.deliver { session, delegate in delegate.sessionDidReachEnd(session) }
    }

    func fail(_ error: ARError, epoch: Int, for session: ARSession?) async {
        guard shared.stop(epoch: epoch, failure: error) else { return }
        await session?.deliver { session, delegate in delegate.session(session, didFailWithError: error) }
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
