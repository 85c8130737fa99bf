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
        var system = BandedSystem(count: Int(spans) + Self.degree)
        Self.addPoses(poses, start, spacing, &system)
        // The penalty is never nothing, so that spans without a pose are bridged.
        let share = max(settings.smoothing / spacing, 0.05)
        let squared = share * share
        system.addThirdDifferences(weight: squared * squared * squared * spacing)
        guard let controls = system.solved() else { throw .tooFewPoses(poses.count) }
        self.init(start: start, end: end, spacing: spacing, controls: controls)
    }

    private static func check(_ poses: [TimedPose]) throws(TrajectoryError) {
        guard poses.count >= 4 else { throw .tooFewPoses(poses.count) }
        for (i, pose) in poses.enumerated() {
            guard pose.isFinite else { throw .notFinite(at: i) }
            guard i == 0 || pose.time > poses[i - 1].time else { throw .timeNotRising(at: i) }
        }
    }

    /// Every pose weighs the time it stands for; beside a gap, no more than a few knots.
    private static func addPoses(_ poses: [TimedPose], _ start: Double, _ spacing: Double, _ system: inout BandedSystem) {
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
            system.add(
                SIMD8(timed.pose.translation, turn), at: first, weights: basis(degree: degree, place - Double(first)),
                weight: min((before + after) / 2, 4 * spacing))
        }
    }
}

/// The normal equations of a spline's fit: symmetric, six diagonals wide.
private struct BandedSystem {
    static let band = TrajectorySpline.degree + 1
    let count: Int
    /// Of row i the entries at columns i - 5 … i, the diagonal last.
    private var rows: [Double]
    private var right: [SIMD8<Double>]

    init(count: Int) {
        self.count = count
        rows = Array(repeating: 0, count: count * Self.band)
        right = Array(repeating: .zero, count: count)
    }

    private func index(_ row: Int, _ column: Int) -> Int { row * Self.band + column - row + Self.band - 1 }

    mutating func add(_ value: SIMD8<Double>, at first: Int, weights: SIMD8<Double>, weight: Double) {
        for j in 0..<Self.band {
            right[first + j] += value * (weights[j] * weight)
            for k in 0...j { rows[index(first + j, first + k)] += weights[j] * weights[k] * weight }
        }
    }

    mutating func addThirdDifferences(weight: Double) {
        let difference: [Double] = [-1, 3, -3, 1]
        for first in 0..<(count - 3) {
            for j in 0..<4 {
                for k in 0...j { rows[index(first + j, first + k)] += difference[j] * difference[k] * weight }
            }
        }
    }

    /// By Cholesky's factors within the band; nil where the equations don't fix all unknowns.
    func solved() -> [SIMD8<Double>]? {
        var (factor, x) = (rows, right)
        for i in 0..<count {
            let lowest = max(0, i - Self.band + 1)
            for j in lowest...i {
                var sum = factor[index(i, j)]
                for k in max(lowest, j - Self.band + 1)..<max(j, lowest) { sum -= factor[index(i, k)] * factor[index(j, k)] }
                if i == j {
                    guard sum > 0, sum.isFinite else { return nil }
                    factor[index(i, i)] = sum.squareRoot()
                } else {
                    factor[index(i, j)] = sum / factor[index(j, j)]
                }
            }
            for k in lowest..<i { x[i] -= x[k] * factor[index(i, k)] }
            x[i] /= factor[index(i, i)]
        }
        for i in stride(from: count - 1, through: 0, by: -1) {
            for k in (i + 1)..<max(i + 1, min(count, i + Self.band)) { x[i] -= x[k] * factor[index(k, i)] }
            x[i] /= factor[index(i, i)]
        }
        return x
    }
}
