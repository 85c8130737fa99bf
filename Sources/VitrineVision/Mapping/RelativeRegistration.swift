import VitrineGeometry

extension IncrementalMapping {
    /// The fewest verified matches of a pair whose relative pose registers a photo.
    private static let pairMatches = 40
    /// The smallest median triangulation angle of such a pair, radians.
    private static let pairAngle = 2 * Double.pi / 180
    /// The share of a photo's verified matches with registered photos that must agree with its pose.
    private static let agreeingShare = 0.6

    /// Registers photos that observe too few points of the model for a resection, by their relative pose to a registered photo.
    ///
    /// In a chain of photos with wide baselines, features are matched between neighbours, but rarely in three photos. Two photos then determine everything but
    /// the length of their baseline, for which few points suffice. Each photo that is registered so is checked against all its matches.
    func growByRelativePoses(_ state: inout MapState, graph: MatchGraph) {
        var failed: Set<SIMD2<Int>> = []
        while !isCancelled() {
            let open = graph.pairs.filter { pair in
                (state.poses[pair.first] == nil) != (state.poses[pair.second] == nil) && pair.matches.count >= Self.pairMatches
                    && pair.geometry.kind == .general && !failed.contains(SIMD2(pair.first, pair.second))
            }
            guard let pair = open.max(by: { ($0.matches.count, -$0.first, -$0.second) < ($1.matches.count, -$1.first, -$1.second) }) else {
                return
            }
            failed.insert(SIMD2(pair.first, pair.second))
            guard let grown = registered(by: pair, state, graph) else { continue }
            state = grown
            grow(&state, allowed: Array(repeating: true, count: state.poses.count))
        }
    }

    /// The model with the unregistered photo of a pair; nil if its points or its other matches contradict it.
    private func registered(by pair: PhotoPair, _ state: MapState, _ graph: MatchGraph) -> MapState? {
        guard let relative = InitialPair.examine(pair, state, usesGivenPose: false), relative.medianAngle > Self.pairAngle else {
            return nil
        }
        let isFirstKnown = state.poses[pair.first] != nil
        let (known, photo) = isFirstKnown ? (pair.first, pair.second) : (pair.second, pair.first)
        let photoFromKnown = isFirstKnown ? relative.secondFromFirst : relative.secondFromFirst.inverse
        var trial = state
        guard trial.register(photo, from: known, photoFromKnown, maximumError: 8) else { return nil }
        trial.triangulate(photo: photo, MapState.TriangulationLimits())
        adjustGlobally(&trial, rounds: 1)
        guard trial.observationCounts[photo] >= options.minimumPoints,
            trial.agreement(with: graph, of: photo, parallel: parallel).share >= Self.agreeingShare
        else { return nil }
        return trial
    }
}

extension MapState {
    /// The fewest points that must agree on the length of a baseline.
    private static let baselinePoints = 6

    /// Registers a photo by its pose relative to a registered photo. Its observations of the model's points determine the length of the baseline; on success,
    /// those that agree are added.
    ///
    /// - Parameters:
    ///   - photoFromKnown: The relative pose, with a translation of length 1.
    ///   - maximumError: The largest error in pixels of an image 1,000 pixels long.
    fileprivate mutating func register(
        _ photo: Int, from known: Int, _ photoFromKnown: RigidTransform, maximumError: Double
    ) -> Bool {
        guard let knownFromWorld = poses[known] else { return false }
        let visible = visiblePoints(photo)
        let intrinsics = lenses[lensOfPhoto[photo]].intrinsics
        let limit = maximumError * pixelScale[photo]
        func pose(_ baseline: Double) -> RigidTransform {
            RigidTransform(rotation: photoFromKnown.rotation, translation: photoFromKnown.translation * baseline) * knownFromWorld
        }
        func inliers(_ pose: RigidTransform) -> [Int] {
            visible.indices.filter { index in
                let inCamera = pose * positions[visible[index].point]
                return inCamera.z > 1e-9 && length(intrinsics.project(inCamera) - graph.pixels[visible[index].feature]) < limit
            }
        }
        var best: (inliers: [Int], pose: RigidTransform)?
        for entry in visible {
            // The baseline at which the point is nearest to the ray of its feature.
            let ray = intrinsics.unproject(graph.pixels[entry.feature])
            let turned = photoFromKnown.rotation * (knownFromWorld * positions[entry.point])
            let across = cross(ray, photoFromKnown.translation)
            let squared = lengthSquared(across)
            guard squared > 1e-8 * lengthSquared(ray) else { continue }
            let baseline = -dot(across, cross(ray, turned)) / squared
            guard baseline > 0, baseline.isFinite else { continue }
            let candidate = pose(baseline)
            let agreeing = inliers(candidate)
            if agreeing.count > best?.inliers.count ?? 0 { best = (agreeing, candidate) }
        }
        guard let best, best.inliers.count >= Self.baselinePoints, best.inliers.count * 5 >= visible.count else { return false }
        poses[photo] = best.pose
        for index in best.inliers where !sees(photo, visible[index].point) { addObservation(visible[index].feature, visible[index].point) }
        return true
    }
}
