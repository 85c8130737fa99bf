/// What an app is told by a session, on the main actor. Everything may be left out.
///
/// With each frame, in this order: a change of the tracking state, the frame, anchors added, changed, removed. The session waits until all
/// of it returned before it goes on: a recording loses no frame by a slow delegate, a live camera drops some.
@MainActor public protocol ARSessionDelegate: AnyObject, Sendable {
    func session(_ session: ARSession, didUpdate frame: ARFrame)
    func session(_ session: ARSession, didAdd anchors: [ARAnchor])
    func session(_ session: ARSession, didUpdate anchors: [ARAnchor])
    func session(_ session: ARSession, didRemove anchors: [ARAnchor])
    /// The session has paused; `run` goes on, where the reason is gone.
    func session(_ session: ARSession, didFailWithError error: ARError)
    /// Called for the first frame too.
    func session(_ session: ARSession, cameraDidChangeTrackingState camera: ARCamera)
    /// No frames come until the interruption ends.
    func sessionWasInterrupted(_ session: ARSession)
    func sessionInterruptionEnded(_ session: ARSession)
    /// Asked at the end of an interruption, after `sessionInterruptionEnded`: true to find the old world again (the state is limited by relocalizing
    /// until it is found), false to begin tracking anew. Default false.
    func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool
    /// A recording came to its end, and the session has paused; `run` begins again at its beginning.
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
