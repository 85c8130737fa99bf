import VitrineMath
import VitrineVision

/// Matches landmarks by their patches: single ones near a predicted position, and whole keyframes after tracking was lost.
struct VisualRelocalizer: Sendable {
    /// A landmark's position in the newest image, in working pixels.
    struct Match {
        var id: Int
        var position: SIMD2<Float>
    }

    private let camera: UndistortedCamera
    private let minimumLandmarks: Int
    private var matcher = PatchMatcher()
    private var canvas = LandmarkPatch.canvas
    /// Smallest correlation of a match.
    private static let minimumSimilarity: Float = 0.85

    init(camera: UndistortedCamera, minimumLandmarks: Int) { (self.camera, self.minimumLandmarks) = (camera, minimumLandmarks) }

    /// Finds a landmark's patch in the newest image.
    /// - Parameters:
    ///   - pose: The expected `cameraFromWorld`.
    ///   - positions: The initial positions in working pixels.
    ///   - radius: The largest distance from the start.
    mutating func find(
        _ patch: LandmarkPatch, _ landmark: Vector3d, from pose: RigidTransform, near positions: [SIMD2<Float>], within radius: Float,
        _ tracker: FeatureTracker
    ) -> SIMD2<Float>? {
        guard patch.load(into: &matcher, &canvas, camera.camera, scale: tracker.workingScale, point: landmark, from: pose) else {
            return nil
        }
        let level = tracker.newestLevel
        var best: (position: SIMD2<Float>, similarity: Float)?
        for start in positions {
            guard let found = matcher.find(level, from: start, iterations: 10, precision: 0.02),
                squaredDistance(found, start) <= radius * radius
            else { continue }
            let similarity = matcher.similarity(level, found)
            if similarity >= max(Self.minimumSimilarity, best?.similarity ?? 0) { best = (found, similarity) }
        }
        return best?.position
    }

    /// Relocalizes in the map: keyframes with similar thumbnails first, then landmarks' patches at corners, then a pose by RANSAC.
    mutating func relocalize(in map: LocalMap, _ tracker: FeatureTracker) -> (cameraFromWorld: RigidTransform, matches: [Match])? {
        let thumbnail = ImageThumbnail(tracker.newestPyramid)
        var similar: [(similarity: Float, index: Int, shift: SIMD2<Float>)] = []
        for (index, keyframe) in map.keyframes.enumerated() {
            guard let other = keyframe.thumbnail else { continue }
            let (similarity, shift) = thumbnail.comparison(with: other)
            if similarity > 0.6 { similar.append((similarity, index, shift)) }
        }
        similar.sort { ($1.similarity, $0.index) < ($0.similarity, $1.index) }
        for candidate in similar.prefix(3) {
            let matches = matches(map, map.keyframes[candidate.index], shift: candidate.shift, tracker)
            guard matches.count >= minimumLandmarks, let found = pose(map, matches, tracker) else { continue }
            return found
        }
        return nil
    }

    private mutating func matches(
        _ map: LocalMap, _ keyframe: LocalMap.Keyframe, shift: SIMD2<Float>, _ tracker: FeatureTracker
    ) -> [Match] {
        let corners = tracker.tracks.map(\.position)
        var found: [Match] = []
        for id in keyframe.observations.keys.sorted() where id >= 0 {
            guard let landmark = map.landmarks[id], let patch = landmark.patch, let observation = keyframe.observations[id] else {
                continue
            }
            let expected = SIMD2<Float>(camera.pixel(observation.position) / Double(tracker.workingScale)) - shift
            let near = corners.filter { squaredDistance($0, expected) < 48 * 48 }
            guard let best = find(patch, landmark.position, from: keyframe.cameraFromWorld, near: near, within: 4, tracker) else {
                continue
            }
            found.append(Match(id: id, position: best))
        }
        return found
    }

    private func pose(
        _ map: LocalMap, _ matches: [Match], _ tracker: FeatureTracker
    ) -> (cameraFromWorld: RigidTransform, matches: [Match])? {
        var points: [PoseRefinement.Point] = []
        for match in matches {
            guard let position = map.position(match.id),
                let observation = camera.observation(Vector2d(match.position) * Double(tracker.workingScale))
            else { return nil }
            points.append(PoseRefinement.Point(position: position, observation: observation))
        }
        var resection = Resection()
        resection.options.maximumError = 4
        resection.options.maximumIterations = 500
        let start = resection.solve(
            pixels: points.map(\.observation.position), points: points.map(\.position), intrinsics: camera.intrinsics)
        guard let start else { return nil }
        let refinement = PoseRefinement(camera: camera)
        let pose = refinement.refined(start.cameraFromWorld, points)
        let errors = refinement.errors(pose, points)
        let inliers = matches.indices.filter { errors[$0] < 9 }.map { matches[$0] }
        return inliers.count >= minimumLandmarks && inliers.count * 2 >= matches.count ? (pose, inliers) : nil
    }
}
