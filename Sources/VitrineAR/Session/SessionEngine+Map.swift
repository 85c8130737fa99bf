import VitrineMath
import VitrineTracking
import VitrineVision

extension SessionEngine {
    /// The anchors as the newest frame has them, the points in the app's world, and the views by which the place is known again.
    func worldMap() throws(ARError) -> ARWorldMap {
        let kept = world.familiarity.kept.sorted { $0.key < $1.key }
        guard !kept.isEmpty else {
            throw ARError(.insufficientFeatures, "no point of the world has a place yet: look around until tracking is normal")
        }
        var map = ARWorldMap(
            anchors: shared.currentFrame?.anchors ?? [],
            rawFeaturePoints: ARPointCloud(
                points: kept.map { Vector3(world.sessionFromTracker * $0.value) }, identifiers: kept.map { UInt64($0.key) }))
        if let mapping = tracker?.mapping { (map.places, map.sessionFromPlaces) = (mapping.landmarkMap, world.sessionFromTracker) }
        return map
    }

    /// Whether a map has to be looked for that wasn't before.
    func isToBeFound(_ map: ARWorldMap?, by tracker: SessionTracker?) throws(ARError) -> Bool {
        guard let map, map != initialMap else { return false }
        guard tracker?.mapping != nil else { throw .relocalization }
        guard map.canBeFound else { throw .mapWithoutPlaces }
        return true
    }

    /// Tracking begins anew, in the world of the map where one was given.
    func resetTracking() {
        tracker?.reset()
        world.reset()
        understanding.reset()
        if let draft = untold {
            // It was gone through in the world that is over: once more.
            (untold, held) = (nil, draft.sample)
            (lastTime, lastTimestamp) = (draft.sample.time.nextDown, draft.timestamp.nextDown)
        }
        guard let initialMap else { return }
        tracker?.mapping?.relocalize(in: initialMap.places)
        world.seek(initialMap)
    }

    /// How well what the camera sees is known.
    func mappingStatus(_ state: TrackingState) -> ARFrame.WorldMappingStatus {
        guard state != .notAvailable, method?.isWorld == true else { return .notAvailable }
        guard let mapping = tracker?.mapping else { return world.familiarity.status(state) }
        guard state == .normal else { return .limited }
        return switch mapping.mappingStatus {
        case .limited: .limited
        case .extending: .extending
        case .mapped: .mapped
        }
    }
}
