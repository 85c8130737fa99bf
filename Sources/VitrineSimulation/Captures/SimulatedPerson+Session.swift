import VitrineCapture
import VitrineMath

extension SimulatedPerson {
    /// Follows a capture: call it after each frame. The person sees feedback, dial and tracking as the window shows them.
    ///
    /// Before shots are taken, the person moves as planned and waits at the start of the first pass.
    @MainActor package func follow(_ session: ObjectCaptureSession) {
        guard let frame = session.currentFrame else { return }
        hear(GuidedWalk.Guidance(session), at: frame.timestamp)
    }
}

extension GuidedWalk.Guidance {
    @MainActor fileprivate init(_ session: ObjectCaptureSession) {
        self.init()
        guard session.state == .capturing else { return }
        isCapturing = true
        let feedback = session.feedback
        let isLost = session.cameraTracking != .normal
        holdsStill = isLost || !feedback.isDisjoint(with: [.movingTooFast, .environmentTooDark])
        step = feedback.contains(.objectTooFar) ? .closer : feedback.contains(.objectTooClose) ? .farther : nil
        isOutOfView = feedback.contains(.outOfFieldOfView)
        isPassComplete = session.userCompletedScanPass
        guard let (azimuth, elevation) = session.dial.camera else { return }
        // The ring of the dial at the camera's height.
        let covered = session.dial.covered[CaptureDial.height(atElevation: elevation).rawValue]
        if covered.allSatisfy({ $0 }) { isPassComplete = true }
        let width = 2 * Double.pi / Double(CaptureDial.directionCount)
        missingTurn = covered.indices.filter { !covered[$0] }
            .map { ((Double($0) + 0.5) * width - azimuth).remainder(dividingBy: 2 * .pi) }
            .min { abs($0) < abs($1) }
    }
}
