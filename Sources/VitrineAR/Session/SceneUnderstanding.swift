import VitrineMath
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is found out beside the pose: planes and light.
struct SceneUnderstanding {
    private(set) var finder = PlaneFinder()
    /// What was told of the planes that are known now, by their numbers.
    private var told: [Int: ARPlaneAnchor] = [:]
    /// Planes that the app removed: nothing more is told of them.
    private var hidden = Set<Int>()
    /// Gives planes their identifiers: the same in every replay.
    private var random = SplitMix64(seed: 0x5EED)
    /// nil where light isn't asked for.
    private var lightEstimator: LightEstimator?

    mutating func configure(_ configuration: any ARConfiguration) {
        let detection = (configuration as? ARWorldTrackingConfiguration)?.planeDetection ?? []
        finder.settings.finds = []
        if detection.contains(.horizontal) { finder.settings.finds.insert(.horizontal) }
        if detection.contains(.vertical) { finder.settings.finds.insert(.vertical) }
        lightEstimator = configuration.isLightEstimationEnabled ? lightEstimator ?? LightEstimator() : nil
    }

    /// Looks anew. Planes that were told of aren't followed any more.
    mutating func reset() {
        finder.reset()
        (told, hidden) = ([:], [])
    }

    /// The app removed these anchors.
    mutating func forget(_ identifiers: Set<UUID>) {
        for (number, anchor) in told where identifiers.contains(anchor.identifier) {
            told[number] = nil
            hidden.insert(number)
        }
    }

    /// What a picture changed among the planes, in the tracker's world.
    ///
    /// - Parameter camera: of this picture.
    mutating func planes(_ result: TrackingResult, camera: CameraIntrinsics, sample: CameraSample) -> PlaneAnchorChanges {
        guard let pose = result.worldFromCamera, TransformCheck.isPose(pose) else { return PlaneAnchorChanges() }
        let found = finder.update(
            time: result.time, worldFromCamera: pose, camera: camera, points: result.points.filter { $0.position.isFinite },
            depth: sample.depth)
        var changes = PlaneAnchorChanges()
        for plane in found.added { changes.added.append(tell(plane)) }
        for plane in found.updated where !hidden.contains(plane.id) { changes.updated.append(tell(plane)) }
        for removal in found.removed {
            hidden.remove(removal.id)
            guard let anchor = told.removeValue(forKey: removal.id) else { continue }
            changes.removed.append(anchor)
            // What takes in a plane that is shown is shown from then on.
            guard let heir = removal.mergedInto, hidden.remove(heir) != nil else { continue }
            if let plane = finder.planes.first(where: { $0.id == heir }) { changes.added.append(tell(plane)) }
        }
        return changes
    }

    /// The plane's anchor, with the identifier that it has or a new one.
    private mutating func tell(_ plane: FoundPlane) -> ARPlaneAnchor {
        let anchor = ARPlaneAnchor(plane, identifier: told[plane.id]?.identifier ?? newIdentifier())
        told[plane.id] = anchor
        return anchor
    }

    /// A random identifier (RFC 9562, version 4).
    private mutating func newIdentifier() -> UUID {
        let (a, b) = (random.next() & ~0xF000 | 0x4000, random.next() & ~(3 << 62) | 2 << 62)
        func byte(_ word: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (56 - 8 * index)) }
        return UUID(
            uuid: (
                byte(a, 0), byte(a, 1), byte(a, 2), byte(a, 3), byte(a, 4), byte(a, 5), byte(a, 6), byte(a, 7),
                byte(b, 0), byte(b, 1), byte(b, 2), byte(b, 3), byte(b, 4), byte(b, 5), byte(b, 6), byte(b, 7)
            ))
    }

    /// The light of a picture; nil where it isn't asked for.
    mutating func light(_ sample: CameraSample) -> ARLightEstimate? {
        lightEstimator?.update(time: sample.time, image: sample.image, exposureDuration: sample.exposureDuration, gain: sample.gain)
    }
}
