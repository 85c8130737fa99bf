import VitrineMath
import VitrineVision

/// Dynamic initialization: estimates pose, velocity, gravity, biases and scale of a moving device from one to two seconds of features and
/// inertial samples.
///
/// Estimates the gyroscope's bias and the camera's clock first (``RotationAlignment``), then velocity, gravity and points in one linear system
/// (``LinearAlignment``), then everything together (``VisualInertialBundleAdjustment``). The result is accepted only if gravity has its
/// magnitude when left unconstrained, the residuals of features and IMU are small, and so is the scale's standard deviation.
struct DynamicInitializer: Sendable {
    struct Settings: Equatable, Sendable {
        /// Largest and smallest duration of the window in seconds.
        var maximumDuration = 2.4
        var minimumDuration = 0.9
        /// Smallest duration with measured depth, which needs no parallax.
        var minimumDurationWithDepth = 0.5
        /// Number of frames used for the adjustment.
        var frames = 12
        var minimumFeatures = 20
        var maximumFeatures = 50
        /// Standard deviation of a feature in pixels: the initial value; a lower limit of the value measured from residuals, since errors of
        /// consecutive frames are correlated; and the largest measured value of an accepted window.
        var pixelNoise = 1.0
        var minimumNoise = 0.5
        var maximumNoise = 1.6
        /// Smallest median parallax between the window's first and last frame, in radians, after removing the rotation.
        var minimumParallax = 0.015
        /// Largest relative error of the unconstrained gravity.
        var gravityTolerance = 0.15
        /// Largest relative standard deviation of the scale: for a window that may still grow, and for the longest one.
        var scaleDeviation = 0.04
        var finalScaleDeviation = 0.08
        /// The same with the IMU's scale and misalignment.
        var refinedScaleDeviation = 0.1
        /// Smallest share of inlier points.
        var minimumInlierShare = 0.6
        /// Largest time between inertial samples in seconds.
        var maximumInertialGap = 0.06
        /// The magnitude of gravity in m/s².
        var gravity = 9.81
        /// The smallest number of poses in a map with which initialization succeeds, and their duration in seconds.
        var mappedPoses = 3
        var mappedDuration = 0.45
        /// The largest standard deviation of the velocity in m/s if poses in a map or depths are measured.
        var metricVelocityDeviation = 0.12
        /// Standard deviations that all poses in the map share: rotation in radians, position in metres.
        var mappedRotationNoise = 0.006
        var mappedPositionNoise = 0.015
        /// Largest mean squared residual of the poses in standard deviations, and largest last change of the clock offset in seconds.
        var mappedResidual = 1.5
        var mappedClockChange = 0.004
    }

    var settings = Settings()

    func start(
        _ window: InitializationWindow, _ inertial: InertialBuffer, rig: SensorRig, prior: InertialPrior
    ) throws(InitializationFailure) -> InitialEstimate {
        try estimate(solve(window, inertial, rig: rig, prior: prior))
    }

    /// The best solution, before the checks of its accuracy.
    func solve(
        _ window: InitializationWindow, _ inertial: InertialBuffer, rig: SensorRig, prior: InertialPrior
    ) throws(InitializationFailure) -> Solution {
        let input = try input(window, inertial, rig, prior)
        let aligned = try align(window, inertial, rig, prior)
        return try adjusted(input, aligned.gyroscopeBias, aligned.timeOffset)
    }

