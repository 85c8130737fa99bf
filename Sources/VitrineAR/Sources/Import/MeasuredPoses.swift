import VitrineTracking
import VitrineVision

/// Poses that somebody measured beside a camera, more often than it takes frames.
struct MeasuredPoses {
    private var poses: [(nanoseconds: Int64, pose: RigidTransform)] = []

    /// Between two that are further apart, in nanoseconds, nobody knows.
    private static let longestGap: Int64 = 100_000_000

    /// - Returns: whether time rises; otherwise it isn't taken.
    mutating func add(_ pose: RigidTransform, at nanoseconds: Int64) -> Bool {
        guard poses.last.map({ nanoseconds > $0.nanoseconds }) ?? true else { return false }
        poses.append((nanoseconds, pose))
        return true
    }

    /// Between the two nearest: the place along the line, the rotation along the shortest turn (normalized quaternions; the turns are small).
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
        let place = before.pose.translation + (after.pose.translation - before.pose.translation) * part
        return RigidTransform(rotation: Matrix3d(quaternion: turn), translation: place)
    }
}
