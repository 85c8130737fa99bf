import VitrineMath
import VitrineVision

/// Relative motion between two times from inertial samples, independent of the initial pose and velocity; with its covariance and its
/// derivatives by the biases.
///
/// Forster, Carlone, Dellaert & Scaramuzza, "On-manifold preintegration for real-time visual-inertial odometry", 2017. With R, v, p at the
/// start in a world where gravity is g, after `duration` seconds T:
/// R' = R ΔR, v' = v + g T + R Δv, p' = p + v T + g T²/2 + R Δp.
struct Preintegration: Sendable {
    /// The duration in seconds.
    private(set) var duration = 0.0
    /// The rotation ΔR: the start's body from the end's body.
    private(set) var rotation = Matrix3d.identity
    /// Δv in m/s and Δp in m, on the axes of the start's body.
    private(set) var velocity = Vector3d.zero
    private(set) var position = Vector3d.zero
    /// The biases subtracted from the readings.
    let gyroscopeBias, accelerometerBias: Vector3d
    /// Derivatives by the biases; for the rotation, of a perturbation on the right of ΔR.
    private(set) var rotationByGyroscope = Matrix3d.zero
    private(set) var velocityByGyroscope = Matrix3d.zero
    private(set) var velocityByAccelerometer = Matrix3d.zero
    private(set) var positionByGyroscope = Matrix3d.zero
    private(set) var positionByAccelerometer = Matrix3d.zero
    /// Covariance of rotation (on the right), velocity and position.
    private(set) var covariance = Covariance()

    /// The blocks of the upper triangle.
    struct Covariance: Sendable {
        var rr = Matrix3d.zero
        var rv = Matrix3d.zero
        var rp = Matrix3d.zero
        var vv = Matrix3d.zero
        var vp = Matrix3d.zero
        var pp = Matrix3d.zero
    }

    init(gyroscopeBias: Vector3d = .zero, accelerometerBias: Vector3d = .zero) {
        (self.gyroscopeBias, self.accelerometerBias) = (gyroscopeBias, accelerometerBias)
    }

    /// Integrates samples; the first and the last one are at the two times.
    init(
        _ samples: [InertialSample], noise: InertialNoise, gyroscopeBias: Vector3d = .zero, accelerometerBias: Vector3d = .zero
    ) {
        self.init(gyroscopeBias: gyroscopeBias, accelerometerBias: accelerometerBias)
        for (a, b) in zip(samples, samples.dropFirst()) where b.time > a.time { add(a, b, noise) }
    }

    /// Integrates one step by the trapezoidal rule.
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
        propagateCovariance(turned, jacobian, rotation * Matrix3d.skew((first + second) / 2), step, noise)

        position += velocity * step + push * (step * step / 2)
        positionByGyroscope = positionByGyroscope + velocityByGyroscope * step + pushByGyroscope * (step * step / 2)
        positionByAccelerometer = positionByAccelerometer + velocityByAccelerometer * step + pushByAccelerometer * (step * step / 2)
        velocity += push * step
        velocityByGyroscope = velocityByGyroscope + pushByGyroscope * step
        velocityByAccelerometer = velocityByAccelerometer + pushByAccelerometer * step
        (rotation, rotationByGyroscope) = (next, nextByGyroscope)
        duration += step
    }

    /// Propagates the covariance over a step.
    private mutating func propagateCovariance(
        _ turned: Matrix3d, _ jacobian: Matrix3d, _ push: Matrix3d, _ step: Double, _ noise: InertialNoise
    ) {
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

    /// Rotation, velocity and position for other biases, to first order.
    func corrected(gyroscopeBias: Vector3d, accelerometerBias: Vector3d) -> (rotation: Matrix3d, velocity: Vector3d, position: Vector3d) {
        let (g, a) = (gyroscopeBias - self.gyroscopeBias, accelerometerBias - self.accelerometerBias)
        return (
            rotation * Matrix3d.rotation(rotationByGyroscope * g), velocity + velocityByGyroscope * g + velocityByAccelerometer * a,
            position + positionByGyroscope * g + positionByAccelerometer * a
        )
    }

    /// The mean readings, on the axes of the body in the middle.
    var meanReadings: (angularVelocity: Vector3d, acceleration: Vector3d) {
        guard duration > 0 else { return (gyroscopeBias, accelerometerBias) }
        let turn = rotation.rotationVector
        return (turn / duration + gyroscopeBias, Matrix3d.rotation(turn * -0.5) * velocity / duration + accelerometerBias)
    }

    /// The 9×9 covariance in row order.
    var covarianceMatrix: [Double] {
        let c = covariance
        let blocks = [[c.rr, c.rv, c.rp], [c.rv.transpose, c.vv, c.vp], [c.rp.transpose, c.vp.transpose, c.pp]]
        var result = [Double](repeating: 0, count: 81)
        for row in 0..<9 {
            for column in 0..<9 { result[row * 9 + column] = blocks[row / 3][column / 3].column(column % 3)[row % 3] }
        }
        return result
    }

    /// The inverse L⁻¹ of the Cholesky factor of the covariance, 9×9 in row order; nil if the covariance is not positive definite.
    ///
    /// A small variance is added for the error of integrating between samples.
    var whitening: [Double]? {
        var system = SymmetricSystem(size: 9)
        system.matrix = covarianceMatrix
        for k in 0..<9 { system.matrix[10 * k] += k < 3 ? 1e-9 : k < 6 ? 1e-7 : 1e-9 }
        guard let factor = system.factored() else { return nil }
        // Uᵀ = L: its inverse column by column.
        var result = [Double](repeating: 0, count: 81)
        for column in 0..<9 {
            for row in column..<9 {
                var sum = row == column ? 1.0 : 0
                for k in column..<max(column, row) { sum -= factor.upper[k * factor.stride + row] * result[9 * k + column] }
                result[9 * row + column] = sum / factor.upper[row * factor.stride + row]
            }
        }
        return result
    }
}

extension Matrix3d {
    /// A column by its index.
    package func column(_ index: Int) -> Vector3d { index == 0 ? x : index == 1 ? y : z }
}
