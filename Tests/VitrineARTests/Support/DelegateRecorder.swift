import VitrineAR

/// Records the calls of a session to its delegate.
@MainActor final class DelegateRecorder: ARSessionDelegate {
    var calls: [String] = []
    var isToRelocalize = false
    var onFrame: (@MainActor (ARSession, ARFrame) -> Void)?
    var errors: [ARError] = []

    func session(_ session: ARSession, didUpdate frame: ARFrame) {
        calls.append("frame \(frame.timestamp)")
        onFrame?(session, frame)
    }
    func session(_ session: ARSession, didAdd anchors: [ARAnchor]) { calls.append("add \(names(anchors))") }
    func session(_ session: ARSession, didUpdate anchors: [ARAnchor]) { calls.append("update \(names(anchors))") }
    func session(_ session: ARSession, didRemove anchors: [ARAnchor]) { calls.append("remove \(names(anchors))") }
    func session(_ session: ARSession, didFailWithError error: ARError) {
        calls.append("fail")
        errors.append(error)
    }
    func session(_ session: ARSession, cameraDidChangeTrackingState camera: ARCamera) {
        switch camera.trackingState {
        case .notAvailable: calls.append("state notAvailable")
        case .normal: calls.append("state normal")
        case .limited(let reason): calls.append("state \(reason.rawValue)")
        }
    }
    func sessionWasInterrupted(_ session: ARSession) { calls.append("interrupted") }
    func sessionInterruptionEnded(_ session: ARSession) { calls.append("resumed") }
    func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool {
        calls.append("asked")
        return isToRelocalize
    }
    func sessionDidRelocalize(_ session: ARSession) { calls.append("relocalized") }
    func sessionDidStartNewWorld(_ session: ARSession) { calls.append("new world") }
    func sessionDidReachEnd(_ session: ARSession) { calls.append("end") }

    private func names(_ anchors: [ARAnchor]) -> String { anchors.map { $0.name ?? "?" }.joined(separator: " ") }
}
