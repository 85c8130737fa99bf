import VitrineVision

/// The quality of the camera's pose.
public enum TrackingState: Equatable, Sendable {
    /// The cause of limited tracking.
    public enum Reason: String, Equatable, Sendable, CaseIterable {
        /// The tracker has not determined the scale yet.
        case initializing
        /// The camera turns too fast for features to be tracked.
        case excessiveMotion
        /// The image has too few features.
        case insufficientFeatures
        /// Tracking was lost, or a saved map was given; the tracker tries to relocalize. The state stays until that succeeds or the app resets
        /// tracking.
        case relocalizing
        /// The pose is reliable except for its scale: lengths are not measured, and the world's unit is a guess.
        case scaleUnknown
    }

    /// There is no pose.
    case notAvailable
    /// The pose has limited accuracy.
    case limited(Reason)
    /// The pose is reliable.
    case normal

    /// Whether the pose is reliable, at least up to its scale.
    package var isTracking: Bool { self == .normal || self == .limited(.scaleUnknown) }
}

/// The result of tracking one frame.
public struct TrackingResult: Equatable, Sendable {
    /// The capture time of the frame in seconds on the IMU's clock.
    public var time: Double
    /// The quality of the pose.
    public var state: TrackingState
    /// The camera's pose, or nil if it is unknown. If only the orientation is known, the translation is zero.
    ///
    /// World: right-handed, +Y up, origin at the first position, metres. Camera: x right, y down, z forward.
    public var worldFromCamera: RigidTransform?
    /// The velocity in the world, m/s.
    public var velocity: Vector3d
    /// Triangulated points in view, by ascending identifier.
    public var points: [TrackedPoint]
    /// The covariance of the pose: rotation about the world's axes (radians), then position (metres); 6×6 in row order. Empty if unknown.
    public var covariance: [Double]
    /// The device with its calibration as estimated so far.
    public var rig: SensorRig
    /// The correction of the world if the tracker relocalized in this frame, or later corrected drift by the map; otherwise nil.
    /// Left-multiply the poses reported since tracking was lost, or since tracking started, by this transform: a rotation about +Y and a
    /// translation.
    public var relocalizationCorrection: RigidTransform?
    /// Whether the world starts over with this frame: tracking was lost, and the tracker gave up relocalizing. Earlier poses belong to another
    /// world.
    public var startsNewWorld = false
    /// Advice for the user about a limited state; nil without any.
    public var advice: TrackingAdvice?
    /// The keyframe of the map relative to which the pose is most certain: anchors of this frame are attached to it. nil without a map.
    package var referenceKeyframe: Int?
    /// The moves of keyframes by measurements of the map in this frame, new from old poses in the world, by keyframe. They apply after
    /// `relocalizationCorrection`, to contents that the correction moves.
    package var keyframeMoves: [Int: RigidTransform] = [:]

    /// Creates a result; see the properties for frames and units.
    public init(
        time: Double, state: TrackingState, worldFromCamera: RigidTransform?, velocity: Vector3d = .zero, points: [TrackedPoint] = [],
        covariance: [Double] = [], rig: SensorRig
    ) {
        (self.time, self.state, self.worldFromCamera, self.velocity) = (time, state, worldFromCamera, velocity)
        (self.points, self.covariance, self.rig) = (points, covariance, rig)
    }
}
