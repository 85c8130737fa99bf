import VitrineMath
import VitrineVision

extension VisualInertialFilter {
    /// Standard deviations at rest: of the velocity in m/s, and of the pose against the newest clone's, in radians and metres.
    private static let restVelocity = 0.02, restTurn = 0.005, restShift = 0.01

    /// Notices that the body stands still, and uses it: no motion, the rate is the gyroscope's bias, the force is gravity and the accelerometer's
    /// bias, the pose is the newest clone's.
    ///
    /// Without it pictures from one place would push all clones with a baseline out of the window. Nothing is kept of such a picture.
    /// - Returns: nil where it moves, or nobody can say; else whether the filter is well.
    func stayAtRest(_ samples: [InertialSample], _ features: [ObservedFeature]) -> Bool? {
        guard let newest = estimate.order.last, samples.count > 3, picturesAgree(features, newest), let mean = steadyMean(samples) else {
            return nil
        }
        kalman.begin(covariance)
        addRest(mean, duration: samples[samples.count - 1].time - samples[0].time)
        guard kalman.mahalanobis() <= quantiles[9] else { return nil }
        addHold(newest)
        guard kalman.apply(to: &estimate, covariance) else { return false }
        (estimate.firstPosition, estimate.firstVelocity) = (estimate.body.worldFromBody.translation, estimate.body.velocity)
        for feature in features {
            if let index = pointIndex[feature.id] { estimate.points[index].seen = pictureTime }
        }
        return true
    }

    /// Whether features are where the newest clone's picture had them: the median is, of at least ten.
    private func picturesAgree(_ features: [ObservedFeature], _ newest: Int) -> Bool {
        var moved: [Double] = []
        for feature in features {
            let old: Vector2d
            if let index = pointIndex[feature.id] {
                old = estimate.points[index].pixel
            } else if let index = trackIndex[feature.id], tracks[index].isSeen(in: newest) {
                old = tracks[index].pixels[newest]
            } else {
                continue
            }
            let distance = length(feature.pixel - old)
            if distance.isFinite { moved.append(distance) }
        }
        guard moved.count >= 10 else { return false }
        moved.sort()
        return moved[moved.count / 2] <= settings.restDisparity
    }

    /// The mean sample, where the samples differ no more than noise, and a little, makes them.
    private func steadyMean(_ samples: [InertialSample]) -> InertialSample? {
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
        let duration = samples[samples.count - 1].time - samples[0].time
        let (noise, rate) = (estimate.rig.noise, count / max(duration, 1e-6))
        // By component: noise's variance is its squared density times the rate.
        func allowed(_ density: Double, _ least: Double) -> Double {
            3 * (settings.restNoise * settings.restNoise * density * density * rate + least * least)
        }
        guard turn <= allowed(noise.gyroscope, 0.01), force <= allowed(noise.accelerometer, 0.05) else { return nil }
        return mean
    }

    private func addRest(_ mean: InertialSample, duration: Double) {
        let body = estimate.body
        let factor = settings.restNoise / max(duration, 1e-3).squareRoot()
        let (rateWeight, forceWeight) = (
            1 / max(factor * estimate.rig.noise.gyroscope, 1e-6), 1 / max(factor * estimate.rig.noise.accelerometer, 1e-5)
        )
        let fromWorld = body.worldFromBody.rotation.transpose
        let rate = mean.angularVelocity - body.gyroscopeBias
        let force = mean.acceleration - body.accelerometerBias + fromWorld * settings.gravity
        let byTurn = (fromWorld * Matrix3d.skew(settings.gravity) * -1).transpose
        let turns = [byTurn.x, byTurn.y, byTurn.z]
        for k in 0..<3 {
            add([FilterLayout.velocity + k], [1 / Self.restVelocity], -body.velocity[k] / Self.restVelocity)
            add([FilterLayout.gyroscopeBias + k], [rateWeight], rate[k] * rateWeight)
            let turn = turns[k] * forceWeight
            add(
                [FilterLayout.accelerometerBias + k, 0, 1, 2], [forceWeight, turn.x, turn.y, turn.z], force[k] * forceWeight)
        }
    }

    private func addHold(_ newest: Int) {
        let (body, clone) = (estimate.body.worldFromBody, estimate.clones[newest].worldFromBody)
        let turn = (clone.rotation * body.rotation.transpose).rotationVector / Self.restTurn
        let shift = (clone.translation - body.translation) / Self.restShift
        for k in 0..<3 {
            let column = layout.clone(newest) + k
            add([FilterLayout.orientation + k, column], [1 / Self.restTurn, -1 / Self.restTurn], turn[k])
            add([FilterLayout.position + k, column + 3], [1 / Self.restShift, -1 / Self.restShift], shift[k])
        }
    }

    private func add(_ columns: [Int], _ values: [Double], _ residual: Double) {
        let columns = columns.map(Int32.init)
        columns.withUnsafeBufferPointer { kalman.add(columns: $0, coefficients: values, residual: residual, covariance) }
    }
}
