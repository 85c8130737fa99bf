import VitrineMath
import VitrineVision

/// The zero-velocity update: detects rest from inertial samples, and measures no motion, the biases and the newest clone's pose.
struct ZeroVelocityUpdate {
    private let settings: FilterSettings
    private let layout: FilterLayout
    /// Standard deviations at rest: velocity in m/s; difference from the newest clone in radians and metres.
    private static let velocityDeviation = 0.02, rotationDeviation = 0.005, translationDeviation = 0.01

    init(settings: FilterSettings, layout: FilterLayout) { (self.settings, self.layout) = (settings, layout) }

    /// The mean of inertial samples whose variance is explained by noise; nil if the device moves.
    func steadyMean(_ samples: [InertialSample], noise: InertialNoise) -> InertialSample? {
        let count = Double(samples.count)
        var mean = InertialSample(time: samples[0].time, angularVelocity: .zero, acceleration: .zero)
        for sample in samples {
            mean.angularVelocity += sample.angularVelocity / count
            mean.acceleration += sample.acceleration / count
        }
        var (turn, force) = (0.0, 0.0)
        for sample in samples {
            turn += lengthSquared(sample.angularVelocity - mean.angularVelocity) / count
            force += lengthSquared(sample.acceleration - mean.acceleration) / count
        }
        let rate = count / max(samples[samples.count - 1].time - samples[0].time, 1e-6)
        // Per component: the variance of white noise is its squared density times the sample rate.
        func limit(_ density: Double, _ minimum: Double) -> Double {
            3 * (settings.restNoise * settings.restNoise * density * density * rate + minimum * minimum)
        }
        guard turn <= limit(noise.gyroscope, 0.01), force <= limit(noise.accelerometer, 0.05) else { return nil }
        return mean
    }

    /// Adds nine rows: velocity is zero, the gyroscope measures its bias, the accelerometer gravity and its bias.
    func addMotionRows(
        _ mean: InertialSample, duration: Double, _ estimate: FilterEstimate, to kalman: FilterUpdate, _ covariance: FilterCovariance
    ) {
        let (body, noise) = (estimate.body, estimate.rig.noise)
        let factor = settings.restNoise / max(duration, 1e-3).squareRoot()
        let (rateWeight, forceWeight) = (1 / max(factor * noise.gyroscope, 1e-6), 1 / max(factor * noise.accelerometer, 1e-5))
        let fromWorld = body.worldFromBody.rotation.transpose
        let rate = mean.angularVelocity - body.gyroscopeBias
        let force = mean.acceleration - body.accelerometerBias + fromWorld * settings.gravity
        let byTurn = (fromWorld * Matrix3d.skew(settings.gravity) * -1).transpose
        let turns = [byTurn.x, byTurn.y, byTurn.z]
        func add(_ columns: [Int], _ values: [Double], _ residual: Double) { Self.add(columns, values, residual, to: kalman, covariance) }
        for k in 0..<3 {
            add([FilterLayout.velocity + k], [1 / Self.velocityDeviation], -body.velocity[k] / Self.velocityDeviation)
            add([FilterLayout.gyroscopeBias + k], [rateWeight], rate[k] * rateWeight)
            let turn = turns[k] * forceWeight
            var (columns, values) = ([FilterLayout.accelerometerBias + k, 0, 1, 2], [forceWeight, turn.x, turn.y, turn.z])
            for column in 0..<3 {
                columns.append(layout.inertialCalibration + 9 + 3 * column + k)
                values.append(-forceWeight * mean.acceleration[column])
            }
            add(columns, values, force[k] * forceWeight)
        }
    }

    /// Adds six rows: the pose equals the newest clone's.
    func addPoseRows(newest: Int, _ estimate: FilterEstimate, to kalman: FilterUpdate, _ covariance: FilterCovariance) {
        let (body, clone) = (estimate.body.worldFromBody, estimate.clones[newest].worldFromBody)
        let turn = (clone.rotation * body.rotation.transpose).rotationVector / Self.rotationDeviation
        let shift = (clone.translation - body.translation) / Self.translationDeviation
        func add(_ columns: [Int], _ values: [Double], _ residual: Double) { Self.add(columns, values, residual, to: kalman, covariance) }
        for k in 0..<3 {
            let column = layout.clone(newest) + k
            add([FilterLayout.orientation + k, column], [1 / Self.rotationDeviation, -1 / Self.rotationDeviation], turn[k])
            add([FilterLayout.position + k, column + 3], [1 / Self.translationDeviation, -1 / Self.translationDeviation], shift[k])
        }
    }

    private static func add(
        _ columns: [Int], _ values: [Double], _ residual: Double, to kalman: FilterUpdate, _ covariance: FilterCovariance
    ) {
        columns.map(Int32.init).withUnsafeBufferPointer { kalman.add(columns: $0, coefficients: values, residual: residual, covariance) }
    }
}