    /// Selects frames and tracks; throws early if the window cannot succeed.
    private func input(
        _ window: InitializationWindow, _ inertial: InertialBuffer, _ rig: SensorRig, _ prior: InertialPrior
    ) throws(InitializationFailure) -> Input {
        let frames = window.spread(settings.frames)
        guard window.duration >= settings.minimumDurationWithDepth, frames.count >= 6 else { throw .tooShort }
        let tracks = InitializationWindow.tracks(frames, minimumLength: 4, limit: settings.maximumFeatures)
        if hasDepth(tracks) { return Input(frames: frames, tracks: tracks, inertial: inertial, rig: rig, prior: prior) }
        guard window.duration >= settings.minimumDuration else { throw .tooShort }
        guard tracks.count >= settings.minimumFeatures else { throw .tooFewFeatures }
        // Features without image motion have no parallax.
        let moved = tracks.map { length($0.observations[$0.observations.count - 1].normalized - $0.observations[0].normalized) }.sorted()
        guard moved[moved.count / 2] >= settings.minimumParallax / 2 else { throw .insufficientMotion }
        return Input(frames: frames, tracks: tracks, inertial: inertial, rig: rig, prior: prior)
    }

    /// Whether enough tracks have a measured depth to determine the scale.
    func hasDepth(_ tracks: [InitializationWindow.Track]) -> Bool { tracks.count { $0.depth != nil } >= settings.minimumFeatures }
}

extension DynamicInitializer {
    struct Input {
        var frames: [InitializationWindow.Frame]
        var tracks: [InitializationWindow.Track]
        var inertial: InertialBuffer
        var rig: SensorRig
        var prior: InertialPrior
    }

    struct Solution {
        var adjustment: VisualInertialBundleAdjustment
        /// The magnitude of gravity when left unconstrained, m/s².
        var unconstrainedGravity: Double
        /// The frames' times on the IMU's clock.
        var times: [Double]
        /// Seconds added to the frames' times before the adjustment.
        var timeOffset: Double
        /// Standard deviation of the features' residuals in pixels.
        var residual: Double

        var offset: Double { timeOffset + adjustment.timeOffset }
        /// The frame farthest from the first.
        var farthest: Int {
            adjustment.frames.indices.max { distance($0) < distance($1) } ?? 0
        }
        var extent: Double { distance(farthest) }

        func distance(_ frame: Int) -> Double {
            length(adjustment.frames[frame].worldFromBody.translation - adjustment.frames[0].worldFromBody.translation)
        }
    }

    /// The linear solution and the bundle adjustment that starts from it.
    func adjusted(_ input: Input, _ bias: Vector3d, _ offset: Double) throws(InitializationFailure) -> Solution {
        let (steps, times) = try steps(input, bias, offset)
        let linear = LinearAlignment(
            frames: Self.chained(steps), tracks: input.tracks, bodyFromCamera: input.rig.cameraFromBody.inverse, gravity: settings.gravity)
        guard hasDepth(input.tracks) || parallax(linear) >= settings.minimumParallax else { throw .insufficientMotion }
        guard let solution = linear.solve() else { throw .noSolution }
        guard abs(solution.unconstrainedGravity / settings.gravity - 1) <= settings.gravityTolerance else { throw .inconsistentGravity }
        guard let adjustment = adjustment(linear, solution, steps, times, input, bias, offset) else { throw .noSolution }
        return try solved(adjustment, unconstrainedGravity: solution.unconstrainedGravity, times, input)
    }

    /// Solves a bundle adjustment without outliers.
    func solved(
        _ start: VisualInertialBundleAdjustment, unconstrainedGravity: Double, _ times: [Double], _ input: Input
    ) throws(InitializationFailure) -> Solution {
        var adjustment = start
        let count = adjustment.points.count
        guard count >= settings.minimumFeatures / 2 else { throw .inconsistentFeatures }
        let pixel = pixel(input.rig)
        // The initial residuals are too large to reject outliers.
        adjustment.robustThreshold = 30
        guard adjustment.solve(rounds: 20) != nil else { throw .noSolution }
        adjustment.robustThreshold = 3
        for (limit, rounds) in [(6.0, 8), (4.0, 5)] {
            let noise = adjustment.residualDeviation
            guard noise <= settings.maximumNoise * pixel else { throw .inconsistentFeatures }
            adjustment.observationDeviation = max(noise, settings.minimumNoise * pixel)
            adjustment.removeOutliers(limit: limit, minimumObservations: 3)
            guard Double(adjustment.points.count) >= settings.minimumInlierShare * Double(count) else { throw .inconsistentFeatures }
            guard adjustment.solve(rounds: rounds) != nil else { throw .noSolution }
        }
        return Solution(
            adjustment: adjustment, unconstrainedGravity: unconstrainedGravity, times: times,
            timeOffset: times[0] - input.frames[0].time,
            residual: adjustment.residualDeviation / pixel)
    }

