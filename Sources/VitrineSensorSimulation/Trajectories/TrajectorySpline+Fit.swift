import VitrineMath
import VitrineVision

extension TrajectorySpline {
    /// How closely poses are followed.
    public struct Settings: Equatable, Sendable {
        /// Seconds between two knots, at least.
        public var knotSpacing: Double
        /// A time τ in seconds: what swings faster than 1/τ rad/s is taken for noise, all the more the faster it is (the spline answers a
        /// swing at ω by 1 / (1 + (ω τ)⁶)). 0 follows the poses as far as the knots let it.
        public var smoothing: Double

        public init(knotSpacing: Double = 0.05, smoothing: Double = 0.02) {
            (self.knotSpacing, self.smoothing) = (knotSpacing, smoothing)
        }
    }

    /// The motion that passes the poses closely and without jerks: penalized least squares (Eilers and Marx, "Flexible smoothing with
    /// B-splines and penalties", 1996) with the third derivative as the penalty. Gaps are bridged.
    ///
    /// - Parameter poses: of the body in the world, by rising time, at least four.
    public init(through poses: [TimedPose], settings: Settings = Settings()) throws(TrajectoryError) {
        try Self.check(poses)
        let (start, end) = (poses[0].time, poses[poses.count - 1].time)
        let spans = ((end - start) / max(settings.knotSpacing, 1e-4)).rounded(.up)
        guard spans < 5_000_000 else { throw .tooLong(seconds: end - start) }
        let spacing = (end - start) / spans
        var system = BandedSystem<SIMD8<Double>>(count: Int(spans) + Self.degree, band: Self.degree + 1)
        Self.addPoses(poses, start, spacing, &system)
        // The penalty is never nothing, so that spans without a pose are bridged.
        let share = max(settings.smoothing / spacing, 0.05)
        let squared = share * share
        let weight = squared * squared * squared * spacing
        for first in 0..<(system.count - 3) { system.add([-1, 3, -3, 1], at: first, .zero, weight: weight) }
        guard system.solve() else { throw .tooFewPoses(poses.count) }
        self.init(start: start, end: end, spacing: spacing, controls: system.right)
    }

    static func check(_ poses: [TimedPose]) throws(TrajectoryError) {
        guard poses.count >= 4 else { throw .tooFewPoses(poses.count) }
        for (i, pose) in poses.enumerated() {
            guard pose.isFinite else { throw .notFinite(at: i) }
            guard i == 0 || pose.time > poses[i - 1].time else { throw .timeNotRising(at: i) }
        }
    }

    /// Every pose weighs the time it stands for; beside a gap, no more than a few knots.
    private static func addPoses(_ poses: [TimedPose], _ start: Double, _ spacing: Double, _ system: inout BandedSystem<SIMD8<Double>>) {
        var last = poses[0].pose.rotation.quaternion
        for (i, timed) in poses.enumerated() {
            let before = i > 0 ? timed.time - poses[i - 1].time : 0
            let after = i + 1 < poses.count ? poses[i + 1].time - timed.time : 0
            // Of the two quaternions of a rotation, the one near the last.
            var turn = timed.pose.rotation.quaternion
            if (turn * last).sum() < 0 { turn = -turn }
            last = turn
            let place = (timed.time - start) / spacing
            let first = min(Int(place), system.count - degree - 1)
            let weights = basis(degree: degree, place - Double(first))
            system.add(
                (0...degree).map { weights[$0] }, at: first, SIMD8(timed.pose.translation, turn),
                weight: min((before + after) / 2, 4 * spacing))
        }
    }
}
