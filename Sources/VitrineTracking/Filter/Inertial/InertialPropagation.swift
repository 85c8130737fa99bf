import VitrineMath
import VitrineVision

/// Propagates a state through inertial samples, with its transition matrix and process noise.
///
/// Angular velocity and specific force are linear between samples. The rotation is a fourth-order Magnus expansion (Iserles et al. 2000);
/// velocity and position use Simpson's rule: fourth order like Runge–Kutta at a third of the cost.
///
/// Errors: θ about the world's axes (R = exp(θ) R̂), position, velocity, biases. In this parameterization θ is constant without noise, and its
/// effect on velocity and position is the cross product with their change that gravity does not explain. The transition thus depends only on
/// the states at both ends, as first-estimate Jacobians require (Li & Mourikis 2013).
struct InertialPropagation {
    private(set) var state: FilterState
    let gravity: Vector3d
    private let noise: InertialNoise
    /// Derivatives of orientation, velocity and position by the biases.
    private(set) var orientationByGyroscope = Matrix3d.zero
    private(set) var velocityByGyroscope = Matrix3d.zero, velocityByAccelerometer = Matrix3d.zero
    private(set) var positionByGyroscope = Matrix3d.zero, positionByAccelerometer = Matrix3d.zero
    /// Derivatives by the columns of the matrices of scale and misalignment; not computed unless `byCalibration` is true.
    private var orientationByRates = [Matrix3d](repeating: .zero, count: 3)
    private var velocityByRates = [Matrix3d](repeating: .zero, count: 3), positionByRates = [Matrix3d](repeating: .zero, count: 3)
    private var velocityByForces = [Matrix3d](repeating: .zero, count: 3), positionByForces = [Matrix3d](repeating: .zero, count: 3)
    private let byCalibration: Bool
    /// The process noise, 5×5 blocks in row order: θ, p, v, gyroscope bias, accelerometer bias.
    private var accumulated = [Matrix3d](repeating: .zero, count: 25)
    private(set) var duration = 0.0
    /// The angular velocity in the body at the end, rad/s.
    private(set) var angularVelocity = Vector3d.zero

    init(_ state: FilterState, gravity: Vector3d, noise: InertialNoise, byCalibration: Bool = false) {
        (self.state, self.gravity, self.noise, self.byCalibration) = (state, gravity, noise, byCalibration)
    }

    /// Integrates samples in the order of time; the first one is at the state's time.
    mutating func integrate(_ samples: [InertialSample], withErrors: Bool = true) {
        guard samples.count > 1 else { return }
        for index in 1..<samples.count {
            let dt = samples[index].time - samples[index - 1].time
            guard dt > 0 else { continue }
            // Divide long gaps: the error model is of lower order.
            let pieces = Int(min(max((dt / 0.02).rounded(.up), 1), 1000))
            var from = samples[index - 1]
            for piece in 1...pieces {
                let share = Double(piece) / Double(pieces)
                let (a, b) = (samples[index - 1], samples[index])
                let to = InertialSample(
                    time: a.time + (b.time - a.time) * share,
                    angularVelocity: a.angularVelocity + (b.angularVelocity - a.angularVelocity) * share,
                    acceleration: a.acceleration + (b.acceleration - a.acceleration) * share)
                step(from, to, gap: dt, withErrors)
                from = to
            }
        }
    }

    private mutating func step(_ from: InertialSample, _ to: InertialSample, gap: Double, _ withErrors: Bool) {
        let dt = to.time - from.time
        guard dt > 0 else { return }
        let (w0, w1) = (from.angularVelocity - state.gyroscopeBias, to.angularVelocity - state.gyroscopeBias)
        let (a0, a1) = (from.acceleration - state.accelerometerBias, to.acceleration - state.accelerometerBias)
        let start = state.worldFromBody.rotation
        let wm = (w0 + w1) / 2
        let middle = start * Matrix3d.rotation((w0 + wm) / 2 * (dt / 2) + cross(w0, wm) * (dt * dt / 48))
        let end = (start * Matrix3d.rotation(wm * dt + cross(w0, w1) * (dt * dt / 12))).orthonormalized
        let (f0, fm, f1) = (start * a0, middle * ((a0 + a1) / 2), end * a1)
        let push = (f0 + fm * 4 + f1) * (dt / 6)
        let shove = (f0 + fm * 2) * (dt * dt / 6)
        if withErrors, byCalibration {
            let (rate, force) = ((from.angularVelocity + to.angularVelocity) / 2, (from.acceleration + to.acceleration) / 2)
            propagateCalibrationErrors(start, middle, end, fm, push, shove, dt, rate, force)
        }
        if withErrors { propagateErrors(start, middle, end, fm, push, shove, dt, gap) }
        state.worldFromBody.rotation = end
        state.worldFromBody.translation += state.velocity * dt + gravity * (dt * dt / 2) + shove
        state.velocity += gravity * dt + push
        state.time = to.time
        angularVelocity = w1
        duration += dt
    }

