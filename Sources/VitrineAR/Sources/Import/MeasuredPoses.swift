import VitrineTracking
import VitrineVision

/// Poses of a motion-capture system at a higher rate than the camera's.
struct MeasuredPoses {
    private var poses: [(nanoseconds: Int64, pose: RigidTransform)] = []

    /// The longest gap to interpolate, in nanoseconds.
    private static let longestGap: Int64 = 100_000_000

    /// Adds a pose.
    ///
    /// - Returns: False, without adding the pose, if its time does not increase.
    mutating func add(_ pose: RigidTransform, at nanoseconds: Int64) -> Bool {
        guard poses.last.map({ nanoseconds > $0.nanoseconds }) ?? true else { return false }
        poses.append((nanoseconds, pose))
        return true
    }

    /// Interpolates between the two nearest poses: position linearly, rotation by normalized quaternions.
    func pose(at nanoseconds: Int64) -> RigidTransform? {
        var (low, high) = (0, poses.count)
        while low < high {
            let middle = (low + high) / 2
            if poses[middle].nanoseconds < nanoseconds { low = middle + 1 } else { high = middle }
        }
        guard low < poses.count else { return nil }
        let after = poses[low]
        if after.nanoseconds == nanoseconds { return after.pose }
        guard low > 0 else { return nil }
        let before = poses[low - 1]
        let (gap, overflow) = after.nanoseconds.subtractingReportingOverflow(before.nanoseconds)
        guard !overflow, gap <= Self.longestGap else { return nil }
        let part = Double(nanoseconds - before.nanoseconds) / Double(gap)
        let (a, b) = (before.pose.rotation.quaternion, after.pose.rotation.quaternion)
        let turn = a * (1 - part) + ((a * b).sum() < 0 ? -b : b) * part
        let position = before.pose.translation + (after.pose.translation - before.pose.translation) * part
        return RigidTransform(rotation: Matrix3d(quaternion: turn), translation: position)
    }
}
