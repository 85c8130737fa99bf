import Foundation
import Testing
import VitrineMath
import VitrineVision

@testable import VitrineMapping
@testable import VitrineTracking

/// The filter on simulated motion in rooms.
@Suite struct FilterTests {
    struct Flight {
        var rig: SensorRig
        var simulator: InertialSimulator
        var samples: [InertialSample]
        var frames: [FilterRun.Frame]
        var truth: [TimedPose]
        /// Positions of all features, by identifier.
        var positions: [Vector3d]
        var start: FilterState

        /// - Parameters:
        ///   - drift: Random walk of the features in pixels per frame.
        ///   - late: Delay of the camera's time stamps in seconds.
        ///   - inertialError: Standard deviation of each entry of the matrices of the IMU's scale and misalignment.
        init(
            _ path: SimulatedPath, duration: Double = 15, begin: Double = 1.5, rest: Double = 0.5, pixelNoise: Double = 1,
            drift: Double = 0, outliers: Double = 0, rate: Double = 10,
            late: Double = 0, inertialError: Double = 0, seed: UInt64 = 1, noise: InertialNoise = InertialNoise()
        ) throws {
            rig = FilterMathTests.rig(.brownConrady(SIMD4(-0.2, 0.05, 0.0003, -0.0002)))
            rig.noise = noise
            let fromBody = rig.cameraFromBody
            let poses = path.cameraPoses(duration: duration, rest: rest, seed: seed).map {
                TimedPose(time: $0.time, pose: $0.pose * fromBody)
            }
            let spline = try TrajectorySpline(through: poses)
            let bias = (Vector3d(0.01, -0.02, 0.015), Vector3d(0.1, -0.05, 0.08))
            simulator = InertialSimulator(
                rate: 200, noise: noise, gyroscopeBias: bias.0, accelerometerBias: bias.1, seed: 100 + seed)
            if inertialError > 0 { simulator.distort(by: inertialError, seed: seed) }
            samples = simulator.record(spline).samples
            truth = spline.poses(rate: 100)
            var features = FeatureSimulator(
                rig: rig, around: truth.map(\.pose.translation),
                settings: .init(noise: pixelNoise, drift: drift, outliers: outliers, seed: 200 + seed))
            frames = stride(from: begin, to: spline.end - 0.1, by: 1 / rate).map {
                FilterRun.Frame(time: $0 + late, features: features.observe(spline.pose(at: $0)))
            }
            positions = features.truth
            let motion = spline.motion(at: begin)
            start = FilterState(
                time: begin, worldFromBody: motion.worldFromBody, velocity: motion.velocity, gyroscopeBias: bias.0,
                accelerometerBias: bias.1)
        }

        func filter(_ settings: FilterSettings = FilterSettings(), _ uncertainty: FilterUncertainty = .exact) -> VisualInertialFilter {
            VisualInertialFilter(rig: rig, settings: settings, state: start, uncertainty: uncertainty)
        }

        func comparison(_ run: FilterRun, _ alignment: TrajectoryComparison.Alignment = .none) throws -> TrajectoryComparison {
            try TrajectoryComparison(estimate: run.estimate, truth: truth, alignment: alignment)
        }
    }

    /// Positions measured by a map correct the velocity of a filter that has just started; a position far off is rejected.
    @Test func mapPositionsCorrectTheVelocity() throws {
        let flight = try Flight(.eight)
        var first = flight
        first.start.velocity += Vector3d(0.12, -0.05, 0.08)
        var uncertainty = FilterUncertainty().calibrated
        (uncertainty.velocity, uncertainty.position) = (0.1, 0.03)
        let filter = first.filter(FilterSettings(), uncertainty)
        var next = 0
        func error() throws -> (position: Vector3d, velocity: Double) {
            let truth = try #require(flight.truth.min { abs($0.time - filter.state.time) < abs($1.time - filter.state.time) })
            let later = try #require(flight.truth.first { $0.time > truth.time + 0.005 })
            let velocity = (later.pose.translation - truth.pose.translation) / (later.time - truth.time)
            return (truth.pose.translation - filter.state.worldFromBody.translation, length(velocity - filter.state.velocity))
        }
        // Without features.
        for frame in flight.frames.prefix(12) {
            while next < flight.samples.count, flight.samples[next].time <= frame.time + 0.006 {
                filter.add(flight.samples[next])
                next += 1
            }
            _ = filter.update(time: frame.time, features: [])
            let noise = Matrix3d.identity * (0.01 * 0.01)
            let off = try error().position
            #expect(!filter.update(position: off + Vector3d(2, 0, 0), covariance: noise, time: frame.time))
            #expect(filter.update(position: off, covariance: noise, time: frame.time))
            #expect(!filter.update(position: off, covariance: noise, time: frame.time + 0.01))
        }
        #expect(try error().velocity < 0.04)
        #expect(length(try error().position) < 0.02)
    }

