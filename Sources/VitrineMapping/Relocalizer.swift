import VitrineMath
import VitrineVision

/// Keeps keyframes with described landmarks, and relocalizes in them.
///
/// At most twice a second, and only for views that differ from all keyframes, a frame becomes a keyframe: its features with descriptors, and the
/// landmarks triangulated from all frames that observe them. After tracking was lost, or with a given map, frames are matched with the
/// keyframes: candidates by descriptor similarity, then landmark matches, then a pose. Two consistent results are accepted.
///
/// After a loss the keyframes belong to a new submap (``Keyframe/submap``) until relocalization determines its transform to the old one; then the
/// submaps are merged.
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
    }

    private let settings: RelocalizationSettings
    /// In the order of their creation.
    private(set) var keyframes: [Keyframe] = []
    package private(set) var counts = Counts()
    /// Whether submap 0 is a given map in which relocalization has not succeeded yet.
    package private(set) var isMapGiven = false
    /// The current submap and the next new one. Relocalization is in submap 0.
    private var submap = 0
    private var nextSubmap = 1
    /// A merge in progress: for some seconds the transform between the submaps is refined.
    private var merging: (submap: Int, keyframes: [Keyframe], until: Double)?

    /// Keyframes whose landmarks are still being triangulated.
    private var pending: [PendingKeyframe] = []
    /// The rays of the tracked features, by ascending identifier.
    private var rays: [RayAccumulator] = []
    /// Standard deviation of a ray in radians.
    private var noise = 0.002
    /// Frames whose pose is not known yet.
    private var waiting: [FrameFeatures] = []
    private var keyframeTime = -Double.infinity
    private var attemptTime = -Double.infinity
    private var detector = CornerDetector(side: 32)
    private var attempt: RelocalizationAttempt?
    private var hypotheses: [Hypothesis] = []

    package init(_ settings: RelocalizationSettings) { self.settings = settings }

    /// Whether the current submap is not connected to submap 0.
    package var isRelocalizing: Bool { merging == nil && submap != 0 && keyframes.contains { $0.submap == 0 } }

    // MARK: Frames

    /// Adds the newest image if it is needed for a keyframe or a relocalization attempt.
    ///
    /// - Parameters:
    ///   - features: The tracked features, by ascending identifier.
    ///   - pose: The approximate `worldFromCamera`; nil if unknown.
    package mutating func add(_ features: [TrackedCorner], _ pyramid: ImagePyramid, time: Double, near pose: RigidTransform?) {
        guard settings.isEnabled, let pose, features.count >= settings.minimumLandmarks else { return }
        let isKeyframe = !(time - keyframeTime < settings.keyframeInterval) && isNew(pose)
        // Attempts are more frequent after a first result.
        let pause = hypotheses.isEmpty || merging != nil ? settings.attemptInterval : 0.5 * settings.attemptInterval
        let isQuery = (isRelocalizing || merging != nil) && attempt == nil && !(time - attemptTime < pause)
        guard isKeyframe || isQuery else { return }
        if isKeyframe { keyframeTime = time }
        if isQuery { attemptTime = time }
        let others = isQuery ? corners(beside: features, pyramid) : []
        waiting.append(FrameFeatures(features, pyramid, others: others, time: time, isKeyframe: isKeyframe, isQuery: isQuery))
        if waiting.count > 8 { waiting.removeFirst() }
    }

    /// Processes a frame with a known pose, and continues a relocalization attempt.
    ///
    /// - Parameters:
    ///   - pose: `worldFromCamera`.
    ///   - observations: The frame's observations, by ascending identifier.
    /// - Returns: The correction of the world if relocalization succeeded: a rotation about +Y and a translation.
    package mutating func update(
        time: Double, pose: RigidTransform, observations: [NormalizedObservation], camera: CameraIntrinsics
    ) -> RigidTransform? {
        guard settings.isEnabled else { return nil }
        noise = 1 / min(camera.focal.x, camera.focal.y)
        addRays(observations, pose)
        closeKeyframes(at: time)
        if let merging, time > merging.until { finishMerge() }
        let correction = advanceAttempt(pose)
        guard let index = waiting.firstIndex(where: { $0.time == time }) else { return correction }
        let frame = waiting[index]
        waiting.removeFirst(index + 1)
        let corrected = correction.map { $0 * pose } ?? pose
        if frame.isKeyframe { pending.append(PendingKeyframe(frame, at: corrected, camera: camera)) }
        if frame.isQuery, attempt == nil { startAttempt(frame, corrected, camera) }
        return correction
    }

    /// Skips a frame without a reliable pose.
    package mutating func skip(at time: Double) {
        counts.skippedFrames += 1
        for accumulator in rays { end(accumulator) }
        rays = []
        waiting.removeAll { $0.time <= time }
    }

    /// Tracking was lost: later keyframes belong to a new submap.
    package mutating func lose(at time: Double) {
        skip(at: time)
        finishMerge()
        closeAllKeyframes()
        (attempt, hypotheses) = (nil, [])
        guard keyframes.contains(where: { $0.submap == submap }) else { return }
        submap = nextSubmap
        nextSubmap += 1
    }

    // MARK: Maps

    /// Discards all keyframes and relocalizes in a map.
    package mutating func relocalize(in map: LandmarkMap) {
        self = Relocalizer(settings)
        keyframes = map.keyframes.suffix(settings.maximumKeyframes)
        for index in keyframes.indices { keyframes[index].submap = 0 }
        (submap, nextSubmap, isMapGiven) = (1, 2, !keyframes.isEmpty)
    }

    /// The current submap's keyframes, or those of submap 0 if it has none.
    package var map: LandmarkMap {
        var finished = self
        finished.closeAllKeyframes()
        finished.finishMerge()
        let current = finished.keyframes.filter { $0.submap == finished.submap }
        return LandmarkMap(keyframes: current.isEmpty ? finished.keyframes.filter { $0.submap == 0 } : current)
    }

    /// How well the map covers a camera's view.
    package func status(at pose: RigidTransform) -> MappingStatus {
        let own = keyframes.filter { $0.submap == submap || $0.submap == merging?.submap }
        let near = own.count { $0.dissimilarity(of: pose, distance: 3 * settings.distance * $0.depth, angle: 2.5 * settings.angle) < 1 }
        return near >= 2 ? .mapped : own.count >= 3 ? .extending : .limited
    }

    // MARK: Keyframes

    private func isNew(_ pose: RigidTransform) -> Bool {
        let (distance, angle) = (settings.distance, settings.angle)
        if let last = pending.last {
            let cosine = dot(pose.rotation.z, last.worldFromCamera.rotation.z)
            // Its depth is not known yet: use the last keyframe's.
            let limit = distance * (keyframes.last?.depth ?? 2)
            if length(pose.translation - last.worldFromCamera.translation) < limit, cosine > 1 - angle * angle / 2 { return false }
        }
        return keyframes.allSatisfy {
            $0.submap != submap && $0.submap != merging?.submap
                || $0.dissimilarity(of: pose, distance: distance * $0.depth, angle: angle) >= 1
        }
    }

    /// Adds the frame's rays to those of the tracked features.
    private mutating func addRays(_ observations: [NormalizedObservation], _ pose: RigidTransform) {
        var tracked: [RayAccumulator] = []
        tracked.reserveCapacity(observations.count)
        var old = 0
        for observation in observations {
            while old < rays.count, rays[old].id < observation.id {
                end(rays[old])
                old += 1
            }
            let direction = pose.rotation * observation.ray
            if old < rays.count, rays[old].id == observation.id {
                rays[old].add(center: pose.translation, direction: direction)
                tracked.append(rays[old])
                old += 1
            } else {
                tracked.append(RayAccumulator(id: observation.id, center: pose.translation, direction: direction))
            }
        }
        while old < rays.count {
            end(rays[old])
            old += 1
        }
        rays = tracked
    }

    private mutating func end(_ accumulator: RayAccumulator) {
        guard !pending.isEmpty else { return }
        let landmark = landmark(accumulator)
        for index in pending.indices { pending[index].end(accumulator.id, landmark) }
    }

    private func landmark(_ accumulator: RayAccumulator) -> Landmark? {
        accumulator.landmark(noise: noise, depthDeviation: settings.depthDeviation)
    }

    /// Stores the keyframes whose landmarks are complete.
    private mutating func closeKeyframes(at time: Double) {
        while let first = pending.first, time - first.time > settings.triangulationTime || first.tracked == 0 {
            pending.removeFirst()
            store(first)
        }
    }

    private mutating func closeAllKeyframes() {
        let all = pending
        pending = []
        for keyframe in all { store(keyframe) }
    }

    private mutating func store(_ keyframe: PendingKeyframe) {
        let rays = rays
        func landmark(_ id: Int) -> Landmark? { rays.first { $0.id == id }.flatMap(self.landmark) }
        let finished = keyframe.keyframe(
            minimumLandmarks: settings.minimumLandmarks, maximumLandmarks: settings.maximumLandmarks, submap: submap, landmark)
        guard let finished else { return }
        keyframes.append(finished)
        if keyframes.count > settings.maximumKeyframes { removeMostRedundant() }
    }

    /// Removes the keyframe with the most similar other keyframe; of the two the older one.
    private mutating func removeMostRedundant() {
        var (redundant, least) = (0, Double.infinity)
        for (index, keyframe) in keyframes.enumerated() {
            let distance = settings.distance * keyframe.depth
            for other in keyframes[(index + 1)...] where other.submap == keyframe.submap {
                let dissimilarity = keyframe.dissimilarity(of: other.worldFromCamera, distance: distance, angle: settings.angle)
                if dissimilarity < least { (redundant, least) = (index, dissimilarity) }
            }
        }
        keyframes.remove(at: redundant)
    }

    // MARK: Relocalization

    private mutating func startAttempt(_ frame: FrameFeatures, _ pose: RigidTransform, _ camera: CameraIntrinsics) {
        let (submap, candidate) = (submap, hypotheses.last?.match.submap)
        let targets = merging?.keyframes ?? keyframes.filter { $0.submap != submap && (candidate == nil || $0.submap == candidate) }
        let expected = merging != nil ? pose : hypotheses.last.map { $0.correction * pose }
        attempt = RelocalizationAttempt(settings, frame, at: pose, camera: camera, in: targets, expected: expected)
    }

    /// Corners of the image without a feature, the strongest of each cell.
    private mutating func corners(beside features: [TrackedCorner], _ pyramid: ImagePyramid) -> [SIMD2<Float>] {
        let level = pyramid.levels[0]
        let (side, count) = (detector.side, max(0, settings.corners - features.count))
        var found: [CornerDetector.Corner] = []
        for y in stride(from: 0, to: level.height, by: side) {
            for x in stride(from: 0, to: level.width, by: side) {
                found += detector.corners(level, x: x, y: y, margin: 9, minimumStrength: 6, distance: 6, count: 4)
            }
        }
        let others = found.filter { corner in features.allSatisfy { squaredDistance($0.position, corner.position) > 9 } }
        let order = others.indices.sorted { (others[$1].strength, $0) < (others[$0].strength, $1) }
        return order.prefix(count).map { others[$0].position }
    }

    /// Continues the attempt.
    /// - Returns: The correction if enough results agree.
    private mutating func advanceAttempt(_ pose: RigidTransform) -> RigidTransform? {
        guard var current = attempt else { return nil }
        attempt = nil
        switch current.advance() {
        case .running:
            attempt = current
            return nil
        case .failed:
            counts.attempts += 1
            // Not at the expected pose: search everywhere next time.
            if merging == nil { hypotheses = [] }
            return nil
        case .succeeded(let match):
            counts.attempts += 1
            counts.matches += 1
            let correction = Self.correction(from: current.pose, to: match.worldFromCamera)
            hypotheses.append(Hypothesis(match: match, pose: current.pose, correction: correction))
            return merging == nil ? confirmedCorrection(pose) : refinedCorrection(pose)
        }
    }

    /// The correction if several results agree and have enough inliers.
    private mutating func confirmedCorrection(_ pose: RigidTransform) -> RigidTransform? {
        guard let newest = hypotheses.last else { return nil }
        hypotheses = hypotheses.filter { agree($0, newest) }
        guard hypotheses.count >= 2, hypotheses.reduce(0, { $0 + $1.match.inliers }) >= settings.minimumTotalInliers else { return nil }
        let correction = mean(hypotheses, at: pose)
        startMerge(with: newest.match.submap, correction)
        return correction
    }

    private func agree(_ a: Hypothesis, _ b: Hypothesis) -> Bool {
        guard a.match.submap == b.match.submap else { return false }
        let distance = length(a.correction * b.pose.translation - b.correction * b.pose.translation)
        let turn = (a.correction.rotation.transpose * b.correction.rotation).rotationVector
        return distance < settings.maximumDistance && length(turn) < settings.maximumAngle
    }

    /// A further correction during a merge, if the newest results agree on it.
    private mutating func refinedCorrection(_ pose: RigidTransform) -> RigidTransform? {
        guard let newest = hypotheses.last else { return nil }
        // Reject results that contradict the merge.
        let error = length(newest.correction * newest.pose.translation - newest.pose.translation)
        if error > 2 * settings.maximumDistance || length(newest.correction.rotation.rotationVector) > 2 * settings.maximumAngle {
            hypotheses.removeLast()
        }
        hypotheses = hypotheses.suffix(4)
        guard hypotheses.count == 4 else { return nil }
        let correction = mean(hypotheses, at: pose)
        let shift = length(correction * pose.translation - pose.translation)
        guard shift > settings.minimumCorrection || length(correction.rotation.rotationVector) > settings.minimumAngleCorrection else {
            return nil
        }
        apply(correction)
        hypotheses = []
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

    /// Connects the current submap to another one. For some seconds the transform is refined.
    private mutating func startMerge(with other: Int, _ correction: RigidTransform) {
        counts.merges += 1
        apply(correction)
        merging = (other, keyframes.filter { $0.submap == other }, (hypotheses.last?.match.time ?? 0) + settings.refinementTime)
        if other == 0 { isMapGiven = false }
    }

    private mutating func apply(_ correction: RigidTransform) {
        attempt = nil
        for index in rays.indices { rays[index].transform(by: correction) }
        for index in pending.indices { pending[index].transform(by: correction) }
        for index in keyframes.indices where keyframes[index].submap == submap { keyframes[index].transform(by: correction) }
        for index in hypotheses.indices {
            // The matched pose stays; the tracked pose has moved.
            hypotheses[index].pose = correction * hypotheses[index].pose
            hypotheses[index].correction = hypotheses[index].correction * correction.inverse
        }
    }

    /// Makes the current submap part of the one that it is merged with.
    private mutating func finishMerge() {
        guard let merging else { return }
        for index in keyframes.indices where keyframes[index].submap == submap { keyframes[index].submap = merging.submap }
        submap = merging.submap
        (self.merging, attempt, hypotheses) = (nil, nil, [])
    }
}
