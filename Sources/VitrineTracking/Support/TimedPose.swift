import VitrineMath
import VitrineVision

/// Where something is at a time.
@frozen public struct TimedPose: Equatable, Sendable {
    /// In seconds.
    public var time: Double
    /// To the world from what moves: a body (the IMU), or a camera, as the list says.
    public var pose: RigidTransform

    @inlinable public init(time: Double, pose: RigidTransform) { (self.time, self.pose) = (time, pose) }

    /// The same in our world, +Y up, where this one's world has +Z up as most data sets do: x stays, their z is our y.
    public var fromZUp: TimedPose {
        let turn = Matrix3d(rows: Vector3d(1, 0, 0), Vector3d(0, 0, 1), Vector3d(0, -1, 0))
        return TimedPose(time: time, pose: RigidTransform(rotation: turn, translation: .zero) * pose)
    }

    package var isFinite: Bool {
        let sum = pose.translation + pose.rotation.x + pose.rotation.y + pose.rotation.z
        return time.isFinite && (sum.x + sum.y + sum.z).isFinite
    }
}
