import VitrineMath
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A tracked frame with the results of the world model.
///
/// The third value of the chain `SensorEvent` → `TrackedFrame` → `WorldUpdate` → `ARFrame`.
struct WorldUpdate: Sendable {
    let frame: TrackedFrame
    /// Whether tracking estimates positions; otherwise the camera stays at the origin.
    let estimatesPosition: Bool
    /// nil if light estimation is disabled.
    let lightEstimate: ARLightEstimate?
    /// nil if the configuration does not ask for it.
    let smoothedDepth: DepthImage?
}

/// A session's model of the world: anchors, feature points, and the transform from the tracker's world to the session's.
struct WorldModel {
    private var anchorStore = AnchorStore()
    private var keyframeAnchors = KeyframeAnchors()
    /// Whether anchors were added that are not attached to a keyframe yet.
    private var hasUnattachedAnchors = false
    private var understanding = SceneUnderstanding()
    private var mesh = SceneMesh()
    private var images = SceneImages()
    private var probes = SceneProbes()
    /// nil if the configuration does not ask for smoothed depth.
    private var depthSmoother: DepthSmoother?
    /// Whether the session's world is that of the newest camera.
    private(set) var followsCamera = false
    /// Whether the configuration asks for a mesh.
    private(set) var reconstructsMesh = false
    /// Whether the mesh existed before tracking was lost.
    private var isMeshFixed = false
    /// Planes that a new detection continues: of a loaded map, and those from before a correction of the world.
    private var knownPlanes = KnownPlanes()
    private var points = FeaturePointMap()
    /// The transform from the tracker's world to the session's, which `setWorldOrigin` moves.
    private var sessionFromTracker = RigidTransform.identity
    /// The last valid pose of the camera in the tracker's world.
    private var lastWorldFromCamera = RigidTransform.identity
    /// A small correction that is still being applied.
    private var easing: CorrectionEasing?
    /// Whether the app asked for relocalization after an interruption, and tracking has not been normal since.
    private var isRelocalizing = false
    /// Whether the tracker relocalized in the previous frame, or a saved map was set.
    private var wasTrackerRelocalizing = false
    /// The saved map to relocalize in, until that succeeds.
    private var targetMap: ARWorldMap?
    /// The contents of the world before tracking was lost. They stay in place after relocalization; later ones are transformed.
    private var fixed: (anchors: Set<UUID>, points: Int) = ([], 0)
    /// Whether planes were detected since tracking was lost.
    private var hasDetectedPlanes = false

    // MARK: Commands

    mutating func configure(_ configuration: any ARConfiguration) {
        understanding.configure(configuration)
        followsCamera = (configuration as? ARWorldTrackingConfiguration)?.worldAlignment == .camera
        reconstructsMesh = (configuration as? ARWorldTrackingConfiguration)?.sceneReconstruction.contains(.mesh) ?? false
        if !reconstructsMesh { resetMesh() }
        anchorStore.remove(images.configure(configuration))
        probes.configure(configuration)
        let smoothsDepth = (configuration as? ARWorldTrackingConfiguration)?.smoothsSceneDepth ?? false
        depthSmoother = smoothsDepth ? depthSmoother ?? DepthSmoother() : nil
    }

    /// Removes the mesh.
    mutating func resetMesh() {
        anchorStore.remove(mesh.reset())
        isMeshFixed = false
    }

    /// Starts a new world for the tracker. Anchors keep their transforms in the session's world, whose origin is the tracker's again.
    mutating func reset() {
        understanding.reset()
        (knownPlanes, easing) = (KnownPlanes(), nil)
        keyframeAnchors.detachAll()
        (sessionFromTracker, lastWorldFromCamera, isRelocalizing) = (.identity, .identity, false)
        points = FeaturePointMap()
        resetMesh()
        anchorStore.remove(images.reset())
        probes.reset()
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

    mutating func add(_ anchor: ARAnchor) {
        keyframeAnchors.detach(anchor.identifier)
        hasUnattachedAnchors = true
        anchorStore.put(anchor)
    }

    /// Removes anchors on behalf of the app: removed planes are not reported again.
    mutating func remove(_ identifiers: Set<UUID>) {
        anchorStore.remove(identifiers)
        for identifier in identifiers { keyframeAnchors.detach(identifier) }
        understanding.hidePlanes(identifiers.union(knownPlanes.remove(identifiers)))
        mesh.hide(identifiers)
        images.forgetAnchors { identifiers.contains($0) }
    }

    mutating func removeAllAnchors() {
        anchorStore.removeAll()
        keyframeAnchors.detachAll()
        understanding.reset()
        knownPlanes = KnownPlanes()
        resetMesh()
        images.forgetAnchors { _ in true }
    }

    /// - Parameter worldFromOrigin: The pose of the new origin in the present world.
    mutating func moveOrigin(_ worldFromOrigin: RigidTransform) {
        let move = worldFromOrigin.inverse
        sessionFromTracker = move * sessionFromTracker
        anchorStore.moveAll(by: Matrix4(move))
        probes.reset()
        knownPlanes.update { anchorStore[$0] }
    }

    /// Moves the origin to the camera of an update if the configuration asks for that.
    /// - Returns: The transform from the world before to that of the camera.
    mutating func moveOriginToCamera(_ update: WorldUpdate) -> RigidTransform? {
        guard followsCamera, update.estimatesPosition, let pose = update.frame.worldFromCamera else { return nil }
        // The camera of images looks along +z with +y down.
        let upright = RigidTransform(rotation: Matrix3d(Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, -1)), translation: .zero)
        let worldFromOrigin = sessionFromContent * pose * upright
        moveOrigin(worldFromOrigin)
        return worldFromOrigin.inverse
    }

