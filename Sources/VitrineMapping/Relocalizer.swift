import VitrineMath
import VitrineVision

/// A camera's pose in a landmark map.
package struct MappedPose: Sendable {
    /// Capture time on the camera's clock.
    package var time: Double
    package var worldFromCamera: RigidTransform
    /// Rotation about the map's axes (radians), then position (metres); 6×6 in row order.
    package var covariance: [Double]

    package init(time: Double, worldFromCamera: RigidTransform, covariance: [Double]) {
        (self.time, self.worldFromCamera, self.covariance) = (time, worldFromCamera, covariance)
    }
}

/// The position of a camera, measured in a landmark map.
package struct PositionMeasurement: Sendable {
    /// Capture time on the camera's clock.
    package var time: Double
    /// The measured less the tracked position, in the tracker's world.
    package var offset: Vector3d
    package var covariance: Matrix3d
}

/// The pose of a frame relative to a keyframe, measured by the landmarks around the keyframe.
package struct MapMeasurement: Sendable {
    /// Capture time on the camera's clock.
    package var time: Double
    /// The keyframe's identifier.
    package var keyframe: Int
    /// The frame's pose in the world if the keyframe's pose is correct.
    package var worldFromCamera: RigidTransform
    /// Heading in radians, then position in metres, on the world's axes; 4×4 in row order.
    package var covariance: [Double]
    /// The measured less the tracked position, in metres on the world's axes.
    package var offset = Vector3d.zero

    /// The measurement after a change of the world: a rotation about +Y and a translation.
    package func transformed(by newFromOld: RigidTransform) -> MapMeasurement {
        var result = self
        result.worldFromCamera = newFromOld * worldFromCamera
        result.covariance = Self.rotated(covariance, by: newFromOld.rotation)
        result.offset = newFromOld.rotation * offset
        return result
    }

    /// A covariance of heading and position after a rotation about +Y; 4×4 in row order.
    package static func rotated(_ covariance: [Double], by turn: Matrix3d) -> [Double] {
        // Rows of the Jacobian: the heading stays.
        let rows = [[1, 0, 0, 0]] + (0..<3).map { [0, turn.x[$0], turn.y[$0], turn.z[$0]] }
        return (0..<16).map { index in
            var sum = 0.0
            for i in 0..<4 { for j in 0..<4 { sum += rows[index / 4][i] * covariance[4 * i + j] * rows[index % 4][j] } }
            return sum
        }
    }
}

