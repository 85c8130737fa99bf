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
    private let information: TrackInformation
    private let quantiles: ChiSquare
    private let zeroVelocity: ZeroVelocityUpdate
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
        kalman = FilterUpdate(layout: layout)
        information = TrackInformation(layout: layout)
        quantiles = ChiSquare(probability: settings.gate, most: 2 * layout.slots + TrackInformation.maximumDepths)
        zeroVelocity = ZeroVelocityUpdate(settings: settings, layout: layout)
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
        if settings.usesZeroVelocityUpdates, let isValid = updateAtRest(samples, features) {
            points = trackedPoints(features)
            return finished(&report, isValid ? .atRest : .failed)
        }
        let slot = addClone(angularVelocity, motion)
        register(features, slot: slot)
        let isValid = updateFromTracks(slot, &report) && updateFromPoints(slot, &report)
        report.renewedFirstEstimates = renewFirstEstimates()
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
        kalman.begin(covariance)
        let first = Int32(layout.clone(slot) + 3)
        for (axis, variance) in [(axes.x, values.x), (axes.y, values.y), (axes.z, values.z)] {
            guard variance > 1e-12 else { return false }
            let weight = 1 / variance.squareRoot()
            let row = [axis.x * weight, axis.y * weight, axis.z * weight]
            [first, first + 1, first + 2].withUnsafeBufferPointer {
                kalman.add(columns: $0, coefficients: row, residual: dot(axis, offset) * weight, covariance)
            }
        }
        guard kalman.mahalanobis() < Self.positionGate else { return false }
        guard kalman.apply(to: &estimate, covariance) else {
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
        kalman.begin(covariance)
        let update = KeyframeUpdate(estimate, clone: clone, keyframe: keyframe)
        guard update.addRows(measurement, to: kalman, covariance), kalman.mahalanobis() < Self.poseGate else {
            if isFirst { removeMapError(from: keyframe, own) }
            return nil
        }
        let (before, position) = (estimate.keyframes, estimate.clones[clone].worldFromBody.translation)
        guard kalman.apply(to: &estimate, covariance, estimatesKeyframes: true) else {
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
    ///
    /// Includes the uncertainty of the extrinsics and their correlation with the body's pose. With errors R = exp(θ) R̂ of the body and
    /// C = exp(φ) Ĉ of the camera on it, the camera's rotation error is θ − Rᵂᶜ φ; its position error follows from that rotation at the end of
    /// the lever arm from body to camera, the body's position error and the translation error on the body.
    package var cameraCovariance: [Double] {
        let camera = estimate.rig.cameraFromBody
        let worldFromCamera = estimate.body.worldFromBody.rotation * camera.rotation.transpose
        let arm = (worldFromCamera * camera.translation) * -1
        let lever = Matrix3d.skew(arm) * -1
        let (turned, none) = (worldFromCamera * -1, Matrix3d.zero)
        let jacobian = [[.identity, none, turned, none], [lever, .identity, lever * turned, turned]]
        let indices = [FilterLayout.orientation, FilterLayout.position, FilterLayout.extrinsics, FilterLayout.extrinsics + 3]
        func part(_ row: Int, _ column: Int) -> Matrix3d {
            var sum = Matrix3d.zero
            for i in 0..<4 {
                for j in 0..<4 { sum = sum + jacobian[row][i] * covariance.block(indices[i], indices[j]) * jacobian[column][j].transpose }
            }
            return sum
        }
        let blocks = [[part(0, 0), part(0, 1)], [part(1, 0), part(1, 1)]]
        return (0..<36).map { blocks[$0 / 18][($0 % 6) / 3].column($0 % 3)[($0 / 6) % 3] }
    }

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
                    TrackedPoint(id: feature.id, position: position, pixel: feature.pixel, deviation: deviation(ofPoint: index)))
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

    /// Standard deviation of a point of the state relative to the newest clone.
    private func deviation(ofPoint index: Int) -> Double {
        let at = layout.point(index)
        guard let newest = estimate.order.last else { return covariance.block(at, at).trace.squareRoot() }
        let body = layout.clone(newest) + 3
        let spread = covariance.block(at, at) + covariance.block(body, body) - covariance.block(at, body) * 2
        return max(0, spread.trace).squareRoot()
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

    // MARK: Rest

    /// Detects rest and applies a zero-velocity update instead of adding a clone, which would push all baselines out of the window.
    /// - Returns: nil if the device moves; otherwise whether the update succeeded.
    private func updateAtRest(_ samples: [InertialSample], _ features: [ObservedFeature]) -> Bool? {
        guard let newest = estimate.order.last, samples.count > 3, isStill(features, newest),
            let mean = zeroVelocity.steadyMean(samples, noise: estimate.rig.noise)
        else { return nil }
        kalman.begin(covariance)
        let duration = samples[samples.count - 1].time - samples[0].time
        zeroVelocity.addMotionRows(mean, duration: duration, estimate, to: kalman, covariance)
        guard kalman.mahalanobis() <= quantiles[9] else { return nil }
        zeroVelocity.addPoseRows(newest: newest, estimate, to: kalman, covariance)
        guard kalman.apply(to: &estimate, covariance) else { return false }
        estimate.renewFirstMotion()
        for feature in features {
            if let index = estimate.indexOfPoint(feature.id) { estimate.confirmPoint(index, time: frameTime) }
        }
        return true
    }

    /// Whether the median image motion since the newest clone, of at least ten features, is that of a device at rest.
    private func isStill(_ features: [ObservedFeature], _ newest: Int) -> Bool {
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
        for index in estimate.points.indices.reversed() {
            let point = estimate.points[index]
            if frameTime - point.observed > settings.pointMemory || point.rejections >= 4 { removePoint(index, &report) }
        }
        if estimate.order.count > layout.slots - 1 { removeOldestClone() }
        table.removeEnded(slot)
    }

    private func removePoint(_ index: Int, _ report: inout FilterReport) {
        covariance.removePoint(at: layout.point(index))
        estimate.removePoint(index)
        report.pointsRemoved += 1
    }

    /// Largest move of a past position, and median move of the points, since their first estimates, relative to the distance of the scene.
    private static let largestMove = 0.03, largestPointMove = 0.06
    /// Typical distance of points indoors, metres.
    private static let indoorDistance = 1.5

    /// Replaces first estimates that proved wrong by the current ones.
    ///
    /// First estimates prevent spurious information on the heading, but Jacobians at points far from the truth are wrong themselves: a filter
    /// that starts with a velocity error of 0.1 m/s would converge to a wrong scale and wrong biases. Positions alone do not reveal it: with a
    /// hand-held device that hardly moves, the points move when the scale converges. A renewal costs a little consistency of the heading.
    /// It never happens in steady motion.
    private func renewFirstEstimates() -> Bool {
        let farthest = estimate.order.reduce(0.0) {
            max($0, length(estimate.clones[$1].worldFromBody.translation - estimate.clones[$1].firstPosition))
        }
        guard farthest > Self.largestMove * (medianDistance ?? Self.indoorDistance) || medianPointMove > Self.largestPointMove else {
            return false
        }
        estimate.renewFirstEstimates()
        return true
    }

    /// The median distance to observed points; nil for fewer than eight.
    private var medianDistance: Double? {
        let body = estimate.body.worldFromBody.translation
        let kept = estimate.points.filter { $0.observed == frameTime }.map(\.position)
        let distances = (kept + table.tracks.compactMap(\.landmark.position)).map { length($0 - body) }.sorted()
        return distances.count > 7 ? distances[distances.count / 2] : nil
    }

    /// The median move of the observed points since their first estimates, relative to their distance.
    private var medianPointMove: Double {
        let body = estimate.body.worldFromBody.translation
        let moves = estimate.points.filter { $0.observed == frameTime }.map {
            length($0.position - $0.firstPosition) / max(length($0.position - body), 0.05)
        }.sorted()
        return moves.isEmpty ? 0 : moves[moves.count / 2]
    }

    // MARK: Tracks

    /// Updates the state with tracks that ended and with those of the oldest clone; some of these become points.
    /// - Returns: false if the filter failed.
    private func updateFromTracks(_ slot: Int, _ report: inout FilterReport) -> Bool {
        let finished = finishedTracks(slot)
        var cameras = [RigidTransform](repeating: .identity, count: layout.slots)
        for slot in estimate.order { cameras[slot] = estimate.cameraFromWorld(slot) }
        let noise = settings.pixelNoise / max(1, estimate.rig.camera.focal.max())
        information.start()
        let typicalDepth = medianDistance
        for index in finished where report.tracksUsed < settings.tracks {
            let track = table.tracks[index]
            let slots = estimate.order.filter(track.isObserved)
            if hasRollingShutter { for slot in slots { cameras[slot] = estimate.cameraFromWorld(slot, track.pixels[slot]) } }
            let rays = TrackRays(slots: slots, cameras: cameras, noise: noise, typicalDepth: typicalDepth)
            // A depth that contradicts the images belongs to another surface.
            var outcome = project(track, rays, usesDepth: !track.depths.isEmpty)
            if outcome?.isConsistent != true, !track.depths.isEmpty { outcome = project(track, rays, usesDepth: false) }
            guard let (triangulated, projection, isConsistent) = outcome else {
                report.tracksUntriangulated += 1
                continue
            }
            guard isConsistent else {
                report.tracksGated += 1
                table.markUsed(index)
                continue
            }
            if track.isObserved(in: slot), triangulated.depthDeviation < settings.depthDeviation, makeRoom(&report) {
                addPoint(track, triangulated.point, projection, slot)
                report.pointsAdded += 1
            }
            information.keep()
            report.tracksUsed += 1
            table.markUsed(index)
        }
        return information.apply(kalman, to: &estimate, covariance)
    }

    /// The views of a track's observations.
    private struct TrackRays {
        var slots: [Int]
        /// `cameraFromWorld` by slot.
        var cameras: [RigidTransform]
        /// Standard deviation of normalized coordinates.
        var noise: Double
        var typicalDepth: Double?
    }

    /// Triangulates and linearizes a track; nil if its depth is too uncertain.
    private func project(
        _ track: FeatureTrack, _ rays: TrackRays, usesDepth: Bool
    ) -> (triangulated: TrackTriangulation, projection: TrackInformation.Projection, isConsistent: Bool)? {
        guard
            let triangulated = TrackTriangulation(
                track, slots: rays.slots, cameras: rays.cameras, noise: rays.noise, typicalDepth: rays.typicalDepth, usesDepth: usesDepth,
                turn: estimate.secondTurn),
            triangulated.depthDeviation < settings.depthDeviation || isUsableUnconverged(triangulated, rays.slots),
            let projection = information.project(
                track, slots: rays.slots, position: triangulated.point, estimate, weight: 1 / settings.pixelNoise, usesDepth: usesDepth)
        else { return nil }
        return (triangulated, projection, information.passes(projection, quantiles, covariance))
    }

    /// Whether a track of unconverged depth may be used: the product of the uncertainties of inverse depth and translation is a small part of
    /// a pixel.
    ///
    /// A device that hardly moves has no converged tracks, but its images still measure the rotation. Using only converged tracks would also
    /// select those that noise makes appear near, and shorten all distances.
    private func isUsableUnconverged(_ track: TrackTriangulation, _ slots: [Int]) -> Bool {
        guard let first = slots.first, let last = slots.last else { return false }
        let (a, b) = (layout.clone(first) + 3, layout.clone(last) + 3)
        let cross = covariance.block(a, b)
        let shift = (covariance.block(a, a) + covariance.block(b, b) - cross * 2).trace / 3
        guard shift >= 0 else { return false }
        let pixels = track.inverseDepthDeviation * shift.squareRoot() * estimate.rig.camera.focal.max()
        return pixels < settings.unconvergedTrackTolerance * settings.pixelNoise
    }

    /// Indices of tracks that will not grow, the longest first.
    private func finishedTracks(_ slot: Int) -> [Int] {
        let oldest = estimate.order.count == layout.slots ? estimate.order[0] : nil
        let minimum = max(2, settings.minimumTrackLength)
        let tracks = table.tracks
        return tracks.indices.filter { index in
            let track = tracks[index]
            guard track.count >= minimum else { return false }
            return !track.isObserved(in: slot) || oldest.map(track.isObserved) ?? false
        }.sorted { (tracks[$1].count, $0) < (tracks[$0].count, $1) }
    }

    // MARK: Points in the state

    /// Makes room for one more point; removes the one that was unobserved for longest if necessary.
    private func makeRoom(_ report: inout FilterReport) -> Bool {
        guard layout.maximumPoints > 0 else { return false }
        guard estimate.points.count == layout.maximumPoints else { return true }
        guard let oldest = estimate.points.indices.min(by: { estimate.points[$0].observed < estimate.points[$1].observed }),
            estimate.points[oldest].observed < frameTime
        else { return false }
        removePoint(oldest, &report)
        return true
    }

    /// Adds a track's point to the state. The track's remaining information is used with all other tracks, which is equivalent to one update.
    private func addPoint(_ track: FeatureTrack, _ position: Vector3d, _ projection: TrackInformation.Projection, _ slot: Int) {
        let own = projection.information.inverse
        let gain = RowStorage(rows: information.window, columns: 8)
        let cross = RowStorage(rows: 4, columns: layout.capacity)
        information.gain(projection, to: gain.rows)
        RowKernels.subtractProduct(
            gain.rows, covariance.rows.from(FilterLayout.window, 0), from: cross.rows, rows: 4, columns: covariance.width,
            depth: information.window)
        var spread = own
        for k in 0..<information.window {
            let g = Vector3d(gain.rows[k, 0], gain.rows[k, 1], gain.rows[k, 2])
            let column = FilterLayout.window + k
            let c = Vector3d(cross.rows[0, column], cross.rows[1, column], cross.rows[2, column])
            spread = spread - Matrix3d(c * g.x, c * g.y, c * g.z)
        }
        covariance.append(cross: cross.rows, own: spread)
        estimate.append(
            FilterEstimate.Point(
                id: track.id, position: position + own * projection.right, firstPosition: position, pixel: track.pixels[slot],
                observed: frameTime, added: frameTime))
    }

    /// Updates the state with the frame's observations of its points.
    /// - Returns: false if the filter failed.
    private func updateFromPoints(_ slot: Int, _ report: inout FilterReport) -> Bool {
        let row = UnsafeMutablePointer<Double>.allocate(capacity: 2 * ObservationJacobian.columns)
        defer { row.deallocate() }
        var columns = [Int32](repeating: 0, count: ObservationJacobian.residual)
        for k in 0..<FilterLayout.calibrationSize { columns[k] = Int32(FilterLayout.extrinsics + k) }
        for k in 0..<6 { columns[ObservationJacobian.pose + k] = Int32(layout.clone(slot) + k) }
        addFeatureDrift()
        kalman.begin(covariance)
        var squares = 0.0
        let limit = quantiles[2]
        for index in estimate.points.indices {
            let point = estimate.points[index]
            guard point.observed == frameTime, point.added != frameTime, !kalman.isFull else { continue }
            guard
                ObservationJacobian.write(
                    estimate.rig, estimate.clones[slot], position: point.position, first: point.firstPosition, pixel: point.pixel,
                    weight: 1 / settings.pixelNoise, to: row)
            else {
                estimate.rejectPoint(index)
                report.pointsGated += 1
                continue
            }
            for k in 0..<3 { columns[ObservationJacobian.point + k] = Int32(layout.point(index) + k) }
            let square = addRows(row, columns)
            if square <= limit {
                squares += square
                report.pointsUsed += 1
                estimate.acceptPoint(index)
            } else {
                kalman.removeLast(2)
                report.pointsGated += 1
                estimate.rejectPoint(index)
            }
        }
        let count = Double(2 * report.pointsUsed)
        if count > 0 { report.innovation = squares / count }
        return kalman.apply(to: &estimate, covariance)
    }

    /// Adds the drift of features to the covariance of their points.
    private func addFeatureDrift() {
        guard settings.featureDrift > 0 else { return }
        let drift = settings.featureDrift / max(1, estimate.rig.camera.focal.max())
        let body = estimate.body.worldFromBody.translation
        for (index, point) in estimate.points.enumerated() where point.observed == frameTime && point.added != frameTime {
            let variance = drift * drift * lengthSquared(point.position - body)
            for k in layout.point(index)..<layout.point(index) + 3 { covariance[k, k] += variance }
        }
    }

    /// Adds an observation's two rows to the update.
    /// - Returns: The Mahalanobis distance squared.
    private func addRows(_ row: UnsafeMutablePointer<Double>, _ columns: [Int32]) -> Double {
        columns.withUnsafeBufferPointer { columns in
            kalman.add(columns: columns, coefficients: row, residual: row[ObservationJacobian.residual], covariance)
            let second = row + ObservationJacobian.columns
            kalman.add(columns: columns, coefficients: second, residual: second[ObservationJacobian.residual], covariance)
        }
        let last = kalman.count - 1
        let (a, b, c) = (kalman.innovation(last - 1, last - 1) + 1, kalman.innovation(last - 1, last), kalman.innovation(last, last) + 1)
        let (x, y) = (kalman.residual(last - 1), kalman.residual(last))
        let square = (c * x * x - 2 * b * x * y + a * y * y) / (a * c - b * b)
        return square >= 0 ? square : .infinity
    }
}
