import VitrineMapping
import VitrineMath
import VitrineVision

/// Starts visual-inertial tracking: from rest if the device was stationary, otherwise from a window of frames in motion.
struct TrackingInitializer: Sendable {
    /// The initial state of a filter.
    struct Start: Sendable {
        var state: FilterState
        var uncertainty: FilterUncertainty
        /// Seconds to add to the camera's time stamps.
        var timeOffset: Double
        /// Camera time from which the window's frames are to be filtered.
        var time: Double
        var isScaleKnown: Bool
        /// The states at frames up to the start, in the order of time.
        var path: [FilterState] = []
        /// Whether the filter's world is the map's.
        var isInMap = false
    }

    /// The tracker's state at an initialization attempt.
    struct Context {
        var inertial: InertialBuffer
        var orientation: OrientationEstimator
        var rig: SensorRig
        /// The IMU's noise as measured.
        var noise: InertialNoise
        /// Standard deviation of the rig's time offset.
        var timeOffsetDeviation: Double
        /// The camera's position at the start.
        var position: Vector3d
        /// The last reliable filter state: its biases are the prior.
        var lastState: FilterState?
        /// Relocalized frames, in the filter's world.
        var mappedPoses: [MappedPose]
    }

    private let settings: VisualInertialTracker.Settings
    private let restDetector = RestDetector()
    private let dynamic: DynamicInitializer
    private(set) var window = InitializationWindow()
    private(set) var counts = InitializationCounts()
    /// The reason for which the newest attempt failed; nil before the first.
    private(set) var failure: InitializationFailure?
    /// The rest to start from, the detections of the last moments, and the time of the newest check.
    private var rest: RestDetector.Rest?
    private var detections: [RestDetector.Rest] = []
    private var checkTime = -Double.infinity
    private var nextAttempt = -Double.infinity
    /// The newest relocalized frame of the last attempt in a map.
    private var mappedTime = -Double.infinity

    /// The longest time in seconds after a rest for which a filter may start from it.
    static let maximumRestAge = 3.0
    /// The time in seconds before the end of a detected rest at which the device is certainly stationary.
    private static let restMargin = 0.3

    init(settings: VisualInertialTracker.Settings) {
        self.settings = settings
        var options = DynamicInitializer.Settings()
        options.gravity = length(settings.filter.gravity)
        options.pixelNoise = settings.filter.pixelNoise
        dynamic = DynamicInitializer(settings: options)
    }

    // MARK: Input

    /// Adds a frame to the window.
    mutating func append(_ features: [ObservedFeature], time: Double, camera: CameraIntrinsics) {
        window.append(time: time, features: features, camera: camera)
    }

    /// Drops frames that no initialization needs. The window reaches back to the last rest if that is recent.
    mutating func trim(at time: Double, timeOffset: Double, isTracking: Bool) {
        var start = time - dynamic.settings.maximumDuration
        if !isTracking, let rest {
            start = max(time - Self.maximumRestAge, min(start, rest.time - timeOffset - restDetector.settings.duration))
        }
        window.drop(before: start)
    }

    /// Detects whether the device is stationary, at most ten times a second.
    /// - Parameter time: The time on the IMU's clock.
    mutating func detectRest(at time: Double, _ inertial: InertialBuffer) {
        guard time - checkTime > 0.1 else { return }
        checkTime = time
        if let found = restDetector.rest(inertial, before: time), restDetector.isStill(window) {
            // The end of a detected rest is often the slow start of a motion: an earlier detection is more reliable.
            detections.append(found)
            detections.removeAll { found.time - $0.time > 0.5 }
            rest = detections.last { found.time - $0.time >= Self.restMargin } ?? detections[0]
        } else {
            detections.removeAll()
        }
        if let old = rest, time - old.time > Self.maximumRestAge { rest = nil }
    }

    /// Removes the window and the detected rest.
    mutating func removeAll() { removeAll(before: .infinity) }

    /// Removes the frames before a time on the camera's clock, and the detected rest.
    mutating func removeAll(before time: Double) {
        window.drop(before: time)
        detections.removeAll()
        rest = nil
    }

    /// Restarts the detection of rest, for a new series of time stamps.
    mutating func resetClock() { checkTime = -.infinity }

    /// Allows an attempt at the next frame.
    mutating func allowAttempt() { nextAttempt = -.infinity }

    /// The filter was started.
    mutating func finish() { (rest, failure) = (nil, nil) }

    // MARK: Initialization

    /// Attempts to initialize at the newest frame.
    mutating func start(at time: Double, _ context: Context) -> Start? {
        guard context.inertial.last != nil else { return nil }
        if !context.mappedPoses.isEmpty, let start = startInMap(time, context) { return start }
        if let start = startFromRest(time, context) { return start }
        // A device that was at rest starts better from there, but only within a second.
        guard time >= nextAttempt, rest == nil || time - restTime(context.rig.timeOffset) > 1 + Self.restMargin else { return nil }
        return startInMotion(time, context)
    }

