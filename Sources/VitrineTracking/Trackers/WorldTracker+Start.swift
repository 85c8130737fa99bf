import VitrineMath
import VitrineVision

/// How it begins.
extension VisualInertialTracker {
    /// Looks for a beginning at the newest picture.
    func begin(_ time: Double) {
        guard inertial.last != nil else { return }
        if beginFromRest(time) { return }
        // What lay still begins there, the better way, but not at any price.
        guard time >= nextAttempt, rest == nil || time - restTime > 1 + Self.restMargin else { return }
        beginInMotion(time)
    }

    /// The newest rest's time on the camera's clock.
    private var restTime: Double { (rest?.time ?? -.infinity) - rig.timeOffset }

    /// - Parameter time: on the IMU's clock.
    func lookForRest(_ time: Double) {
        restChecked = time
        if let found = restDetector.rest(inertial, before: time), restDetector.isStill(window) {
            // The end of what looks still is often the slow beginning of a motion: the rest some moments before is the surer one.
            rests.append(found)
            rests.removeAll { found.time - $0.time > 0.5 }
            rest = rests.last { found.time - $0.time >= Self.restMargin } ?? rests[0]
        } else {
            rests.removeAll()
        }
        if let old = rest, time - old.time > Self.longestFromRest { rest = nil }
    }

    /// A device that lay still knows its velocity, its level and its gyroscope's bias. Begins there once it has moved enough to tell the
    /// camera's clock, and goes through the pictures since.
    private func beginFromRest(_ time: Double) -> Bool {
        guard let rest else { return false }
        let since = time - restTime
        // What moves looks still to an IMU for the moment that its clock is behind the camera's.
        guard since > 0.25 + Self.restMargin else { return false }
        var deviation = timeOffsetDeviation
        if deviation > 0.004 {
            let aligned = alignedClock(rest)
            let enough = since < 0.8 + Self.restMargin ? 0.004 : 0.01
            if let aligned, aligned.timeOffsetDeviation < enough, aligned.residual < 2 {
                rig.timeOffset = aligned.timeOffset
                deviation = max(0.004, aligned.timeOffsetDeviation)
            } else if since < 2 {
                return false
            } else if let aligned, aligned.timeOffsetDeviation < 0.5 * deviation, aligned.residual < 2 {
                (rig.timeOffset, deviation) = (aligned.timeOffset, aligned.timeOffsetDeviation)
            }
        }
        var state = restDetector.state(rest) { level in pose(level, at: rest.time) }
        state.velocity = .zero
        var uncertainty = uncertainty(timeOffset: deviation)
        uncertainty.covariance = restDetector.covariance(
            rest, state, accelerometerBias: settings.accelerometerBiasDeviation)
        diagnostics.startsFromRest += 1
        run(state, uncertainty, from: restTime)
        return true
    }

    /// The clock, from the pictures since the device lay still.
    private func alignedClock(_ rest: RestDetector.Rest) -> RotationAlignment.Result? {
        var options = RotationAlignment.Settings()
        options.sight = initializer.settings.pixelNoise / min(rig.camera.focal.x, rig.camera.focal.y)
        options.bias = 0.002
        options.timeOffset = timeOffsetDeviation
        options.reach = min(0.12, 3 * timeOffsetDeviation)
        let frames = window.frames.filter { $0.time >= restTime - 0.2 }
        guard let first = frames.first, let last = frames.last else { return nil }
        let samples = inertial.samples(
            from: first.time + rig.timeOffset - options.reach - 0.02, to: last.time + rig.timeOffset + options.reach + 0.02)
        return RotationAlignment(
            frames: frames, samples: samples, cameraFromBody: rig.cameraFromBody.rotation, bias: rest.angularVelocity,
            offset: rig.timeOffset, settings: options)?.solve()
    }

    private func beginInMotion(_ time: Double) {
        nextAttempt = time + settings.attemptInterval
        diagnostics.attempts += 1
        var belief = DynamicInitializer.Belief()
        if orientation.knowsBias { (belief.gyroscopeBias, belief.gyroscopeBiasDeviation) = (orientation.gyroscopeBias, 0.01) }
        belief.accelerometerBiasDeviation = settings.accelerometerBiasDeviation
        if let rest { (belief.gyroscopeBias, belief.gyroscopeBiasDeviation) = (rest.angularVelocity, max(2e-3, 3 * rest.angularDeviation)) }
        if let learnt {
            (belief.gyroscopeBias, belief.gyroscopeBiasDeviation) = (learnt.gyroscopeBias, 0.01)
            (belief.accelerometerBias, belief.accelerometerBiasDeviation) = (
                learnt.accelerometerBias, settings.accelerometerBiasDeviation / 2
            )
        }
        (belief.timeOffset, belief.timeOffsetDeviation) = (rig.timeOffset, timeOffsetDeviation)
        var recent = window
        recent.drop(before: time - initializer.settings.longest)
        var shaken = rig
        shaken.noise = noise
        do {
            let estimate = try initializer.start(recent, inertial, rig: shaken, belief: belief)
            diagnostics.startsInMotion += 1
            adopt(estimate, from: time)
        } catch {
            diagnostics.refusals[InitializationFailure.allCases.firstIndex(of: error) ?? 0] += 1
        }
    }

