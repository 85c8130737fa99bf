import VitrineVision

/// How far the pose can be believed, and what stands in the way.
public enum TrackingState: Equatable, Sendable {
    public enum Reason: String, Equatable, Sendable, CaseIterable {
        case initializing, excessiveMotion, insufficientFeatures, relocalizing
    }

    case notAvailable
    case limited(Reason)
    case normal
}

/// What a tracker says of one picture.
public struct TrackingResult: Equatable, Sendable {
    /// The picture's time on the IMU's clock in seconds.
    public var time: Double
    public var state: TrackingState
    /// The world: right-handed, +Y up against gravity, the origin where the tracker began, in metres. The camera: x right, y down, z forward.
    /// nil as long as nothing is known. Where only the orientation is, the position is zero.
    public var worldFromCamera: RigidTransform?
    /// m/s in the world.
    public var velocity: Vector3d
    /// Points with a place, by rising id.
    public var points: [TrackedPoint]
    /// The pose's covariance: rotation (radians, about the world's axes), then position (metres): 6×6 by rows, or empty where there is none.
    public var covariance: [Double]
    /// What was found out about the device, where it is being found out.
    public var rig: SensorRig
    /// Not nil where a known place was found again with this picture: what was told since the world was lost, or since tracking began, lies at this
    /// times itself from now on. A turn about +Y and a move.
    public var relocalizationCorrection: RigidTransform?

    public init(
        time: Double, state: TrackingState, worldFromCamera: RigidTransform?, velocity: Vector3d = .zero, points: [TrackedPoint] = [],
        covariance: [Double] = [], rig: SensorRig
    ) {
        (self.time, self.state, self.worldFromCamera, self.velocity) = (time, state, worldFromCamera, velocity)
        (self.points, self.covariance, self.rig) = (points, covariance, rig)
    }
}

/// Grey pixels 0…255 as the camera gave them, sRGB-like encoded: all that a tracker looks at.
public typealias TrackingImage = Plane<UInt8>

/// Follows a camera. Fed in the order in which things were measured; the same input gives the same output, bit for bit.
///
/// An image may be fed before the inertial samples that reach its time: then the tracker goes by what it has.
public protocol Tracker: AnyObject {
    /// Samples that don't move time on, or aren't finite, are passed over and counted.
    func add(_ sample: InertialSample)
    /// - Parameter time: on the camera's clock, in seconds.
    func track(_ image: TrackingImage, time: Double) -> TrackingResult
    /// Forgets where it is, not what it found out about the device.
    func reset()
}
