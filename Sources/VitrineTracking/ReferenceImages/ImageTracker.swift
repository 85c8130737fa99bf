import VitrineMapping
import VitrineMath
import VitrineVision

/// Detects reference images in frames and tracks them from frame to frame.
///
/// Detection runs in the background every half second while an image is not tracked; its result takes effect a fixed number of frames later, so that
/// replays are bit-identical. Tracking aligns patches of the image in each frame.
package struct ImageTracker: Sendable {
    /// An image in a frame.
    package struct Observation: Sendable {
        /// The index of the target.
        package let target: Int
        /// The last known pose.
        package let worldFromTarget: RigidTransform
        /// Whether the image was observed in this frame.
        package let isTracked: Bool
    }

    /// The last known state of a target.
    private struct State: Sendable {
        var worldFromTarget: RigidTransform
        var isTracked = true
        /// The number of consecutive observations that agree.
        var agreeing = 1
    }

    /// A detected image in the frame that was searched.
    private struct Detection: Sendable {
        let target: Int
        let cameraFromTarget: RigidTransform
    }

    /// The frames between the start of a detection and its effect, and the seconds between two detections.
    private static let (delay, interval) = (3, 0.5)
    /// Frames are searched at this size at most.
    private static let maximumSide = 640

    package let targets: [ImageTarget]
    /// The most images that are tracked at once; at least 1.
    package let maximumTracked: Int
    private var states: [Int: State] = [:]
    private var frameCount = 0
    private var lastDetection = -Double.infinity
    private var job: (work: BackgroundJob<[Detection]>, due: Int, worldFromCamera: RigidTransform)?
    private var pyramid = ImagePyramid()

    package init(targets: [ImageTarget], maximumTracked: Int) {
        (self.targets, self.maximumTracked) = (targets, max(1, maximumTracked))
    }

    /// Forgets an image; it may be detected again.
    package mutating func forget(_ target: Int) { states[target] = nil }

    /// Forgets the earlier observations of an image, whose tracking continues.
    package mutating func restartAveraging(_ target: Int) { states[target]?.agreeing = 1 }

    /// The camera's pose is unknown: no image is tracked.
    ///
    /// - Returns: The images that were tracked until now.
    package mutating func lose() -> [Observation] {
        let tracked = states.keys.sorted().filter { states[$0]!.isTracked }
        job = nil
        return tracked.map {
            states[$0]!.isTracked = false
            return Observation(target: $0, worldFromTarget: states[$0]!.worldFromTarget, isTracked: false)
        }
    }

    /// Moves the known poses after a correction of the world.
    package mutating func move(by correction: RigidTransform, where isMoved: (Int) -> Bool) {
        for target in states.keys.sorted() where isMoved(target) {
            states[target]!.worldFromTarget = correction * states[target]!.worldFromTarget
        }
        job = nil
    }

    /// Tracks and detects images in a frame.
    ///
    /// - Parameters:
    ///   - image: Luma.
    ///   - time: The time of the frame in seconds.
    /// - Returns: All images that were observed so far, by ascending target.
    package mutating func update(
        _ image: Plane<UInt8>, time: Double, camera: CameraIntrinsics, worldFromCamera: RigidTransform
    ) -> [Observation] {
        frameCount += 1
        pyramid.build(image, maximumWidth: Self.maximumSide, levels: 1)
        applyDetection(camera, worldFromCamera)
        trackKnown(camera, worldFromCamera)
        startDetection(image, time, camera, worldFromCamera)
        return states.keys.sorted().map {
            Observation(target: $0, worldFromTarget: states[$0]!.worldFromTarget, isTracked: states[$0]!.isTracked)
        }
    }

    private var trackedCount: Int { states.values.count { $0.isTracked } }

    /// Tracks the images of the last frame, then those that were lost and may be back in view.
    private mutating func trackKnown(_ camera: CameraIntrinsics, _ worldFromCamera: RigidTransform) {
        let cameraFromWorld = worldFromCamera.inverse
        let known = states.keys.sorted { (states[$0]!.isTracked ? 0 : 1, $0) < (states[$1]!.isTracked ? 0 : 1, $1) }
        var count = 0
        for target in known {
            let state = states[target]!
            let pose =
                count < maximumTracked
                ? targets[target].tracked(pyramid, camera: camera, from: cameraFromWorld * state.worldFromTarget) : nil
            if let pose {
                count += 1
                states[target] = Self.blended(
                    state, worldFromCamera * pose.cameraFromTarget, distance: length(pose.cameraFromTarget.translation))
            } else {
                states[target]!.isTracked = false
            }
        }
    }

    /// Averages observations of an image that stays in place; one that moved, by more than 1 % of its distance or 2°, takes its new pose at once.
    private static func blended(_ state: State, _ new: RigidTransform, distance: Double) -> State {
        let old = state.worldFromTarget
        let shift = new.translation - old.translation
        let turn = (new.rotation * old.rotation.transpose).rotationVector
        guard state.isTracked, length(shift) < max(0.003, 0.01 * distance), length(turn) < 0.035 else {
            return State(worldFromTarget: new)
        }
        let agreeing = min(state.agreeing + 1, 12)
        let share = 1 / Double(agreeing)
        return State(
            worldFromTarget: RigidTransform(
                rotation: (Matrix3d.rotation(turn * share) * old.rotation).orthonormalized, translation: old.translation + shift * share),
            agreeing: agreeing)
    }

    // MARK: Detection

    private mutating func startDetection(
        _ image: Plane<UInt8>, _ time: Double, _ camera: CameraIntrinsics, _ worldFromCamera: RigidTransform
    ) {
        guard job == nil, time - lastDetection >= Self.interval || time < lastDetection, trackedCount < maximumTracked else { return }
        let wanted = targets.indices.filter { !(states[$0]?.isTracked ?? false) }
        guard !wanted.isEmpty else { return }
        lastDetection = time
        let targets = targets
        let work = BackgroundJob {
            var detector = FeatureDetector()
            (detector.options.maximumCount, detector.options.maximumSide, detector.options.doublingSide) = (800, Self.maximumSide, 0)
            let features = detector.detect(in: GrayPlane(image))
            let descriptors = DescriptorSet(features.descriptors)
            return wanted.compactMap { index -> Detection? in
                targets[index].detected(in: features, descriptors, camera: camera).map {
                    Detection(target: index, cameraFromTarget: $0.cameraFromTarget)
                }
            }
        }
        job = (work, frameCount + Self.delay, worldFromCamera)
    }

    /// Confirms the detections of an earlier frame by tracking them into this one.
    private mutating func applyDetection(_ camera: CameraIntrinsics, _ worldFromCamera: RigidTransform) {
        guard let job, frameCount >= job.due else { return }
        self.job = nil
        for detection in job.work.result() where !(states[detection.target]?.isTracked ?? false) && trackedCount < maximumTracked {
            let predicted = worldFromCamera.inverse * job.worldFromCamera * detection.cameraFromTarget
            guard let pose = targets[detection.target].tracked(pyramid, camera: camera, from: predicted, testsMirroredTilt: true) else {
                continue
            }
            states[detection.target] = State(worldFromTarget: worldFromCamera * pose.cameraFromTarget)
        }
    }
}

extension GrayPlane {
    /// Brightness 0…1 of luma 0…255.
    init(_ luma: Plane<UInt8>) {
        self.init(width: luma.width, height: luma.height, values: luma.values.map { Float($0) * (1 / 255) })
    }
}
