/// Receives the events of a session on the main actor. All methods are optional.
///
/// Order of the calls for each frame: a changed tracking state, the frame, added, updated and removed anchors. The session waits until all have
/// returned: a slow delegate slows a recording, and makes a live camera drop frames.
@MainActor public protocol ARSessionDelegate: AnyObject, Sendable {
    /// A new frame.
    func session(_ session: ARSession, didUpdate frame: ARFrame)
    func session(_ session: ARSession, didAdd anchors: [ARAnchor])
    func session(_ session: ARSession, didUpdate anchors: [ARAnchor])
    func session(_ session: ARSession, didRemove anchors: [ARAnchor])
    /// The session failed and paused; `run` resumes it once the cause is resolved.
    func session(_ session: ARSession, didFailWithError error: ARError)
    /// The tracking state changed; also called for the first frame.
    func session(_ session: ARSession, cameraDidChangeTrackingState camera: ARCamera)
    /// The source was interrupted: no frames until the interruption ends.
    func sessionWasInterrupted(_ session: ARSession)
    func sessionInterruptionEnded(_ session: ARSession)
    /// Called after `sessionInterruptionEnded`. Return true to relocalize in the old world (the state is limited by relocalizing until that
    /// succeeds), false to restart tracking. Default false.
    func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool
    /// The recording ended and the session paused; `run` starts over.
    func sessionDidReachEnd(_ session: ARSession)
}

extension ARSessionDelegate {
    public func session(_ session: ARSession, didUpdate frame: ARFrame) {}
    public func session(_ session: ARSession, didAdd anchors: [ARAnchor]) {}
    public func session(_ session: ARSession, didUpdate anchors: [ARAnchor]) {}
    public func session(_ session: ARSession, didRemove anchors: [ARAnchor]) {}
    public func session(_ session: ARSession, didFailWithError error: ARError) {}
    public func session(_ session: ARSession, cameraDidChangeTrackingState camera: ARCamera) {}
    public func sessionWasInterrupted(_ session: ARSession) {}
    public func sessionInterruptionEnded(_ session: ARSession) {}
    public func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool { false }
    public func sessionDidReachEnd(_ session: ARSession) {}
}
