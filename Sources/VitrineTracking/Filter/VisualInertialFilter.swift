import VitrineMapping
import VitrineMath
import VitrineVision

/// Estimates the pose of a camera and an IMU fixed to each other: a multi-state-constraint Kalman filter over the newest motion, past poses
/// ("clones"), the calibration, and optionally points.
///
/// - Most features are not part of the state. A track that ends or fills the window constrains the clones after its point is projected out
///   (Mourikis & Roumeliotis 2007). Long tracks may become points of the state if ``FilterSettings/points`` allows.
/// - Jacobians use first estimates where the filter would otherwise gain spurious information on the unobservable heading
///   (Huang, Mourikis & Roumeliotis 2008; Li & Mourikis 2013).
///
/// Frames: the world has gravity `settings.gravity` (−Y by default); the body is the IMU. Metres, radians, seconds on the IMU's clock.
/// The same input gives the same output, bit for bit.
package final class VisualInertialFilter {
    package let settings: FilterSettings
    let layout: FilterLayout
    /// The IMU's noise for propagation. Default: the rig's.
    package var noise: InertialNoise
    let covariance: FilterCovariance
    private let kalman: FilterUpdate
    private let quantiles: ChiSquare
    private let zeroVelocityUpdate: ZeroVelocityUpdate
    private let pointUpdate: PointUpdate
    private let trackUpdate: TrackUpdate
    private(set) var estimate: FilterEstimate
    private var gate = InertialSampleGate()
    private var inertial = InertialBuffer()
    private var table: FeatureTrackTable
    private var triangulation: WindowTriangulation
    /// Time of the newest frame on the camera's clock.
    private var frameTime = -Double.infinity
    private var hasFailed = false
    /// Whether scale and misalignment of the IMU are estimated.
    private let isCalibrationEstimated: Bool

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - rig: Camera, IMU noise and calibration, which is refined as `uncertainty` allows.
    ///   - state: The initial state. Samples and frames after its time are used.
    package init(rig: SensorRig, settings: FilterSettings = FilterSettings(), state: FilterState, uncertainty: FilterUncertainty) {
        (self.settings, noise) = (settings, rig.noise)
        layout = FilterLayout(settings)
        covariance = FilterCovariance(layout: layout)
        kalman = FilterUpdate(layout: layout, covariance: covariance)
        quantiles = ChiSquare(probability: settings.gate, most: 2 * layout.slots + TrackInformation.maximumDepths)
        zeroVelocityUpdate = ZeroVelocityUpdate(settings: settings, kalman: kalman, quantiles: quantiles)
        pointUpdate = PointUpdate(settings: settings, kalman: kalman, quantiles: quantiles)
        trackUpdate = TrackUpdate(settings: settings, layout: layout, kalman: kalman, quantiles: quantiles, points: pointUpdate)
        estimate = FilterEstimate(layout: layout, rig: rig, state: state, calibration: uncertainty.calibration?.entries)
        isCalibrationEstimated = uncertainty.inertialCalibration > 0
        table = FeatureTrackTable(slots: layout.slots)
        triangulation = WindowTriangulation(settings: settings, layout: layout)
        covariance.initialize(uncertainty, gravity: settings.gravity, readingAtRest: readingAtRest)
    }

    // MARK: Input

    /// Adds an inertial sample. Samples that are out of order, not finite or implausible are skipped and counted.
    package func add(_ sample: InertialSample) {
        for admitted in gate.admitted(sample) { _ = inertial.append(admitted) }
    }

    /// Updates the state with a frame's features.
    ///
    /// Add the inertial samples up to the frame's time first, if possible also the one after it; without it the last sample is repeated.
    /// - Parameters:
    ///   - time: Seconds on the camera's clock, after the last frame's.
    ///   - features: In any order. Of several with the same identifier the first counts.
    package func update(time: Double, features: [ObservedFeature]) -> FilterReport {
        let target = time + estimate.rig.timeOffset
        var report = FilterReport(.skipped, time: estimate.body.time)
        report.samplesSkipped = gate.skipped
        guard !hasFailed else { return finished(&report, .failed) }
        guard time.isFinite, time > frameTime,
            target > estimate.body.time || (estimate.order.isEmpty && target > estimate.body.time - 1e-6)
        else { return finished(&report, .skipped) }
        guard inertial.last != nil else { return finished(&report, .withoutInertial) }
        (frameTime, points) = (time, [])
        report.features = features.count
        let samples = samples(from: estimate.body.time, to: target)
        report.samples = samples.count
        let angularVelocity = propagate(samples)
        let motion = rowMotion()
        inertial.drop(before: estimate.body.time - (hasRollingShutter ? 0.1 : 0))
        if settings.usesZeroVelocityUpdates,
            let isValid = zeroVelocityUpdate.apply(samples, features, time: time, table, to: &estimate)
        {
            points = trackedPoints(features)
            return finished(&report, isValid ? .atRest : .failed)
        }
        let slot = addClone(angularVelocity, motion)
        register(features, slot: slot)
        let isValid =
            trackUpdate.apply(&table, slot: slot, to: &estimate, &report) && pointUpdate.apply(slot: slot, to: &estimate, &report)
        report.renewedFirstEstimates = estimate.renewWrongFirstEstimates(
            medianDistance: estimate.medianDistance(at: time, table), time: time)
        triangulation.update(&table, slot: slot, estimate, covariance, quantiles)
        points = trackedPoints(features)
        marginalize(slot, &report)
        return finished(&report, isValid ? .updated : .failed)
    }

    /// Updates the state with a position measured by a map.
    ///
    /// - Parameters:
    ///   - time: The frame's, on the camera's clock: one of the window.
    ///   - offset: The measured less the estimated position in the world.
    /// - Returns: Whether the measurement was used: the frame is in the window, and the offset agrees with the estimate.
    package func update(position offset: Vector3d, covariance noise: Matrix3d, time: Double) -> Bool {
        guard !hasFailed, let slot = estimate.order.first(where: { estimate.clones[$0].time == time }) else { return false }
        let (values, axes) = noise.symmetricEigen()
        kalman.begin()
        let first = Int32(layout.clone(slot) + 3)
        for (axis, variance) in [(axes.x, values.x), (axes.y, values.y), (axes.z, values.z)] {
            guard variance > 1e-12 else { return false }
            let weight = 1 / variance.squareRoot()
            let row = [axis.x * weight, axis.y * weight, axis.z * weight]
            [first, first + 1, first + 2].withUnsafeBufferPointer {
                kalman.add(columns: $0, coefficients: row, residual: dot(axis, offset) * weight)
            }
        }
        guard kalman.mahalanobis() < Self.positionGate else { return false }
        guard kalman.apply(to: &estimate) else {
            hasFailed = true
            return false
        }
        estimate.renewFirstEstimates()
        return true
    }

    /// χ² with three degrees of freedom: 0.999 quantile.
    private static let positionGate = 16.3

    // MARK: Keyframes

    /// Keeps the newest frame's pose, with its correlation with the state. With too many keyframes it replaces one that is near another one.
    ///
    /// - Parameters:
    ///   - error: If the pose stands for a map that is aligned with it: the covariance of the map's heading and of its position at the camera;
    ///   4×4 in row order.
    ///   - kept: The identifier of a keyframe that is not replaced.
    /// - Returns: The identifiers of a replaced keyframe and of the one near it.
    @discardableResult
    package func addKeyframe(_ id: Int, mapError error: [Double]? = nil, keeping kept: Int? = nil) -> (replaced: Int, near: Int)? {
        guard layout.maximumKeyframes > 0, let newest = estimate.order.last else { return nil }
        var (slot, replacement): (Int, (replaced: Int, near: Int)?) = (estimate.keyframes.count, nil)
        if slot == layout.maximumKeyframes {
            let pair = estimate.mostSimilarKeyframes(keeping: kept)
            (slot, replacement) = (pair.newer, (estimate.keyframes[pair.newer].id, estimate.keyframes[pair.older].id))
        }
        estimate.putKeyframe(id, clone: newest, in: slot)
        covariance.addKeyframe(slot, clone: newest)
        if let error { addMapError(error, to: slot, clone: newest) }
        return replacement
    }

    private func addMapError(_ error: [Double], to keyframe: Int, clone: Int) {
        let update = KeyframeUpdate(estimate, clone: clone, keyframe: keyframe)
        covariance.add(update.keyframeCovariance(ofMapError: error), at: layout.keyframe(keyframe))
        estimate.setMapError(ofKeyframe: keyframe, isIncluded: true)
    }

    /// - Parameter own: The keyframe's covariance without the map's error; 6×6 in row order.
    private func removeMapError(from keyframe: Int, _ own: [Double]) {
        covariance.setPose(own, at: layout.keyframe(keyframe))
        estimate.setMapError(ofKeyframe: keyframe, isIncluded: false)
    }

    /// The pose of the body in a keyframe; nil if it is unknown.
    package func worldFromBody(keyframe id: Int) -> RigidTransform? {
        estimate.keyframe(id).map { estimate.keyframes[$0].worldFromBody }
    }

    package func removeKeyframes() {
        estimate.removeKeyframes()
        covariance.removeKeyframes()
    }

    /// The variance of the newest frame's pose relative to each keyframe, by identifier.
    package var driftSinceKeyframes: [Int: DriftVariance] {
        guard let newest = estimate.order.last else { return [:] }
        var drifts: [Int: DriftVariance] = [:]
        for (slot, keyframe) in estimate.keyframes.enumerated() {
            drifts[keyframe.id] = KeyframeUpdate(estimate, clone: newest, keyframe: slot).variance(covariance)
        }
        return drifts
    }

    /// Updates the state and the keyframes with a frame's pose relative to a keyframe, measured by a map.
    ///
    /// - Returns: The moves of the keyframes, new from old poses in the world, by identifier. nil if the measurement was not used: frame or keyframe are
    ///   unknown, or the pose contradicts the estimate.
    package func update(_ measurement: MapMeasurement) -> [Int: RigidTransform]? {
        guard !hasFailed, let clone = estimate.order.first(where: { estimate.clones[$0].time == measurement.time }),
            let keyframe = estimate.keyframe(measurement.keyframe)
        else { return nil }
        // The first measurement brings the error of the map, which stays only if the measurement is used.
        let isFirst = !estimate.keyframes[keyframe].includesMapError
        let own = isFirst ? covariance.pose(layout.keyframe(keyframe)) : []
        if isFirst { addMapError(measurement.covariance, to: keyframe, clone: clone) }
        kalman.begin()
        let update = KeyframeUpdate(estimate, clone: clone, keyframe: keyframe)
        guard update.addRows(measurement, to: kalman), kalman.mahalanobis() < Self.poseGate else {
            if isFirst { removeMapError(from: keyframe, own) }
            return nil
        }
        let (before, position) = (estimate.keyframes, estimate.clones[clone].worldFromBody.translation)
        guard kalman.apply(to: &estimate, estimatesKeyframes: true) else {
            hasFailed = true
            return nil
        }
        if length(estimate.clones[clone].worldFromBody.translation - position) > Self.smallMove { estimate.renewFirstEstimates() }
        let moves = zip(estimate.keyframes, before).map { ($0.id, $0.worldFromBody * $1.worldFromBody.inverse) }
        return Dictionary(uniqueKeysWithValues: moves)
    }

    /// χ² with four degrees of freedom: 0.999 quantile.
    private static let poseGate = 18.5
    /// Metres below which a correction does not renew first estimates.
    private static let smallMove = 0.01

    private func finished(_ report: inout FilterReport, _ outcome: FilterReport.Outcome) -> FilterReport {
        report.outcome = outcome
        if !estimate.body.isFinite { report.outcome = .failed }
        hasFailed = report.outcome == .failed
        report.time = estimate.body.time
        report.states =
            FilterLayout.clones + FilterLayout.cloneSize * estimate.order.count + FilterLayout.inertialCalibrationSize
            + 3 * estimate.points.count
        report.clones = estimate.order.count
        report.points = estimate.points.count
        report.triangulated = points.count
        return report
    }

    // MARK: Estimates

    /// The state at the newest frame.
    package var state: FilterState { estimate.body }

    /// The state with the accelerometer bias of readings without the estimated corrections of scale and misalignment, at rest in this orientation:
    /// for an initialization, which does not estimate them.
    package var uncorrectedState: FilterState {
        var state = estimate.body
        state.accelerometerBias -= (estimate.accelerometerCorrection - .identity) * readingAtRest
        return state
    }

    /// What the accelerometer would read at rest in the current orientation.
    private var readingAtRest: Vector3d {
        estimate.body.worldFromBody.rotation.transpose * settings.gravity * -1 + estimate.body.accelerometerBias
    }

    /// The rig with its calibration as estimated so far.
    package var rig: SensorRig { estimate.rig }

    /// The triangulated points in the newest frame, by ascending identifier.
    package private(set) var points: [TrackedPoint] = []

    /// Covariance of the body's pose: rotation about the world's axes (radians), then position (metres); 6×6 in row order.
    package var poseCovariance: [Double] { block(6) }

    /// Covariance of orientation (about the world's axes), position, velocity, gyroscope bias, accelerometer bias; 15×15 in row order.
    package var stateCovariance: [Double] { block(15) }

    private func block(_ size: Int) -> [Double] {
        (0..<size * size).map { covariance[$0 / size, $0 % size] }
    }

    /// Covariance of the camera's pose: rotation about the world's axes (radians), then position (metres); 6×6 in row order.
    package var cameraCovariance: [Double] { covariance.cameraPose(estimate) }

    /// The state at another time, propagated by the available samples: for rendering after the newest frame.
    ///
    /// - Parameter time: Seconds on the IMU's clock, clamped between the newest frame and 0.1 s after the last sample.
    package func predicted(at time: Double) -> FilterState {
        guard let last = inertial.last, time > estimate.body.time else { return estimate.body }
        let end = min(time, max(last.time, estimate.body.time) + 0.1)
        var propagation = InertialPropagation(estimate.body, gravity: settings.gravity, noise: noise)
        propagation.integrate(samples(from: estimate.body.time, to: end), withErrors: false)
        return propagation.state
    }

    /// The features with a triangulated position, by ascending identifier.
    private func trackedPoints(_ features: [ObservedFeature]) -> [TrackedPoint] {
        var points: [TrackedPoint] = []
        for feature in features where feature.pixel.x.isFinite && feature.pixel.y.isFinite {
            if let index = estimate.indexOfPoint(feature.id) {
                let position = estimate.points[index].position
                points.append(
                    TrackedPoint(
                        id: feature.id, position: position, pixel: feature.pixel, deviation: pointUpdate.deviation(of: index, estimate)))
            } else if let index = table.index(of: feature.id), let position = table.tracks[index].landmark.position {
                points.append(
                    TrackedPoint(
                        id: feature.id, position: position, pixel: feature.pixel, deviation: table.tracks[index].landmark.deviation))
            }
        }
        points.sort { $0.id < $1.id }
        // The first of equal identifiers counts.
        for index in points.indices.dropFirst().reversed() where points[index].id == points[index - 1].id { points.remove(at: index) }
        return points
    }

    // MARK: Propagation

    /// The samples between two times, corrected by the estimated calibration.
    private func samples(from start: Double, to end: Double) -> [InertialSample] {
        inertial.samples(from: start, to: end).map(estimate.corrected)
    }

    private func reading(at time: Double) -> InertialSample? { inertial.reading(at: time).map(estimate.corrected) }

    /// Propagates the state to the last sample's time.
    /// - Returns: The angular velocity there, in the body.
    private func propagate(_ samples: [InertialSample]) -> Vector3d {
        guard samples.count > 1 else {
            return (reading(at: estimate.body.time)?.angularVelocity ?? .zero) - estimate.body.gyroscopeBias
        }
        var propagation = InertialPropagation(
            estimate.body, gravity: settings.gravity, noise: noise, byCalibration: isCalibrationEstimated)
        propagation.integrate(samples)
        let transition = propagation.transition(position: estimate.firstPosition, velocity: estimate.firstVelocity)
        covariance.propagate(
            transition: transition, noise: propagation.addedNoise,
            byCalibration: isCalibrationEstimated ? propagation.calibrationTransition : [])
        estimate.body = propagation.state
        estimate.renewFirstMotion()
        return propagation.angularVelocity
    }

    /// Whether the rows of a frame have poses of their own.
    private var hasRollingShutter: Bool { estimate.rig.readoutTime != 0 }

    /// The motion around the state's time, for the rows of a rolling shutter.
    private func rowMotion() -> RowMotion {
        guard hasRollingShutter, let first = inertial.first?.time, let last = inertial.last?.time else { return RowMotion() }
        let (body, half) = (estimate.body, 0.01)
        guard let early = reading(at: max(first, body.time - half)), let now = reading(at: body.time),
            let late = reading(at: min(last, body.time + half))
        else { return RowMotion() }
        let duration = late.time - early.time
        let change = duration > 0.004 ? (late.angularVelocity - early.angularVelocity) / duration : .zero
        return RowMotion(
            angularVelocity: now.angularVelocity - body.gyroscopeBias, angularAcceleration: change, velocity: body.velocity,
            acceleration: body.worldFromBody.rotation * (now.acceleration - body.accelerometerBias) + settings.gravity)
    }

    // MARK: Window

    /// Adds the current pose as a clone.
    ///
    /// The image was captured at its time stamp plus the true clock offset; the pose is that of the estimated one. An error of the offset thus
    /// shifts the clone along the motion (Li & Mourikis 2014).
    /// - Returns: The slot.
    private func addClone(_ angularVelocity: Vector3d, _ rowMotion: RowMotion) -> Int {
        if estimate.order.count == layout.slots { removeOldestClone() }
        let slot = estimate.addClone(rowMotion, time: frameTime)
        let (turn, motion) = (estimate.body.worldFromBody.rotation * angularVelocity, estimate.body.velocity)
        let rates = [turn.x, turn.y, turn.z, motion.x, motion.y, motion.z]
        covariance.addClone(slot, rates: rates)
        return slot
    }

    private func removeOldestClone() {
        guard let slot = estimate.removeOldestClone() else { return }
        covariance.clear(layout.clone(slot), FilterLayout.cloneSize)
        table.remove(slot)
    }

    /// Stores the frame's observations of points and tracks.
    private func register(_ features: [ObservedFeature], slot: Int) {
        let camera = estimate.rig.camera
        for feature in features where feature.pixel.x.isFinite && feature.pixel.y.isFinite {
            if let index = estimate.indexOfPoint(feature.id) {
                guard estimate.points[index].observed != frameTime else { continue }
                estimate.observePoint(index, pixel: feature.pixel, time: frameTime)
                continue
            }
            let normalized = camera.normalized(feature.pixel)
            guard normalized.x.isFinite, normalized.y.isFinite, abs(normalized.x) < 10, abs(normalized.y) < 10 else { continue }
            table.observe(feature.id, feature.pixel, normalized, depth: feature.depth, in: slot)
        }
    }

    /// Removes what the next frame does not need: ended tracks, unobserved points, the oldest clone.
    private func marginalize(_ slot: Int, _ report: inout FilterReport) {
        pointUpdate.removeLost(at: frameTime, from: &estimate, &report)
        if estimate.order.count > layout.slots - 1 { removeOldestClone() }
        table.removeEnded(slot)
    }
}