    private mutating func propagateErrors(
        _ start: Matrix3d, _ middle: Matrix3d, _ end: Matrix3d, _ force: Vector3d, _ push: Vector3d, _ shove: Vector3d, _ dt: Double,
        _ gap: Double
    ) {
        let turned = (start + middle * 4 + end) * (dt / 6)
        let (pushed, shoved) = (Matrix3d.skew(push), Matrix3d.skew(shove))
        let forced = Matrix3d.skew(force) * turned
        propagateNoise(turned, pushed, shoved, forced, force, dt, gap)
        positionByGyroscope = positionByGyroscope + velocityByGyroscope * dt - shoved * orientationByGyroscope + forced * (dt * dt / 6)
        positionByAccelerometer = positionByAccelerometer + velocityByAccelerometer * dt - turned * (dt / 2)
        velocityByGyroscope = velocityByGyroscope - pushed * orientationByGyroscope + forced * (dt / 2)
        velocityByAccelerometer = velocityByAccelerometer - turned
        orientationByGyroscope = orientationByGyroscope - turned
    }

    /// Propagates the derivatives by scale and misalignment: an error of a matrix's column acts like one of the bias times the reading.
    private mutating func propagateCalibrationErrors(
        _ start: Matrix3d, _ middle: Matrix3d, _ end: Matrix3d, _ force: Vector3d, _ push: Vector3d, _ shove: Vector3d, _ dt: Double,
        _ rate: Vector3d, _ reading: Vector3d
    ) {
        let turned = (start + middle * 4 + end) * (dt / 6)
        let (pushed, shoved) = (Matrix3d.skew(push), Matrix3d.skew(shove))
        let forced = Matrix3d.skew(force) * turned
        for k in 0..<3 {
            positionByRates[k] =
                positionByRates[k] + velocityByRates[k] * dt - shoved * orientationByRates[k] - forced * (dt * dt / 6 * rate[k])
            velocityByRates[k] = velocityByRates[k] - pushed * orientationByRates[k] - forced * (dt / 2 * rate[k])
            orientationByRates[k] = orientationByRates[k] + turned * rate[k]
            positionByForces[k] = positionByForces[k] + velocityByForces[k] * dt + turned * (dt / 2 * reading[k])
            velocityByForces[k] = velocityByForces[k] + turned * reading[k]
        }
    }

    /// Q ← F Q Fᵀ + the step's noise.
    private mutating func propagateNoise(
        _ turned: Matrix3d, _ pushed: Matrix3d, _ shoved: Matrix3d, _ forced: Matrix3d, _ force: Vector3d, _ dt: Double, _ gap: Double
    ) {
        // Rows: p before v, since p depends on v before the step.
        for k in 0..<5 {
            let (theta, v, bg, ba) = (accumulated[k], accumulated[10 + k], accumulated[15 + k], accumulated[20 + k])
            accumulated[5 + k] = accumulated[5 + k] + v * dt - shoved * theta + forced * (dt * dt / 6) * bg - turned * (dt / 2) * ba
            accumulated[10 + k] = v - pushed * theta + forced * (dt / 2) * bg - turned * ba
            accumulated[k] = theta - turned * bg
        }
        for k in 0..<5 {
            let row = 5 * k
            let (theta, v, bg, ba) = (accumulated[row], accumulated[row + 2], accumulated[row + 3], accumulated[row + 4])
            accumulated[row + 1] =
                accumulated[row + 1] + v * dt - theta * shoved.transpose + bg * forced.transpose * (dt * dt / 6)
                - ba * turned.transpose * (dt / 2)
            accumulated[row + 2] = v - theta * pushed.transpose + bg * forced.transpose * (dt / 2) - ba * turned.transpose
            accumulated[row] = theta - bg * turned.transpose
        }
        let (gyroscope, accelerometer) = densities(gap)
        let turn = Matrix3d.skew(force) * (gyroscope * dt * dt / 2)
        accumulated[0] = accumulated[0] + .identity * (gyroscope * dt)
        accumulated[2] = accumulated[2] + turn
        accumulated[10] = accumulated[10] + turn.transpose
        accumulated[6] = accumulated[6] + .identity * (accelerometer * dt * dt * dt / 3)
        accumulated[7] = accumulated[7] + .identity * (accelerometer * dt * dt / 2)
        accumulated[11] = accumulated[11] + .identity * (accelerometer * dt * dt / 2)
        accumulated[12] = accumulated[12] + .identity * (accelerometer * dt)
        accumulated[18] = accumulated[18] + .identity * (noise.gyroscopeWalk * noise.gyroscopeWalk * dt)
        accumulated[24] = accumulated[24] + .identity * (noise.accelerometerWalk * noise.accelerometerWalk * dt)
    }

