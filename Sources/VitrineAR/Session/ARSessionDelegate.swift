/// Receives the events of a session on the main actor. All methods are optional.
///
/// Order of the calls for each frame: a changed tracking state, the frame, added, updated and removed anchors. The session waits until all have
/// returned: a slow delegate slows a recording, and makes a live camera drop frames.
@MainActor public protocol ARSessionDelegate: AnyObject, Sendable {
    /// A new frame.
    func session(_ session: ARSession, didUpdate frame: ARFrame)
    /// Anchors were added, by the app or as detected planes.
    func session(_ session: ARSession, didAdd anchors: [ARAnchor])
    /// Anchors have new transforms, or planes a new outline.
    func session(_ session: ARSession, didUpdate anchors: [ARAnchor])
    /// Anchors were removed; a merged plane counts as removed.
    func session(_ session: ARSession, didRemove anchors: [ARAnchor])
    /// The session failed and paused; `run` resumes it once the cause is resolved.
    func session(_ session: ARSession, didFailWithError error: ARError)
    /// The tracking state changed; also called for the first frame.
    func session(_ session: ARSession, cameraDidChangeTrackingState camera: ARCamera)
    /// The source was interrupted: no frames until the interruption ends.
    func sessionWasInterrupted(_ session: ARSession)
    /// The source continues.
    func sessionInterruptionEnded(_ session: ARSession)
    /// Called after `sessionInterruptionEnded`. Return true to relocalize in the old world (the state is limited by relocalizing until that
    /// succeeds), false to restart tracking. Default false.
    func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool
    /// Relocalization succeeded: camera and anchors are in the old world, or that of the saved map, again. Called before the frame.
    func sessionDidRelocalize(_ session: ARSession)
    /// Tracking was lost and starts over in a new world: anchors of the old one are in the wrong place. Only with
    /// `ARWorldTrackingConfiguration.newWorldDelay`, or if nothing was mapped when tracking was lost. Called before the frame.
    func sessionDidStartNewWorld(_ session: ARSession)
    /// The recording ended and the session paused; `run` starts over.
    func sessionDidReachEnd(_ session: ARSession)
}

extension ARSessionDelegate {
    /// Default implementation: does nothing.
    public func session(_ session: ARSession, didUpdate frame: ARFrame) {}
    /// Default implementation: does nothing.
    public func session(_ session: ARSession, didAdd anchors: [ARAnchor]) {}
    /// Default implementation: does nothing.
    public func session(_ session: ARSession, didUpdate anchors: [ARAnchor]) {}
    /// Default implementation: does nothing.
    public func session(_ session: ARSession, didRemove anchors: [ARAnchor]) {}
    /// Default implementation: does nothing.
    public func session(_ session: ARSession, didFailWithError error: ARError) {}
    /// Default implementation: does nothing.
    public func session(_ session: ARSession, cameraDidChangeTrackingState camera: ARCamera) {}
    /// Default implementation: does nothing.
    public func sessionWasInterrupted(_ session: ARSession) {}
    /// Default implementation: does nothing.
    public func sessionInterruptionEnded(_ session: ARSession) {}
    /// Default implementation: does nothing.
    public func sessionDidRelocalize(_ session: ARSession) {}
    /// Default implementation: does nothing.
    public func sessionDidStartNewWorld(_ session: ARSession) {}
    /// Default implementation: returns false, so that tracking restarts.
    public func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool { false }
    /// Default implementation: does nothing.
    public func sessionDidReachEnd(_ session: ARSession) {}
}
