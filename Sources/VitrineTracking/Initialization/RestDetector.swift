import VitrineMath
import VitrineVision

/// Tells a device that lies still, and what it says of its sensors then.
struct RestDetector: Sendable {
    struct Settings: Equatable, Sendable {
        /// Seconds that it has to last.
        var duration = 0.6
        /// Standard deviations, over that time, of the gyroscope (rad/s) and the accelerometer (m/s²): the largest axis.
        var gyroscope = 0.02
        var accelerometer = 0.12
        /// A gyroscope that says more than this at rest is broken, or turning evenly: rad/s.
        var largestBias = 0.12
        /// How far from gravity's magnitude the accelerometer may be: m/s².
        var largestForce = 0.6
        /// How far features may move, in radians over the time, their noise taken off.
        var flow = 0.0015
        var gravity = 9.81
    }

    struct Rest: Sendable {
        /// Of the readings.
        var angularVelocity, acceleration: Vector3d
        /// Of the means: the largest axis.
        var angularDeviation: Double
        var time: Double
    }

    var settings = Settings()

    /// Whether the device lay still over the last `duration` seconds before `time` on the IMU's clock, as the IMU says.
    func rest(_ inertial: InertialBuffer, before time: Double) -> Rest? {
        let start = time - settings.duration
        guard let first = inertial.first, first.time <= start, let last = inertial.last, last.time >= time - 0.05 else { return nil }
        let (from, to) = (inertial.firstIndex(after: start), inertial.firstIndex(after: time))
        guard to - from >= 20, inertial.longestGap(from: start, to: min(time, last.time)) < 0.1 else { return nil }
        let samples = inertial.samples[from..<to]
        let count = Double(samples.count)
        let rate = samples.reduce(Vector3d.zero) { $0 + $1.angularVelocity } / count
        let force = samples.reduce(Vector3d.zero) { $0 + $1.acceleration } / count
        var (rates, forces) = (Vector3d.zero, Vector3d.zero)
        for sample in samples {
            let (r, f) = (sample.angularVelocity - rate, sample.acceleration - force)
            (rates, forces) = (rates + r * r, forces + f * f)
        }
        let (rateSpread, forceSpread) = ((rates.max() / count).squareRoot(), (forces.max() / count).squareRoot())
        guard rateSpread <= settings.gyroscope, forceSpread <= settings.accelerometer, length(rate) <= settings.largestBias,
            abs(length(force) - settings.gravity) <= settings.largestForce
        else { return nil }
        return Rest(
            angularVelocity: rate, acceleration: force, angularDeviation: max(rateSpread / count.squareRoot(), 1e-4),
            time: min(time, last.time))
    }

    /// Whether pictures contradict: something that glides evenly looks still to an IMU.
    func isStill(_ window: InitializationWindow) -> Bool {
        guard let last = window.frames.last else { return true }
        let frames = window.frames.filter { last.time - $0.time <= settings.duration }
        return (InitializationWindow.movement(frames, least: 10) ?? 0) <= settings.flow
    }

    /// The state of a device at rest: level by gravity, the camera's heading as `heading` says, position zero.
    ///
    /// What the accelerometer says too much along gravity is its bias; across, nothing tells it from a tilt.
    func state(_ rest: Rest, worldFromBody: (Matrix3d) -> RigidTransform) -> FilterState {
        let up = normalize(rest.acceleration)
        let level = Rotations.shortest(from: up, to: Vector3d(0, 1, 0))
        return FilterState(
            time: rest.time, worldFromBody: worldFromBody(level), gyroscopeBias: rest.angularVelocity,
            accelerometerBias: rest.acceleration - up * settings.gravity)
    }

    /// The state's covariance, 15×15 by rows, in a filter's order: orientation about the world's axes, position, velocity, the biases.
    ///
    /// Tilt and the accelerometer's bias across gravity are unknown, but not by themselves: together they make what was felt. With u upwards and
    /// R worldFromBody a tilt θ goes with a bias of −g Rᵀ (u × θ).
    func covariance(_ rest: Rest, _ state: FilterState, accelerometerBias: Double) -> [Double] {
        var result = [Double](repeating: 0, count: 225)
        func put(_ block: Matrix3d, _ row: Int, _ column: Int) {
            for i in 0..<3 { for j in 0..<3 { result[(row + i) * 15 + column + j] = block.column(j)[i] } }
        }
        let tilt = accelerometerBias / settings.gravity
        let turn = Matrix3d(Vector3d(tilt * tilt, 0, 0), Vector3d(0, 1e-8, 0), Vector3d(0, 0, tilt * tilt))
        let felt = state.worldFromBody.rotation.transpose * Matrix3d.skew(Vector3d(0, 1, 0)) * -settings.gravity
        let rate = max(2e-3, 3 * rest.angularDeviation)
        put(turn, 0, 0)
        put(.identity * 1e-8, 3, 3)
        put(.identity * (0.02 * 0.02), 6, 6)
        put(.identity * (rate * rate), 9, 9)
        put(felt * turn, 12, 0)
        put((felt * turn).transpose, 0, 12)
        // How steady the hand was, and how well gravity is known.
        put(felt * turn * felt.transpose + .identity * (0.03 * 0.03), 12, 12)
        return result
    }
}