/// Builds a landmark map and relocalizes in it.
///
/// At most three times a second, and only for views that differ from all keyframes, a frame becomes a keyframe. After tracking was lost, or with
/// a given map, frames are matched with the keyframes (``RelocalizationQuery``); two consistent results are accepted. Both happen in background
/// jobs: a job that starts at one frame is applied a fixed number of frames later.
///
/// After a loss the keyframes belong to a new submap (``Keyframe/submap``) until relocalization determines its transform to the old one; then the
/// submaps are merged. The results of several frames are aligned with the map together (``MapAlignment``), and only an accurate alignment is accepted.
/// While the filter runs, views of keyframes since which its pose has drifted measure the pose relative to them (``MapMeasurement``).
package struct Relocalizer: Sendable {
    /// Statistics of relocalization.
    package struct Counts: Equatable, Sendable {
        /// Relocalization attempts, attempts with a result, merges of submaps, measurements for the filter, and frames that were skipped.
        package var attempts = 0, matches = 0, merges = 0, measurements = 0, skippedFrames = 0
    }

    /// The effect of the result of a background job.
    package struct Outcome: Sendable {
        /// Moves the current submap into the map: relocalization succeeded. A rotation about +Y and a translation.
        package var correction: RigidTransform?
        /// After a merge: the newest frame's pose connects the filter with the map's earlier keyframes. Its identifier, and the covariance of its
        /// heading and position in the map (4×4 in row order).
        package var origin: (keyframe: Int, error: [Double])?
        /// The pose of a frame relative to a keyframe of the filter.
        package var measurement: MapMeasurement?
        /// The position of a frame, for a filter that has started in the map and whose submap is not merged yet.
        package var position: PositionMeasurement?
    }

    /// A relocalization result, and the correction of the submap that follows from it.
    private struct Hypothesis: Sendable {
        var match: RelocalizationMatch
        var pose: RigidTransform
        var correction: RigidTransform
        /// Whether the tracked pose is metric: from a filter, not from the orientation alone.
        var isMetric: Bool
    }

    /// The task of a background job for a frame.
    private struct JobOutput: Sendable {
        /// With a new keyframe.
        var map: LandmarkMap?
        var isQuery: Bool
        var match: RelocalizationMatch?
        /// The tracked pose of the frame.
        var pose: RigidTransform
        var isMetric: Bool
        /// The keyframe near which the frame was matched; nil for all keyframes.
        var keyframe: Int?
    }

    private let settings: RelocalizationSettings
    private var landmarkMap = LandmarkMap()
    package private(set) var counts = Counts()
    /// Whether submap 0 is a given map in which relocalization has not succeeded yet.
    package private(set) var isMapGiven = false
    /// The current submap and the next new one. Relocalization is in submap 0.
    private var submap = 0
    private var nextSubmap = 1
    /// The drift of the world, and the pose's variance at the last frame, whose increase adds to the drift.
    private var drift = DriftVariance()
    private var poseVariance: DriftVariance?
    /// Whether the filter has started in the map.
    private var isStartedInMap = false
    /// The variance of the newest pose relative to the filter's keyframes, by identifier.
    private var driftSinceKeyframes: [Int: DriftVariance] = [:]
    /// The identifier of the next keyframe.
    private var nextID = 0

    private var job: (work: BackgroundJob<JobOutput>, due: Int)?
    /// The number of frames so far.
    private var frameNumber = 0
    /// Frames whose pose is not known yet.
    private var waiting: [CapturedFrame] = []
    private var early = EarlyFrames()
    private var keyframeTime = -Double.infinity
    private var attemptTime = -Double.infinity
    private var hypotheses: [Hypothesis] = []
    /// Whether the last attempt had a result.
    private var isMatching = false

    package init(_ settings: RelocalizationSettings) { self.settings = settings }

    /// The keyframes in the order of their creation, without a keyframe that a job is adding.
    var keyframes: [Keyframe] { landmarkMap.keyframes }

    /// Whether the current submap is not connected to submap 0.
    package var isRelocalizing: Bool { submap != 0 && landmarkMap.keyframes.contains { $0.submap == 0 } }

    /// The newest results that agree and have no metric pose yet: camera poses in the map.
    package var mappedPoses: [MappedPose] {
        hypotheses.filter { !$0.isMetric }.map {
            MappedPose(time: $0.match.time, worldFromCamera: $0.match.worldFromCamera, covariance: $0.match.covariance)
        }
    }

    /// A filter has started from ``mappedPoses``: its world is the map's.
    package mutating func startInMap() {
        isStartedInMap = true
        // The result of a frame without a filter would be of no use.
        if job != nil { _ = finishJob(nil) }
    }

    // MARK: Frames

    /// Adds the newest image if it is needed for a keyframe or a relocalization attempt.
    ///
    /// - Parameters:
    ///   - features: The tracked features, by ascending identifier.
    ///   - pose: The approximate `worldFromCamera`; nil if it is not known well enough for a keyframe.
    package mutating func add(_ features: [TrackedCorner], _ pyramid: ImagePyramid, time: Double, near pose: RigidTransform?) {
        guard settings.isEnabled, job.map({ $0.due <= frameNumber + 1 }) ?? true else { return }
        let isKeyframe =
            features.count >= settings.minimumFeatures && !(time - keyframeTime < settings.keyframeInterval) && pose.map(isNew) ?? false
        let isQuery = isRelocalizing ? !(time - attemptTime < settings.attemptInterval) : pose.map { isMeasuring(time, $0) } ?? false
        guard isKeyframe || isQuery else { return }
        if isKeyframe { keyframeTime = time }
        if isQuery { attemptTime = time }
        waiting.append(CapturedFrame(features, pyramid, time: time, isKeyframe: isKeyframe, isQuery: isQuery))
        if waiting.count > 8 { waiting.removeFirst() }
    }

    /// Keeps a frame from before tracking is initialized, which becomes a keyframe of saved maps once its pose is known.
    ///
    /// - Parameter features: The tracked features, by ascending identifier.
    package mutating func addEarly(_ features: [TrackedCorner], _ pyramid: ImagePyramid, time: Double) {
        if settings.isEnabled { early.add(features, pyramid, time: time, settings) }
    }

    /// The times of the early frames without a pose.
    package var earlyTimes: [Double] { early.waitingTimes }

    /// Sets the pose of an early frame.
    ///
    /// - Parameters:
    ///   - pose: `worldFromCamera`.
    ///   - readoutTurn: The rotation vector of the camera, on its axes, between the exposures of the first and the last row.
    package mutating func setEarlyPose(_ pose: RigidTransform, at time: Double, readoutTurn: Vector3d, camera: CameraIntrinsics) {
        early.setPose(pose, at: time, readoutTurn: readoutTurn, camera: camera)
    }

    /// Tracking is initialized.
    package mutating func completeEarlyFrames() { early.complete(in: submap) }

    /// Whether the frame of this time is matched to measure the pose relative to a keyframe.
    private func isMeasuring(_ time: Double, _ pose: RigidTransform) -> Bool {
        guard !(time - attemptTime < (isMatching ? settings.attemptInterval : settings.measurementInterval)) else { return false }
        return keyframes.contains { isReference($0) && $0.dissimilarity(of: pose, distance: 0.45 * $0.depth, angle: 0.5) < 1.5 }
    }

    /// Whether the filter's pose has drifted since a keyframe of the current submap.
    private func isReference(_ keyframe: Keyframe) -> Bool {
        guard keyframe.submap == submap, let since = driftSinceKeyframes[keyframe.id] else { return false }
        return since.heading > settings.minimumDrift.heading || since.position > settings.minimumDrift.position
    }

    /// Waits for a background job whose result the next ``update(time:pose:variance:driftSinceKeyframes:)`` applies.
    package func waitForDueJob() { if let job, job.due <= frameNumber + 1 { _ = job.work.result() } }

    /// Processes the pose of a frame: applies the result of a background job that is due.
    ///
    /// - Parameters:
    ///   - pose: `worldFromCamera`.
    ///   - variance: The pose's variance if a filter estimates it; otherwise only its rotation is known.
    ///   - driftSinceKeyframes: The variance of the pose relative to the filter's keyframes, by identifier.
    package mutating func update(
        time: Double, pose: RigidTransform, variance: DriftVariance?, driftSinceKeyframes: [Int: DriftVariance]
    ) -> Outcome {
        guard settings.isEnabled else { return Outcome() }
        frameNumber += 1
        self.driftSinceKeyframes = driftSinceKeyframes
        if let variance {
            drift = drift + (variance - (poseVariance ?? variance))
            poseVariance = variance
        }
        guard let due = job?.due, due <= frameNumber else { return Outcome() }
        return finishJob(pose, isMetric: variance != nil, at: time)
    }

    /// Starts a background job for the frame of the last update if it is needed.
    ///
    /// - Parameters:
    ///   - pose: `worldFromCamera`, corrected by the update's outcome.
    ///   - isMetric: Whether a filter estimates the pose.
    ///   - readoutTurn: The rotation vector of the camera, on its axes, between the exposures of the first and the last row.
    /// - Returns: The identifier of the keyframe that the frame becomes.
    package mutating func startJob(
        time: Double, pose: RigidTransform, isMetric: Bool, readoutTurn: Vector3d, camera: CameraIntrinsics
    ) -> Int? {
        guard let index = waiting.firstIndex(where: { $0.time == time }) else { return nil }
        var frame = waiting[index]
        waiting.removeFirst(index + 1)
        frame.readoutTurn = readoutTurn
        if !isMetric { frame.isKeyframe = false }
        guard job == nil, frame.isKeyframe || frame.isQuery else { return nil }
        let id = nextID
        if frame.isKeyframe {
            nextID += 1
            early.fix(to: id, in: submap)
        }
        startJob(frame, pose, isMetric, id: id, camera)
        return frame.isKeyframe ? id : nil
    }

    /// Moves keyframes that the filter has corrected, with their landmarks.
    ///
    /// - Parameter moves: New from old poses in the world, by identifier.
    package mutating func move(keyframes moves: [Int: RigidTransform]) {
        landmarkMap.move(keyframes: moves, submap: submap)
        early.move(keyframes: moves)
    }

    /// Skips a frame without a pose.
    package mutating func skip(at time: Double) {
        counts.skippedFrames += 1
        frameNumber += 1
        if let due = job?.due, due <= frameNumber { _ = finishJob(nil) }
        waiting.removeAll { $0.time <= time }
    }

    /// Reports that tracking was lost: later keyframes belong to a new submap.
    package mutating func lose(at time: Double) {
        skip(at: time)
        if job != nil { _ = finishJob(nil) }
        (hypotheses, poseVariance, isStartedInMap, driftSinceKeyframes) = ([], nil, false, [:])
        landmarkMap.forgetFilter()
        early.forgetFilter()
        guard landmarkMap.keyframes.contains(where: { $0.submap == submap }) else { return }
        submap = nextSubmap
        nextSubmap += 1
    }

    // MARK: Background jobs

    private mutating func startJob(
        _ frame: CapturedFrame, _ pose: RigidTransform, _ isMetric: Bool, id: Int, _ camera: CameraIntrinsics
    ) {
        let (map, settings, submap, drift) = (landmarkMap, settings, submap, drift)
        let isRelocalizing = isRelocalizing
        let nearest = isRelocalizing ? [] : referenceKeyframes(near: pose)
        let (keyframe, references) = (nearest.first.map { map.keyframes[$0].id }, Set(nearest))
        let expected = isRelocalizing ? hypotheses.last.map { $0.correction * pose } : pose
        let work = BackgroundJob { () -> JobOutput in
            let features = FrameFeatures(frame, at: pose, camera: camera, count: settings.corners, isQuery: frame.isQuery)
            var output = JobOutput(isQuery: frame.isQuery, pose: pose, isMetric: isMetric, keyframe: keyframe)
            if frame.isQuery {
                let query = RelocalizationQuery(
                    settings: settings, features: features, pose: pose, camera: camera, time: frame.time,
                    tilt: isMetric ? settings.tilt : settings.inertialTilt, expected: expected)
                output.match = query.match(in: map) { isRelocalizing ? map.keyframes[$0].submap != submap : references.contains($0) }
            }
            if frame.isKeyframe {
                var extended = map
                extended.insert(features, at: pose, camera: camera, submap: submap, id: id, drift: drift, settings)
                output.map = extended
            }
            return output
        }
        job = (work, frameNumber + settings.latency)
    }

    /// The keyframes with which a frame is matched to measure its pose; the first one is the most similar. The others are of about the same time:
    /// between keyframes of different times the world has drifted.
    private func referenceKeyframes(near pose: RigidTransform) -> [Int] {
        let keyframes = landmarkMap.keyframes
        guard let nearest = landmarkMap.nearest(pose, settings, where: { isReference(keyframes[$0]) }).first else { return [] }
        func isOfSameTime(_ number: Int) -> Bool {
            abs(keyframes[number].drift.position - keyframes[nearest].drift.position) < settings.minimumDrift.position
        }
        return [nearest] + keyframes.indices.filter { $0 != nearest && isReference(keyframes[$0]) && isOfSameTime($0) }
    }

    /// - Parameter pose: The newest frame's pose; nil discards a relocalization result.
    private mutating func finishJob(_ pose: RigidTransform?, isMetric: Bool = true, at time: Double = 0) -> Outcome {
        guard let work = job?.work else { return Outcome() }
        job = nil
        let output = work.result()
        if let map = output.map { landmarkMap = map }
        // When a filter starts, the tracked position jumps: earlier results are not comparable.
        guard output.isQuery, let pose, output.isMetric == isMetric else { return Outcome() }
        counts.attempts += 1
        isMatching = output.match != nil
        guard let match = output.match else {
            // Not at the expected pose: search everywhere next time.
            hypotheses = []
            return Outcome()
        }
        counts.matches += 1
        let correction = Self.correction(from: output.pose, to: match.worldFromCamera)
        hypotheses.append(Hypothesis(match: match, pose: output.pose, correction: correction, isMetric: output.isMetric))
        guard isRelocalizing else { return Outcome(measurement: output.keyframe.flatMap { measurement(relativeTo: $0) }) }
        var outcome = confirmedCorrection(pose, time)
        if outcome.correction == nil, isStartedInMap, output.isMetric { outcome.position = measuredPosition }
        return outcome
    }

    // MARK: Maps

    /// Discards all keyframes and relocalizes in a map.
    package mutating func relocalize(in map: LandmarkMap) {
        self = Relocalizer(settings)
        var surplus = map.keyframes.count - settings.maximumKeyframes
        landmarkMap =
            surplus <= 0
            ? map
            : map.filtered { _ in
                // The newest ones.
                surplus -= 1
                return surplus < 0
            }
        (submap, nextSubmap, isMapGiven) = (1, 2, !map.isEmpty)
    }

    /// The current submap's keyframes, or those of submap 0 if it has none, with keyframes of early frames.
    package var map: LandmarkMap {
        var finished = self
        if finished.job != nil { _ = finished.finishJob(nil) }
        let all = finished.landmarkMap
        let exported = all.keyframes.contains { $0.submap == finished.submap } ? finished.submap : 0
        var map = all.filtered { $0.submap == exported }
        finished.early.insert(into: &map, of: exported, settings)
        map.join(submap: exported, with: 0, drift: DriftVariance())
        map.forgetFilter()
        return map
    }

    /// The map's coverage of a camera's view.
    package func status(at pose: RigidTransform) -> MappingStatus {
        let own = keyframes.filter { $0.submap == submap }
        let near = own.count { $0.dissimilarity(of: pose, distance: 0.45 * $0.depth, angle: 0.5) < 1 }
        return near >= 2 ? .mapped : own.count >= 3 ? .extending : .limited
    }

    private func isNew(_ pose: RigidTransform) -> Bool { landmarkMap.isNew(pose, in: submap, settings) }

    // MARK: Corrections

    /// The correction if several results agree and have enough inliers.
    private mutating func confirmedCorrection(_ pose: RigidTransform, _ time: Double) -> Outcome {
        guard let newest = hypotheses.last else { return Outcome() }
        hypotheses = hypotheses.filter { agree($0, newest) }
        let isConfirmed = hypotheses.reduce(0) { $0 + $1.match.inliers } >= settings.minimumTotalInliers
        guard newest.isMetric else {
            guard hypotheses.count >= 2, isConfirmed else { return Outcome() }
            // The merge waits for the filter.
            hypotheses = hypotheses.suffix(Self.viewCount)
            let correction = extrapolatedCorrection(newest, to: time)
            correctHypotheses(correction)
            return Outcome(correction: correction)
        }
        hypotheses = hypotheses.suffix(settings.weakResults)
        // The newest result alone: a filter that has just started has relative poses of little accuracy.
        guard isConfirmed, hypotheses.count >= (isStartedInMap ? settings.minimumResultsInMap : settings.minimumResults),
            alignment(of: hypotheses.suffix(Self.viewCount), at: pose) != nil,
            let alignment = alignment(of: hypotheses.suffix(1), at: pose),
            alignment.landmarks >= settings.strongLandmarks || hypotheses.count == settings.weakResults && isSteady(pose)
        else { return Outcome() }
        let origin = nextID
        nextID += 1
        merge(with: newest.match, alignment, origin: origin)
        return Outcome(correction: alignment.correction, origin: (origin, alignment.covariance))
    }

    /// The camera's position in the map by the newest result.
    private var measuredPosition: PositionMeasurement? {
        guard let newest = hypotheses.last, let alignment = alignment(of: hypotheses.suffix(1), at: newest.pose) else { return nil }
        let c = alignment.covariance
        return PositionMeasurement(
            time: newest.match.time, offset: alignment.correction * newest.pose.translation - newest.pose.translation,
            covariance: Matrix3d(
                Vector3d(c[5], c[6], c[7]), Vector3d(c[9], c[10], c[11]), Vector3d(c[13], c[14], c[15])))
    }

    /// The newest result's pose relative to a keyframe if it agrees with the results before.
    private mutating func measurement(relativeTo keyframe: Int) -> MapMeasurement? {
        guard let newest = hypotheses.last else { return nil }
        hypotheses = hypotheses.filter { agree($0, newest) && newest.match.time - $0.match.time < 2 }.suffix(Self.viewCount)
        guard hypotheses.count >= settings.measurementResults, let alignment = alignment(of: hypotheses.suffix(1), at: newest.pose) else {
            return nil
        }
        // The filter corrects the tracked pose: earlier results are not comparable.
        hypotheses = []
        counts.measurements += 1
        return MapMeasurement(
            time: newest.match.time, keyframe: keyframe, worldFromCamera: alignment.correction * newest.pose,
            covariance: alignment.covariance.map { $0 * settings.measurementFactor },
            offset: alignment.correction * newest.pose.translation - newest.pose.translation)
    }

    /// Whether the pending results agree closely: a map of few or inexact landmarks gives another pose from each view.
    private func isSteady(_ pose: RigidTransform) -> Bool {
        let positions = hypotheses.map { $0.correction * pose.translation }
        return positions.allSatisfy { length($0 - positions[positions.count - 1]) < settings.steadyDistance }
    }

    /// The largest number of frames that are aligned together.
    private static let viewCount = 6

    /// The alignment of results with the map, if it is accurate.
    private func alignment(of hypotheses: ArraySlice<Hypothesis>, at pose: RigidTransform) -> MapAlignment.Result? {
        guard let newest = hypotheses.last else { return nil }
        let views = hypotheses.map { MapAlignment.View(pose: $0.pose, observations: $0.match.observations) }
        guard let result = MapAlignment().solve(views, at: pose.translation, from: newest.correction),
            result.residual < settings.maximumResidual,
            result.positionDeviation < settings.positionDeviation, result.headingDeviation < settings.headingDeviation,
            result.landmarks >= settings.minimumLandmarks, result.share >= settings.minimumAlignedShare
        else { return nil }
        return result
    }

    /// The correction for a time after the newest result, without a filter: the camera moves on with the mean velocity between the last two results.
    private func extrapolatedCorrection(_ newest: Hypothesis, to time: Double) -> RigidTransform {
        var correction = newest.correction
        if let previous = hypotheses.dropLast().last, newest.match.time - previous.match.time > 0.05 {
            let way = newest.match.worldFromCamera.translation - previous.match.worldFromCamera.translation
            let share = (time - newest.match.time) / (newest.match.time - previous.match.time)
            correction.translation += way * min(max(share, 0), 2)
        }
        return correction
    }

    private func agree(_ a: Hypothesis, _ b: Hypothesis) -> Bool {
        guard a.match.submap == b.match.submap, a.isMetric == b.isMetric else { return false }
        let turn = (a.correction.rotation.transpose * b.correction.rotation).rotationVector
        let duration = abs(b.match.time - a.match.time)
        let distance = length(a.correction * b.pose.translation - b.correction * b.pose.translation)
        let limit = settings.maximumDistance + (b.isMetric ? 0 : settings.maximumSpeed * duration)
        return distance < limit && length(turn) < settings.maximumAngle
    }

    /// The rotation about +Y and the translation that take one pose's position and heading to another's.
    private static func correction(from old: RigidTransform, to new: RigidTransform) -> RigidTransform {
        let turn = Rotations.heading(from: old.rotation, to: new.rotation)
        return RigidTransform(rotation: turn, translation: new.translation - turn * old.translation)
    }

    // MARK: Merging submaps

    /// Makes the current submap part of another one, whose keyframes keep their poses relative to the filter's new keyframe `origin`.
    private mutating func merge(with match: RelocalizationMatch, _ alignment: MapAlignment.Result, origin: Int) {
        counts.merges += 1
        let c = alignment.covariance
        drift = DriftVariance(heading: c[0], position: (c[5] + c[10] + c[15]) / 3)
        landmarkMap.transform(submap: submap, by: alignment.correction)
        landmarkMap.join(submap: submap, with: match.submap, origin: origin, drift: drift)
        early.join(submap: submap, with: match.submap, by: alignment.correction, origin: origin)
        (submap, hypotheses) = (match.submap, [])
        if match.submap == 0 { isMapGiven = false }
    }

    /// Adapts the hypotheses to a correction of the world: the matched poses stay; the tracked poses move.
    private mutating func correctHypotheses(_ correction: RigidTransform) {
        for index in hypotheses.indices {
            hypotheses[index].pose = correction * hypotheses[index].pose
            hypotheses[index].correction = hypotheses[index].correction * correction.inverse
        }
    }
}
