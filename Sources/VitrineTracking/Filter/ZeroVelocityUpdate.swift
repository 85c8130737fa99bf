import VitrineMath
import VitrineVision

/// The zero-velocity update: detects rest, and then measures no motion, the biases and the newest clone's pose.
///
/// It replaces a clone, which would push all baselines out of the window.
struct ZeroVelocityUpdate {
    private let settings: FilterSettings
    private let kalman: FilterUpdate
    private let quantiles: ChiSquare
    /// Standard deviations at rest: velocity in m/s; difference from the newest clone in radians and metres.
    private static let velocityDeviation = 0.02, rotationDeviation = 0.005, translationDeviation = 0.01

    init(settings: FilterSettings, kalman: FilterUpdate, quantiles: ChiSquare) {
        (self.settings, self.kalman, self.quantiles) = (settings, kalman, quantiles)
    }

    /// Updates the state if the device is at rest.
    ///
    /// - Parameter time: The frame's, on the camera's clock.
    /// - Returns: nil if the device moves; otherwise whether the update succeeded.
    func apply(
        _ samples: [InertialSample], _ features: [ObservedFeature], time: Double, _ table: FeatureTrackTable,
        to estimate: inout FilterEstimate
    ) -> Bool? {
        guard let newest = estimate.order.last, samples.count > 3, isStill(features, since: newest, table, estimate),
            let mean = steadyMean(samples, noise: estimate.rig.noise)
        else { return nil }
        kalman.begin()
        addMotionRows(mean, duration: samples[samples.count - 1].time - samples[0].time, estimate)
        guard kalman.mahalanobis() <= quantiles[9] else { return nil }
        addPoseRows(newest: newest, estimate)
        guard kalman.apply(to: &estimate) else { return false }
        estimate.renewFirstMotion()
        for feature in features {
            if let index = estimate.indexOfPoint(feature.id) { estimate.confirmPoint(index, time: time) }
        }
        return true
    }

    /// Whether the median image motion since the newest clone, of at least ten features, is that of a device at rest.
    private func isStill(_ features: [ObservedFeature], since newest: Int, _ table: FeatureTrackTable, _ estimate: FilterEstimate) -> Bool {
        var motions: [Double] = []
        for feature in features {
            let old: Vector2d
            if let index = estimate.indexOfPoint(feature.id) {
                old = estimate.points[index].pixel
            } else if let index = table.index(of: feature.id), table.tracks[index].isObserved(in: newest) {
                old = table.tracks[index].pixels[newest]
            } else {
                continue
            }
            let distance = length(feature.pixel - old)
            if distance.isFinite { motions.append(distance) }
        }
        guard motions.count >= 10 else { return false }
        motions.sort()
        return motions[motions.count / 2] <= settings.restDisparity
    }

    /// The mean of inertial samples whose variance is explained by noise; nil if the device moves.
    private func steadyMean(_ samples: [InertialSample], noise: InertialNoise) -> InertialSample? {
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
    private func addMotionRows(_ mean: InertialSample, duration: Double, _ estimate: FilterEstimate) {
        let (body, noise) = (estimate.body, estimate.rig.noise)
        let factor = settings.restNoise / max(duration, 1e-3).squareRoot()
        let (rateWeight, forceWeight) = (1 / max(factor * noise.gyroscope, 1e-6), 1 / max(factor * noise.accelerometer, 1e-5))
        let fromWorld = body.worldFromBody.rotation.transpose
        let rate = mean.angularVelocity - body.gyroscopeBias
        let force = mean.acceleration - body.accelerometerBias + fromWorld * settings.gravity
        let byTurn = (fromWorld * Matrix3d.skew(settings.gravity) * -1).transpose
        let turns = [byTurn.x, byTurn.y, byTurn.z]
        for k in 0..<3 {
            add([FilterLayout.velocity + k], [1 / Self.velocityDeviation], -body.velocity[k] / Self.velocityDeviation)
            add([FilterLayout.gyroscopeBias + k], [rateWeight], rate[k] * rateWeight)
            let turn = turns[k] * forceWeight
            var (columns, values) = ([FilterLayout.accelerometerBias + k, 0, 1, 2], [forceWeight, turn.x, turn.y, turn.z])
            for column in 0..<3 {
                columns.append(estimate.layout.inertialCalibration + 9 + 3 * column + k)
                values.append(-forceWeight * mean.acceleration[column])
            }
            add(columns, values, force[k] * forceWeight)
        }
    }

    /// Adds six rows: the pose equals the newest clone's.
    private func addPoseRows(newest: Int, _ estimate: FilterEstimate) {
        let (body, clone) = (estimate.body.worldFromBody, estimate.clones[newest].worldFromBody)
        let turn = (clone.rotation * body.rotation.transpose).rotationVector / Self.rotationDeviation
        let shift = (clone.translation - body.translation) / Self.translationDeviation
        for k in 0..<3 {
            let column = estimate.layout.clone(newest) + k
            add([FilterLayout.orientation + k, column], [1 / Self.rotationDeviation, -1 / Self.rotationDeviation], turn[k])
            add([FilterLayout.position + k, column + 3], [1 / Self.translationDeviation, -1 / Self.translationDeviation], shift[k])
        }
    }

    private func add(_ columns: [Int], _ values: [Double], _ residual: Double) {
        columns.map(Int32.init).withUnsafeBufferPointer { kalman.add(columns: $0, coefficients: values, residual: residual) }
    }
}
