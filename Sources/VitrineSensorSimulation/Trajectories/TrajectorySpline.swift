import VitrineMath
import VitrineVision

/// A smooth motion: position and orientation as one uniform quintic B-spline, so that velocities and accelerations follow exactly.
///
/// The orientation is a spline of quaternions, which needn't have unit length: angular velocities divide by it. Positions are four times
/// continuously differentiable, and so is the orientation.
public struct TrajectorySpline: Sendable {
    /// A moment of the motion. World: +Y up; body: what the poses were given of.
    public struct Motion: Equatable, Sendable {
        public var time: Double
        public var worldFromBody: RigidTransform
        /// m/s in the world.
        public var velocity: Vector3d
        /// m/s² in the world, without gravity.
        public var acceleration: Vector3d
        /// rad/s about the body's axes.
        public var angularVelocity: Vector3d
        /// rad/s² about the body's axes.
        public var angularAcceleration: Vector3d
    }

    static let degree = 5
    /// In seconds; between them the motion is defined.
    public let start, end: Double
    /// Seconds between two knots.
    let spacing: Double
    /// x, y, z, then the quaternion x, y, z, w, then nothing.
    var controls: [SIMD8<Double>]

    init(start: Double, end: Double, spacing: Double, controls: [SIMD8<Double>]) {
        (self.start, self.end, self.spacing, self.controls) = (start, end, spacing, controls)
    }

    public var duration: Double { end - start }

    /// - Parameter time: in seconds; before the start it is the start, after the end the end.
    public func pose(at time: Double) -> RigidTransform {
        let (first, fraction) = span(time)
        return Self.pose(value(first, fraction, derivative: 0))
    }

    /// - Parameter time: in seconds; before the start it is the start, after the end the end.
    public func motion(at time: Double) -> Motion {
        let (first, fraction) = span(time)
        let s = value(first, fraction, derivative: 0)
        let s1 = value(first, fraction, derivative: 1) / spacing
        let s2 = value(first, fraction, derivative: 2) / (spacing * spacing)
        let (q, q1, q2) = (s.turn, s1.turn, s2.turn)
        // ω/2 is the vector part of q⁻¹ q', whatever q's length; once more differentiated for the acceleration.
        let squared = (q * q).sum()
        let half = Self.vectorOfConjugateProduct(q, q1) / squared
        let turn = Self.vectorOfConjugateProduct(q, q2) / squared - half * (2 * (q * q1).sum() / squared)
        return Motion(
            time: clamp(time, start, end), worldFromBody: Self.pose(s), velocity: s1.place, acceleration: s2.place,
            angularVelocity: half * 2, angularAcceleration: turn * 2)
    }

    /// Poses at even times, the first at the start.
    /// - Parameter rate: in 1/s, above 0.
    public func poses(rate: Double) -> [TimedPose] {
        (0...Int(duration * rate + 1e-9)).map { index in
            let time = start + Double(index) / rate
            return TimedPose(time: time, pose: pose(at: time))
        }
    }

    func span(_ time: Double) -> (first: Int, fraction: Double) {
        let place = (clamp(time, start, end) - start) / spacing
        let first = min(max(Int(place), 0), controls.count - Self.degree - 1)
        return (first, place - Double(first))
    }

    /// A derivative with respect to knots: that of a B-spline is a B-spline of one degree less through the differences of its control points.
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

    /// The weights of the `degree + 1` control points that a span knows, by Cox and de Boor's recursion for even knots.
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
        RigidTransform(rotation: Matrix3d(quaternion: s.turn), translation: s.place)
    }

    /// The x, y, z of conj(a) b.
    static func vectorOfConjugateProduct(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> Vector3d {
        let (av, bv) = (Vector3d(a.x, a.y, a.z), Vector3d(b.x, b.y, b.z))
        return a.w * bv - b.w * av - cross(av, bv)
    }
}

extension SIMD8<Double> {
    var place: Vector3d { Vector3d(self[0], self[1], self[2]) }
    var turn: SIMD4<Double> { SIMD4(self[3], self[4], self[5], self[6]) }
    init(_ place: Vector3d, _ turn: SIMD4<Double>) { self.init(place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w, 0) }
}
