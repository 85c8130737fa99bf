import VitrineVision

/// Trajectories as text, a pose a line: `time x y z qx qy qz qw`, in seconds and metres, as the TUM benchmarks have them.
///
/// Lines that begin with `#` are comments. Numbers may be parted by spaces, tabs or commas.
public enum TrajectoryText {
    /// Lines of one text, at most.
    static let largestCount = 5_000_000
    static let longestLine = 4096

    /// - Throws: an error that names the line, counted from 1, for anything but eight finite numbers with a quaternion that has a length, and
    ///   where time doesn't rise.
    public static func poses(_ text: some Sequence<UInt8>) throws(TrajectoryTextError) -> [TimedPose] {
        var (poses, line, number): ([TimedPose], [UInt8], Int) = ([], [], 1)
        for byte in text {
            if byte == 10 {
                try add(line, number, &poses)
                line.removeAll(keepingCapacity: true)
                number += 1
            } else {
                line.append(byte)
                guard line.count <= longestLine else { throw TrajectoryTextError(line: number, reason: "the line is too long") }
            }
        }
        try add(line, number, &poses)
        return poses
    }

    /// Numbers are written so that reading them gives the same bits.
    public static func text(_ poses: [TimedPose]) -> String {
        var text = "# time x y z qx qy qz qw\n"
        for pose in poses {
            let (p, q) = (pose.pose.translation, pose.pose.rotation.quaternion)
            text += "\(pose.time) \(p.x) \(p.y) \(p.z) \(q.x) \(q.y) \(q.z) \(q.w)\n"
        }
        return text
    }

    private static func add(_ line: [UInt8], _ number: Int, _ poses: inout [TimedPose]) throws(TrajectoryTextError) {
        let words = line.split { $0 == 32 || $0 == 9 || $0 == 13 || $0 == 44 }
        guard let first = words.first, first.first != 35 else { return }
        guard words.count == 8 else {
            throw TrajectoryTextError(line: number, reason: "\(words.count) numbers instead of 8")
        }
        var values: [Double] = []
        for word in words {
            let string = String(decoding: word, as: UTF8.self)
            guard let value = Double(string), value.isFinite else {
                throw TrajectoryTextError(line: number, reason: "'\(string.prefix(40))' is no number")
            }
            values.append(value)
        }
        let turn = SIMD4(values[4], values[5], values[6], values[7])
        let squared = (turn * turn).sum()
        guard squared > 1e-6, squared.isFinite else { throw TrajectoryTextError(line: number, reason: "the quaternion has no length") }
        if let last = poses.last, values[0] <= last.time {
            throw TrajectoryTextError(line: number, reason: "time \(values[0]) is not later than \(last.time)")
        }
        guard poses.count < largestCount else { throw TrajectoryTextError(line: number, reason: "more than \(largestCount) poses") }
        poses.append(
            TimedPose(
                time: values[0],
                pose: RigidTransform(rotation: Matrix3d(quaternion: turn), translation: Vector3d(values[1], values[2], values[3]))))
    }
}

/// What is wrong with a trajectory's text, and where.
public struct TrajectoryTextError: Error, Equatable, Sendable, CustomStringConvertible {
    /// From 1.
    public var line: Int
    public var reason: String

    public var description: String { "line \(line): \(reason)" }
}
