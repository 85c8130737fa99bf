import VitrineMath
import VitrineVision

/// Relocalization of one frame: ranks keyframes by the inverted index, matches descriptors with the best ones, estimates the pose by RANSAC, and
/// verifies and refines it with the landmarks in view.
struct RelocalizationQuery: Sendable {
    let settings: RelocalizationSettings
    let features: FrameFeatures
    /// The tracked pose; only its direction of gravity is used.
    let pose: RigidTransform
    let camera: CameraIntrinsics
    let time: Double
    /// Standard deviation of the direction of gravity in radians.
    let tilt: Double
    /// The expected pose in the map, if known: keyframes near it are matched first.
    var expected: RigidTransform?

    /// Relocalizes a frame in the keyframes of a map.
    ///
    /// - Parameter isIncluded: Whether to relocalize in a keyframe.
    func match(in map: LandmarkMap, where isIncluded: (Int) -> Bool) -> RelocalizationMatch? {
        var tried: [Int] = []
        if let expected {
            tried = map.nearest(expected, settings, where: isIncluded)
            if let match = match(in: map, with: tried, where: isIncluded) { return match }
        }
        let ranked = ranking(map).filter { isIncluded($0) && !tried.contains($0) }
        // Mostly the first ones suffice.
        for candidates in [ranked.prefix(settings.candidates), ranked.dropFirst(settings.candidates).prefix(2 * settings.candidates)] {
            guard let best = candidates.first else { return nil }
            // Candidates are of one submap.
            let submap = map.keyframes[best].submap
            let chosen = candidates.filter { map.keyframes[$0].submap == submap }
            if let match = match(in: map, with: chosen, where: { isIncluded($0) && map.keyframes[$0].submap == submap }) { return match }
        }
        return nil
    }

    /// The keyframes with similar descriptors, the most similar first.
    private func ranking(_ map: LandmarkMap) -> [Int] {
        var votes = [Int](repeating: 0, count: map.keyframes.count)
        for described in features.descriptors {
            let own = map.index.votes(described.codes, owners: described.owners, keyframes: map.keyframes.count)
            for number in votes.indices { votes[number] += own[number] }
        }
        return votes.indices.filter { votes[$0] >= 5 }.sorted { (votes[$1], $0) < (votes[$0], $1) }
    }

    private func match(in map: LandmarkMap, with candidates: [Int], where isIncluded: (Int) -> Bool) -> RelocalizationMatch? {
        guard let first = candidates.first else { return nil }
        let matches = matches(map, candidates)
        let focal = 0.5 * (camera.focal.x + camera.focal.y)
        let solver = GravityAlignedResection(tolerance: settings.tolerance / focal, tilt: tilt, seed: settings.seed)
        guard let result = solver.solve(matches), isAccepted(result, matches) else { return nil }
        let verifier = RelocalizationVerifier(query: self, map: map)
        let estimate = RigidTransform(rotation: result.rotation * pose.rotation, translation: result.center)
        let nearest = map.nearest(estimate, settings, where: isIncluded)
        let visible = verifier.visibleLandmarks(from: estimate, in: nearest)
        guard visible.share >= settings.minimumVisibleShare else { return nil }
        var (better, used) = (result, matches)
        if let refined = solver.refined(result, with: visible.matches), refined.inliers.count >= result.inliers.count {
            (better, used) = (refined, visible.matches)
        }
        return RelocalizationMatch(
            time: time, worldFromCamera: RigidTransform(rotation: better.rotation * pose.rotation, translation: better.center),
            covariance: better.covariance, inliers: better.inliers.count, matched: Set(matches.map(\.feature)).count,
            visibleShare: visible.share, submap: map.keyframes[first].submap,
            observations: better.inliers.map { observation(used[$0], map) })
    }

    private func matches(_ map: LandmarkMap, _ candidates: [Int]) -> [GravityAlignedResection.Match] {
        var matches: [GravityAlignedResection.Match] = []
        var pairs = Set<SIMD2<Int32>>()
        for candidate in candidates {
            let keyframe = map.keyframes[candidate]
            for described in features.descriptors {
                for match in described.set.matches(keyframe.descriptors.set, ratio: settings.ratio) {
                    let corner = described.owners[match.first]
                    let landmark = keyframe.landmarks[Int(keyframe.descriptors.owners[match.second])]
                    guard landmark >= 0, pairs.insert(SIMD2(corner, landmark)).inserted else { continue }
                    matches.append(putative(Int(corner), landmark, map))
                }
            }
        }
        return matches
    }

    /// A putative match of a corner with a landmark.
    func putative(_ corner: Int, _ number: Int32, _ map: LandmarkMap) -> GravityAlignedResection.Match {
        let landmark = map.landmarks[Int(number)]
        let normalized = camera.normalized(Vector2d(features.corners[corner].position))
        return GravityAlignedResection.Match(
            feature: corner, direction: pose.rotation * NormalizedObservation.ray(normalized), point: Vector3d(landmark.position),
            uncertainty: landmark.uncertainty, landmark: number)
    }

    private func observation(_ match: GravityAlignedResection.Match, _ map: LandmarkMap) -> LandmarkObservation {
        LandmarkObservation(
            direction: pose.rotation.transpose * match.direction,
            noise: features.noise(match.feature, focal: 0.5 * (camera.focal.x + camera.focal.y)),
            landmark: map.landmarks[Int(match.landmark)])
    }

    private func isAccepted(_ result: GravityAlignedResection.Result, _ matches: [GravityAlignedResection.Match]) -> Bool {
        let matched = Set(matches.map(\.feature)).count
        guard result.support >= Double(settings.minimumInliers), result.support >= settings.minimumInlierShare * Double(matched) else {
            return false
        }
        guard length(cross(Vector3d(0, 1, 0), result.rotation.y)) < 3 * tilt, result.rotation.y.y > 0 else { return false }
        var parts = Set<Int>()
        for index in result.inliers {
            let pixel = Vector2d(features.corners[matches[index].feature].position)
            let column = min(max(Int(4 * pixel.x / Double(camera.width)), 0), 3)
            parts.insert(column + 4 * min(max(Int(3 * pixel.y / Double(camera.height)), 0), 2))
        }
        return parts.count >= settings.minimumCoverage
    }
}

/// The result of relocalizing a frame.
struct RelocalizationMatch: Equatable, Sendable {
    /// Capture time on the camera's clock.
    var time: Double
    /// The camera's pose in the keyframes' submap.
    var worldFromCamera: RigidTransform
    /// Rotation about the world's axes (radians), then position (metres); 6×6 in row order.
    var covariance: [Double]
    /// Number of inliers, and of corners with a match.
    var inliers: Int
    var matched: Int
    /// The share of the nearest keyframes' landmarks that are matched at their projections.
    var visibleShare: Double
    /// The keyframes' submap.
    var submap: Int
    /// The inliers.
    var observations: [LandmarkObservation] = []
}