    /// A map around keyframes of a flight's first round. Its errors are constant for each keyframe.
    private struct SimulatedMap {
        /// Standard deviations of a keyframe's map: heading and position. The noise of a measurement is half of them.
        static let (heading, position) = (0.004, 0.012)

        let flight: Flight
        private var random: GaussianGenerator
        /// True poses of the body, and the errors of heading and position.
        var keyframes: [(pose: RigidTransform, turn: Double, move: Vector3d)] = []
        var (frames, measurements, rejections) = (0, 0, 0)

        init(_ flight: Flight, seed: UInt64) { (self.flight, random) = (flight, GaussianGenerator(seed: seed)) }

        mutating func use(_ filter: VisualInertialFilter, at time: Double) {
            guard let body = flight.truth.min(by: { abs($0.time - time) < abs($1.time - time) })?.pose else { return }
            frames += 1
            if time < 14 {
                guard frames % 12 == 0 else { return }
                filter.addKeyframe(keyframes.count)
                keyframes.append((body, random.next() * Self.heading, random.vector() * Self.position))
            } else if frames % 5 == 0, let nearest = keyframes.indices.min(by: { distance($0, body) < distance($1, body) }) {
                measure(nearest, filter, body, time)
            }
        }

        private func distance(_ keyframe: Int, _ body: RigidTransform) -> Double {
            length(keyframes[keyframe].pose.translation - body.translation)
        }

        private mutating func measure(_ keyframe: Int, _ filter: VisualInertialFilter, _ body: RigidTransform, _ time: Double) {
            guard let reference = filter.worldFromBody(keyframe: keyframe) else { return }
            let (pose, turn, move) = keyframes[keyframe]
            var measured = body * flight.rig.cameraFromBody.inverse
            measured.rotation = .rotation(Vector3d(0, turn + random.next() * Self.heading / 2, 0)) * measured.rotation
            measured.translation += move + random.vector() * (Self.position / 2)
            var covariance = [Double](repeating: 0, count: 16)
            for k in 0..<4 { covariance[5 * k] = k == 0 ? Self.heading * Self.heading : Self.position * Self.position }
            measurements += 1
            let moves = filter.update(
                MapMeasurement(
                    time: time, keyframe: keyframe, worldFromCamera: reference * pose.inverse * measured, covariance: covariance))
            if moves == nil { rejections += 1 }
        }
    }

    /// Poses relative to keyframes of the first round bound the drift. The errors of the map, which all measurements of a keyframe share, stay in the
    /// covariance.
    @Test func mapMeasurementsBoundTheDrift() throws {
        var settings = FilterSettings()
        (settings.points, settings.featureDrift, settings.keyframes) = (0, 0.03, 16)
        let seeds = 4
        var (turn, shift) = (0.0, 0.0)
        var errors = (without: 0.0, with: 0.0)
        for seed in 1...UInt64(seeds) {
            let flight = try Flight(.around, duration: 50, pixelNoise: 0.9, drift: 0.03, outliers: 0.005, seed: seed)
            errors.without += try flight.comparison(
                FilterRun(flight.filter(settings), samples: flight.samples, frames: flight.frames)
            ).positionRMSE
            let filter = flight.filter(settings)
            var map = SimulatedMap(flight, seed: 500 + seed)
            let run = FilterRun(filter, samples: flight.samples, frames: flight.frames) { map.use(filter, at: $0) }
            let comparison = try flight.comparison(run)
            let consistency = comparison.consistency(run.covariances)
            errors.with += comparison.positionRMSE
            turn += consistency.orientation / Double(seeds)
            shift += consistency.position / Double(seeds)
            #expect(map.measurements > 50 && map.rejections * 20 < map.measurements, "\(map.rejections) of \(map.measurements)")
        }
        let figures = "RMSE \(errors.without / Double(seeds)) → \(errors.with / Double(seeds)) m, NEES \(turn) \(shift)"
        if ProcessInfo.processInfo.environment["VITRINE_FIGURES"] != nil { print("  measurements by a map: \(figures)") }
        #expect(errors.with < 0.7 * errors.without, "\(figures)")
        #expect((0.5...5).contains(turn) && (0.5...5).contains(shift), "\(figures)")
    }