    /// Preintegrated samples between the frames, and the frames' times.
    func steps(_ input: Input, _ bias: Vector3d, _ offset: Double) throws(InitializationFailure) -> ([Preintegration], [Double]) {
        let (times, inertial) = (input.frames.map { $0.time + offset }, input.inertial)
        guard inertial.longestGap(from: times[0], to: times[times.count - 1]) <= settings.maximumInertialGap else { throw .inertialGap }
        let steps = zip(times, times.dropFirst()).map {
            Preintegration(
                inertial.samples(from: $0, to: $1), noise: input.rig.noise, gyroscopeBias: bias,
                accelerometerBias: input.prior.accelerometerBias)
        }
        return (steps, times)
    }

    /// Estimates the gyroscope's bias and the clock.
    func align(
        _ window: InitializationWindow, _ inertial: InertialBuffer, _ rig: SensorRig, _ prior: InertialPrior
    ) throws(InitializationFailure) -> RotationAlignment.Result {
        var options = RotationAlignment.Settings()
        options.noise = noise(rig)
        options.biasDeviation = prior.gyroscopeBiasDeviation
        options.timeOffsetDeviation = prior.timeOffsetDeviation
        options.maximumTimeOffset = min(0.12, 3 * prior.timeOffsetDeviation)
        let reach = options.maximumTimeOffset + 0.02
        let (start, end) = (window.frames[0].time + prior.timeOffset, window.frames[window.frames.count - 1].time + prior.timeOffset)
        let alignment = RotationAlignment(
            frames: window.frames, samples: inertial.samples(from: start - reach, to: end + reach),
            cameraFromBody: rig.cameraFromBody.rotation, bias: prior.gyroscopeBias, offset: prior.timeOffset, settings: options)
        guard let result = alignment?.solve() else { throw .tooFewFeatures }
        guard result.residual < 2 else { throw .inconsistentRotation }
        return result
    }

    /// A pixel in normalized coordinates.
    private func pixel(_ rig: SensorRig) -> Double { 1 / min(rig.camera.focal.x, rig.camera.focal.y) }
    func noise(_ rig: SensorRig) -> Double { settings.pixelNoise * pixel(rig) }

    /// Accumulates the steps: the frames' poses without initial velocity and gravity.
    static func chained(_ steps: [Preintegration]) -> [LinearAlignment.Frame] {
        var frames = [LinearAlignment.Frame(time: 0, rotation: .identity, displacement: .zero)]
        var (velocity, frame) = (Vector3d.zero, frames[0])
        for step in steps {
            frame.displacement += velocity * step.duration + frame.rotation * step.position
            velocity += frame.rotation * step.velocity
            frame.rotation = frame.rotation * step.rotation
            frame.time += step.duration
            frames.append(frame)
        }
        return frames
    }

    /// The median parallax of the tracks in radians, without the camera's rotation.
    private func parallax(_ linear: LinearAlignment) -> Double {
        let turnedBy = linear.tracks.map { track -> Double in
            let (a, b) = (track.observations[0], track.observations[track.observations.count - 1])
            func ray(_ observation: (frame: Int, normalized: Vector2d)) -> Vector3d {
                linear.frames[observation.frame].rotation
                    * (linear.bodyFromCamera.rotation * NormalizedObservation.ray(observation.normalized))
            }
            let (first, last) = (ray(a), ray(b))
            return atan2(length(cross(first, last)), dot(first, last))
        }
        return turnedBy.sorted()[turnedBy.count / 2]
    }

