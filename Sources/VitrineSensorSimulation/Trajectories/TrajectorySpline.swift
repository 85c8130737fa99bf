import VitrineMath
import VitrineVision

/// A smooth trajectory of a rigid body: position and orientation as one uniform quintic B-spline, with exact velocities and accelerations.
///
/// The orientation is a spline of quaternions that need not have unit length: angular velocities divide by the length. Positions and
/// orientations are four times continuously differentiable.
package struct TrajectorySpline: Sendable {
    /// Pose, velocity and acceleration at one time. World frame: +Y up. Body frame: the one of the poses that the spline was fitted to.
    package struct Motion: Equatable, Sendable {
        /// The time in seconds.
        package var time: Double
        /// The body's pose in the world.
        package var worldFromBody: RigidTransform
        /// The velocity in the world, in m/s.
        package var velocity: Vector3d
        /// The acceleration in the world without gravity, in m/s².
        package var acceleration: Vector3d
        /// The angular velocity in rad/s about the body's axes.
        package var angularVelocity: Vector3d
        /// The angular acceleration about the body's axes, in rad/s².
        package var angularAcceleration: Vector3d
    }

    static let degree = 5
    /// The start of the time range in which the trajectory is defined, in seconds.
    package let start: Double
    /// The end of that range in seconds; `append(_:)` extends it.
    package private(set) var end: Double
    /// Seconds between two knots.
    let spacing: Double
    /// The control points: position x, y, z; quaternion x, y, z, w; an unused lane.
    var controls: [SIMD8<Double>]

    init(start: Double, end: Double, spacing: Double, controls: [SIMD8<Double>]) {
        (self.start, self.end, self.spacing, self.controls) = (start, end, spacing, controls)
    }

    /// The duration in seconds.
    package var duration: Double { end - start }

    /// Returns the body's pose in the world.
    ///
    /// - Parameter time: The time in seconds; clamped to `start`…`end`.
    package func pose(at time: Double) -> RigidTransform {
        let (first, fraction) = span(time)
        return Self.pose(value(first, fraction, derivative: 0))
    }

    /// Returns pose, velocities and accelerations.
    ///
    /// - Parameter time: The time in seconds; clamped to `start`…`end`.
    package func motion(at time: Double) -> Motion {
        let (first, fraction) = span(time)
        let s = value(first, fraction, derivative: 0)
        let s1 = value(first, fraction, derivative: 1) / spacing
        let s2 = value(first, fraction, derivative: 2) / (spacing * spacing)
        let (q, q1, q2) = (s.rotation, s1.rotation, s2.rotation)
        // ω/2 is the vector part of q⁻¹ q', for any length of q; its derivative gives the angular acceleration.
        let squared = (q * q).sum()
        let half = Self.vectorOfConjugateProduct(q, q1) / squared
        let rate = Self.vectorOfConjugateProduct(q, q2) / squared - half * (2 * (q * q1).sum() / squared)
        return Motion(
            time: clamp(time, start, end), worldFromBody: Self.pose(s), velocity: s1.position, acceleration: s2.position,
            angularVelocity: half * 2, angularAcceleration: rate * 2)
    }

    /// Samples poses at a constant rate, the first at `start`.
    ///
    /// - Parameter rate: The number of poses per second, above 0.
    package func poses(rate: Double) -> [TimedPose] {
        (0...Int(duration * rate + 1e-9)).map { index in
            let time = start + Double(index) / rate
            return TimedPose(time: time, pose: pose(at: time))
        }
    }

    /// The first of the `degree + 1` control points that determine the spline at a time, and the fraction of the span, 0…1.
    func span(_ time: Double) -> (first: Int, fraction: Double) {
        let position = (clamp(time, start, end) - start) / spacing
        let first = min(max(Int(position), 0), controls.count - Self.degree - 1)
        return (first, position - Double(first))
    }

    /// A derivative with respect to the knot parameter: the derivative of a B-spline is a B-spline of one degree less over the differences of
    /// its control points.
    private func value(_ first: Int, _ fraction: Double, derivative: Int) -> SIMD8<Double> {
        let weights = Self.basis(degree: Self.degree - derivative, fraction)
        var sum = SIMD8<Double>.zero
        for j in 0...(Self.degree - derivative) {
            let at = first + j
            let term =
                switch derivative {
                case 0: controls[at]
                case 1: controls[at + 1] - controls[at]
                default: controls[at + 2] - 2 * controls[at + 1] + controls[at]
                }
            sum += term * weights[j]
        }
        return sum
    }

    /// The weights of the `degree + 1` control points of a span, by the Cox–de Boor recursion for uniform knots.
    static func basis(degree: Int, _ u: Double) -> SIMD8<Double> {
        var weights = SIMD8<Double>.zero
        weights[0] = 1
        guard degree > 0 else { return weights }
        for p in 1...degree {
            for j in stride(from: p, through: 0, by: -1) {
                let left = j > 0 ? (u + Double(p - j)) * weights[j - 1] : 0
                let right = j < p ? (Double(j + 1) - u) * weights[j] : 0
                weights[j] = (left + right) / Double(p)
            }
        }
        return weights
    }

    static func pose(_ s: SIMD8<Double>) -> RigidTransform {
        RigidTransform(rotation: Matrix3d(quaternion: s.rotation), translation: s.position)
    }

    /// The x, y, z of conj(a) b.
    static func vectorOfConjugateProduct(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> Vector3d {
        let (av, bv) = (Vector3d(a.x, a.y, a.z), Vector3d(b.x, b.y, b.z))
        return a.w * bv - b.w * av - cross(av, bv)
    }
}

extension TrajectorySpline {
    /// Creates a trajectory whose control points are poses, which it follows without passing through them exactly: `append(_:)` extends it while it is
    /// in use, and defined poses do not change. It attenuates motion at frequency f by sinc(f × spacing)⁶.
    ///
    /// - Parameters:
    ///   - poses: The first six poses of the body, at `start − 2 spacing` … `start + 3 spacing`.
    ///   - spacing: Seconds between two poses, above 0.
    package init(start: Double, spacing: Double, following poses: [RigidTransform]) {
        precondition(poses.count == Self.degree + 1 && spacing > 0, "a trajectory that grows begins with six poses")
        self.init(start: start, end: start, spacing: spacing, controls: [])
        for pose in poses { append(pose) }
    }

    /// Appends the next pose of the body, three times the spacing of the poses after the new end.
    package mutating func append(_ pose: RigidTransform) {
        var rotation = pose.rotation.quaternion
        if let last = controls.last, (rotation * last.rotation).sum() < 0 { rotation = -rotation }
        controls.append(SIMD8(pose.translation, rotation))
        end = start + spacing * Double(max(controls.count - Self.degree, 0))
    }
}

/// A control point: position and quaternion.
extension SIMD8<Double> {
    var position: Vector3d { Vector3d(self[0], self[1], self[2]) }
    var rotation: SIMD4<Double> { SIMD4(self[3], self[4], self[5], self[6]) }
    init(_ position: Vector3d, _ rotation: SIMD4<Double>) {
        self.init(position.x, position.y, position.z, rotation.x, rotation.y, rotation.z, rotation.w, 0)
    }
}

extension TrajectorySpline {
    /// Fits a spline to poses by penalized least squares (Eilers and Marx, "Flexible smoothing with B-splines and penalties", 1996) with the
    /// third derivative as the penalty. The spline interpolates gaps.
    ///
    /// - Parameters:
    ///   - poses: Body poses in the world with increasing times, at least four.
    ///   - knotSpacing: The largest distance between two knots in seconds.
    ///   - smoothing: The time constant τ of the smoothing in seconds: the spline attenuates motion at angular frequency ω by 1 / (1 + (ω τ)⁶).
    ///     0 disables smoothing.
    /// - Throws: `TrajectoryError`: too few poses, a pose that is not finite, times that do not increase, more than five million spans.
    package init(through poses: [TimedPose], knotSpacing: Double = 0.05, smoothing: Double = 0.02) throws(TrajectoryError) {
        try Self.check(poses)
        let (start, end) = (poses[0].time, poses[poses.count - 1].time)
        let spans = ((end - start) / max(knotSpacing, 1e-4)).rounded(.up)
        guard spans < 5_000_000 else { throw .tooLong(seconds: end - start) }
        let spacing = (end - start) / spans
        var system = BandedSystem<SIMD8<Double>>(count: Int(spans) + Self.degree, band: Self.degree + 1)
        Self.addPoses(poses, start, spacing, &system)
        // A minimum penalty, so that spans without a pose are interpolated.
        let share = max(smoothing / spacing, 0.05)
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

    /// Weights each pose by the time that it represents, at most a few knots beside a gap.
    private static func addPoses(_ poses: [TimedPose], _ start: Double, _ spacing: Double, _ system: inout BandedSystem<SIMD8<Double>>) {
        var last = poses[0].pose.rotation.quaternion
        for (i, timed) in poses.enumerated() {
            let before = i > 0 ? timed.time - poses[i - 1].time : 0
            let after = i + 1 < poses.count ? poses[i + 1].time - timed.time : 0
            // Of the two quaternions of a rotation, the one closer to the previous pose's.
            var rotation = timed.pose.rotation.quaternion
            if (rotation * last).sum() < 0 { rotation = -rotation }
            last = rotation
            let position = (timed.time - start) / spacing
            let first = min(Int(position), system.count - degree - 1)
            let weights = basis(degree: degree, position - Double(first))
            system.add(
                (0...degree).map { weights[$0] }, at: first, SIMD8(timed.pose.translation, rotation),
                weight: min((before + after) / 2, 4 * spacing))
        }
    }
}