    /// The images do not estimate a keyframe: its pose and covariance stay, and the pose relative to it becomes less certain with the way.
    @Test func keyframesAreConsiderParametersOfTheImages() throws {
        var settings = FilterSettings()
        (settings.points, settings.keyframes) = (0, 2)
        let flight = try Flight(.around, duration: 8)
        let filter = flight.filter(settings)
        var poses: [RigidTransform?] = []
        var (frame, variances, drifts) = (0, [Double](), [DriftVariance]())
        _ = FilterRun(filter, samples: flight.samples, frames: flight.frames) { _ in
            frame += 1
            if frame == 20 { filter.addKeyframe(3) }
            guard frame >= 20 else { return }
            poses.append(filter.worldFromBody(keyframe: 3))
            variances.append(filter.covariance[filter.layout.keyframe(0) + 3, filter.layout.keyframe(0) + 3])
            drifts.append(filter.driftSinceKeyframes[3] ?? DriftVariance())
        }
        #expect(poses[0] != nil && poses.allSatisfy { $0 == poses[0] })
        #expect(variances[0] > 0 && variances.allSatisfy { $0 == variances[0] })
        #expect(drifts[0].position < 1e-9 && drifts[0].heading < 1e-12)
        #expect(drifts[drifts.count - 1].position > drifts[5].position)
        filter.removeKeyframes()
        #expect(filter.driftSinceKeyframes.isEmpty && filter.worldFromBody(keyframe: 3) == nil)
    }

    /// A measurement by the map that contradicts the estimate changes neither the state nor its covariance.
    @Test func rejectedMapMeasurementsChangeNothing() throws {
        var settings = FilterSettings()
        (settings.points, settings.keyframes) = (0, 2)
        let flight = try Flight(.around, duration: 4)
        let filter = flight.filter(settings)
        var frame = 0
        _ = FilterRun(filter, samples: flight.samples, frames: flight.frames) { time in
            frame += 1
            if frame == 10 { filter.addKeyframe(3) }
            guard frame == 20 else { return }
            let pose = filter.state.worldFromBody * filter.rig.cameraFromBody.inverse
            var covariance = [Double](repeating: 0, count: 16)
            for k in 0..<4 { covariance[5 * k] = 1e-4 }
            var measurement = MapMeasurement(time: time, keyframe: 3, worldFromCamera: pose, covariance: covariance)
            measurement.worldFromCamera.translation += Vector3d(2, 0, 0)
            let (before, state) = (filter.driftSinceKeyframes, filter.stateCovariance)
            #expect(filter.update(measurement) == nil)
            #expect(filter.driftSinceKeyframes == before && filter.stateCovariance == state)
            // The next measurement is the first one with an effect: it includes the error of the map.
            measurement.worldFromCamera = pose
            let moves = filter.update(measurement)
            #expect(moves?.count == 1)
            #expect(filter.driftSinceKeyframes != before)
        }
        #expect(frame > 20)
    }

    @Test func theKeptKeyframeIsNotReplaced() throws {
        var settings = FilterSettings()
        (settings.points, settings.keyframes) = (0, 3)
        let flight = try Flight(.around, duration: 8)
        let filter = flight.filter(settings)
        var frame = 0
        _ = FilterRun(filter, samples: flight.samples, frames: flight.frames) { _ in
            frame += 1
            if frame >= 20 { filter.addKeyframe(frame, keeping: 20) }
        }
        #expect(frame > 24 && filter.driftSinceKeyframes.count == 3)
        #expect(filter.worldFromBody(keyframe: 20) != nil && filter.worldFromBody(keyframe: 19) == nil)
    }

