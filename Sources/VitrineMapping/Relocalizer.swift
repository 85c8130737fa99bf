import VitrineMath
import VitrineVision

/// Builds a landmark map and relocalizes in it.
///
/// At most three times a second, and only for views that differ from all keyframes, a frame becomes a keyframe. After tracking was lost, or with
/// a given map, frames are matched with the keyframes (``RelocalizationQuery``); two consistent results are accepted. Both happen in background
/// jobs: a job that starts at one frame is applied a fixed number of frames later.
///
/// After a loss the keyframes belong to a new submap (``Keyframe/submap``) until relocalization determines its transform to the old one; then the
/// submaps are merged. Later results refine the correction.
package struct Relocalizer: Sendable {
    /// Statistics.
    package struct Counts: Equatable, Sendable {
        /// Relocalization attempts, attempts with a result, merges of submaps, corrections after a merge, and frames that were skipped.
        package var attempts = 0, matches = 0, merges = 0, corrections = 0, skippedFrames = 0
    }

    /// A relocalization result, and the correction of the submap that follows from it.
    private struct Hypothesis: Sendable {
        var match: RelocalizationMatch
        var pose: RigidTransform
        var correction: RigidTransform
        /// Whether the tracked pose is metric: from a filter, not from the orientation alone.
        var isMetric: Bool
    }

    /// What a background job does with a frame.
    private struct JobOutput: Sendable {
        /// With a new keyframe.
        var map: LandmarkMap?
        var isQuery: Bool
        var match: RelocalizationMatch?
        /// The tracked pose of the frame.
        var pose: RigidTransform
        var isMetric: Bool
    }

    /// A merge in progress: later results refine the transform to the other submap.
    private struct Merge: Sendable {
        var submap: Int
        var start: Double
    }

    private let settings: RelocalizationSettings
    private var landmarkMap = LandmarkMap()
    package private(set) var counts = Counts()
    /// Whether submap 0 is a given map in which relocalization has not succeeded yet.
    package private(set) var isMapGiven = false
    /// The current submap and the next new one. Relocalization is in submap 0.
    private var submap = 0
    private var nextSubmap = 1
    private var merge: Merge?

    private var job: (work: BackgroundJob<JobOutput>, due: Int)?
    /// The number of frames so far.
    private var frameNumber = 0
    /// Frames whose pose is not known yet.
    private var waiting: [CapturedFrame] = []
    private var keyframeTime = -Double.infinity
    private var attemptTime = -Double.infinity
    private var hypotheses: [Hypothesis] = []

    package init(_ settings: RelocalizationSettings) { self.settings = settings }

    /// In the order of their creation, without a keyframe that a job is adding.
    var keyframes: [Keyframe] { landmarkMap.keyframes }

    /// Whether the current submap is not connected to submap 0.
    package var isRelocalizing: Bool { merge == nil && submap != 0 && landmarkMap.keyframes.contains { $0.submap == 0 } }

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
        let isQuery = isRelocalizing ? !(time - attemptTime < settings.attemptInterval) : pose != nil && isRefining(time)
        guard isKeyframe || isQuery else { return }
        if isKeyframe { keyframeTime = time }
        if isQuery { attemptTime = time }
        waiting.append(CapturedFrame(features, pyramid, time: time, isKeyframe: isKeyframe, isQuery: isQuery))
        if waiting.count > 8 { waiting.removeFirst() }
    }

    /// Whether the frame of this time is matched to refine the correction.
    private func isRefining(_ time: Double) -> Bool {
        guard let merge else { return false }
        let isRecent = time - merge.start < settings.refinementTime || !hypotheses.isEmpty
        return !(time - attemptTime < (isRecent ? settings.attemptInterval : settings.refinementInterval))
    }

    /// Waits for a background job whose result the next ``update(time:pose:isMetric:readoutTurn:camera:)`` applies.
    package func waitForDueJob() { if let job, job.due <= frameNumber + 1 { _ = job.work.result() } }

    /// Processes a frame with a known pose: applies the result of a due background job, and starts the next one.
    ///
    /// - Parameters:
    ///   - pose: `worldFromCamera`.
    ///   - isMetric: Whether a filter estimates the pose; otherwise only its rotation is known.
    ///   - readoutTurn: The rotation vector of the camera, on its axes, between the exposures of the first and the last row.
    /// - Returns: The correction of the world if relocalization succeeded: a rotation about +Y and a translation.
    package mutating func update(
        time: Double, pose: RigidTransform, isMetric: Bool, readoutTurn: Vector3d, camera: CameraIntrinsics
    ) -> RigidTransform? {
        guard settings.isEnabled else { return nil }
        frameNumber += 1
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

    /// Tracking was lost: later keyframes belong to a new submap.
    package mutating func lose(at time: Double) {
        skip(at: time)
        if job != nil { _ = finishJob(nil) }
        finishMerge()
        hypotheses = []
        guard landmarkMap.keyframes.contains(where: { $0.submap == submap }) else { return }
        submap = nextSubmap
        nextSubmap += 1
    }

    // MARK: Background jobs

    private mutating func startJob(_ frame: CapturedFrame, _ pose: RigidTransform, _ isMetric: Bool, _ camera: CameraIntrinsics) {
        let (map, settings, submap, joined) = (landmarkMap, settings, submap, merge?.submap)
        let expected = joined != nil ? pose : hypotheses.last.map { $0.correction * pose }
        let work = BackgroundJob { () -> JobOutput in
            let features = FrameFeatures(frame, at: pose, camera: camera, count: settings.corners, isQuery: frame.isQuery)
            var output = JobOutput(isQuery: frame.isQuery, pose: pose, isMetric: isMetric)
            if frame.isQuery {
                let query = RelocalizationQuery(
                    settings: settings, features: features, pose: pose, camera: camera, time: frame.time,
                    tilt: isMetric ? settings.tilt : settings.inertialTilt, expected: expected)
                // The reference of a refinement: the other submap's keyframes.
                output.match = query.match(in: map) { keyframe in
                    joined.map { keyframe.submap == $0 } ?? (keyframe.submap != submap)
                }
            }
            if frame.isKeyframe {
                var extended = map
                extended.insert(features, at: pose, camera: camera, submap: submap, joined: joined, settings)
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
        // When a filter starts, the tracked position jumps: results from before say nothing about it.
        guard output.isQuery, let pose, output.isMetric == isMetric else { return nil }
        counts.attempts += 1
        guard let match = output.match else {
            // Not at the expected pose: search everywhere next time.
            if merge == nil { hypotheses = [] }
            return nil
        }
        counts.matches += 1
        let correction = Self.correction(from: output.pose, to: match.worldFromCamera)
        hypotheses.append(Hypothesis(match: match, pose: output.pose, correction: correction, isMetric: output.isMetric))
        return merge == nil ? confirmedCorrection(pose, time) : refinedCorrection(pose)
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
        finished.finishMerge()
        let all = finished.landmarkMap
        let exported = all.keyframes.contains { $0.submap == finished.submap } ? finished.submap : 0
        var map = all.filtered { $0.submap == exported }
        map.join(submap: exported, with: 0)
        return map
    }

    /// How well the map covers a camera's view.
    package func status(at pose: RigidTransform) -> MappingStatus {
        let own = keyframes.filter { $0.submap == submap || $0.submap == merge?.submap }
        let near = own.count { $0.dissimilarity(of: pose, distance: 0.45 * $0.depth, angle: 0.5) < 1 }
        return near >= 2 ? .mapped : own.count >= 3 ? .extending : .limited
    }

    private func isNew(_ pose: RigidTransform) -> Bool {
        keyframes.allSatisfy {
            $0.submap != submap && $0.submap != merge?.submap
                || $0.dissimilarity(of: pose, distance: settings.distance * $0.depth, angle: settings.angle) >= 1
        }
    }

    // MARK: Corrections

    /// The correction if several results agree and have enough inliers.
    private mutating func confirmedCorrection(_ pose: RigidTransform, _ time: Double) -> RigidTransform? {
        guard let newest = hypotheses.last else { return nil }
        hypotheses = hypotheses.filter { agree($0, newest) }
        guard hypotheses.count >= 2, hypotheses.reduce(0, { $0 + $1.match.inliers }) >= settings.minimumTotalInliers else { return nil }
        guard newest.isMetric else {
            // The merge waits for the filter.
            hypotheses = hypotheses.suffix(4)
            let correction = extrapolatedCorrection(newest, to: time)
            correctHypotheses(correction)
            return correction
        }
        let correction = mean(hypotheses, at: pose)
        startMerge(with: newest.match, correction)
        return correction
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

    /// A further correction during a merge, if the newest results agree on it.
    private mutating func refinedCorrection(_ pose: RigidTransform) -> RigidTransform? {
        guard let newest = hypotheses.last else { return nil }
        // Reject results that contradict the merge.
        let error = length(newest.correction * newest.pose.translation - newest.pose.translation)
        if !newest.isMetric || error > 2 * settings.maximumDistance
            || length(newest.correction.rotation.rotationVector) > 2 * settings.maximumAngle
        {
            hypotheses.removeLast()
        }
        hypotheses = hypotheses.suffix(4)
        guard hypotheses.count == 4 else { return nil }
        let correction = mean(hypotheses, at: pose)
        hypotheses = []
        let shift = length(correction * pose.translation - pose.translation)
        let isNeeded =
            shift > settings.minimumCorrection || length(correction.rotation.rotationVector) > settings.minimumAngleCorrection
        // Keyframes since the last correction move with it, and become part of the reference.
        if isNeeded { landmarkMap.transform(submap: submap, by: correction) }
        if let merge { landmarkMap.join(submap: submap, with: merge.submap) }
        guard isNeeded else { return nil }
        counts.corrections += 1
        return correction
    }

    /// The rotation about +Y and the translation that take one pose's position and heading to another's.
    private static func correction(from old: RigidTransform, to new: RigidTransform) -> RigidTransform {
        let turn = Rotations.heading(from: old.rotation, to: new.rotation)
        return RigidTransform(rotation: turn, translation: new.translation - turn * old.translation)
    }

    /// The mean correction near a pose, weighted by inliers.
    private func mean(_ hypotheses: [Hypothesis], at pose: RigidTransform) -> RigidTransform {
        let weights = hypotheses.map { Double(min($0.match.inliers, 100)) }
        let total = weights.reduce(0, +)
        let first = hypotheses[0].correction
        var (turn, position) = (Vector3d.zero, Vector3d.zero)
        for (hypothesis, weight) in zip(hypotheses, weights) {
            turn += (hypothesis.correction.rotation * first.rotation.transpose).rotationVector * (weight / total)
            position += (hypothesis.correction * pose.translation) * (weight / total)
        }
        let rotation = Matrix3d.rotation(turn) * first.rotation
        return RigidTransform(rotation: rotation, translation: position - rotation * pose.translation)
    }

    // MARK: Merging submaps

    /// Connects the current submap to another one. Later results refine the transform.
    private mutating func startMerge(with match: RelocalizationMatch, _ correction: RigidTransform) {
        counts.merges += 1
        landmarkMap.transform(submap: submap, by: correction)
        hypotheses = []
        merge = Merge(submap: match.submap, start: match.time)
        if match.submap == 0 { isMapGiven = false }
    }

    /// Adapts the hypotheses to a correction of the world: the matched poses stay; the tracked poses move.
    private mutating func correctHypotheses(_ correction: RigidTransform) {
        for index in hypotheses.indices {
            hypotheses[index].pose = correction * hypotheses[index].pose
            hypotheses[index].correction = hypotheses[index].correction * correction.inverse
        }
    }

    /// Makes the current submap part of the one that it is merged with.
    private mutating func finishMerge() {
        guard let merge else { return }
        landmarkMap.join(submap: submap, with: merge.submap)
        submap = merge.submap
        (self.merge, hypotheses) = (nil, [])
    }
}