    private func adjustment(
        _ linear: LinearAlignment, _ solution: LinearAlignment.Solution, _ steps: [Preintegration], _ times: [Double], _ input: Input,
        _ bias: Vector3d, _ offset: Double
    ) -> VisualInertialBundleAdjustment? {
        let worldFromFirst = Rotations.shortest(from: normalize(-solution.gravity), to: Vector3d(0, 1, 0))
        let down = Vector3d(0, -settings.gravity, 0)
        var (velocity, frames): (Vector3d, [VisualInertialBundleAdjustment.Frame]) = (worldFromFirst * solution.velocity, [])
        for (index, frame) in linear.frames.enumerated() {
            let rotation = worldFromFirst * frame.rotation
            let position =
                worldFromFirst * (solution.velocity * frame.time + frame.displacement) + down * (frame.time * frame.time / 2)
            frames.append(
                VisualInertialBundleAdjustment.Frame(
                    worldFromBody: RigidTransform(rotation: rotation, translation: position), velocity: velocity,
                    rate: input.inertial.reading(at: times[index])?.angularVelocity ?? .zero))
            if index < steps.count { velocity += rotation * steps[index].velocity + down * steps[index].duration }
        }
        let points = zip(linear.tracks, solution.points).compactMap { track, position -> VisualInertialBundleAdjustment.Point? in
            guard let position else { return nil }
            let anchor = frames[track.observations[0].frame].worldFromBody * linear.bodyFromCamera
            let inCamera = anchor.inverse * (worldFromFirst * position)
            guard inCamera.z > 0.05 else { return nil }
            return VisualInertialBundleAdjustment.Point(track: track, parameters: Vector3d(inCamera.x, inCamera.y, 1) / inCamera.z)
        }
        return adjustment(frames, points, steps, times, input, bias)
    }

    func adjustment(
        _ frames: [VisualInertialBundleAdjustment.Frame], _ points: [VisualInertialBundleAdjustment.Point], _ steps: [Preintegration],
        _ times: [Double], _ input: Input, _ bias: Vector3d
    ) -> VisualInertialBundleAdjustment? {
        var prior = input.prior
        prior.timeOffset -= times[0] - input.frames[0].time
        return VisualInertialBundleAdjustment(
            frames: frames, points: points, steps: steps, gyroscopeBias: bias, prior: prior,
            bodyFromCamera: input.rig.cameraFromBody.inverse, gravity: settings.gravity, observationDeviation: noise(input.rig))
    }
}

extension DynamicInitializer {
    /// Checks the solution's residuals and accuracy, and refines it with scale and misalignment of the IMU.
    ///
    /// These would also explain a motion that contradicts the IMU: only a solution that is accepted without them is refined.
    func estimate(_ solution: Solution) throws(InitializationFailure) -> InitialEstimate {
        let estimate = try checked(solution)
        guard solution.adjustment.prior.calibrationDeviation > 0 else { return estimate }
        var refined = solution
        refined.adjustment.estimatesCalibration = true
        guard refined.adjustment.solve(rounds: 8) != nil else { throw .noSolution }
        return try checked(refined)
    }

