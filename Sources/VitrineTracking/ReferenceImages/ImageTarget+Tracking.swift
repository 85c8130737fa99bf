import VitrineMath
import VitrineVision

extension ImageTarget {
    /// The pose of an image in a frame.
    struct Pose: Sendable {
        var cameraFromTarget: RigidTransform
        /// The features or patches that agree with it.
        var inlierCount: Int
        /// The mean squared error of the inliers in pixels.
        var error: Double
    }

    // MARK: Detection

    /// The fewest features that agree with a detection.
    private static let minimumMatches = 12

    /// Detects the image by its features.
    ///
    /// - Parameter features: The features of the frame, in pixels.
    func detected(in features: FeatureSet, _ descriptors: DescriptorSet, camera: CameraIntrinsics) -> Pose? {
        let matches = self.descriptors.matches(descriptors, ratio: 0.8)
        guard matches.count >= Self.minimumMatches else { return nil }
        var resection = Resection()
        (resection.options.maximumError, resection.options.maximumIterations) = (4, 500)
        let result = resection.solve(
            pixels: matches.map { Vector2d(features.positions[$0.second]) }, points: matches.map { points[$0.first] }, intrinsics: camera)
        guard let result, result.inliers.count >= Self.minimumMatches, Self.isFacing(result.cameraFromWorld) else { return nil }
        return Pose(
            cameraFromTarget: result.cameraFromWorld, inlierCount: result.inliers.count,
            error: result.cost / Double(max(1, result.inliers.count)))
    }

    // MARK: Tracking

    /// The most patches, the fewest that must agree, and their smallest share of those in view.
    private static let (maximumPatches, minimumPatches, minimumShare) = (48, 8, 0.4)
    /// The smallest correlation of a patch, and its largest distance from the prediction in working pixels.
    private static let (minimumSimilarity, reach): (Float, Float) = (0.7, 12)

    /// Tracks the image's patches into a frame.
    ///
    /// - Parameters:
    ///   - predicted: cameraFromTarget, correct to about ten pixels.
    ///   - testsMirroredTilt: Whether the other tilt that explains a small or distant image is tried too.
    func tracked(
        _ frame: ImagePyramid, camera: CameraIntrinsics, from predicted: RigidTransform, testsMirroredTilt: Bool = false
    ) -> Pose? {
        guard Self.isFacing(predicted) else { return nil }
        let undistorted = UndistortedCamera(camera)
        let (points, tried) = patches(frame, camera: camera, undistorted, predicted)
        guard points.count >= Self.minimumPatches else { return nil }
        let starts = testsMirroredTilt ? [predicted, predicted.withMirroredTilt] : [predicted]
        var best: Pose?
        for start in starts {
            var refinement = PoseRefinement(camera: undistorted)
            refinement.lossScale = (4, 1)
            let pose = refinement.refined(start, points)
            let errors = refinement.errors(pose, points).filter { $0 < 4 }
            guard errors.count >= Self.minimumPatches, Double(errors.count) >= Self.minimumShare * Double(tried),
                Self.isFacing(pose)
            else { continue }
            let found = Pose(
                cameraFromTarget: pose, inlierCount: errors.count, error: errors.reduce(0, +) / Double(errors.count))
            if let best, (best.inlierCount, -best.error) >= (found.inlierCount, -found.error) { continue }
            best = found
        }
        return best
    }

    /// Whether the camera is in front of the image, which is in front of the camera.
    private static func isFacing(_ cameraFromTarget: RigidTransform) -> Bool {
        cameraFromTarget.translation.isFinite && cameraFromTarget.translation.z > 0
            && dot(cameraFromTarget.rotation.z, normalize(cameraFromTarget.translation)) < -0.15
    }

    /// The patches that were matched, and the number of those that were tried.
    private func patches(
        _ frame: ImagePyramid, camera: CameraIntrinsics, _ undistorted: UndistortedCamera, _ pose: RigidTransform
    ) -> (points: [PoseRefinement.Point], tried: Int) {
        let scale = Double(frame.scale)
        let image = frame.levels[0]
        guard let middle = warp(at: .zero, camera, scale, pose, level: 0) else { return ([], 0) }
        let area = abs(middle.x.x * middle.y.y - middle.x.y * middle.y.x)
        let level = min(max(Int((0.5 * log2(max(area, 1e-6))).rounded()), 0), pyramid.levels.count - 1)
        var matcher = PatchMatcher()
        var (points, tried): ([PoseRefinement.Point], Int) = ([], 0)
        for corner in corners[level] where tried < Self.maximumPatches {
            let point = point(corner, level: level)
            let inCamera = pose * point
            guard inCamera.z > 0.01, let warp = warp(at: point, camera, scale, pose, level: level), Self.isUsable(warp) else { continue }
            let expected = SIMD2<Float>(camera.project(inCamera) / scale)
            guard expected.x > 9, expected.y > 9, expected.x < Float(image.width - 9), expected.y < Float(image.height - 9) else {
                continue
            }
            // A patch that reaches beyond the reference image would contain its repeated border.
            let reach = SIMD2(abs(warp.x.x) + abs(warp.y.x), abs(warp.x.y) + abs(warp.y.y)) * 5
            let size = pyramid.levels[level]
            guard corner.x > reach.x, corner.y > reach.y, corner.x < Float(size.width) - reach.x, corner.y < Float(size.height) - reach.y,
                matcher.loadTemplate(size, corner, warp: warp) ?? 0 > 1
            else { continue }
            tried += 1
            guard let found = matcher.find(image, from: expected, iterations: 20, precision: 0.01),
                squaredDistance(found, expected) < Self.reach * Self.reach, found.x > 8, found.y > 8,
                found.x < Float(image.width - 8), found.y < Float(image.height - 8),
                matcher.similarity(image, found) > Self.minimumSimilarity,
                let observation = undistorted.observation(Vector2d(found) * scale, information: 1 / (scale * scale))
            else { continue }
            points.append(PoseRefinement.Point(position: point, observation: observation))
        }
        return (points, tried)
    }

    /// The warp from the frame's working pixels to pixels of a level of the image; nil where the ray through a pixel misses its plane.
    private func warp(
        at point: Vector3d, _ camera: CameraIntrinsics, _ scale: Double, _ pose: RigidTransform, level: Int
    ) -> PatchMatcher.Warp? {
        let (center, step) = (camera.project(pose * point), 4 * scale)
        let (normal, inverse) = (pose.rotation.z, pose.inverse)
        func moved(_ offset: Vector2d) -> SIMD2<Float>? {
            let p = camera.normalized(center + offset)
            let ray = Vector3d(p.x, p.y, 1)
            let distance = dot(normal, pose.translation) / dot(normal, ray)
            guard distance > 0, distance.isFinite else { return nil }
            return (position(inverse * (ray * distance), level: level) - position(point, level: level)) / 4
        }
        guard let x = moved(Vector2d(step, 0)), let y = moved(Vector2d(0, step)) else { return nil }
        return PatchMatcher.Warp(x: x, y: y)
    }

    /// Whether the warped patch lies within the template's border and is not squeezed too much.
    private static func isUsable(_ warp: PatchMatcher.Warp) -> Bool {
        let longest = max(warp.x.x * warp.x.x + warp.x.y * warp.x.y, warp.y.x * warp.y.x + warp.y.y * warp.y.y)
        return longest < 2.4 * 2.4 && abs(warp.x.x * warp.y.y - warp.x.y * warp.y.x) > 0.2
    }
}
