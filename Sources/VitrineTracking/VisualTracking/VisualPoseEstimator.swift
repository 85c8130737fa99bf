import VitrineMath
import VitrineVision

/// Estimates the camera's pose from a frame's observations of the map's landmarks.
struct VisualPoseEstimator: Sendable {
    /// A feature without a landmark, at the median depth of the scene.
    struct Candidate: Sendable {
        /// The camera's position at the first observation.
        var center: Vector3d
        /// The assumed position.
        var position: Vector3d

        mutating func transform(by change: SimilarityTransform) { (center, position) = (change * center, change * position) }
    }

    let camera: UndistortedCamera
    let minimumLandmarks: Int

    /// Estimates the pose of a frame.
    ///
    /// - Parameters:
    ///   - predicted: The predicted pose, `worldFromCamera`.
    ///   - candidates: Features without a landmark; they determine the rotation where landmarks are few.
    ///   - allowsDirectionOnly: Whether a pose from candidates alone is acceptable.
    /// - Returns: `cameraFromWorld` and the identifiers of the landmarks that agree, ascending; none if the pose comes from candidates.
    func estimate(
        _ frame: ObservedFrame, in map: LocalMap, near predicted: RigidTransform, candidates: [Int: Candidate], allowsDirectionOnly: Bool
    ) -> (cameraFromWorld: RigidTransform, landmarks: [Int])? {
        var (ids, points): ([Int], [PoseRefinement.Point]) = ([], [])
        for id in frame.observations.keys.sorted() {
            guard let position = map.position(id) else { continue }
            ids.append(id)
            points.append(PoseRefinement.Point(position: position, observation: frame.observations[id]!))
        }
        var refinement = PoseRefinement(camera: camera)
        refinement.widen(for: predicted.inverse, points)
        let directions = points.count < 40 ? directions(frame, in: map, from: predicted, candidates) : []
        var pose = refinement.refined(predicted.inverse, points + directions)
        var inliers = Self.inliers(refinement.errors(pose, points))
        if inliers.count < minimumLandmarks || inliers.count * 2 < points.count {
            if points.count >= 8, let other = resection(points) {
                let refined = refinement.refined(other, points)
                let others = Self.inliers(refinement.errors(refined, points))
                if others.count > inliers.count { (pose, inliers) = (refined, others) }
            }
        }
        let support = inliers.count + Self.inliers(refinement.errors(pose, directions)).count
        guard pose.translation.isFinite else { return nil }
        if inliers.count >= 6 || inliers.count >= 4 && support >= minimumLandmarks, inliers.count * 3 >= points.count {
            return (pose, inliers.map { ids[$0] })
        }
        // The camera pans to a part of the scene without landmarks: directions determine the rotation, and roughly the translation.
        guard allowsDirectionOnly, support >= minimumLandmarks, support * 2 >= points.count + directions.count else { return nil }
        return (pose, [])
    }

    /// Indices of errors within three standard deviations.
    private static func inliers(_ errors: [Double]) -> [Int] { errors.indices.filter { errors[$0] < 9 } }

    private func resection(_ points: [PoseRefinement.Point]) -> RigidTransform? {
        var resection = Resection()
        resection.options.maximumError = 4
        resection.options.maximumIterations = 300
        let found = resection.solve(
            pixels: points.map(\.observation.position), points: points.map(\.position), intrinsics: camera.intrinsics)
        return found?.cameraFromWorld
    }

    /// Candidates as points. Their weight decreases with the camera's distance from their first observation.
    private func directions(
        _ frame: ObservedFrame, in map: LocalMap, from predicted: RigidTransform, _ candidates: [Int: Candidate]
    ) -> [PoseRefinement.Point] {
        frame.observations.keys.sorted().compactMap { id in
            guard map.position(id) == nil, let first = candidates[id] else { return nil }
            let depth = length(first.position - first.center)
            let uncertainty = 0.5 * camera.focal * length(predicted.translation - first.center) / depth
            var observation = frame.observations[id]!
            observation.information = 1 / (1 / observation.information + uncertainty * uncertainty)
            return PoseRefinement.Point(position: first.position, observation: observation)
        }
    }
}
