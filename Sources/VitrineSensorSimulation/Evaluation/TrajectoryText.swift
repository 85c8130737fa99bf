import VitrineVision

/// Trajectories as text, a pose a line: `time x y z qx qy qz qw`, in seconds and metres, as the TUM benchmarks have them.
///
/// Lines that begin with `#` are comments. Numbers may be parted by spaces, tabs or commas.
public enum TrajectoryText {
    /// - Throws: an error that names the line, counted from 1, for anything but eight finite numbers with a quaternion that has a length, and
    ///   where time doesn't rise.
    public static func poses(_ text: some Sequence<UInt8>) throws(NumberTextError) -> [TimedPose] {
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

    /// Numbers are written so that reading them gives the same bits.
    public static func text(_ poses: [TimedPose]) -> String {
        var text = "# time x y z qx qy qz qw\n"
        for pose in poses {
            let (p, q) = (pose.pose.translation, pose.pose.rotation.quaternion)
            text += "\(pose.time) \(p.x) \(p.y) \(p.z) \(q.x) \(q.y) \(q.z) \(q.w)\n"
        }
        return text
    }
}

/// An IMU's samples as text, as EuRoC has them, one a line: nanoseconds, rad/s about x, y, z, then m/s² along x, y, z.
public enum InertialText {
    /// - Throws: an error that names the line, counted from 1, for anything but seven finite numbers, and where time doesn't rise.
    public static func samples(_ text: some Sequence<UInt8>) throws(NumberTextError) -> [InertialSample] {
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
