import VitrineMath
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Detects planes and estimates light.
struct SceneUnderstanding {
    private var detector = PlaneDetector()
    /// The reported anchor of each known plane, by the plane's id.
    private var reported: [Int: ARPlaneAnchor] = [:]
    /// Ids of the planes that the app removed: they are not reported again.
    private var hidden = Set<Int>()
    /// Generates identifiers that are the same in every replay.
    private var random = SplitMix64(seed: 0x5EED)
    /// nil if light estimation is disabled.
    private var lightEstimator: LightEstimator?

    mutating func configure(_ configuration: any ARConfiguration) {
        let detection = (configuration as? ARWorldTrackingConfiguration)?.planeDetection ?? []
        detector.settings.alignments = []
        if detection.contains(.horizontal) { detector.settings.alignments.insert(.horizontal) }
        if detection.contains(.vertical) { detector.settings.alignments.insert(.vertical) }
        lightEstimator = configuration.isLightEstimationEnabled ? lightEstimator ?? LightEstimator() : nil
    }

    /// Starts plane detection over. Stops tracking planes that were already reported.
    mutating func reset() {
        detector.reset()
        (reported, hidden) = ([:], [])
    }

    /// Hides the planes with these identifiers.
    mutating func hidePlanes(_ identifiers: Set<UUID>) {
        for (id, anchor) in reported where identifiers.contains(anchor.identifier) {
            reported[id] = nil
            hidden.insert(id)
        }
    }

    /// Updates plane detection by a frame.
    ///
    /// - Returns: The changed anchors, in the tracker's world.
    mutating func detectPlanes(in frame: TrackedFrame) -> PlaneAnchorChanges {
        guard let pose = frame.worldFromCamera else { return PlaneAnchorChanges() }
        let found = detector.update(
            time: frame.result.time, worldFromCamera: pose, camera: frame.camera,
            points: frame.result.points.filter { $0.position.isFinite }, depth: frame.sample.depth)
        var changes = PlaneAnchorChanges()
        for plane in found.added { changes.added.append(report(plane)) }
        for plane in found.updated where !hidden.contains(plane.id) { changes.updated.append(report(plane)) }
        for removal in found.removed {
            hidden.remove(removal.id)
            guard let anchor = reported.removeValue(forKey: removal.id) else { continue }
            changes.removed.append(anchor)
            // A hidden plane that absorbs a visible one becomes visible.
            guard let survivor = removal.mergedInto, hidden.remove(survivor) != nil else { continue }
            if let plane = detector.planes.first(where: { $0.id == survivor }) { changes.added.append(report(plane)) }
        }
        return changes
    }

    /// The plane's anchor, with its existing identifier or a new one.
    private mutating func report(_ plane: DetectedPlane) -> ARPlaneAnchor {
        let anchor = ARPlaneAnchor(plane, identifier: reported[plane.id]?.identifier ?? newIdentifier())
        reported[plane.id] = anchor
        return anchor
    }

    /// A random identifier (RFC 9562, version 4).
    private mutating func newIdentifier() -> UUID {
        UUID(version4: random.next(), random.next())
    }

    /// nil if light estimation is disabled.
    mutating func estimateLight(_ sample: CameraSample) -> ARLightEstimate? {
        lightEstimator?.update(time: sample.time, image: sample.image, exposureDuration: sample.exposureDuration, gain: sample.gain)
    }

    /// An immutable snapshot of points and depth for ray casts.
    func raycastScene(sessionFromTracker: RigidTransform) -> RaycastScene {
        detector.raycastScene(sessionFromTracker: sessionFromTracker)
    }
}

extension UUID {
    /// A random identifier (RFC 9562, version 4) of 128 random bits, of which six are replaced.
    package init(version4 first: UInt64, _ second: UInt64) {
        let (a, b) = (first & ~0xF000 | 0x4000, second & ~(3 << 62) | 2 << 62)
        func byte(_ word: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (56 - 8 * index)) }
        self.init(
            uuid: (
                byte(a, 0), byte(a, 1), byte(a, 2), byte(a, 3), byte(a, 4), byte(a, 5), byte(a, 6), byte(a, 7),
                byte(b, 0), byte(b, 1), byte(b, 2), byte(b, 3), byte(b, 4), byte(b, 5), byte(b, 6), byte(b, 7)
            ))
    }
}