    /// Squared densities of white noise. In a gap between samples linear interpolation adds an error, up to 1 rad/s and 3 m/s² for hand motion.
    private func densities(_ gap: Double) -> (Double, Double) {
        let excess = max(0, gap - 0.02)
        let (turn, force) = (min(1, 10 * excess), min(3, 30 * excess))
        return (
            noise.gyroscope * noise.gyroscope + turn * turn * excess, noise.accelerometer * noise.accelerometer + force * force * excess
        )
    }

    /// The transition matrix between first estimates of position and velocity, 15×15 in row order.
    ///
    /// - Parameters:
    ///   - position, velocity: The first estimates at the start, before any update (Huang, Mourikis & Roumeliotis 2008). They keep rotation
    ///     about the vertical and translation of the world unobservable.
    func transition(position: Vector3d, velocity: Vector3d) -> [Double] {
        let moved = state.worldFromBody.translation - position - velocity * duration - gravity * (duration * duration / 2)
        let pushed = state.velocity - velocity - gravity * duration
        var blocks = [Matrix3d](repeating: .zero, count: 25)
        for k in 0..<5 { blocks[6 * k] = .identity }
        blocks[3] = orientationByGyroscope
        blocks[5] = Matrix3d.skew(moved) * -1
        blocks[7] = .identity * duration
        blocks[8] = positionByGyroscope
        blocks[9] = positionByAccelerometer
        blocks[10] = Matrix3d.skew(pushed) * -1
        blocks[13] = velocityByGyroscope
        blocks[14] = velocityByAccelerometer
        return Self.flat(blocks)
    }

    /// The derivatives of the state by scale and misalignment: 15 rows of 18 values, columns of the gyroscope's matrix first.
    var calibrationTransition: [Double] {
        let size = FilterLayout.inertialCalibrationSize
        var result = [Double](repeating: 0, count: 15 * size)
        let blocks = [
            (FilterLayout.orientation, 0, orientationByRates), (FilterLayout.position, 0, positionByRates),
            (FilterLayout.velocity, 0, velocityByRates), (FilterLayout.position, 9, positionByForces),
            (FilterLayout.velocity, 9, velocityByForces),
        ]
        for (first, start, matrices) in blocks {
            for k in 0..<3 {
                for column in 0..<3 {
                    for row in 0..<3 { result[(first + row) * size + start + 3 * k + column] = matrices[k].column(column)[row] }
                }
            }
        }
        return result
    }

    /// The process noise, 15×15 in row order.
    var addedNoise: [Double] { Self.flat(accumulated) }

    private static func flat(_ blocks: [Matrix3d]) -> [Double] {
        var result = [Double](repeating: 0, count: 225)
        for (index, block) in blocks.enumerated() {
            let (row, column) = (index / 5 * 3, index % 5 * 3)
            for k in 0..<3 {
                result[(row + k) * 15 + column] = block.x[k]
                result[(row + k) * 15 + column + 1] = block.y[k]
                result[(row + k) * 15 + column + 2] = block.z[k]
            }
        }
        return result
    }
}