    /// The rest's time on the camera's clock.
    private func restTime(_ timeOffset: Double) -> Double { (rest?.time ?? -.infinity) - timeOffset }

    /// Starts the filter from rest, where velocity, tilt and gyroscope bias are known, once the device has moved enough to determine the
    /// camera's clock.
    private mutating func startFromRest(_ time: Double, _ context: Context) -> Start? {
        guard let rest else { return nil }
        var rig = context.rig
        let since = time - restTime(rig.timeOffset)
        // If the camera's clock is late, a moving device looks stationary to the IMU for as long.
        guard since > 0.25 + Self.restMargin else { return nil }
        var deviation = context.timeOffsetDeviation
        if deviation > 0.004 {
            let aligned = alignedClock(rest, context)
            let required = since < 0.8 + Self.restMargin ? 0.004 : 0.01
            if let aligned, aligned.timeOffsetDeviation < required, aligned.residual < 2 {
                rig.timeOffset = aligned.timeOffset
                deviation = max(0.004, aligned.timeOffsetDeviation)
            } else if since < 2 {
                return nil
            } else if let aligned, aligned.timeOffsetDeviation < 0.5 * deviation, aligned.residual < 2 {
                (rig.timeOffset, deviation) = (aligned.timeOffset, aligned.timeOffsetDeviation)
            }
        }
        var state = restDetector.state(rest) { level in Self.pose(level, at: rest.time, context) }
        state.velocity = .zero
        var uncertainty = uncertainty(timeOffset: deviation)
        uncertainty.covariance = restDetector.covariance(rest, state, accelerometerBias: settings.accelerometerBiasDeviation)
        counts.fromRest += 1
        let measured = window.frames.last?.depths.count { $0 != nil } ?? 0
        return Start(
            state: state, uncertainty: uncertainty, timeOffset: rig.timeOffset, time: restTime(rig.timeOffset),
            isScaleKnown: measured >= dynamic.settings.minimumFeatures)
    }

    /// The camera's clock from the frames since the rest.
    private func alignedClock(_ rest: RestDetector.Rest, _ context: Context) -> RotationAlignment.Result? {
        let rig = context.rig
        var options = RotationAlignment.Settings()
        options.noise = dynamic.settings.pixelNoise / min(rig.camera.focal.x, rig.camera.focal.y)
        options.biasDeviation = 0.002
        options.timeOffsetDeviation = context.timeOffsetDeviation
        options.maximumTimeOffset = min(0.12, 3 * context.timeOffsetDeviation)
        let restTime = restTime(rig.timeOffset)
        let frames = window.framesOfMiddleRows(context.inertial, rig, bias: rest.angularVelocity).filter { $0.time >= restTime - 0.2 }
        guard let first = frames.first, let last = frames.last else { return nil }
        let samples = context.inertial.samples(
            from: first.time + rig.timeOffset - options.maximumTimeOffset - 0.02,
            to: last.time + rig.timeOffset + options.maximumTimeOffset + 0.02)
        return RotationAlignment(
            frames: frames, samples: samples, cameraFromBody: rig.cameraFromBody.rotation, bias: rest.angularVelocity,
            offset: rig.timeOffset, settings: options)?.solve()
    }

    /// Starts in a map, once several frames are relocalized.
    private mutating func startInMap(_ time: Double, _ context: Context) -> Start? {
        guard context.mappedPoses.last?.time != mappedTime else { return nil }
        mappedTime = context.mappedPoses.last?.time ?? mappedTime
        let (recent, rig) = recentWindow(time, context)
        guard let estimate = try? dynamic.start(recent, context.inertial, rig: rig, prior: prior(context), poses: context.mappedPoses)
        else { return nil }
        counts.inMap += 1
        var uncertainty = uncertainty(timeOffset: max(0.002, estimate.timeOffsetDeviation))
        (uncertainty.covariance, uncertainty.calibration) = (estimate.covariance, estimate.calibration)
        return Start(
            state: estimate.state, uncertainty: uncertainty, timeOffset: estimate.timeOffset, time: time, isScaleKnown: true, isInMap: true)
    }

    /// The frames for an initialization in motion, and the rig with the IMU's noise as measured.
    private func recentWindow(_ time: Double, _ context: Context) -> (InitializationWindow, SensorRig) {
        var recent = window
        recent.drop(before: time - dynamic.settings.maximumDuration)
        recent.moveToMiddleRows(context.inertial, context.rig, bias: context.orientation.gyroscopeBias)
        var rig = context.rig
        rig.noise = context.noise
        return (recent, rig)
    }

