import VitrineMath
import VitrineVision

/// What is said of it.
extension VisualTracker {
    /// Markers that can be told apart: of one that is there twice, neither.
    func usable(_ seen: [Marker]) -> [Marker] {
        guard case .marker = settings.scale else { return [] }
        let codes = seen.map(KnownMarkers.code)
        return seen.indices.filter { index in
            seen[index].corners.count == 4 && seen[index].corners.allSatisfy { $0.x.isFinite && $0.y.isFinite }
                && codes.count { $0 == codes[index] } == 1
        }.map { seen[$0] }
    }

    func result(at time: Double, _ features: [ObservedFeature]) -> TrackingResult {
        let state = state
        let isCarriedOn = map != nil && !whereabouts.isFound
        var pose = isCarriedOn ? whereabouts.predicted(time, longest: settings.longestGuess) : whereabouts.worldFromCamera
        // Without metres only the turn is known.
        if map != nil, !isMetric, !whereabouts.wasKnown { pose.translation = .zero }
        var points: [TrackedPoint] = []
        if let map, isMetric, whereabouts.isFound {
            points = features.compactMap { feature in
                map.position(feature.id).map { TrackedPoint(id: feature.id, position: $0, pixel: feature.pixel) }
            }
        }
        return TrackingResult(
            time: time + rig.timeOffset, state: state, worldFromCamera: pose, velocity: isMetric ? whereabouts.velocity : .zero,
            points: points, rig: rig)
    }

    private var state: TrackingState {
        guard map != nil, isMetric else {
            if map == nil, whereabouts.isFound { return .normal }
            return .limited(whereabouts.isRelocalizing ? .relocalizing : .initializing)
        }
        if whereabouts.isLost { return .limited(.relocalizing) }
        guard whereabouts.isFound, !whereabouts.isPoor else {
            return .limited(length(whereabouts.rate) > settings.fastTurn ? .excessiveMotion : .insufficientFeatures)
        }
        return .normal
    }
}
