import VitrineMath
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a session knows of the world: the anchors, where its origin lies, the points that were seen, how far all that can be believed.
struct SessionWorld {
    var store = AnchorStore()
    /// From the tracker's world to the one that the app sees, which `setWorldOrigin` moves.
    private(set) var sessionFromTracker = RigidTransform.identity
    private(set) var familiarity = PointFamiliarity()
    /// Whether the old world is being looked for after an interruption.
    var isRelocalizing = false
    /// The camera's last pose in the tracker's world: it stays where nothing better is known.
    private var lastPose = RigidTransform.identity
    /// Whether planes were looked for since the world was lost.
    var hasSearchedPlanes = false
    /// The saved world that is looked for, until it is found.
    private var sought: ARWorldMap?
    /// What was there before the world was lost: it doesn't move when the world is found again, what came since does.
    private var settled: (anchors: Set<UUID>, points: Int) = ([], 0)
    private var wasRelocalizing = false

    /// Tracking begins anew: anchors keep their places in the app's world, whose origin is the tracker's again.
    mutating func reset() {
        (sessionFromTracker, lastPose, isRelocalizing) = (.identity, .identity, false)
        familiarity = PointFamiliarity()
        (sought, wasRelocalizing, hasSearchedPlanes) = (nil, false, false)
        settled = (Set(store.anchors.map(\.identifier)), 0)
    }

    /// A saved world is looked for. What there is so far stays where it is told to be.
    mutating func seek(_ map: ARWorldMap) {
        sought = map
        wasRelocalizing = true
    }

    /// Looks whether the world was lost, or found again: then what came since lies elsewhere.
    ///
    /// - Returns: whether planes that were found meanwhile can't be followed any more.
    mutating func follow(_ result: TrackingResult) -> Bool {
        let isLost = result.state == .limited(.relocalizing)
        if isLost, !wasRelocalizing {
            settled = (Set(store.anchors.map(\.identifier)), (familiarity.kept.keys.max() ?? -1) + 1)
            hasSearchedPlanes = false
        }
        wasRelocalizing = isLost
        guard let move = result.relocalizationCorrection else { return false }
        let before = sessionFromTracker
        if let sought { sessionFromTracker = sought.sessionFromPlaces }
        let appMove = Matrix4(sessionFromTracker * move * before.inverse)
        for anchor in store.anchors where !settled.anchors.contains(anchor.identifier) {
            store.put(anchor.with(transform: appMove * anchor.transform))
        }
        familiarity.move(from: settled.points, by: move)
        for anchor in sought?.anchors ?? [] where store[anchor.identifier] == nil { store.put(anchor) }
        sought = nil
        defer { hasSearchedPlanes = false }
        return hasSearchedPlanes
    }

    /// - Parameter worldFromOrigin: where the new origin lies in the present world.
    mutating func moveOrigin(_ worldFromOrigin: RigidTransform) {
        let move = worldFromOrigin.inverse
        sessionFromTracker = move * sessionFromTracker
        store.moveAll(by: Matrix4(move))
    }

    mutating func apply(_ changes: PlaneAnchorChanges) {
        let move = Matrix4(sessionFromTracker)
        let isMoved = sessionFromTracker != .identity
        for anchor in changes.added + changes.updated {
            store.put(isMoved ? anchor.with(transform: move * anchor.transform) : anchor)
        }
        store.remove(Set(changes.removed.map(\.identifier)))
    }

    /// The camera of a frame. A pose that isn't one is left out: the camera stays where it was, and its state says that it isn't known.
    ///
    /// - Parameter isPlaced: Whether the camera has a place; else it stays at the origin.
    mutating func camera(_ result: TrackingResult, sample: CameraSample, isPlaced: Bool) -> ARCamera {
        var state = result.state
        if let pose = result.worldFromCamera, TransformCheck.isPose(pose) {
            lastPose = isPlaced ? pose : RigidTransform(rotation: pose.rotation, translation: .zero)
        } else if result.worldFromCamera != nil || state == .normal {
            state = .notAvailable
        }
        if isRelocalizing {
            isRelocalizing = state != .normal
            if isRelocalizing { state = .limited(.relocalizing) }
        }
        return ARCamera(
            transform: Matrix4(viewing: sessionFromTracker * lastPose), trackingState: state, model: sample.camera ?? result.rig.camera,
            exposureDuration: sample.exposureDuration)
    }

    /// Remembers the points that a picture shows.
    mutating func see(_ result: TrackingResult) {
        familiarity.see(Self.usable(result), time: result.time, isSure: result.state == .normal)
    }

    /// The points of a frame, in the app's world.
    func points(_ result: TrackingResult) -> ARPointCloud? {
        let points = Self.usable(result)
        guard !points.isEmpty else { return nil }
        return ARPointCloud(
            points: points.map { Vector3(sessionFromTracker * $0.position) }, identifiers: points.map { UInt64($0.id) })
    }

    private static func usable(_ result: TrackingResult) -> [TrackedPoint] {
        result.points.filter { $0.position.isFinite && $0.id >= 0 }
    }
}

extension Matrix4 {
    init(_ rigid: RigidTransform) {
        let r = rigid.rotation
        self.init(Matrix3(Vector3(r.x), Vector3(r.y), Vector3(r.z)), translation: Vector3(rigid.translation))
    }

    /// The pose of a camera that looks along −Z with +Y up, from one that looks along z with y down.
    init(viewing worldFromCamera: RigidTransform) {
        let r = worldFromCamera.rotation
        self.init(Matrix3(Vector3(r.x), -Vector3(r.y), -Vector3(r.z)), translation: Vector3(worldFromCamera.translation))
    }
}
