import VitrineMath
import VitrineVision

/// What an IMU says of the way from one moment to another, whatever the pose and the velocity at the first were; and how that changes with
/// the biases.
///
/// Forster, Carlone, Dellaert & Scaramuzza, "On-manifold preintegration for real-time visual-inertial odometry", 2017. With R, v, p at the
/// start in a world where gravity is g, after `duration` seconds T:
/// R' = R ΔR, v' = v + g T + R Δv, p' = p + v T + g T²/2 + R Δp.
struct Preintegration: Sendable {
    /// In seconds.
    private(set) var duration = 0.0
    /// ΔR: the body at the start from the body at the end.
    private(set) var rotation = Matrix3d.identity
    /// Δv in m/s and Δp in m, both on the axes of the body at the start.
    private(set) var velocity = Vector3d.zero
    private(set) var position = Vector3d.zero
    /// The biases that were taken off the readings.
    let gyroscopeBias, accelerometerBias: Vector3d
    /// Derivatives by the biases; the rotation's on the right of ΔR.
    private(set) var rotationByGyroscope = zero
    private(set) var velocityByGyroscope = zero
    private(set) var velocityByAccelerometer = zero
    private(set) var positionByGyroscope = zero
    private(set) var positionByAccelerometer = zero
    /// Covariance of rotation (on the right), velocity and position: the blocks of its upper triangle.
    private(set) var covariance = Covariance()

    struct Covariance: Sendable {
        var rr = zero
        var rv = zero
        var rp = zero
        var vv = zero
        var vp = zero
        var pp = zero
    }

    private static let zero = Matrix3d(.zero, .zero, .zero)

    init(gyroscopeBias: Vector3d = .zero, accelerometerBias: Vector3d = .zero) {
        (self.gyroscopeBias, self.accelerometerBias) = (gyroscopeBias, accelerometerBias)
    }

    /// Over `samples`, whose first and last lie at the two moments.
    init(
        _ samples: [InertialSample], noise: InertialNoise, gyroscopeBias: Vector3d = .zero, accelerometerBias: Vector3d = .zero
    ) {
        self.init(gyroscopeBias: gyroscopeBias, accelerometerBias: accelerometerBias)
        for (a, b) in zip(samples, samples.dropFirst()) where b.time > a.time { add(a, b, noise) }
    }

    /// One step, by the trapezoidal rule.
    private mutating func add(_ a: InertialSample, _ b: InertialSample, _ noise: InertialNoise) {
        let step = b.time - a.time
        let turn = ((a.angularVelocity + b.angularVelocity) / 2 - gyroscopeBias) * step
        let (turned, jacobian) = (Matrix3d.rotation(turn), Rotations.rightJacobian(turn))
        let next = rotation * turned
        let (first, second) = (a.acceleration - accelerometerBias, b.acceleration - accelerometerBias)
        let push = (rotation * first + next * second) / 2

        let nextByGyroscope = turned.transpose * rotationByGyroscope - jacobian * step
        let pushByGyroscope =
            (rotation * Matrix3d.skew(first) * rotationByGyroscope + next * Matrix3d.skew(second) * nextByGyroscope) * -0.5
        let pushByAccelerometer = (rotation + next) * -0.5
        spread(turned, jacobian, rotation * Matrix3d.skew((first + second) / 2), step, noise)

        position += velocity * step + push * (step * step / 2)
        positionByGyroscope = positionByGyroscope + velocityByGyroscope * step + pushByGyroscope * (step * step / 2)
        positionByAccelerometer = positionByAccelerometer + velocityByAccelerometer * step + pushByAccelerometer * (step * step / 2)
        velocity += push * step
        velocityByGyroscope = velocityByGyroscope + pushByGyroscope * step
        velocityByAccelerometer = velocityByAccelerometer + pushByAccelerometer * step
        (rotation, rotationByGyroscope) = (next, nextByGyroscope)
        duration += step
    }

    /// Moves the covariance on by a step: errors turn with the body, a turned body pushes the wrong way, and the sensors add their noise.
    private mutating func spread(_ turned: Matrix3d, _ jacobian: Matrix3d, _ push: Matrix3d, _ step: Double, _ noise: InertialNoise) {
        let c = covariance
        let (e, m, h) = (turned.transpose, push * -step, push * (-step * step / 2))
        let (mt, ht) = (m.transpose, h.transpose)
        let vr = c.rv.transpose
        var n = Covariance()
        n.rr = e * c.rr * e.transpose + jacobian * jacobian.transpose * (noise.gyroscope * noise.gyroscope * step)
        n.rv = e * (c.rr * mt + c.rv)
        n.rp = e * (c.rr * ht + c.rv * step + c.rp)
        let accelerometer = noise.accelerometer * noise.accelerometer * step
        n.vv = m * c.rr * mt + m * c.rv + vr * mt + c.vv + Matrix3d.identity * accelerometer
        n.vp = m * (c.rr * ht + c.rv * step + c.rp) + vr * ht + c.vv * step + c.vp + Matrix3d.identity * (accelerometer * step / 2)
        let cross = h * (c.rv * step + c.rp) + c.vp * step
        n.pp =
            h * c.rr * ht + cross + cross.transpose + c.vv * (step * step) + c.pp
            + Matrix3d.identity * (accelerometer * step * step / 4)
        covariance = n
    }

    /// The three with other biases, to first order.
    func corrected(gyroscopeBias: Vector3d, accelerometerBias: Vector3d) -> (rotation: Matrix3d, velocity: Vector3d, position: Vector3d) {
        let (g, a) = (gyroscopeBias - self.gyroscopeBias, accelerometerBias - self.accelerometerBias)
        return (
            rotation * Matrix3d.rotation(rotationByGyroscope * g), velocity + velocityByGyroscope * g + velocityByAccelerometer * a,
            position + positionByGyroscope * g + positionByAccelerometer * a
        )
    }

    /// The covariance as 9×9 numbers by rows.
    var covarianceMatrix: [Double] {
        let c = covariance
        let blocks = [[c.rr, c.rv, c.rp], [c.rv.transpose, c.vv, c.vp], [c.rp.transpose, c.vp.transpose, c.pp]]
        var result = [Double](repeating: 0, count: 81)
        for row in 0..<9 {
            for column in 0..<9 { result[row * 9 + column] = blocks[row / 3][column / 3].column(column % 3)[row % 3] }
        }
        return result
    }
}

extension Matrix3d {
    /// A column by its number.
    func column(_ index: Int) -> Vector3d { index == 0 ? x : index == 1 ? y : z }
}