    private func checked(_ solution: Solution) throws(InitializationFailure) -> InitialEstimate {
        let adjustment = solution.adjustment
        guard adjustment.inertialResidual < 2, adjustment.biasResidual < 3 else { throw .inconsistentInertial }
        // The scale's uncertainty: that of the distance between the first frame and the farthest one.
        let origin = adjustment.frames[0].worldFromBody.translation
        let (far, last) = (solution.farthest, adjustment.frames.count - 1)
        let (pose, velocity, biases) = (adjustment.pose(last), adjustment.velocity(last), adjustment.biases)
        let calibration = adjustment.estimatesCalibration ? FilterLayout.inertialCalibrationSize : 0
        let wanted =
            (0..<6).map { pose + $0 } + (0..<3).map { velocity + $0 } + (0..<6).map { biases + $0 } + [adjustment.clock]
            + (0..<3).map { adjustment.pose(far) + 3 + $0 } + (0..<calibration).map { adjustment.calibrationStart + $0 }
        guard far > 0, let all = adjustment.covariance(wanted) else { throw .noSolution }
        func block(_ rows: Range<Int>, _ columns: Range<Int>) -> [Double] {
            rows.flatMap { row in columns.map { all[row * wanted.count + $0] } }
        }
        let covariance = block(0..<19, 0..<19)
        let way = normalize(adjustment.frames[far].worldFromBody.translation - origin)
        var variance = 0.0
        for i in 0..<3 { for j in 0..<3 { variance += way[i] * way[j] * covariance[(16 + i) * 19 + 16 + j] } }
        let deviation = variance.squareRoot() / solution.extent
        if adjustment.poseMeasurements.isEmpty, !hasDepth(adjustment.points.map(\.track)) {
            // Accept a less accurate scale once the window cannot grow.
            let isLongest = solution.times[last] - solution.times[0] >= 0.85 * settings.maximumDuration
            let limit = isLongest ? settings.finalScaleDeviation : settings.scaleDeviation
            guard deviation.isFinite, deviation <= (adjustment.estimatesCalibration ? settings.refinedScaleDeviation : limit) else {
                throw .uncertainScale
            }
        } else {
            // A map or depth images determine the scale.
            let speed = (6..<9).reduce(0) { max($0, covariance[20 * $1]) }.squareRoot()
            guard speed <= settings.metricVelocityDeviation else { throw .uncertainScale }
        }

        let frame = adjustment.frames[last]
        let path = zip(adjustment.frames, solution.times).map { frame, time in
            FilterState(
                time: time, worldFromBody: frame.worldFromBody, velocity: frame.velocity, gyroscopeBias: adjustment.gyroscopeBias,
                accelerometerBias: adjustment.accelerometerBias)
        }
        let cross = Self.inWorld(
            (19..<19 + calibration).map { column in (0..<15).map { all[$0 * wanted.count + column] } }, frame.worldFromBody.rotation)
        return InitialEstimate(
            path: path, timeOffset: solution.offset,
            timeOffsetDeviation: max(covariance[15 * 19 + 15], 0).squareRoot(),
            covariance: Self.inWorld(covariance, frame.worldFromBody.rotation),
            calibration: calibration == 0
                ? nil
                : InertialCalibration(
                    entries: adjustment.calibration, covariance: block(19..<19 + calibration, 19..<19 + calibration), cross: cross),
            scaleDeviation: deviation, unconstrainedGravity: solution.unconstrainedGravity, residual: solution.residual)
    }

    /// The columns as 15 rows, with the rotation about the world's axes instead of the body's.
    private static func inWorld(_ columns: [[Double]], _ rotation: Matrix3d) -> [Double] {
        let turned = columns.map { column -> [Double] in
            let turn = rotation * Vector3d(column[0], column[1], column[2])
            return [turn.x, turn.y, turn.z] + column.dropFirst(3)
        }
        return (0..<15).flatMap { row in turned.map { $0[row] } }
    }

    /// The covariance of the first fifteen unknowns, with the rotation about the world's axes instead of the body's.
    private static func inWorld(_ covariance: [Double], _ rotation: Matrix3d) -> [Double] {
        var result = [Double](repeating: 0, count: 225)
        var half = result
        for i in 0..<15 {
            for j in 0..<15 {
                half[i * 15 + j] =
                    i >= 3 ? covariance[i * 19 + j] : (0..<3).reduce(0) { $0 + rotation.column($1)[i] * covariance[$1 * 19 + j] }
            }
        }
        for i in 0..<15 {
            for j in 0..<15 {
                result[i * 15 + j] = j >= 3 ? half[i * 15 + j] : (0..<3).reduce(0) { $0 + half[i * 15 + $1] * rotation.column($1)[j] }
            }
        }
        return result
    }
}
