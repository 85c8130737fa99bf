import VitrineMath
import VitrineVision

/// A pose at a time.
@frozen public struct TimedPose: Equatable, Sendable {
    /// Seconds.
    public var time: Double
    /// The world from the moving frame: the body (IMU) or the camera.
    public var pose: RigidTransform

    @inlinable public init(time: Double, pose: RigidTransform) { (self.time, self.pose) = (time, pose) }

    /// Converts from a world with +Z up, as in most data sets, to one with +Y up: (x, y, z) becomes (x, z, −y).
    public var fromZUp: TimedPose {
        let turn = Matrix3d(rows: Vector3d(1, 0, 0), Vector3d(0, 0, 1), Vector3d(0, -1, 0))
        return TimedPose(time: time, pose: RigidTransform(rotation: turn, translation: .zero) * pose)
    }

    var isFinite: Bool {
        let sum = pose.translation + pose.rotation.x + pose.rotation.y + pose.rotation.z
        return time.isFinite && (sum.x + sum.y + sum.z).isFinite
    }
}

/// Why a list of poses makes no trajectory. Places count from 0.
public enum TrajectoryError: Error, Equatable, Sendable, CustomStringConvertible {
    case tooFewPoses(Int)
    case notFinite(at: Int)
    case timeNotRising(at: Int)
    case tooLong(seconds: Double)
    /// Fewer than this many poses have their counterpart at the same time.
    case tooFewPairs(Int)
    /// All places lie on a line or in one point: no rotation follows from them.
    case noExtent

    public var description: String {
        switch self {
        case .tooFewPoses(let count): "\(count) poses are too few for a trajectory"
        case .notFinite(let index): "pose \(index) isn't finite"
        case .timeNotRising(let index): "pose \(index) is not later than the one before"
        case .tooLong(let seconds): "\(seconds) seconds are too many for a trajectory"
        case .tooFewPairs(let count): "only \(count) poses have a counterpart at the same time"
        case .noExtent: "the poses lie on a line: they can't be aligned"
        }
    }
}
