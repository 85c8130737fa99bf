import VitrineMath
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A tracked frame with what the world model derived from it.
///
/// The third value of the chain `SensorEvent` → `TrackedFrame` → `WorldUpdate` → `ARFrame`.
struct WorldUpdate: Sendable {
    let frame: TrackedFrame
    /// Whether tracking estimates positions; else the camera stays at the origin.
    let estimatesPosition: Bool
    /// nil if light estimation is disabled.
    let lightEstimate: ARLightEstimate?
}

/// A session's model of the world: anchors, feature points, and the transform from the tracker's world to the session's.
struct WorldModel {
    private var anchorStore = AnchorStore()
    private var understanding = SceneUnderstanding()
    private var points = FeaturePointMap()
    /// From the tracker's world to the session's, which `setWorldOrigin` moves.
    private var sessionFromTracker = RigidTransform.identity
    /// The last valid pose of the camera in the tracker's world.
    private var lastWorldFromCamera = RigidTransform.identity
    /// Whether the app asked for relocalization after an interruption, and tracking has not been normal since.
    private var isRelocalizing = false
    /// Whether the tracker relocalized in the previous frame, or a saved map was set.
    private var wasTrackerRelocalizing = false
    /// The saved map to relocalize in, until that succeeds.
    private var targetMap: ARWorldMap?
    /// What existed before tracking was lost. It stays in place after relocalization; what came later is transformed.
    private var fixed: (anchors: Set<UUID>, points: Int) = ([], 0)
    /// Whether planes were detected since tracking was lost.
    private var hasDetectedPlanes = false

    // MARK: Commands

    mutating func configure(_ configuration: any ARConfiguration) { understanding.configure(configuration) }

    /// Starts a new world for the tracker. Anchors keep their transforms in the session's world, whose origin is the tracker's again.
    mutating func reset() {
        understanding.reset()
        (sessionFromTracker, lastWorldFromCamera, isRelocalizing) = (.identity, .identity, false)
        points = FeaturePointMap()
        (targetMap, wasTrackerRelocalizing, hasDetectedPlanes) = (nil, false, false)
        fixed = (Set(anchors.map(\.identifier)), 0)
    }

    /// Relocalizes in a saved map. Existing anchors stay in place.
    mutating func relocalize(in map: ARWorldMap) {
        targetMap = map
        wasTrackerRelocalizing = true
    }

    /// Reports the state as relocalizing until tracking is normal again.
    mutating func relocalizeAfterInterruption() { isRelocalizing = true }

    mutating func add(_ anchor: ARAnchor) { anchorStore.put(anchor) }

    /// Removes anchors on behalf of the app: removed planes are not reported again.
    mutating func remove(_ identifiers: Set<UUID>) {
        anchorStore.remove(identifiers)
        understanding.hidePlanes(identifiers)
    }

    mutating func removeAllAnchors() {
        anchorStore.removeAll()
        understanding.reset()
    }

    /// - Parameter worldFromOrigin: The pose of the new origin in the present world.
    mutating func moveOrigin(_ worldFromOrigin: RigidTransform) {
        let move = worldFromOrigin.inverse
        sessionFromTracker = move * sessionFromTracker
        anchorStore.moveAll(by: Matrix4(move))
    }

    // MARK: Anchors

    /// In the order in which they were added.
    var anchors: [ARAnchor] { anchorStore.anchors }
    /// The changes since the last `confirmAnchorChanges()`.
    var anchorChanges: AnchorChanges { anchorStore.changes }
    /// Marks the changes as reported.
    mutating func confirmAnchorChanges() { anchorStore.confirm() }

    // MARK: Frames

    /// Updates points, planes and light by a frame. Call it once for each frame.
    mutating func update(with frame: TrackedFrame, estimatesPosition: Bool, milliseconds: inout Double) -> WorldUpdate {
        let result = frame.result
        applyRelocalization(result)
        points.add(Self.validPoints(result), time: result.time, isTracking: result.state == .normal)
        let watch = Stopwatch()
        defer { watch.add(to: &milliseconds) }
        if estimatesPosition, result.state == .normal {
            hasDetectedPlanes = true
            apply(understanding.detectPlanes(in: frame))
        }
        return WorldUpdate(
            frame: frame, estimatesPosition: estimatesPosition, lightEstimate: understanding.estimateLight(frame.sample))
    }

    /// Handles tracking loss and relocalization: after relocalization, what came since tracking was lost moves to the recovered world.
    private mutating func applyRelocalization(_ result: TrackingResult) {
        let isLost = result.state == .limited(.relocalizing)
        if isLost, !wasTrackerRelocalizing {
            fixed = (Set(anchors.map(\.identifier)), points.nextID)
            hasDetectedPlanes = false
        }
        wasTrackerRelocalizing = isLost
        guard let correction = result.relocalizationCorrection else { return }
        let before = sessionFromTracker
        if let targetMap { sessionFromTracker = targetMap.sessionFromLandmarkMap }
        let sessionCorrection = Matrix4(sessionFromTracker * correction * before.inverse)
        for anchor in anchors where !fixed.anchors.contains(anchor.identifier) {
            anchorStore.put(anchor.with(transform: sessionCorrection * anchor.transform))
        }
        points.transform(from: fixed.points, by: correction)
        for anchor in targetMap?.anchors ?? [] where anchorStore[anchor.identifier] == nil { anchorStore.put(anchor) }
        targetMap = nil
        // Planes that were detected meanwhile lie in the abandoned world.
        if hasDetectedPlanes { understanding.reset() }
        hasDetectedPlanes = false
    }