    // MARK: Anchors

    /// The anchors in the order in which they were added.
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
        followKeyframes(result)
        points.add(Self.validPoints(result), time: result.time, isTracking: result.state.isTracking)
        let watch = Stopwatch()
        defer { watch.add(to: &milliseconds) }
        if estimatesPosition, result.state.isTracking {
            hasDetectedPlanes = true
            apply(understanding.detectPlanes(in: frame))
            if reconstructsMesh { apply(mesh.update(with: frame)) }
            if !images.isEmpty { apply(images.update(with: frame)) }
            updateProbes(frame)
        } else {
            apply(images.lost())
        }
        attachAnchors(result)
        return WorldUpdate(
            frame: frame, estimatesPosition: estimatesPosition, lightEstimate: understanding.estimateLight(frame.sample),
            smoothedDepth: smoothedDepth(frame))
    }

    /// Handles tracking loss and relocalization: after relocalization, everything that was added since tracking was lost moves to the recovered
    /// world.
    private mutating func applyRelocalization(_ result: TrackingResult) {
        let (isLost, wasLost) = (result.state == .limited(.relocalizing), wasTrackerRelocalizing)
        if isLost, !wasLost {
            advanceEasing(to: .infinity)
            fixed = (Set(anchors.map(\.identifier)), points.nextID)
            move(keyframeAnchors.advance(to: .infinity))
            keyframeAnchors.detachAll()
            isMeshFixed = !mesh.isEmpty
            hasDetectedPlanes = false
        }
        wasTrackerRelocalizing = isLost
        if result.startsNewWorld { startNewWorld() }
        let isContinued = !isLost && !wasLost && targetMap == nil
        if let correction = result.relocalizationCorrection {
            if isContinued, ease(correction, result) { restartDetection() } else { apply(correction) }
        } else {
            // The rest belongs to the world before the loss.
            advanceEasing(to: isLost ? .infinity : result.time)
        }
    }

    /// Moves anchors with the keyframes to which they are attached.
    private mutating func followKeyframes(_ result: TrackingResult) {
        guard !keyframeAnchors.isEmpty else { return }
        move(keyframeAnchors.advance(to: result.time))
        guard !result.keyframeMoves.isEmpty else { return }
        let trackerFromSession = sessionFromContent.inverse
        let positions = anchors.map { ($0.identifier, trackerFromSession * Vector3d($0.transform.translation)) }
        move(keyframeAnchors.follow(result.keyframeMoves, positions, at: result.time))
    }

    /// Moves anchors.
    ///
    /// - Parameter moves: In the tracker's world, by anchor.
    private mutating func move(_ moves: [UUID: RigidTransform]) {
        guard !moves.isEmpty else { return }
        let (forward, back) = (sessionFromContent, sessionFromContent.inverse)
        for anchor in anchors {
            guard let move = moves[anchor.identifier] else { continue }
            anchorStore.put(anchor.with(transform: Matrix4(forward * move * back) * anchor.transform))
        }
        knownPlanes.update { anchorStore[$0] }
    }

    /// Attaches anchors that were added since tracking was lost to the keyframe of the newest frame.
    private mutating func attachAnchors(_ result: TrackingResult) {
        guard hasUnattachedAnchors, let keyframe = result.referenceKeyframe else { return }
        hasUnattachedAnchors = false
        for anchor in anchors where anchor.isSavedInMaps && isRecent(anchor) { keyframeAnchors.attach(anchor.identifier, to: keyframe) }
    }

    /// Applies a correction at once.
    private mutating func apply(_ correction: RigidTransform) {
        advanceEasing(to: .infinity)
        let before = sessionFromTracker
        let hasMap = targetMap != nil
        if let targetMap { sessionFromTracker = targetMap.sessionFromLandmarkMap }
        let sessionCorrection = Matrix4(sessionFromTracker * correction * before.inverse)
        moveRecentAnchors(by: sessionCorrection)
        moveScene(by: correction, fixedBy: sessionFromTracker.inverse * before)
        points.transform(from: fixed.points, by: correction)
        // The saved anchors have their final positions: further corrections only move later additions.
        for anchor in targetMap?.anchors ?? [] where anchorStore[anchor.identifier] == nil {
            anchorStore.put(anchor)
            fixed.anchors.insert(anchor.identifier)
        }
        targetMap = nil
        if hasMap { knownPlanes.continueDetection(of: anchors) }
        restartDetection()
    }

    /// Planes that were detected since tracking was lost lie in the abandoned world: detection starts over and continues their anchors.
    private mutating func restartDetection() {
        guard hasDetectedPlanes else { return }
        understanding.reset()
        knownPlanes.continueDetection(of: anchors)
        hasDetectedPlanes = false
    }

    /// Moves the anchors that were added since tracking was lost.
    private mutating func moveRecentAnchors(by transform: Matrix4) {
        for anchor in anchors where isRecent(anchor) {
            anchorStore.put(anchor.with(transform: transform * anchor.transform))
        }
        knownPlanes.update { anchorStore[$0] }
    }

    /// Whether corrections move an anchor. The mesh is one piece: blocks that were added since tracking was lost stay with the others.
    private func isRecent(_ anchor: ARAnchor) -> Bool {
        anchor is ARMeshAnchor ? !isMeshFixed : !fixed.anchors.contains(anchor.identifier)
    }

    /// Moves the mesh and the images in the tracker's world as their anchors move.
    ///
    /// - Parameters:
    ///   - correction: Applies to additions since tracking was lost.
    ///   - change: Applies to earlier contents: not the identity if the session's world has another origin.
    private mutating func moveScene(by correction: RigidTransform, fixedBy change: RigidTransform) {
        mesh.move(to: (isMeshFixed ? change : correction) * mesh.trackerFromVolume)
        let fixed = fixed.anchors
        images.move(by: correction) { $0.map { !fixed.contains($0) } ?? true }
        images.move(by: change) { $0.map { fixed.contains($0) } ?? false }
    }

    /// Begins to apply a small correction of tracking that was not lost.
    /// - Returns: False for a large correction.
    private mutating func ease(_ correction: RigidTransform, _ result: TrackingResult) -> Bool {
        guard let pivot = result.worldFromCamera?.translation,
            let easing = CorrectionEasing(
                of: correction, after: easing?.remaining ?? .identity, around: pivot, at: result.time)
        else { return false }
        self.easing = easing
        moveScene(by: correction, fixedBy: .identity)
        points.transform(from: fixed.points, by: correction)
        return true
    }

    /// Continues the correction: recent anchors move with the camera.
    private mutating func advanceEasing(to time: Double) {
        guard var current = easing else { return }
        let before = sessionFromContent
        let isComplete = current.advance(to: time)
        easing = isComplete ? nil : current
        moveRecentAnchors(by: Matrix4(sessionFromContent * before.inverse))
    }

    /// The transform from the tracker's world to the session's, as far as corrections are applied.
    private var sessionFromContent: RigidTransform { easing.map { sessionFromTracker * $0.remaining } ?? sessionFromTracker }

    /// Planes and points of the old world are not continued; anchors stay where they were, in the wrong place.
    private mutating func startNewWorld() {
        understanding.reset()
        (points, knownPlanes) = (FeaturePointMap(), KnownPlanes())
        resetMesh()
        anchorStore.remove(images.reset())
        fixed = (Set(anchors.map(\.identifier)), 0)
        (targetMap, hasDetectedPlanes, easing) = (nil, false, nil)
        keyframeAnchors.detachAll()
    }

    /// Adds, updates and removes the anchors of planes.
    ///
    /// - Parameter changes: The changes of planes in the tracker's world.
    mutating func apply(_ changes: PlaneAnchorChanges) {
        let move = Matrix4(sessionFromContent)
        let isMoved = sessionFromContent != .identity
        if !changes.added.isEmpty { hasUnattachedAnchors = true }
        var changed: [ARPlaneAnchor] = []
        for detected in changes.added + changes.updated {
            let anchor = keyframeAnchors.moved(detected)
            changed.append(knownPlanes.anchor(for: isMoved ? anchor.with(transform: move * anchor.transform) : anchor))
        }
        for plane in changed { anchorStore.put(plane) }
        let removed = knownPlanes.removed(changes.removed.map(\.identifier))
        for identifier in removed { keyframeAnchors.detach(identifier) }
        anchorStore.remove(removed)
        // Anchors on an estimated surface move onto the plane.
        for plane in changed {
            for anchor in anchors { if let snapped = anchor.snapped(to: plane) { anchorStore.put(snapped) } }
        }
    }

    private mutating func apply(_ changes: SceneMesh.Changes) {
        let move = Matrix4(sessionFromContent)
        for anchor in changes.current { anchorStore.put(anchor.with(transform: move * anchor.transform)) }
        anchorStore.remove(changes.removed)
    }

    /// Adds and updates the anchors of images.
    ///
    /// - Parameter images: The anchors of images in the tracker's world.
    private mutating func apply(_ images: [ARImageAnchor]) {
        let move = Matrix4(sessionFromContent)
        for anchor in images {
            // An anchor that is not tracked stays where it is.
            let storedTransform = anchor.isTracked ? nil : anchorStore[anchor.identifier]?.transform
            anchorStore.put(anchor.with(transform: storedTransform ?? move * anchor.transform))
        }
    }

    private mutating func updateProbes(_ frame: TrackedFrame) {
        guard let pose = frame.worldFromCamera else { return }
        let changed = probes.update(
            with: frame.sample, camera: frame.camera, worldFromCamera: sessionFromContent * pose, anchors: anchors)
        for probe in changed { anchorStore.put(probe) }
    }

    private mutating func smoothedDepth(_ frame: TrackedFrame) -> DepthImage? {
        guard frame.result.state.isTracking, let depth = frame.sample.depth, let pose = frame.worldFromCamera else { return nil }
        return depthSmoother?.smoothed(depth, camera: frame.camera, worldFromCamera: pose)
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
            sceneDepth: sample.depth, smoothedSceneDepth: update.smoothedDepth,
            raycastScene: update.estimatesPosition ? understanding.raycastScene(sessionFromTracker: sessionFromContent) : nil)
    }

    /// The camera of a frame. With an invalid pose, the camera keeps its last one and the state is not available.
    private mutating func camera(_ update: WorldUpdate) -> ARCamera {
        let (frame, result) = (update.frame, update.frame.result)
        var (state, advice) = (result.state, result.advice)
        if let pose = frame.worldFromCamera {
            lastWorldFromCamera = update.estimatesPosition ? pose : RigidTransform(rotation: pose.rotation, translation: .zero)
        } else if result.worldFromCamera != nil || state == .normal {
            state = .notAvailable
        }
        if isRelocalizing {
            isRelocalizing = !state.isTracking
            if isRelocalizing { (state, advice) = (.limited(.relocalizing), advice ?? .returnToKnownView) }
        }
        return ARCamera(
            transform: Matrix4(viewing: sessionFromContent * lastWorldFromCamera), trackingState: state, model: frame.camera,
            exposureDuration: frame.sample.exposureDuration, trackingAdvice: advice)
    }

    private func mappingStatus(_ state: TrackingState, _ mapping: (any MappingTracker)?) -> ARFrame.WorldMappingStatus {
        guard state != .notAvailable else { return .notAvailable }
        guard let mapping else { return points.status(state) }
        guard state.isTracking else { return .limited }
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
        let move = sessionFromContent
        return ARPointCloud(
            points: points.map { Vector3(move * $0.position) }, identifiers: points.map { UInt64($0.id) },
            deviations: points.map { Float($0.deviation) })
    }

    private static func validPoints(_ result: TrackingResult) -> [TrackedPoint] {
        result.points.filter { $0.position.isFinite && $0.id >= 0 }
    }

    // MARK: World map

    /// Returns the world map of the newest frame.
    ///
    /// - Parameter anchors: The anchors of the newest frame.
    /// - Throws: `ARError` with `.insufficientFeatures` if there is no point yet.
    func worldMap(anchors: [ARAnchor], mapping: (any MappingTracker)?) throws(ARError) -> ARWorldMap {
        guard !points.isEmpty else {
            throw ARError(.insufficientFeatures, "no feature point is mapped yet: move the camera until tracking is normal")
        }
        let points = points.points
        var map = ARWorldMap(
            anchors: anchors.filter(\.isSavedInMaps),
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
