import VitrineTracking

extension ARFrame {
    /// What the user should do next to reach a goal, as a coaching overlay shows it; nil once it is reached.
    ///
    /// - Parameter goal: The alignments of planes, one of which must be detected. Default none: tracking must be normal.
    public func coachingAdvice(for goal: ARWorldTrackingConfiguration.PlaneDetection = []) -> TrackingAdvice? {
        switch camera.trackingState {
        case .normal, .limited(.scaleUnknown): break
        case .limited(.excessiveMotion): return camera.trackingAdvice ?? .moveSlowly
        case .limited(.insufficientFeatures): return camera.trackingAdvice ?? .findTexture
        case .limited(.relocalizing): return camera.trackingAdvice ?? .returnToKnownView
        case .limited(.initializing), .notAvailable: return camera.trackingAdvice ?? .moveSideways
        }
        guard !goal.isEmpty else { return nil }
        let isReached = anchors.contains { anchor in
            guard let plane = anchor as? ARPlaneAnchor else { return false }
            return goal.contains(plane.alignment == .horizontal ? .horizontal : .vertical)
        }
        return isReached ? nil : .scanSurfaces
    }
}
