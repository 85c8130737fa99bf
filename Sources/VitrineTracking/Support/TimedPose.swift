import VitrineMath
import VitrineVision

/// A pose at a time.
@frozen public struct TimedPose: Equatable, Sendable {
    /// The time of the pose in seconds.
    public var time: Double
    /// The world from the moving frame: the body (IMU) or the camera.
    public var pose: RigidTransform

    /// Creates a pose at a time in seconds.
    @inlinable public init(time: Double, pose: RigidTransform) { (self.time, self.pose) = (time, pose) }

    /// Converts from a world with +Z up, as in most data sets, to one with +Y up: (x, y, z) becomes (x, z, −y).
    public var fromZUp: TimedPose {
        let turn = Matrix3d(rows: Vector3d(1, 0, 0), Vector3d(0, 0, 1), Vector3d(0, -1, 0))
        return TimedPose(time: time, pose: RigidTransform(rotation: turn, translation: .zero) * pose)
    }

    package var isFinite: Bool {
        let sum = pose.translation + pose.rotation.x + pose.rotation.y + pose.rotation.z
        return time.isFinite && (sum.x + sum.y + sum.z).isFinite
    }
}
