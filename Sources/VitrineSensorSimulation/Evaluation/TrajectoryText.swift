import VitrineVision

/// Reads and writes trajectories in the TUM text format: one pose per line, `time x y z qx qy qz qw`, in seconds and metres.
///
/// Lines that start with `#` are comments. Spaces, tabs or commas separate the numbers.
package enum TrajectoryText {
    /// Parses poses.
    ///
    /// - Throws: `NumberTextError` with the line, if a line is not eight finite numbers with a nonzero quaternion, or if times do not increase.
    package static func poses(_ text: some Sequence<UInt8>) throws(NumberTextError) -> [TimedPose] {
        var poses: [TimedPose] = []
        try NumberLines.read(text, count: 8) { (v, line) throws(NumberTextError) in
            let turn = SIMD4(v[4], v[5], v[6], v[7])
            let squared = (turn * turn).sum()
            guard squared > 1e-6, squared.isFinite else { throw NumberTextError(line: line, reason: "the quaternion has no length") }
            if let last = poses.last, v[0] <= last.time {
                throw NumberTextError(line: line, reason: "time \(v[0]) is not later than \(last.time)")
            }
            let pose = RigidTransform(rotation: Matrix3d(quaternion: turn), translation: Vector3d(v[1], v[2], v[3]))
            poses.append(TimedPose(time: v[0], pose: pose))
        }
        return poses
    }

    /// Formats poses; parsing the text restores the same bits.
    package static func text(_ poses: [TimedPose]) -> String {
        var text = "# time x y z qx qy qz qw\n"
        for pose in poses {
            let (p, q) = (pose.pose.translation, pose.pose.rotation.quaternion)
            text += "\(pose.time) \(p.x) \(p.y) \(p.z) \(q.x) \(q.y) \(q.z) \(q.w)\n"
        }
        return text
    }
}

/// Reads IMU samples in EuRoC's text format: one sample per line, nanoseconds, rad/s about x, y, z, then m/s² along x, y, z.
package enum InertialText {
    /// Parses samples.
    ///
    /// - Throws: `NumberTextError` with the line, if a line is not seven finite numbers, or if times do not increase.
    package static func samples(_ text: some Sequence<UInt8>) throws(NumberTextError) -> [InertialSample] {
        var samples: [InertialSample] = []
        try NumberLines.read(text, count: 7) { (v, line) throws(NumberTextError) in
            let sample = InertialSample(
                time: v[0] * 1e-9, angularVelocity: Vector3d(v[1], v[2], v[3]), acceleration: Vector3d(v[4], v[5], v[6]))
            if let last = samples.last, sample.time <= last.time {
                throw NumberTextError(line: line, reason: "time \(sample.time) is not later than \(last.time)")
            }
            samples.append(sample)
        }
        return samples
    }
}

/// Parses text with one record of numbers per line, separated by spaces, tabs or commas; lines that start with `#` are comments.
private enum NumberLines {
    private static let longestLine = 4096
    private static let largestCount = 20_000_000

    /// Calls `body` with the numbers of each record and its line number, starting at 1.
    ///
    /// - Throws: `NumberTextError`: a line without exactly `count` finite numbers, or a line or text that is too long.
    static func read(
        _ text: some Sequence<UInt8>, count: Int, _ body: (_ values: [Double], _ line: Int) throws(NumberTextError) -> Void
    ) throws(NumberTextError) {
        var (line, number, records): ([UInt8], Int, Int) = ([], 1, 0)
        for byte in text {
            if byte == 10 {
                if let values = try values(of: line, number, count) {
                    records += 1
                    guard records <= largestCount else { throw NumberTextError(line: number, reason: "more than \(largestCount) records") }
                    try body(values, number)
                }
                line.removeAll(keepingCapacity: true)
                number += 1
            } else {
                line.append(byte)
                guard line.count <= longestLine else { throw NumberTextError(line: number, reason: "the line is too long") }
            }
        }
        if let values = try values(of: line, number, count) { try body(values, number) }
    }

    private static func values(of line: [UInt8], _ number: Int, _ count: Int) throws(NumberTextError) -> [Double]? {
        let words = line.split { $0 == 32 || $0 == 9 || $0 == 13 || $0 == 44 }
        guard let first = words.first, first.first != 35 else { return nil }
        guard words.count == count else { throw NumberTextError(line: number, reason: "\(words.count) numbers instead of \(count)") }
        var values: [Double] = []
        for word in words {
            let string = String(decoding: word, as: UTF8.self)
            guard let value = Double(string), value.isFinite else {
                throw NumberTextError(line: number, reason: "'\(string.prefix(40))' is not a number")
            }
            values.append(value)
        }
        return values
    }
}

/// A syntax error in a text of numbers.
package struct NumberTextError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line number, starting at 1.
    package var line: Int
    /// The reason without the line.
    package var reason: String

    package var description: String { "line \(line): \(reason)" }
}