    /// The mean normalized squared error (NEES) over six runs is near 3. The errors within a run are strongly correlated, so that the bounds are
    /// wide.
    @Test func covariancesAreConsistent() throws {
        var (turn, shift, count) = (0.0, 0.0, 0.0)
        for seed in 1...6 as ClosedRange<UInt64> {
            let flight = try Flight(seed % 2 == 0 ? .eight : .around, seed: seed)
            var random = GaussianGenerator(seed: 300 + seed)
            var (first, uncertainty) = (flight, FilterUncertainty())
            // The initial state's errors are drawn from its covariance.
            (uncertainty.velocity, uncertainty.tilt, uncertainty.gyroscopeBias, uncertainty.accelerometerBias) = (0.03, 0.005, 2e-3, 0.03)
            uncertainty = uncertainty.calibrated
            let tilt = random.vector() * uncertainty.tilt
            first.start.worldFromBody.rotation = .rotation(Vector3d(tilt.x, 0, tilt.z)) * flight.start.worldFromBody.rotation
            first.start.velocity += random.vector() * uncertainty.velocity
            first.start.gyroscopeBias += random.vector() * uncertainty.gyroscopeBias
            first.start.accelerometerBias += random.vector() * uncertainty.accelerometerBias
            let run = FilterRun(first.filter(FilterSettings(), uncertainty), samples: flight.samples, frames: flight.frames)
            let comparison = try flight.comparison(run)
            let consistency = comparison.consistency(run.covariances)
            #expect(comparison.positionRMSE < 0.06, "seed \(seed)")
            #expect(comparison.orientationRMSE < 0.01, "seed \(seed)")
            turn += consistency.orientation / 6
            shift += consistency.position / 6
            count += 1
        }
        #expect(count == 6 && (1...5.5).contains(turn) && (1...5.5).contains(shift), "\(turn) \(shift)")
    }

