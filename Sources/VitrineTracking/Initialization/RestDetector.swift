import VitrineMath
import VitrineVision

/// Detects a stationary device and derives a filter state from it.
struct RestDetector: Sendable {
    struct Settings: Equatable, Sendable {
        /// Required duration in seconds.
        var duration = 0.6
        /// Largest standard deviation of an axis over that time: gyroscope (rad/s), accelerometer (m/s²).
        var gyroscopeDeviation = 0.02
        var accelerometerDeviation = 0.12
        /// Largest plausible gyroscope bias, rad/s.
        var maximumBias = 0.12
        /// Largest difference of the accelerometer's magnitude from gravity, m/s².
        var maximumForceError = 0.6
        /// Largest image motion in radians, corrected for noise.
        var maximumImageMotion = 0.0015
        var gravity = 9.81
    }

    /// The mean readings of a stationary device.
    struct Rest: Sendable {
        /// rad/s and m/s².
        var angularVelocity, acceleration: Vector3d
        /// Standard deviation of the mean angular velocity, largest axis, rad/s.
        var angularDeviation: Double
        /// End of the rest on the IMU's clock.
        var time: Double
    }

    var settings = Settings()

    /// Returns the rest if the IMU was still over the last `duration` seconds before `time` on its clock.
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
        guard rateSpread <= settings.gyroscopeDeviation, forceSpread <= settings.accelerometerDeviation,
            length(rate) <= settings.maximumBias,
            abs(length(force) - settings.gravity) <= settings.maximumForceError
        else { return nil }
        return Rest(
            angularVelocity: rate, acceleration: force, angularDeviation: max(rateSpread / count.squareRoot(), 1e-4),
            time: min(time, last.time))
    }

    /// Whether the images are still, too: uniform motion looks like rest to an IMU.
    func isStill(_ window: InitializationWindow) -> Bool {
        guard let last = window.frames.last else { return true }
        let frames = window.frames.filter { last.time - $0.time <= settings.duration }
        return (InitializationWindow.movement(frames, minimumCount: 10) ?? 0) <= settings.maximumImageMotion
    }

    /// The filter state of a stationary device.
    ///
    /// The excess of the accelerometer along gravity is its bias; across gravity, bias and tilt cannot be distinguished.
    /// - Parameter worldFromBody: Gives the pose for a level orientation: heading and position are free.
    func state(_ rest: Rest, worldFromBody: (Matrix3d) -> RigidTransform) -> FilterState {
        let up = normalize(rest.acceleration)
        let level = Rotations.shortest(from: up, to: Vector3d(0, 1, 0))
        return FilterState(
            time: rest.time, worldFromBody: worldFromBody(level), gyroscopeBias: rest.angularVelocity,
            accelerometerBias: rest.acceleration - up * settings.gravity)
    }

    /// The state's covariance, 15×15 in row order: orientation about the world's axes, position, velocity, gyroscope bias, accelerometer bias.
    ///
    /// Tilt and accelerometer bias across gravity are correlated: with u upwards and R = worldFromBody, a tilt θ implies a bias of −g Rᵀ (u × θ).
    func covariance(_ rest: Rest, _ state: FilterState, accelerometerBias: Double) -> [Double] {
        var result = [Double](repeating: 0, count: 225)
        func put(_ block: Matrix3d, _ row: Int, _ column: Int) {
            for i in 0..<3 { for j in 0..<3 { result[(row + i) * 15 + column + j] = block.column(j)[i] } }
        }
        let tilt = accelerometerBias / settings.gravity
        let turn = Matrix3d(Vector3d(tilt * tilt, 0, 0), Vector3d(0, 1e-8, 0), Vector3d(0, 0, tilt * tilt))
        let biasByTilt = state.worldFromBody.rotation.transpose * Matrix3d.skew(Vector3d(0, 1, 0)) * -settings.gravity
        let rate = max(2e-3, 3 * rest.angularDeviation)
        put(turn, 0, 0)
        put(.identity * 1e-8, 3, 3)
        put(.identity * (0.02 * 0.02), 6, 6)
        put(.identity * (rate * rate), 9, 9)
        put(biasByTilt * turn, 12, 0)
        put((biasByTilt * turn).transpose, 0, 12)
        // Uncertainty of the hand's motion and of gravity.
        put(biasByTilt * turn * biasByTilt.transpose + .identity * (0.03 * 0.03), 12, 12)
        return result
    }
}
