import VitrineMath
import VitrineVision

/// Frames from before tracking was initialized, which become keyframes of a saved map: some of their views are in no later keyframe.
///
/// Their poses are those of the initialization, less accurate than later ones. The tracker itself does not measure its pose by them.
struct EarlyFrames: Sendable {
    /// The most frames that are kept, and their largest age in seconds.
    private static let (maximumCount, maximumAge) = (10, 3.2)

    private var frames: [(frame: CapturedFrame, pose: RigidTransform?)] = []
    private var camera: CameraIntrinsics?
    /// Whether tracking is initialized: frames are no longer added.
    private var isComplete = false
    /// The submap in whose frame the poses are.
    private var submap = 0
    /// The identifier of the keyframe with which the frames move; nil if there is none yet.
    private var origin: Int?

    /// The times of the frames whose pose is not known.
    var waitingTimes: [Double] { isComplete ? [] : frames.filter { $0.pose == nil }.map(\.frame.time) }

    /// Keeps a frame.
    mutating func add(_ features: [TrackedCorner], _ pyramid: ImagePyramid, time: Double, _ settings: RelocalizationSettings) {
        guard !isComplete else { return }
        frames.removeAll { time - $0.frame.time > Self.maximumAge }
        guard features.count >= settings.minimumFeatures,
            !(time - (frames.last?.frame.time ?? -.infinity) < settings.keyframeInterval)
        else { return }
        if frames.count == Self.maximumCount { frames.removeFirst() }
        frames.append((CapturedFrame(features, pyramid, time: time, isKeyframe: true, isQuery: false), nil))
    }

    /// Sets the pose of a frame.
    mutating func setPose(_ pose: RigidTransform, at time: Double, readoutTurn: Vector3d, camera: CameraIntrinsics) {
        guard !isComplete, let index = frames.firstIndex(where: { $0.frame.time == time }) else { return }
        (frames[index].pose, frames[index].frame.readoutTurn) = (pose, readoutTurn)
        self.camera = camera
    }

    /// Tracking is initialized in a submap: frames without a pose are dropped.
    mutating func complete(in submap: Int) {
        guard !isComplete else { return }
        frames.removeAll { $0.pose == nil }
        (self.submap, isComplete) = (submap, true)
    }

    /// Tracking was lost: the keyframes of the filter move no longer.
    mutating func forgetFilter() {
        if !isComplete { frames = [] }
        origin = nil
    }

    // MARK: Corrections

    /// Fixes the frames to the first keyframe after the initialization.
    mutating func fix(to keyframe: Int, in submap: Int) {
        if isComplete, origin == nil, submap == self.submap { origin = keyframe }
    }

    /// Moves the frames with their keyframe; see `LandmarkMap.move`.
    mutating func move(keyframes moves: [Int: RigidTransform]) {
        if let move = origin.flatMap({ moves[$0] }) { transform(by: move) }
    }

    /// Makes a submap part of another one; see `LandmarkMap.join`.
    ///
    /// - Parameter newFromOld: Transforms the joined submap.
    mutating func join(submap: Int, with other: Int, by newFromOld: RigidTransform, origin: Int) {
        if self.submap == submap {
            self.submap = other
            transform(by: newFromOld)
        } else if self.submap == other {
            self.origin = origin
        }
    }

    private mutating func transform(by newFromOld: RigidTransform) {
        for index in frames.indices { frames[index].pose = frames[index].pose.map { newFromOld * $0 } }
    }

    // MARK: Maps

    /// Adds keyframes to a map with the keyframes of one submap: frames with views that differ from one another. Later keyframes do not count, because
    /// the fewer landmarks they share with a view, the less often it is recognized.
    func insert(into map: inout LandmarkMap, of submap: Int, _ settings: RelocalizationSettings) {
        guard isComplete, submap == self.submap, let camera, let drift = map.keyframes.first?.drift else { return }
        let count = map.keyframeCount
        for case (let frame, let pose?) in frames where map.isNew(pose, in: submap, since: count, settings) {
            let features = FrameFeatures(frame, at: pose, camera: camera, count: settings.corners, isQuery: false)
            map.insert(features, at: pose, camera: camera, submap: submap, id: -1, drift: drift, settings)
        }
    }
}