    /// - Parameter changes: In the tracker's world.
    mutating func apply(_ changes: PlaneAnchorChanges) {
        let move = Matrix4(sessionFromTracker)
        let isMoved = sessionFromTracker != .identity
        for anchor in changes.added + changes.updated {
            anchorStore.put(isMoved ? anchor.with(transform: move * anchor.transform) : anchor)
        }
        anchorStore.remove(Set(changes.removed.map(\.identifier)))
    }

    /// Makes the frame for the app. Anchors and origin may have changed since the update.
    ///
    /// - Parameter mapping: The tracker's landmark map; nil if it has none.
    mutating func makeFrame(_ update: WorldUpdate, mapping: (any MappingTracker)?) -> ARFrame {
        let (frame, sample) = (update.frame, update.frame.sample)
        let camera = camera(update)
        return ARFrame(
            timestamp: frame.timestamp, capturedImage: sample.image, camera: camera, anchors: anchors,
            lightEstimate: update.lightEstimate, rawFeaturePoints: update.estimatesPosition ? pointCloud(frame.result) : nil,
            worldMappingStatus: update.estimatesPosition ? mappingStatus(camera.trackingState, mapping) : .notAvailable,
            sceneDepth: sample.depth,
            raycastScene: update.estimatesPosition ? understanding.raycastScene(sessionFromTracker: sessionFromTracker) : nil)
    }

    /// The camera of a frame. With an invalid pose, the camera keeps its last one and the state is not available.
    private mutating func camera(_ update: WorldUpdate) -> ARCamera {
        let (frame, result) = (update.frame, update.frame.result)
        var state = result.state
        if let pose = frame.worldFromCamera {
            lastWorldFromCamera = update.estimatesPosition ? pose : RigidTransform(rotation: pose.rotation, translation: .zero)
        } else if result.worldFromCamera != nil || state == .normal {
            state = .notAvailable
        }
        if isRelocalizing {
            isRelocalizing = state != .normal
            if isRelocalizing { state = .limited(.relocalizing) }
        }
        return ARCamera(
            transform: Matrix4(viewing: sessionFromTracker * lastWorldFromCamera), trackingState: state, model: frame.camera,
            exposureDuration: frame.sample.exposureDuration)
    }

    private func mappingStatus(_ state: TrackingState, _ mapping: (any MappingTracker)?) -> ARFrame.WorldMappingStatus {
        guard state != .notAvailable else { return .notAvailable }
        guard let mapping else { return points.status(state) }
        guard state == .normal else { return .limited }
        return switch mapping.mappingStatus {
        case .limited: .limited
        case .extending: .extending
        case .mapped: .mapped
        }
    }

    /// The points of a frame in the session's world; nil without any.
    private func pointCloud(_ result: TrackingResult) -> ARPointCloud? {
        let points = Self.validPoints(result)
        guard !points.isEmpty else { return nil }
        return ARPointCloud(
            points: points.map { Vector3(sessionFromTracker * $0.position) }, identifiers: points.map { UInt64($0.id) },
            deviations: points.map { Float($0.deviation) })
    }

    private static func validPoints(_ result: TrackingResult) -> [TrackedPoint] {
        result.points.filter { $0.position.isFinite && $0.id >= 0 }
    }

    // MARK: World map

    /// - Parameter anchors: Those of the newest frame.
    /// - Throws: `ARError` with `.insufficientFeatures` if there is no point yet.
    func worldMap(anchors: [ARAnchor], mapping: (any MappingTracker)?) throws(ARError) -> ARWorldMap {
        guard !points.isEmpty else {
            throw ARError(.insufficientFeatures, "no feature point is mapped yet: move the camera until tracking is normal")
        }
        let points = points.points
        var map = ARWorldMap(
            anchors: anchors,
            rawFeaturePoints: ARPointCloud(
                points: points.map { Vector3(sessionFromTracker * $0.position) }, identifiers: points.map { UInt64($0.id) }))
        if let mapping { (map.landmarkMap, map.sessionFromLandmarkMap) = (mapping.landmarkMap, sessionFromTracker) }
        return map
    }
}

extension Matrix4 {
    init(_ rigid: RigidTransform) {
        let r = rigid.rotation
        self.init(Matrix3(Vector3(r.x), Vector3(r.y), Vector3(r.z)), translation: Vector3(rigid.translation))
    }

    /// The pose of a camera that looks along −Z with +Y up, from one that looks along +z with +y down.
    package init(viewing worldFromCamera: RigidTransform) {
        let r = worldFromCamera.rotation
        self.init(Matrix3(Vector3(r.x), -Vector3(r.y), -Vector3(r.z)), translation: Vector3(worldFromCamera.translation))
    }
}
