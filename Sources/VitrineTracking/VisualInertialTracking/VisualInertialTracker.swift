import VitrineMapping
import VitrineMath
import VitrineVision

/// Tracks a camera with six degrees of freedom, in metres, from images and an IMU.
///
/// A sparse feature tracker and an IMU feed a multi-state-constraint Kalman filter (``VisualInertialFilter``).
///
/// - Orientation is available with the first inertial sample. Until the scale is known the state is `limited(.initializing)`: a device at rest
///   starts from there, a moving one from a window of one to two seconds (``InitializationFailure`` lists why an attempt may fail).
/// - The offset of the camera's clock, up to 0.1 s, is estimated during initialization.
/// - If the lens is covered or frames are missing, the IMU carries the pose on for some seconds.
/// - If the filter contradicts its measurements or itself, tracking is lost: the world continues from the last reliable pose with the state
///   `limited(.relocalizing)`, in a submap that is merged with the map once the tracker relocalizes (``Relocalizer``). The state stays until
///   then, unless ``newWorldDelay`` allows a new world or there is no keyframe to relocalize in.
///
/// One thread, a fixed order, no clock: the same input gives the same output, bit for bit.
package final class VisualInertialTracker: MappingTracker {
    package let settings: Settings
    package private(set) var diagnostics = Diagnostics()
    /// The rig with its calibration as estimated so far.
    package private(set) var rig: SensorRig
    private let initialRig: SensorRig
    private let clock: (() -> Double)?

    private(set) var featureTracker: FeatureTracker
    private var depthMeter: DepthMeter
    private var gate = InertialSampleGate()
    private var inertial = InertialBuffer()
    private var noiseEstimator = InertialNoiseEstimator()
    private var orientation: OrientationEstimator
    private var initializer: TrackingInitializer
    private var filter: VisualInertialFilter?
    private var quality: TrackingQuality
    private var motionCheck = MotionCheck()

    /// Frames that wait for inertial samples.
    private var pending: [(time: Double, features: [ObservedFeature])] = []
    /// The time of the newest image on the camera's clock.
    private var newestTime = -Double.infinity
    /// The last result, in the filter's world.
    private var lastResult: TrackingResult?
    /// Standard deviation of the rig's time offset.
    private var timeOffsetDeviation: Double
    /// The camera's position from which the world continues.
    private var position = Vector3d.zero
    /// The last reliable filter state, with the biases of uncorrected readings.
    private var lastState: FilterState?

    private(set) var relocalizer: Relocalizer
    private var connection: MapConnection
    private var startsNewWorld = false
    /// The mean grey level of the newest image, 0…255; nil for features from another source.
    private var brightness: Double?
    /// Camera time since which a world of its own has been reliable without relocalization.
    private var unconnectedSince: Double?
    /// Seconds of reliable tracking without relocalization after which a new world starts; nil waits without limit. In a given map the tracker
    /// always waits.
    package var newWorldDelay: Double?

    /// Creates a tracker for a device with a camera and an IMU.
    ///
    /// - Parameter clock: Seconds of a monotonic clock, used only for the durations in ``diagnostics``.
    package init(rig: SensorRig, settings: Settings = Settings(), clock: (() -> Double)? = nil) {
        var rig = rig
        rig.noise = rig.noise.plausible
        (self.settings, self.rig, initialRig, self.clock) = (settings, rig, rig, clock)
        featureTracker = FeatureTracker(camera: rig.camera, settings: settings.featureTracking)
        depthMeter = DepthMeter(rig)
        relocalizer = Relocalizer(settings.relocalization)
        connection = MapConnection(settings.relocalization)
        orientation = OrientationEstimator(cameraFromBody: rig.cameraFromBody.rotation)
        timeOffsetDeviation = settings.timeOffsetDeviation
        initializer = TrackingInitializer(settings: settings)
        quality = TrackingQuality(settings: settings)
    }

    // MARK: Input

    package func add(_ sample: InertialSample) {
        for admitted in gate.admitted(sample) { append(initialRig.corrected(admitted)) }
        diagnostics.samplesSkipped = gate.skipped
    }

    private func append(_ sample: InertialSample) {
        let previous = inertial.last?.time
        guard inertial.append(sample) else { return }
        diagnostics.samples += 1
        orientation.add(sample)
        noiseEstimator.add(sample)
        if let previous, sample.time - previous > settings.maximumInertialGap {
            if filter != nil { lose(.inertialSilence) }
            // Samples, frames and rest from before the gap are of no use after it. The first frame after it may be a little earlier than the first
            // sample: between samples on both sides of the gap it would prevent an initialization for as long as it stays in the window.
            inertial.removeAll()
            _ = inertial.append(sample)
            initializer.removeAll()
            pending.removeAll()
        }
        filter?.add(sample)
        if filter == nil { initializer.detectRest(at: sample.time, inertial) }
        inertial.drop(before: sample.time - TrackingInitializer.maximumRestAge - 1)
    }

    package func track(_ image: Plane<UInt8>, time: Double) -> TrackingResult { track(image, depth: nil, second: nil, time: time) }

    /// Tracks a frame with a depth image or the image of a second camera: measured depths give the scale, so that tracking starts without parallax.
    ///
    /// - Parameters:
    ///   - depth: Metres along the camera's z axis, 0 where unknown, of any size with the image's field of view.
    ///   - second: The image of the rig's second camera, exposed at the same time; used without a depth image.
    package func track(_ image: Plane<UInt8>, depth: Plane<Float>?, second: Plane<UInt8>?, time: Double) -> TrackingResult {
        guard isInOrder(time) else { return skipped(time) }
        let start = clock?() ?? 0
        let turn = rig.readoutTurn(inertial, at: time, bias: filter?.state.gyroscopeBias ?? orientation.gyroscopeBias)
        let rotation = predictedRotation(to: time)
        var features = featureTracker.track(image, time: time, rotation: rotation, readoutTurn: turn)
        depthMeter.depths(of: featureTracker, depth: depth, second: second)?.apply(to: &features)
        brightness = featureTracker.report.brightness
        if let clock { diagnostics.featureTrackingTime = (clock() - start) * 1000 }
        if let first = featureTracker.report.discontinuityTime { leaveScene(at: first) }
        checkMotion(&features, time: time)
        quality.isUncertain = motionCheck.isUncertain || featureTracker.report.isUncertain
        // Fast rotation blurs images.
        quality.isFast = length(rotation?.rotationVector ?? .zero) > settings.fastAngularSpeed * (time - newestTime)
        addToRelocalizer(time)
        return track(inOrder: features, time: time)
    }

    /// Tracks a frame by features from another source.
    ///
    /// - Parameters:
    ///   - features: In pixels of the rig's camera; an identifier is never reused for another point.
    ///   - time: Seconds on the camera's clock.
    package func track(_ features: [ObservedFeature], time: Double) -> TrackingResult {
        guard isInOrder(time) else { return skipped(time) }
        brightness = nil
        return track(inOrder: features, time: time)
    }

    package func reset() {
        if let filter, quality.isReliable { saveCalibration(of: filter) }
        // The camera's calibration starts from the stated one: without its covariance an estimate would wander from world to world.
        let offset = rig.timeOffset
        rig = initialRig
        rig.timeOffset = offset
        featureTracker.reset()
        depthMeter.reset()
        filter = nil
        (position, quality, lastResult, newestTime) = (.zero, TrackingQuality(settings: settings), nil, -.infinity)
        var fresh = OrientationEstimator(cameraFromBody: rig.cameraFromBody.rotation)
        fresh.adoptBias(of: orientation)
        orientation = fresh
        inertial.removeAll()
        gate = InertialSampleGate()
        initializer.resetClock()
        initializer.removeAll()
        pending.removeAll()
        (relocalizer, connection) = (Relocalizer(settings.relocalization), MapConnection(settings.relocalization))
    }

    package func interrupt() {
        featureTracker.reset()
        depthMeter.reset()
        initializer.removeAll()
        pending.removeAll()
        if filter != nil || quality.wasReliable { lose(.interrupted) }
    }

    /// The camera was carried away while the tracker did not run, or the stream was cut.
    ///
    /// - Parameter time: The time of the first frame of the new scene.
    private func leaveScene(at time: Double) {
        pending.removeAll { $0.time < time }
        initializer.removeAll(before: time)
        // The gyroscope did not measure the rotation.
        orientation.level()
        if filter != nil || quality.wasReliable { lose(.discontinuity) }
    }

    /// Compares the tracked features with the pose that the IMU predicts, and leaves the scene if they contradict it. While that is not proven, the
    /// filter does not get the features that contradict it.
    private func checkMotion(_ features: inout [ObservedFeature], time: Double) {
        guard let filter, quality.isReliable else {
            motionCheck = MotionCheck()
            return
        }
        guard !featureTracker.report.isFeatureless, let prediction = predictedMotion(filter, to: time) else { return }
        let noise = Self.directionNoise * Double(featureTracker.workingScale) / (0.5 * (rig.camera.focal.x + rig.camera.focal.y))
        switch motionCheck.check(featureTracker.tracks, noise: noise, prediction) {
        case .agrees: break
        case .contradicts(let withheld): features.removeAll { withheld.contains($0.id) }
        case .moved(let first, let newestID):
            let old = Set(features.map(\.id).filter { $0 <= newestID })
            featureTracker.remove(old)
            features.removeAll { old.contains($0.id) }
            leaveScene(at: first)
        }
    }

    /// Standard deviation of a tracked feature's position after an unpredicted motion, in working pixels.
    private static let directionNoise = 1.0
    /// The longest time in seconds for which the IMU predicts the motion, and the longest time without a sample within it.
    private static let maximumPrediction = 0.5, maximumPredictionGap = 0.06

    /// The camera's motion from the filter's newest frame to a time on the camera's clock, by the IMU; nil if that is not accurate.
    private func predictedMotion(_ filter: VisualInertialFilter, to time: Double) -> MotionCheck.Prediction? {
        let (moment, state) = (time + rig.timeOffset, filter.state)
        let duration = moment - state.time
        guard duration < Self.maximumPrediction, let last = inertial.last?.time,
            inertial.longestGap(from: state.time, to: min(moment, last)) < Self.maximumPredictionGap,
            moment - last < Self.maximumPredictionGap
        else { return nil }
        let covariance = filter.stateCovariance
        let deviation = max(covariance[6 * 16], covariance[7 * 16], covariance[8 * 16]).squareRoot() * max(duration, 0)
        let camera = rig.cameraFromBody
        let motion = camera * state.worldFromBody.inverse * filter.predicted(at: moment).worldFromBody * camera.inverse
        return MotionCheck.Prediction(motion: motion, deviation: deviation, angularSpeed: length(orientation.rate), time: time)
    }

    /// A frame far ahead of the IMU has a wrong time stamp, or the IMU is silent.
    private func isInOrder(_ time: Double) -> Bool {
        time.isFinite && time > newestTime && time + rig.timeOffset - (inertial.last?.time ?? time) < 1
    }

    private func skipped(_ time: Double) -> TrackingResult {
        diagnostics.framesSkipped += 1
        if let lastResult, !(time > newestTime) { return connection.inWorld(lastResult) }
        let last = inertial.last?.time ?? 0
        let pose = quality.wasReliable ? lastResult?.worldFromCamera : nil
        return connection.inWorld(
            TrackingResult(
                time: time.isFinite ? time + rig.timeOffset : last, state: pose == nil ? .notAvailable : .limited(.relocalizing),
                worldFromCamera: pose, rig: rig))
    }

    private func track(inOrder features: [ObservedFeature], time: Double) -> TrackingResult {
        diagnostics.frames += 1
        (diagnostics.initializationTime, diagnostics.filterTime) = (0, 0)
        startsNewWorld = false
        connection.beginFrame()
        newestTime = time
        pending.append((time, features))
        while let next = pending.first, isReady(next.time) {
            pending.removeFirst()
            process(next.features, time: next.time)
        }
        var result = result(at: time)
        result.advice = advice(result.state)
        lastResult = result
        var reported = connection.inWorld(result)
        reported.relocalizationCorrection = connection.correction
        reported.startsNewWorld = startsNewWorld
        reported.keyframeMoves = connection.keyframeMoves
        if result.state == .normal { reported.referenceKeyframe = connection.referenceKeyframe }
        return reported
    }

    /// Whether inertial samples reach a frame's time, or it has waited long enough for them.
    private func isReady(_ time: Double) -> Bool {
        guard let last = inertial.last?.time else { return true }
        return last >= time + rig.timeOffset || newestTime - time > 0.15
    }

    private func process(_ features: [ObservedFeature], time: Double) {
        quality.observe(features, time: time)
        if filter != nil, time + rig.timeOffset - (inertial.last?.time ?? 0) > settings.maximumInertialGap { lose(.inertialSilence) }
        if let filter {
            let start = clock?() ?? 0
            update(filter, features, time)
            if let clock { diagnostics.filterTime += (clock() - start) * 1000 }
        }
        initializer.append(features, time: time, camera: rig.camera)
        updateRelocalizer(time)
        if filter == nil {
            let start = clock?() ?? 0
            initialize(at: time)
            if let clock { diagnostics.initializationTime += (clock() - start) * 1000 }
        }
        initializer.trim(at: time, timeOffset: rig.timeOffset, isTracking: filter != nil)
    }

    /// The IMU's noise as measured, not less than the rig states.
    private var noise: InertialNoise { noiseEstimator.noise(atLeast: initialRig.noise) }

    /// The camera's rotation since the last frame (new camera from old), by the gyroscope; nil without samples.
    private func predictedRotation(to time: Double) -> Matrix3d? {
        guard newestTime.isFinite, let last = inertial.last else { return nil }
        let (from, to) = (newestTime + rig.timeOffset, time + rig.timeOffset)
        guard let first = inertial.first, first.time <= from, to - last.time < 0.1 else { return nil }
        let turn = Preintegration(
            inertial.samples(from: from, to: to), noise: rig.noise, gyroscopeBias: filter?.state.gyroscopeBias ?? orientation.gyroscopeBias
        ).rotation
        let camera = rig.cameraFromBody.rotation
        return camera * turn.transpose * camera.transpose
    }

    // MARK: Filter

    private func cameraPosition(_ worldFromBody: RigidTransform) -> Vector3d { worldFromBody * rig.cameraFromBody.inverse.translation }

    /// Attempts to start a filter at the newest frame, and filters the window's frames from the start on.
    private func initialize(at time: Double) {
        let context = TrackingInitializer.Context(
            inertial: inertial, orientation: orientation, rig: rig, noise: noise, timeOffsetDeviation: timeOffsetDeviation,
            position: position, lastState: lastState, mappedPoses: mappedPoses)
        let start = initializer.start(at: time, context)
        diagnostics.initialization = initializer.counts
        guard let start else { return }
        rig.timeOffset = start.timeOffset
        if start.isScaleKnown { quality.isScaleKnown = true }
        let state = start.state
        let filter = VisualInertialFilter(rig: rig, settings: settings.filter, state: state, uncertainty: start.uncertainty)
        for sample in inertial.samples where sample.time > state.time - 0.05 { filter.add(sample) }
        self.filter = filter
        initializer.finish()
        if start.isInMap { relocalizer.startInMap() }
        quality.start(camera: cameraPosition(state.worldFromBody))
        setEarlyPoses(start.path)
        for frame in initializer.window.frames where frame.time >= start.time {
            let features = frame.observations.enumerated().map { index, observation in
                ObservedFeature(
                    id: observation.id, pixel: rig.camera.project(Vector3d(observation.normalized.x, observation.normalized.y, 1)),
                    depth: frame.depth(index))
            }
            update(filter, features, frame.time)
            guard self.filter != nil else { return }
        }
    }

    /// Updates the filter with one frame and evaluates the outcome.
    private func update(_ filter: VisualInertialFilter, _ features: [ObservedFeature], _ time: Double) {
        filter.noise = noise
        let prediction = predictedMotion(filter, to: time)
        let report = filter.update(time: time, features: features)
        diagnostics.report = report
        motionCheck.update(
            filter.points, worldFromCamera: filter.state.worldFromBody * filter.rig.cameraFromBody.inverse, prediction: prediction,
            time: time)
        guard report.outcome != .failed else {
            lose(.filterFailed)
            return
        }
        quality.update(report, time: time)
        if let loss = quality.loss(filter, time: time) {
            guard loss == .unobserved else { return lose(loss) }
            forgetPosition(.unobserved)
        }
        orientation.follow(filter.state.worldFromBody.rotation, at: filter.state.time, bias: filter.state.gyroscopeBias)
        rig = filter.rig
        if !quality.isScaleKnown {
            quality.isScaleKnown = quality.isScaleKnown(filter, camera: cameraPosition(filter.state.worldFromBody))
        }
        setEarlyPose(filter.state, time)
        if quality.isScaleKnown { relocalizer.completeEarlyFrames() }
        if quality.isScaleKnown, !quality.isPoor {
            quality.markReliable(time: time)
            if quality.isRelocalizing { continueInNewWorld(at: time) }
            saveCalibration(of: filter)
        }
    }

    /// Discards the filter. The world continues from the last reported position.
    private func lose(_ loss: Loss) {
        diagnostics.losses += 1
        diagnostics.lastLoss = loss
        if let pose = lastResult?.worldFromCamera, quality.wasReliable { position = pose.translation }
        if loss == .implausible || loss == .filterFailed || loss == .inconsistent {
            // The estimated calibration may be the cause.
            let offset = rig.timeOffset
            rig = initialRig
            if lastState != nil { rig.timeOffset = offset }
        }
        (filter, motionCheck) = (nil, MotionCheck())
        connection.disconnect(filter)
        relocalizer.lose(at: newestTime)
        quality.lose()
        unconnectedSince = nil
        initializer.allowAttempt()
    }

    private func saveCalibration(of filter: VisualInertialFilter) {
        rig = filter.rig
        lastState = filter.uncorrectedState
        timeOffsetDeviation = min(timeOffsetDeviation, 0.003)
    }

    // MARK: Results

    /// The result for the newest frame in the filter's world.
    private func result(at time: Double) -> TrackingResult {
        let moment = time + rig.timeOffset
        if let filter {
            let state = pending.isEmpty ? filter.state : filter.predicted(at: moment)
            let pose = state.worldFromBody * rig.cameraFromBody.inverse
            return TrackingResult(
                time: moment, state: trackingState, worldFromCamera: pose, velocity: state.velocity, points: filter.points,
                covariance: filter.cameraCovariance, rig: rig)
        }
        guard let worldFromBody = orientation.worldFromBody(at: moment), moment - orientation.time < 1 else {
            return TrackingResult(
                time: moment, state: quality.isRelocalizing ? .limited(.relocalizing) : .notAvailable,
                worldFromCamera: quality.isRelocalizing ? lastResult?.worldFromCamera : nil, rig: rig)
        }
        let pose = RigidTransform(rotation: worldFromBody * rig.cameraFromBody.rotation.transpose, translation: position)
        return TrackingResult(time: moment, state: trackingState, worldFromCamera: pose, rig: rig)
    }

    private var trackingState: TrackingState { quality.state(hasFilter: filter != nil, angularSpeed: length(orientation.rate)) }

    /// Advice for the user about a limited state.
    private func advice(_ state: TrackingState) -> TrackingAdvice? {
        switch state {
        case .normal: nil
        case .notAvailable: .waitForInertialSamples
        case .limited(.initializing):
            quality.hasFewFeatures ? .forFewFeatures(brightness) : initializer.failure?.advice(brightness) ?? .moveSideways
        case .limited(.relocalizing): quality.hasFewFeatures ? .forFewFeatures(brightness) : .returnToKnownView
        case .limited(.excessiveMotion): .moveSlowly
        case .limited(.insufficientFeatures): .forFewFeatures(brightness)
        case .limited(.scaleUnknown): nil
        }
    }

    // MARK: Relocalization

    package var landmarkMap: LandmarkMap { relocalizer.map }

    package var mappingStatus: MappingStatus {
        guard filter != nil, quality.isScaleKnown, let pose = lastResult?.worldFromCamera else { return .limited }
        return relocalizer.status(at: connection.worldFromFilter * pose)
    }

    package func relocalize(in map: LandmarkMap) {
        relocalizer.relocalize(in: map)
        connection.disconnect(filter)
        connection = MapConnection(settings.relocalization)
        quality.isRelocalizing = true
    }

    /// Whether poses are accurate enough for keyframes and relocalization.
    private var isAccurate: Bool { filter != nil && !quality.isPoor && !quality.isUncertain && quality.isReliable }

    /// Relocalized frames, in the filter's world.
    private var mappedPoses: [MappedPose] {
        let filterFromWorld = connection.worldFromFilter.inverse
        return relocalizer.mappedPoses.map { pose in
            MappedPose(
                time: pose.time, worldFromCamera: filterFromWorld * pose.worldFromCamera,
                covariance: CovarianceBlocks.rotated(pose.covariance, by: filterFromWorld.rotation, blocks: 2, rotating: 2))
        }
    }

    /// Passes the newest image to the relocalizer. Its pose is not known yet; the last one decides whether the frame is of interest.
    private func addToRelocalizer(_ time: Double) {
        diagnostics.relocalizationTime = 0
        diagnostics.relocalizationWait = 0
        guard !featureTracker.report.isFeatureless else { return }
        let pose = isAccurate ? lastResult?.worldFromCamera : nil
        timed {
            let corners = featureTracker.tracks.map { TrackedCorner(id: $0.id, position: $0.position) }
            guard isAccurate || relocalizer.isRelocalizing else {
                if !quality.isScaleKnown { relocalizer.addEarly(corners, featureTracker.newestPyramid, time: time) }
                return
            }
            relocalizer.add(corners, featureTracker.newestPyramid, time: time, near: pose.map { connection.worldFromFilter * $0 })
        }
    }

    /// Passes the poses of frames before the start of the filter to the relocalizer: the initialization's states, propagated by the IMU.
    private func setEarlyPoses(_ path: [FilterState]) {
        guard let first = path.first else { return }
        for time in relocalizer.earlyTimes {
            let moment = time + rig.timeOffset
            guard moment > first.time - 0.1 else { continue }
            let state = path.last { $0.time <= moment } ?? first
            var propagation = InertialPropagation(state, gravity: settings.filter.gravity, noise: noise)
            propagation.integrate(inertial.samples(from: state.time, to: moment), withErrors: false)
            var pose = propagation.state
            if moment < state.time { pose.worldFromBody.translation += state.velocity * (moment - state.time) }
            setEarlyPose(pose, time)
        }
    }

    /// Passes the pose of a frame to the relocalizer if it was captured before tracking was initialized.
    private func setEarlyPose(_ state: FilterState, _ time: Double) {
        guard relocalizer.earlyTimes.contains(time) else { return }
        let turn = rig.readoutTurn(inertial, at: time, bias: state.gyroscopeBias)
        relocalizer.setEarlyPose(
            connection.worldFromFilter * state.worldFromBody * rig.cameraFromBody.inverse, at: time, readoutTurn: turn, camera: rig.camera)
    }

    /// Passes the pose of the newest processed frame to the relocalizer.
    private func updateRelocalizer(_ time: Double) {
        if let clock {
            let start = clock()
            relocalizer.waitForDueJob()
            diagnostics.relocalizationWait += (clock() - start) * 1000
        }
        guard let (pose, variance) = poseForRelocalization(time) else { return relocalizer.skip(at: time) }
        timed {
            let drifts = filter?.driftSinceKeyframes ?? [:]
            let outcome = relocalizer.update(
                time: time, pose: connection.worldFromFilter * pose, variance: variance, driftSinceKeyframes: drifts)
            if let filter { apply(outcome, to: filter) }
            if let correction = outcome.correction { apply(correction, origin: outcome.origin) }
            // The pose may be corrected now.
            let corrected = connection.worldFromFilter * (poseForRelocalization(time)?.pose ?? pose)
            let turn = rig.readoutTurn(inertial, at: time, bias: filter?.state.gyroscopeBias ?? orientation.gyroscopeBias)
            let keyframe = relocalizer.startJob(
                time: time, pose: corrected, isMetric: variance != nil, readoutTurn: turn, camera: rig.camera)
            if let keyframe { connection.addKeyframe(keyframe, to: filter) }
            connection.setReference(keyframe, drifts: drifts)
        }
    }

    /// Updates the filter with a pose that was measured by the map, and moves the map's keyframes.
    private func apply(_ outcome: Relocalizer.Outcome, to filter: VisualInertialFilter) {
        let moves = connection.update(filter, with: outcome, lastPose: lastResult?.worldFromCamera)
        if !moves.isEmpty { relocalizer.move(keyframes: moves) }
        if connection.isDisproved { forgetPosition(.contradictsMap) }
    }

    /// Moves the filter's world into the map's.
    private func apply(_ correction: RigidTransform, origin: (keyframe: Int, error: [Double])?) {
        connection.apply(correction, origin: origin, to: filter)
        if !relocalizer.isRelocalizing {
            quality.isRelocalizing = false
            unconnectedSince = nil
        }
    }

    /// The camera's pose in the filter's world, and its variance if it is metric. To relocalize, the direction of gravity suffices.
    private func poseForRelocalization(_ time: Double) -> (pose: RigidTransform, variance: DriftVariance?)? {
        let moment = time + rig.timeOffset
        // This frame may have corrected the clock's offset.
        if let filter, abs(filter.state.time - moment) < 0.015 {
            guard isAccurate || relocalizer.isRelocalizing else { return nil }
            return (
                filter.state.worldFromBody * rig.cameraFromBody.inverse, isAccurate ? DriftVariance(ofPose: filter.cameraCovariance) : nil
            )
        }
        guard filter == nil, relocalizer.isRelocalizing, let worldFromBody = orientation.worldFromBody(at: moment) else { return nil }
        return (RigidTransform(rotation: worldFromBody * rig.cameraFromBody.rotation.transpose, translation: position), nil)
    }

    private func timed(_ work: () -> Void) {
        let start = clock?() ?? 0
        work()
        if let clock { diagnostics.relocalizationTime += (clock() - start) * 1000 }
    }

    /// The position is too uncertain, or disproved: the filter continues in a submap until relocalization succeeds.
    private func forgetPosition(_ loss: Loss) {
        diagnostics.losses += 1
        diagnostics.lastLoss = loss
        connection.disconnect(filter)
        relocalizer.lose(at: newestTime)
        quality.forgetPosition()
        unconnectedSince = nil
    }

    /// Starts a new world if there is nothing to relocalize in, or after ``newWorldDelay``.
    ///
    /// Otherwise the state stays `limited(.relocalizing)`: earlier anchors have no known position in this world.
    private func continueInNewWorld(at time: Double) {
        let since = unconnectedSince ?? time
        unconnectedSince = since
        guard !relocalizer.isMapGiven else { return }
        guard !relocalizer.isRelocalizing || newWorldDelay.map({ time - since >= $0 }) ?? false else { return }
        if relocalizer.isRelocalizing {
            relocalizer = Relocalizer(settings.relocalization)
            connection.disconnect(filter)
        }
        quality.isRelocalizing = false
        (startsNewWorld, unconnectedSince) = (true, nil)
    }
}