    /// Turns the estimate's heading to that which was shown so far, moves its window's beginning to where the world goes on, and runs.
    private func adopt(_ estimate: StartEstimate, from time: Double) {
        rig.timeOffset = estimate.timeOffset
        var uncertainty = uncertainty(timeOffset: max(0.002, estimate.timeOffsetDeviation))
        var state = estimate.state
        let wanted = orientation.worldFromBody(at: state.time) ?? state.worldFromBody.rotation
        let turn = OrientationEstimator.headingTurn(from: state.worldFromBody.rotation, to: wanted)
        let first = turn * estimate.first.rotation
        let camera = turn * estimate.first.translation + first * rig.cameraFromBody.inverse.translation
        state.worldFromBody = RigidTransform(
            rotation: turn * state.worldFromBody.rotation, translation: turn * state.worldFromBody.translation + continuation - camera)
        state.velocity = turn * state.velocity
        uncertainty.covariance = Self.turned(estimate.covariance, turn)
        health.scaleIsSure = true
        run(state, uncertainty, from: time)
    }

    /// Orientation, position and velocity are told on the world's axes, which turn.
    private static func turned(_ covariance: [Double], _ turn: Matrix3d) -> [Double] {
        func block(_ row: Int, _ column: Int, _ source: [Double]) -> Matrix3d {
            func at(_ i: Int, _ j: Int) -> Double { source[(3 * row + i) * 15 + 3 * column + j] }
            return Matrix3d(
                rows: Vector3d(at(0, 0), at(0, 1), at(0, 2)), Vector3d(at(1, 0), at(1, 1), at(1, 2)), Vector3d(at(2, 0), at(2, 1), at(2, 2))
            )
        }
        var result = covariance
        for row in 0..<5 {
            for column in 0..<5 {
                var part = block(row, column, covariance)
                if row < 3 { part = turn * part }
                if column < 3 { part = part * turn.transpose }
                for i in 0..<3 { for j in 0..<3 { result[(3 * row + i) * 15 + 3 * column + j] = part.column(j)[i] } }
            }
        }
        return result
    }

    /// A level orientation turned to the heading that was shown so far, the camera where the world goes on.
    private func pose(_ level: Matrix3d, at time: Double) -> RigidTransform {
        let shown = orientation.worldFromBody(at: time) ?? level
        // The orientation now, and how the body turned since.
        let since = Preintegration(
            inertial.samples(from: time, to: orientation.time), noise: rig.noise, gyroscopeBias: orientation.gyroscopeBias
        ).rotation
        let then = time < orientation.time ? (orientation.worldFromBody ?? shown) * since.transpose : shown
        let rotation = OrientationEstimator.headingTurn(from: level, to: then) * level
        return RigidTransform(rotation: rotation, translation: continuation - rotation * rig.cameraFromBody.inverse.translation)
    }

    private func uncertainty(timeOffset: Double) -> FilterUncertainty {
        var uncertainty = FilterUncertainty()
        uncertainty.timeOffset = settings.timeOffsetDeviation > 0 ? timeOffset : 0
        uncertainty.extrinsicRotation = settings.extrinsicRotationDeviation
        uncertainty.extrinsicTranslation = settings.extrinsicTranslationDeviation
        (uncertainty.focal, uncertainty.center) = (settings.lensDeviation, settings.lensDeviation)
        if settings.lensDeviation == 0 { uncertainty.lens = .zero }
        return uncertainty
    }

    /// Starts a filter, and takes it through what has come since `time` on the camera's clock.
    private func run(_ state: FilterState, _ uncertainty: FilterUncertainty, from time: Double) {
        let filter = VisualInertialFilter(rig: rig, settings: settings.filter, state: state, uncertainty: uncertainty)
        for sample in inertial.samples where sample.time > state.time - 0.05 { filter.add(sample) }
        self.filter = filter
        rest = nil
        health.begin(at: state, camera: cameraPlace(state.worldFromBody))
        for frame in window.frames where frame.time >= time {
            let features = frame.sights.map {
                ObservedFeature(id: $0.id, pixel: rig.camera.project(Vector3d($0.normalized.x, $0.normalized.y, 1)))
            }
            update(filter, features, frame.time)
            guard self.filter != nil else { return }
        }
    }
}