    private mutating func startInMotion(_ time: Double, _ context: Context) -> Start? {
        nextAttempt = time + settings.attemptInterval
        counts.attempts += 1
        let (recent, rig) = recentWindow(time, context)
        do {
            let estimate = try dynamic.start(recent, context.inertial, rig: rig, prior: prior(context))
            counts.inMotion += 1
            return start(estimate, at: time, context)
        } catch {
            counts.failures[InitializationFailure.allCases.firstIndex(of: error) ?? 0] += 1
            failure = error
            return nil
        }
    }

    private func prior(_ context: Context) -> InertialPrior {
        var prior = InertialPrior()
        let orientation = context.orientation
        if orientation.isBiasKnown { (prior.gyroscopeBias, prior.gyroscopeBiasDeviation) = (orientation.gyroscopeBias, 0.01) }
        prior.accelerometerBiasDeviation = settings.accelerometerBiasDeviation
        prior.calibrationDeviation = settings.inertialCalibrationDeviation
        if let rest { (prior.gyroscopeBias, prior.gyroscopeBiasDeviation) = (rest.angularVelocity, max(2e-3, 3 * rest.angularDeviation)) }
        if let last = context.lastState {
            (prior.gyroscopeBias, prior.gyroscopeBiasDeviation) = (last.gyroscopeBias, 0.01)
            (prior.accelerometerBias, prior.accelerometerBiasDeviation) = (last.accelerometerBias, settings.accelerometerBiasDeviation / 2)
        }
        (prior.timeOffset, prior.timeOffsetDeviation) = (context.rig.timeOffset, context.timeOffsetDeviation)
        return prior
    }

    /// Rotates the estimate to the heading reported so far and moves the camera's first position to the context's.
    private func start(_ estimate: InitialEstimate, at time: Double, _ context: Context) -> Start {
        var uncertainty = uncertainty(timeOffset: max(0.002, estimate.timeOffsetDeviation))
        let state = estimate.state
        let reported = context.orientation.worldFromBody(at: state.time) ?? state.worldFromBody.rotation
        let turn = Rotations.heading(from: state.worldFromBody.rotation, to: reported)
        let first = estimate.path[0].worldFromBody
        let camera = turn * (first * context.rig.cameraFromBody.inverse.translation)
        let move = RigidTransform(rotation: turn, translation: context.position - camera)
        let path = estimate.path.map { state in
            var moved = state
            (moved.worldFromBody, moved.velocity) = (move * state.worldFromBody, turn * state.velocity)
            return moved
        }
        // Orientation, position and velocity are on the world's axes, which rotate.
        uncertainty.covariance = CovarianceBlocks.rotated(estimate.covariance, by: turn, blocks: 5, rotating: 3)
        uncertainty.calibration = estimate.calibration
        if let cross = estimate.calibration?.cross {
            uncertainty.calibration?.cross = CovarianceBlocks.rotated(rows: cross, by: turn, blocks: 5, rotating: 3)
        }
        return Start(
            state: path[path.count - 1], uncertainty: uncertainty, timeOffset: estimate.timeOffset, time: time, isScaleKnown: true,
            path: path)
    }

    /// The pose of a level orientation with the heading reported so far and the camera at the context's position.
    private static func pose(_ level: Matrix3d, at time: Double, _ context: Context) -> RigidTransform {
        let orientation = context.orientation
        let extrapolated = orientation.worldFromBody(at: time) ?? level
        // The current orientation, rotated back by the gyroscope.
        let since = Preintegration(
            context.inertial.samples(from: time, to: orientation.time), noise: context.rig.noise, gyroscopeBias: orientation.gyroscopeBias
        ).rotation
        let reported =
            time < orientation.time ? (orientation.worldFromBody ?? extrapolated) * since.transpose : extrapolated
        let rotation = Rotations.heading(from: level, to: reported) * level
        return RigidTransform(
            rotation: rotation, translation: context.position - rotation * context.rig.cameraFromBody.inverse.translation)
    }

    private func uncertainty(timeOffset: Double) -> FilterUncertainty {
        var uncertainty = FilterUncertainty()
        uncertainty.timeOffset = settings.timeOffsetDeviation > 0 ? timeOffset : 0
        uncertainty.inertialCalibration = settings.inertialCalibrationDeviation
        uncertainty.extrinsicRotation = settings.extrinsicRotationDeviation
        uncertainty.extrinsicTranslation = settings.extrinsicTranslationDeviation
        (uncertainty.focal, uncertainty.center) = (settings.intrinsicsDeviation, settings.intrinsicsDeviation)
        if settings.intrinsicsDeviation == 0 { uncertainty.distortion = .zero }
        return uncertainty
    }
}