    /// Features that drift over their surfaces, as patches do that are matched with the previous frame: with `featureDrift` the covariance stays
    /// consistent, although the errors of successive observations are correlated.
    @Test func driftingFeaturesKeepTheCovarianceConsistent() throws {
        var settings = FilterSettings()
        let overconfident = try Self.consistencyWithDriftingFeatures(settings)
        settings.featureDrift = 0.06
        let consistent = try Self.consistencyWithDriftingFeatures(settings)
        #expect((0.5...5).contains(consistent.orientation) && (0.5...5).contains(consistent.position), "\(consistent)")
        #expect(
            overconfident.orientation + overconfident.position > 1.5 * (consistent.orientation + consistent.position),
            "\(overconfident) \(consistent)")
    }

    private static func consistencyWithDriftingFeatures(_ settings: FilterSettings) throws -> (orientation: Double, position: Double) {
        var mean = (orientation: 0.0, position: 0.0)
        for seed in 1...4 as ClosedRange<UInt64> {
            let flight = try Flight(seed % 2 == 0 ? .held : .around, pixelNoise: 0.1, drift: 0.06, rate: 20, seed: seed)
            let run = FilterRun(flight.filter(settings), samples: flight.samples, frames: flight.frames)
            let consistency = try flight.comparison(run).consistency(run.covariances)
            mean.orientation += consistency.orientation / 4
            mean.position += consistency.position / 4
        }
        return mean
    }

    /// The covariance of the camera's pose follows from those of the body's pose and of the extrinsics: compared with finite differences.
    @Test func cameraCovarianceIncludesExtrinsics() throws {
        let flight = try Flight(.eight, duration: 5)
        let filter = flight.filter(FilterSettings(), FilterUncertainty())
        _ = FilterRun(filter, samples: flight.samples, frames: flight.frames)
        let (now, step) = (filter.state.worldFromBody * filter.rig.cameraFromBody.inverse, 1e-6)
        let columns = Array(0..<6) + Array(FilterLayout.extrinsics..<FilterLayout.extrinsics + 6)
        let slopes = columns.map { column -> [Double] in
            var (moved, error) = (filter.estimate, [Double](repeating: 0, count: filter.layout.capacity))
            error[column] = step
            moved.correct(error, estimatesKeyframes: false)
            let pose = moved.body.worldFromBody * moved.rig.cameraFromBody.inverse
            let turn = (pose.rotation * now.rotation.transpose).rotationVector / step
            let shift = (pose.translation - now.translation) / step
            return [turn.x, turn.y, turn.z, shift.x, shift.y, shift.z]
        }
        let reported = filter.cameraCovariance
        for row in 0..<6 {
            for column in 0..<6 {
                var sum = 0.0
                for (a, i) in columns.enumerated() {
                    for (b, j) in columns.enumerated() { sum += slopes[a][row] * filter.covariance[i, j] * slopes[b][column] }
                }
                #expect(abs(reported[row * 6 + column] - sum) < 1e-4 * (reported[row * 7] * reported[column * 7]).squareRoot())
            }
        }
    }

    /// The covariance stays consistent over a minute, with drifting features and no points in the state.
    @Test func covarianceStaysConsistentOverAMinute() throws {
        var settings = FilterSettings()
        (settings.points, settings.featureDrift) = (0, 0.03)
        var (turn, shift) = (0.0, 0.0)
        let seeds = 4
        for seed in 1...UInt64(seeds) {
            let flight = try Flight(
                seed % 2 == 0 ? .eight : .around, duration: 60, pixelNoise: 0.9, drift: 0.03, outliers: 0.005, seed: seed)
            let run = FilterRun(flight.filter(settings), samples: flight.samples, frames: flight.frames)
            let consistency = try flight.comparison(run).consistency(run.covariances)
            turn += consistency.orientation / Double(seeds)
            shift += consistency.position / Double(seeds)
        }
        #expect((0.8...5).contains(turn) && (0.8...5).contains(shift), "\(turn) \(shift)")
        if ProcessInfo.processInfo.environment["VITRINE_FIGURES"] != nil {
            print("  NEES over a minute: orientation \(turn), position \(shift)")
        }
    }

    /// Without points in the state the filter reports triangulated points: enough of them, with consistent deviations, and without jumps.
    @Test(arguments: [0.3, 0.9]) func pointDeviationsAreConsistent(_ noise: Double) throws {
        var settings = FilterSettings()
        (settings.points, settings.featureDrift) = (0, 0.03)
        var (squares, count, off, moved, shown) = (0.0, 0.0, [Double](), [Double](), [Int]())
        for seed in 1...3 as ClosedRange<UInt64> {
            let flight = try Flight(
                seed % 2 == 0 ? .eight : .around, pixelNoise: noise, drift: 0.03, outliers: 0.003, rate: 20, seed: seed)
            let filter = flight.filter(settings)
            flight.samples.forEach(filter.add)
            var before: [Int: TrackedPoint] = [:]
            for frame in flight.frames {
                _ = filter.update(time: frame.time, features: frame.features)
                let camera = filter.rig.cameraFromBody * filter.state.worldFromBody.inverse
                let spline = flight.truth.min { abs($0.time - frame.time) < abs($1.time - frame.time) }!
                let trueCamera = flight.rig.cameraFromBody * spline.pose.inverse
                if frame.time > 3 { shown.append(filter.points.count) }
                for point in filter.points {
                    let error = length(camera * point.position - trueCamera * flight.positions[point.id])
                    #expect(point.deviation > 0)
                    // Limits the influence of outliers.
                    off.append(error / point.deviation)
                    squares += min(9, error * error / (point.deviation * point.deviation))
                    count += 1
                    if let old = before[point.id] { moved.append(length(point.position - old.position) / point.deviation) }
                }
                before = Dictionary(uniqueKeysWithValues: filter.points.map { ($0.id, $0) })
            }
        }
        off.sort()
        moved.sort()
        let figures =
            "mean square \(squares / count), median \(off[off.count / 2]), moved \(moved[moved.count * 9 / 10]), shown \(shown.reduce(0, +) / shown.count)"
        if ProcessInfo.processInfo.environment["VITRINE_FIGURES"] != nil { print("  points with a noise of \(noise) pixels: \(figures)") }
        #expect((0.15...3.5).contains(squares / count), "\(figures)")
        #expect(moved[moved.count * 9 / 10] < 0.7, "\(figures)")
        #expect(shown.reduce(0, +) / shown.count > 60, "\(figures)")
    }

    /// Heading and position of the world are unobservable: their variance must not decrease.
    @Test func headingStaysUnobservable() throws {
        let flight = try Flight(.around)
        var uncertainty = FilterUncertainty.exact
        // Adds the covariance of a rotation of the world about +Y by 0.05 rad, and of a translation by 0.2 m.
        let (up, motion) = (Vector3d(0, 1, 0), flight.start)
        let turned = [up, cross(up, motion.worldFromBody.translation), cross(up, motion.velocity), .zero, .zero]
        var spread = flight.filter().stateCovariance
        for row in 0..<15 {
            for column in 0..<15 { spread[row * 15 + column] += 0.0025 * turned[row / 3][row % 3] * turned[column / 3][column % 3] }
        }
        for k in 3..<6 { spread[k * 16] += 0.04 }
        uncertainty.covariance = spread
        let filter = flight.filter(FilterSettings(), uncertainty)
        let run = FilterRun(filter, samples: flight.samples, frames: flight.frames)
        #expect(!run.reports.contains { $0.renewedFirstEstimates })
        let c = run.covariances.last!
        #expect(c[7].squareRoot() > 0.05 * 0.995)
        for k in 3..<6 { #expect(c[k * 7].squareRoot() > 0.2 * 0.99) }
    }

    /// The camera's time stamps are 47 ms late, its rotation is wrong by half a degree, and its focal lengths by 3 pixels.
    @Test func estimatesCalibrationInMotion() throws {
        let flight = try Flight(.eight, duration: 25, late: 0.047, noise: InertialNoise(accelerometerWalk: 3e-4))
        var uncertainty = FilterUncertainty.exact
        (uncertainty.timeOffset, uncertainty.extrinsicRotation, uncertainty.focal) = (0.03, 0.01, 4)
        var wrong = flight
        wrong.rig.cameraFromBody.rotation = .rotation(Vector3d(0.006, -0.005, 0.004)) * flight.rig.cameraFromBody.rotation
        wrong.rig.camera.focal += Vector2d(3, -3)
        wrong.rig.timeOffset = -0.02
        wrong.start.time -= 0.001
        let filter = wrong.filter(FilterSettings(), uncertainty)
        _ = FilterRun(filter, samples: flight.samples, frames: flight.frames)
        let turn = (filter.rig.cameraFromBody.rotation * flight.rig.cameraFromBody.rotation.transpose).rotationVector
        #expect(abs(filter.rig.timeOffset + 0.047) < 1e-3)
        #expect(length(turn) < 2e-3)
        #expect(length(filter.rig.camera.focal - flight.rig.camera.focal) < 1.5)
    }

    /// An IMU whose scale and misalignment are wrong by 1 %, as that of a phone.
    @Test func estimatesTheInertialCalibration() throws {
        let flight = try Flight(.eight, duration: 30, inertialError: 0.01)
        func result(
            _ estimatesCalibration: Bool
        ) throws -> (error: Double, consistency: TrajectoryComparison.Consistency, gyroscope: Matrix3d) {
            var uncertainty = FilterUncertainty.exact
            uncertainty.inertialCalibration = estimatesCalibration ? 0.01 : 0
            // The initial state is exact: it was not determined from readings.
            uncertainty.stateByCalibration = [Double](repeating: 0, count: 15 * 18)
            let filter = flight.filter(FilterSettings(), uncertainty)
            let run = FilterRun(filter, samples: flight.samples, frames: flight.frames)
            let comparison = try flight.comparison(run)
            return (comparison.positionRMSE, comparison.consistency(run.covariances), filter.estimate.gyroscopeCorrection)
        }
        let (ignored, estimated) = (try result(false), try result(true))
        #expect(ignored.gyroscope == .identity)
        #expect(estimated.error < 0.5 * ignored.error, "\(estimated.error) m, \(ignored.error) m")
        #expect(ignored.consistency.orientation > 3 * estimated.consistency.orientation)
        let truth = flight.simulator.gyroscopeDistortion
        func deviation(_ correction: Matrix3d) -> Double {
            let error = correction * truth - .identity
            return (lengthSquared(error.x) + lengthSquared(error.y) + lengthSquared(error.z)).squareRoot()
        }
        #expect(deviation(estimated.gyroscope) < 0.5 * deviation(.identity))
    }

    @Test func doesNotMoveAtRest() throws {
        let flight = try Flight(.around, duration: 6, begin: 0.5, rest: 4, pixelNoise: 0.15)
        let filter = flight.filter(FilterSettings(), FilterUncertainty().calibrated)
        let run = FilterRun(filter, samples: flight.samples, frames: flight.frames)
        let still = run.reports.filter { $0.time < 3.9 }
        #expect(still.filter(\.isAtRest).count > still.count - 3)
        #expect(still.last!.clones < 3)
        #expect(run.reports.last!.outcome == .updated)
        let comparison = try flight.comparison(run, .first)
        for pair in comparison.pairs where pair.time < 3.9 { #expect(length(pair.positionError) < 0.01) }
        #expect(comparison.positionRMSE < 0.05)
    }

    @Test func toleratesBrokenInput() throws {
        let flight = try Flight(.eight, outliers: 0.1)
        var samples: [InertialSample] = []
        for (index, sample) in flight.samples.enumerated() {
            var broken = sample
            switch index % 97 {
            case 3: broken.acceleration.y = .nan
            case 11: broken.time -= 0.02
            case 20: broken.angularVelocity.x = .infinity
            case 31: broken.time += 1e6
            default: break
            }
            samples.append(broken)
        }
        var frames = flight.frames
        // Gaps of 0.4 s, a covered lens for one second, repeated and earlier time stamps, and features that are not finite.
        frames.removeAll { Int(($0.time * 10).rounded()) % 40 < 4 }
        for index in frames.indices where (6..<7).contains(frames[index].time) { frames[index].features = [] }
        frames.insert(frames[20], at: 21)
        frames.insert(frames[10], at: 31)
        frames.insert(.init(time: .nan, features: []), at: 40)
        for index in frames.indices where index % 7 == 0 {
            frames[index].features.insert(ObservedFeature(id: 5, pixel: Vector2d(.nan, 3)), at: 0)
            frames[index].features += frames[index].features
        }
        let filter = flight.filter(FilterSettings(), FilterUncertainty().calibrated)
        let run = FilterRun(filter, samples: samples, frames: frames)
        let comparison = try flight.comparison(run, .first)
        #expect(run.reports.filter { $0.outcome == .skipped }.count == 3)
        #expect(run.reports.last!.outcome == .updated)
        #expect(run.reports.last!.samplesSkipped > 50)
        #expect(comparison.positionRMSE < 0.15 && comparison.orientationRMSE < 0.03)
    }

    @Test func isDeterministic() throws {
        let flight = try Flight(.eight, duration: 5)
        func last() -> ([Double], FilterState, [TrackedPoint]) {
            let filter = flight.filter(FilterSettings(), FilterUncertainty())
            _ = FilterRun(filter, samples: flight.samples, frames: flight.frames)
            return (filter.stateCovariance, filter.state, filter.points)
        }
        let (a, b) = (last(), last())
        #expect(a.0 == b.0 && a.1 == b.1 && a.2 == b.2)
        #expect(a.2.count > 20 && a.2.map(\.id) == a.2.map(\.id).sorted())
    }

    @Test func predictsBeyondTheLastFrame() throws {
        let flight = try Flight(.eight, duration: 5)
        let filter = flight.filter()
        _ = FilterRun(filter, samples: flight.samples, frames: Array(flight.frames.dropLast(5)))
        let now = filter.state.time
        flight.samples.filter { $0.time > now + 0.01 && $0.time < now + 0.2 }.forEach(filter.add)
        let predicted = filter.predicted(at: now + 0.1)
        let truth = try TrajectorySpline(through: flight.truth, knotSpacing: 0.02, smoothing: 0).pose(at: now + 0.1)
        #expect(predicted.time == now + 0.1)
        #expect(length(predicted.worldFromBody.translation - truth.translation) < 0.03)
        #expect(filter.predicted(at: now - 1) == filter.state)
        #expect(filter.state.time == now)
    }

    @Test func reportsWhyAnUpdateWasSkipped() throws {
        let flight = try Flight(.eight, duration: 3)
        let filter = flight.filter()
        #expect(filter.update(time: 1.5, features: []).outcome == .withoutInertial)
        flight.samples.forEach(filter.add)
        #expect(filter.update(time: .infinity, features: []).outcome == .skipped)
        #expect(filter.update(time: 1.5, features: []).outcome == .updated)
        #expect(filter.update(time: 1.5, features: []).outcome == .skipped)
        #expect(filter.points.isEmpty && filter.poseCovariance.count == 36)
    }
}
