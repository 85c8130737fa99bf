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

/// Builds a landmark map and relocalizes in it.
///
/// At most three times a second, and only for views that differ from all keyframes, a frame becomes a keyframe. After tracking was lost, or with
/// a given map, frames are matched with the keyframes (``RelocalizationQuery``); two consistent results are accepted. Both happen in background
/// jobs: a job that starts at one frame is applied a fixed number of frames later.
///
/// After a loss the keyframes belong to a new submap (``Keyframe/submap``) until relocalization determines its transform to the old one; then the
/// submaps are merged. The results of several frames are aligned with the map together (``MapAlignment``), and only an accurate alignment is accepted.
/// Without a loss, views of keyframes since which the world has drifted close loops (``LoopCorrection``).
package struct Relocalizer: Sendable {
    /// Statistics of relocalization.
    package struct Counts: Equatable, Sendable {
        /// Relocalization attempts, attempts with a result, merges of submaps, closed loops (with corrections after a merge), and frames that
        /// were skipped.
        package var attempts = 0, matches = 0, merges = 0, corrections = 0, skippedFrames = 0
        /// Alignments that contradict the estimated drift.
        package var rejections = 0
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
    }

    private let settings: RelocalizationSettings
    private var landmarkMap = LandmarkMap()
    package private(set) var counts = Counts()
    /// Whether submap 0 is a given map in which relocalization has not succeeded yet.
    package private(set) var isMapGiven = false
    /// The current submap and the next new one. Relocalization is in submap 0.
    private var submap = 0
    private var nextSubmap = 1
    /// The time of the last merge.
    private var mergeTime = -Double.infinity
    /// The drift of the world relative to the map, and the pose's variance at the last frame, whose increase adds to the drift.
    private var drift = DriftVariance()
    private var poseVariance: DriftVariance?
    /// Whether the filter has started in the map.
    private var isStartedInMap = false
    /// The position measured by the job that the last update applied, for a filter that has just started.
    private var measurement: PositionMeasurement?
    /// Consecutive alignments that contradict the drift.
    private var contradictions = 0

    private var job: (work: BackgroundJob<JobOutput>, due: Int)?
    /// The number of frames so far.
    private var frameNumber = 0
    /// Frames whose pose is not known yet.
    private var waiting: [CapturedFrame] = []
    private var keyframeTime = -Double.infinity
    private var attemptTime = -Double.infinity
    private var hypotheses: [Hypothesis] = []

    package init(_ settings: RelocalizationSettings) { self.settings = settings }

    /// The keyframes in the order of their creation, without a keyframe that a job is adding.
    var keyframes: [Keyframe] { landmarkMap.keyframes }

    /// Whether the current submap is not connected to submap 0.
    package var isRelocalizing: Bool { submap != 0 && landmarkMap.keyframes.contains { $0.submap == 0 } }

    /// The drift of the world relative to the map; nil before the first correction, when it is the uncertainty of the tracked pose.
    package var correctedDrift: DriftVariance? { counts.merges + counts.corrections > 0 && !isRelocalizing ? drift : nil }

    /// The newest results that agree and have no metric pose yet: camera poses in the map.
    package var mappedPoses: [MappedPose] {
        hypotheses.filter { !$0.isMetric }.map {
            MappedPose(time: $0.match.time, worldFromCamera: $0.match.worldFromCamera, covariance: $0.match.covariance)
        }
    }

    /// A filter has started from ``mappedPoses``: its world is the map's.
    package mutating func startInMap() { isStartedInMap = true }

    /// Returns the position measured by the newest result, once, if the filter has just started.
    package mutating func takeMeasurement() -> PositionMeasurement? {
        defer { measurement = nil }
        return measurement
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
        let isQuery = isRelocalizing ? !(time - attemptTime < settings.attemptInterval) : pose.map { isRefining(time, $0) } ?? false
        guard isKeyframe || isQuery else { return }
        if isKeyframe { keyframeTime = time }
        if isQuery { attemptTime = time }
        waiting.append(CapturedFrame(features, pyramid, time: time, isKeyframe: isKeyframe, isQuery: isQuery))
        if waiting.count > 8 { waiting.removeFirst() }
    }

    /// Whether the frame of this time is matched to correct the drift.
    private func isRefining(_ time: Double, _ pose: RigidTransform) -> Bool {
        guard settings.closesLoops || counts.merges > 0 else { return false }
        let isRecent = time - mergeTime < settings.refinementTime
        let interval = isRecent || !hypotheses.isEmpty ? settings.attemptInterval : settings.refinementInterval
        guard !(time - attemptTime < interval) else { return false }
        return keyframes.contains {
            isReference($0, isRecent) && $0.dissimilarity(of: pose, distance: 0.45 * $0.depth, angle: 0.5) < 1.5
        }
    }

    /// Whether the world may have drifted since a keyframe of the current submap was added.
    private func isReference(_ keyframe: Keyframe, _ isRecent: Bool) -> Bool {
        guard keyframe.submap == submap else { return false }
        let since = drift - keyframe.drift
        let share = isRecent ? 0.05 : 1.0
        return since.heading > share * settings.loopDrift.heading || since.position > share * settings.loopDrift.position
    }

    /// Waits for a background job whose result the next ``update(time:pose:variance:readoutTurn:camera:)`` applies.
    package func waitForDueJob() { if let job, job.due <= frameNumber + 1 { _ = job.work.result() } }

    /// Processes a frame with a known pose: applies the result of a due background job, and starts the next one.
    ///
    /// - Parameters:
    ///   - pose: `worldFromCamera`.
    ///   - variance: The pose's variance if a filter estimates it; otherwise only its rotation is known.
    ///   - readoutTurn: The rotation vector of the camera, on its axes, between the exposures of the first and the last row.
    /// - Returns: The correction of the world if relocalization succeeded: a rotation about +Y and a translation.
    package mutating func update(
        time: Double, pose: RigidTransform, variance: DriftVariance?, readoutTurn: Vector3d, camera: CameraIntrinsics
    ) -> RigidTransform? {
        guard settings.isEnabled else { return nil }
        frameNumber += 1
        let isMetric = variance != nil
        if let variance {
            drift = drift + (variance - (poseVariance ?? variance))
            poseVariance = variance
        }
        var correction: RigidTransform?
        if let due = job?.due, due <= frameNumber { correction = finishJob(pose, isMetric: isMetric, at: time) }
        guard let index = waiting.firstIndex(where: { $0.time == time }) else { return correction }
        var frame = waiting[index]
        waiting.removeFirst(index + 1)
        frame.readoutTurn = readoutTurn
        if !isMetric { frame.isKeyframe = false }
        guard job == nil, frame.isKeyframe || frame.isQuery else { return correction }
        startJob(frame, correction.map { $0 * pose } ?? pose, isMetric, camera)
        return correction
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
        (hypotheses, poseVariance, contradictions, isStartedInMap) = ([], nil, 0, false)
        guard landmarkMap.keyframes.contains(where: { $0.submap == submap }) else { return }
        submap = nextSubmap
        nextSubmap += 1
    }

    // MARK: Background jobs

    private mutating func startJob(_ frame: CapturedFrame, _ pose: RigidTransform, _ isMetric: Bool, _ camera: CameraIntrinsics) {
        let (map, settings, submap, drift) = (landmarkMap, settings, submap, drift)
        let isRelocalizing = isRelocalizing
        let isRecent = frame.time - mergeTime < settings.refinementTime
        let references = isRelocalizing ? [] : Set(map.keyframes.indices.filter { isReference(map.keyframes[$0], isRecent) })
        let expected = isRelocalizing ? hypotheses.last.map { $0.correction * pose } : pose
        let work = BackgroundJob { () -> JobOutput in
            let features = FrameFeatures(frame, at: pose, camera: camera, count: settings.corners, isQuery: frame.isQuery)
            var output = JobOutput(isQuery: frame.isQuery, pose: pose, isMetric: isMetric)
            if frame.isQuery {
                let query = RelocalizationQuery(
                    settings: settings, features: features, pose: pose, camera: camera, time: frame.time,
                    tilt: isMetric ? settings.tilt : settings.inertialTilt, expected: expected)
                output.match = query.match(in: map) { isRelocalizing ? map.keyframes[$0].submap != submap : references.contains($0) }
            }
            if frame.isKeyframe {
                var extended = map
                extended.insert(features, at: pose, camera: camera, submap: submap, drift: drift, settings)
                output.map = extended
            }
            return output
        }
        job = (work, frameNumber + settings.latency)
    }

    /// - Parameter pose: The newest frame's pose; nil discards a relocalization result.
    private mutating func finishJob(_ pose: RigidTransform?, isMetric: Bool = true, at time: Double = 0) -> RigidTransform? {
        guard let work = job?.work else { return nil }
        job = nil
        let output = work.result()
        if let map = output.map { landmarkMap = map }
        // When a filter starts, the tracked position jumps: earlier results are not comparable.
        guard output.isQuery, let pose, output.isMetric == isMetric else { return nil }
        counts.attempts += 1
        guard let match = output.match else {
            // Not at the expected pose: search everywhere next time.
            if isRelocalizing { hypotheses = [] }
            return nil
        }
        counts.matches += 1
        measurement = nil
        let correction = Self.correction(from: output.pose, to: match.worldFromCamera)
        hypotheses.append(Hypothesis(match: match, pose: output.pose, correction: correction, isMetric: output.isMetric))
        if isRelocalizing {
            let correction = confirmedCorrection(pose, time)
            if correction == nil, isStartedInMap, output.isMetric { measurePosition() }
            return correction
        }
        guard time - mergeTime < settings.settlingTime else { return loopCorrection(pose) }
        measurePosition()
        hypotheses = []
        return nil
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

    /// The current submap's keyframes, or those of submap 0 if it has none.
    package var map: LandmarkMap {
        var finished = self
        if job != nil { _ = finished.finishJob(nil) }
        let all = finished.landmarkMap
        let exported = all.keyframes.contains { $0.submap == finished.submap } ? finished.submap : 0
        var map = all.filtered { $0.submap == exported }
        map.join(submap: exported, with: 0, drift: DriftVariance())
        return map
    }

    /// The map's coverage of a camera's view.
    package func status(at pose: RigidTransform) -> MappingStatus {
        let own = keyframes.filter { $0.submap == submap }
        let near = own.count { $0.dissimilarity(of: pose, distance: 0.45 * $0.depth, angle: 0.5) < 1 }
        return near >= 2 ? .mapped : own.count >= 3 ? .extending : .limited
    }

    private func isNew(_ pose: RigidTransform) -> Bool {
        keyframes.allSatisfy {
            $0.submap != submap || $0.dissimilarity(of: pose, distance: settings.distance * $0.depth, angle: settings.angle) >= 1
        }
    }

    // MARK: Corrections

    /// The correction if several results agree and have enough inliers.
    private mutating func confirmedCorrection(_ pose: RigidTransform, _ time: Double) -> RigidTransform? {
        guard let newest = hypotheses.last else { return nil }
        hypotheses = hypotheses.filter { agree($0, newest) }
        let isConfirmed = hypotheses.reduce(0) { $0 + $1.match.inliers } >= settings.minimumTotalInliers
        guard newest.isMetric else {
            guard hypotheses.count >= 2, isConfirmed else { return nil }
            // The merge waits for the filter.
            hypotheses = hypotheses.suffix(Self.viewCount)
            let correction = extrapolatedCorrection(newest, to: time)
            correctHypotheses(correction)
            return correction
        }
        hypotheses = hypotheses.suffix(settings.weakResults)
        // The newest result alone: a filter that has just started has relative poses of little accuracy.
        guard isConfirmed, hypotheses.count >= settings.minimumResults,
            alignment(of: hypotheses.suffix(Self.viewCount), at: pose) != nil,
            let alignment = alignment(of: hypotheses.suffix(1), at: pose),
            alignment.landmarks >= settings.strongLandmarks || hypotheses.count == settings.weakResults && isSteady(pose),
            let loop = LoopCorrection(alignment, at: pose.translation, drift: nil, reference: meanDrift(hypotheses))
        else { return nil }
        let correction = loop.correction(at: pose.translation)
        merge(with: newest.match, correction, loop.drift(before: nil))
        return correction
    }

    /// Measures the camera's position in the map for a filter that has just started.
    private mutating func measurePosition() {
        guard let newest = hypotheses.last, let alignment = alignment(of: hypotheses.suffix(1), at: newest.pose) else { return }
        let c = alignment.covariance
        measurement = PositionMeasurement(
            time: newest.match.time, offset: alignment.correction * newest.pose.translation - newest.pose.translation,
            covariance: Matrix3d(
                Vector3d(c[5], c[6], c[7]), Vector3d(c[9], c[10], c[11]), Vector3d(c[13], c[14], c[15])))
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

    private func meanDrift(_ hypotheses: [Hypothesis]) -> DriftVariance {
        let sum = hypotheses.reduce(DriftVariance()) { $0 + $1.match.drift }
        let count = Double(max(hypotheses.count, 1))
        return DriftVariance(heading: sum.heading / count, position: sum.position / count)
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

    /// The correction of the drift, if the newest results agree on it.
    private mutating func loopCorrection(_ pose: RigidTransform) -> RigidTransform? {
        guard let newest = hypotheses.last else { return nil }
        hypotheses = hypotheses.filter { $0.isMetric && agree($0, newest) && newest.match.time - $0.match.time < 2 }.suffix(Self.viewCount)
        guard hypotheses.count >= settings.minimumResults, let alignment = alignment(of: hypotheses[...], at: pose),
            let loop = LoopCorrection(alignment, at: pose.translation, drift: drift, reference: meanDrift(hypotheses))
        else { return nil }
        hypotheses = []
        guard isConsistent(loop, alignment, pose) else { return nil }
        let correction = loop.correction(at: pose.translation)
        drift = loop.drift(before: drift)
        guard length(loop.move) > settings.minimumCorrection || abs(loop.heading) > settings.minimumAngleCorrection else { return nil }
        landmarkMap.close(loop, at: pose.translation, submap: submap)
        counts.corrections += 1
        return correction
    }

    /// Whether an alignment agrees with the drift. After repeated contradictions the drift is larger than estimated.
    private mutating func isConsistent(_ loop: LoopCorrection, _ alignment: MapAlignment.Result, _ pose: RigidTransform) -> Bool {
        guard loop.squaredDeviation > 25 else {
            contradictions = 0
            return true
        }
        counts.rejections += 1
        contradictions += 1
        if contradictions > 1 {
            let turn = alignment.correction.rotation.rotationVector.y
            let way = alignment.correction * pose.translation - pose.translation
            drift = drift + DriftVariance(heading: turn * turn, position: lengthSquared(way) / 3)
        }
        return false
    }

    /// The rotation about +Y and the translation that take one pose's position and heading to another's.
    private static func correction(from old: RigidTransform, to new: RigidTransform) -> RigidTransform {
        let turn = Rotations.heading(from: old.rotation, to: new.rotation)
        return RigidTransform(rotation: turn, translation: new.translation - turn * old.translation)
    }

    // MARK: Merging submaps

    /// Makes the current submap part of another one.
    private mutating func merge(with match: RelocalizationMatch, _ correction: RigidTransform, _ drift: DriftVariance) {
        counts.merges += 1
        landmarkMap.transform(submap: submap, by: correction)
        landmarkMap.join(submap: submap, with: match.submap, drift: drift)
        (submap, mergeTime, self.drift, hypotheses) = (match.submap, match.time, drift, [])
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
