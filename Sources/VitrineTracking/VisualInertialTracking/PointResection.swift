import VitrineGeometry
import VitrineMath
import VitrineVision

/// Estimates the motion of a camera since an earlier frame from points that the earlier frame knew: robust resection.
///
/// Gauss–Newton with Cauchy weights from a predicted motion; LO-RANSAC over P3P (``Resection``) where that explains too few points. Errors are angles
/// between directions, for any lens.
struct PointResection: Sendable {
    struct Point: Sendable {
        /// The position in the earlier camera's frame, and its standard deviation along the view, in metres.
        var position: Vector3d
        var deviation: Double
        /// The unit direction in the newest camera's frame.
        var ray: Vector3d
    }

    struct Result: Sendable {
        /// The newest camera from the earlier one.
        var pose: RigidTransform
        /// The points that agree with the pose.
        var inliers: [Bool]
        /// The normal equations over a rotation and a translation on the newest camera's axes.
        private let system: SmallSymmetricSystem
        /// The mean squared residual of the inliers per coordinate, in variances; not less than 1.
        private let residual: Double

        init(pose: RigidTransform, inliers: [Bool], system: SmallSymmetricSystem, residual: Double) {
            (self.pose, self.inliers, self.system, self.residual) = (pose, inliers, system, residual)
        }

        /// The number of inliers, and their share.
        var count: Int { inliers.count { $0 } }
        var share: Double { Double(count) / Double(max(inliers.count, 1)) }

        /// The standard deviations of the rotation about a unit axis in radians, and of the translation along one in metres.
        func deviation(rotation axis: Vector3d) -> Double { deviation(SIMD8(axis.x, axis.y, axis.z, 0, 0, 0, 0, 0)) }
        func deviation(translation axis: Vector3d) -> Double { deviation(SIMD8(0, 0, 0, axis.x, axis.y, axis.z, 0, 0)) }

        private func deviation(_ direction: SIMD8<Double>) -> Double {
            var copy = system
            copy.right = direction
            guard let column = copy.solve(relativeDamping: 1e-9) else { return .infinity }
            return ((column * direction).sum() * residual).squareRoot()
        }
    }

    let points: [Point]
    /// Standard deviation of a direction in radians.
    let noise: Double

    /// Standard deviations within which a point agrees.
    private static let reach = 3.0
    /// The share of points below which RANSAC is tried.
    private static let consensus = 0.6

    /// Returns the motion with the most support near the prediction, or else anywhere; nil for fewer than six points.
    func solve(from predicted: RigidTransform) -> Result? {
        guard points.count >= 6 else { return nil }
        let near = refined(predicted)
        if let near, near.share >= Self.consensus { return near }
        guard let start = searched(), let far = refined(start), far.share > near?.share ?? 0 else { return near }
        return far
    }

    /// The points that agree with a pose.
    func inliers(_ pose: RigidTransform) -> [Bool] {
        points.map { point in
            guard let (error, variance) = error(point, pose) else { return false }
            return lengthSquared(error) < Self.reach * Self.reach * variance
        }
    }

    private func refined(_ start: RigidTransform) -> Result? {
        let errors = points.compactMap { error($0, start).map { lengthSquared($0.error) / $0.variance } }.sorted()
        guard errors.count >= 6 else { return nil }
        var (pose, scale) = (start, max(2, 2 * errors[errors.count / 2].squareRoot()))
        for _ in 0..<12 {
            guard let (system, _) = normalEquations(pose, scale), let step = system.solve(relativeDamping: 1e-9) else { return nil }
            let turn = Matrix3d.rotation(Vector3d(step[0], step[1], step[2]))
            let shift = Vector3d(step[3], step[4], step[5])
            pose = RigidTransform(rotation: (turn * pose.rotation).orthonormalized, translation: turn * pose.translation + shift)
            guard pose.translation.isFinite else { return nil }
            if scale <= 1, (step * step).sum() < 1e-12 { break }
            scale = max(1, scale / 2)
        }
        guard let (system, residual) = normalEquations(pose, 1) else { return nil }
        return Result(pose: pose, inliers: inliers(pose), system: system, residual: max(1, residual))
    }

    /// - Parameter scale: The Cauchy loss's, in standard deviations.
    private func normalEquations(_ pose: RigidTransform, _ scale: Double) -> (SmallSymmetricSystem, residual: Double)? {
        var system = SmallSymmetricSystem(count: 6)
        var (squares, weights) = (0.0, 0.0)
        for point in points {
            guard let (error, variance) = error(point, pose) else { continue }
            let seen = pose * point.position
            let distance = length(seen)
            let square = lengthSquared(error) / variance
            let robust = 1 / (1 + square / (scale * scale))
            squares += robust * square
            weights += robust
            let (a, b) = Self.tangents(point.ray)
            for (axis, residual) in [(a, error.x), (b, error.y)] {
                let turn = cross(seen, axis) / distance
                let jacobian = SIMD8(turn.x, turn.y, turn.z, axis.x / distance, axis.y / distance, axis.z / distance, 0, 0)
                system.add(jacobian, residual, weight: robust / variance)
            }
        }
        return weights > 0 ? (system, squares / (2 * weights)) : nil
    }

    /// The angle between predicted and observed direction on the tangents of the latter, and its variance; nil behind the camera.
    private func error(_ point: Point, _ pose: RigidTransform) -> (error: Vector2d, variance: Double)? {
        let seen = pose * point.position
        let distance = length(seen)
        guard distance > 0.05, dot(seen, point.ray) > 0.5 * distance else { return nil }
        let (a, b) = Self.tangents(point.ray)
        // The point's distance matters as far as it is seen from another side.
        let side = length(cross(pose.rotation * point.position, seen)) / (length(point.position) * distance)
        let byDistance = point.deviation * side / distance
        return (Vector2d(dot(a, seen), dot(b, seen)) / distance, noise * noise + byDistance * byDistance)
    }

    private func searched() -> RigidTransform? {
        // Pixels of a pinhole camera are standard deviations.
        let camera = CameraIntrinsics(width: 2, height: 2, focal: Vector2d(1 / noise, 1 / noise), center: Vector2d(1, 1))
        let used = points.filter { $0.ray.z > 0.2 }
        var resection = Resection()
        (resection.options.maximumError, resection.options.maximumIterations) = (Self.reach, 100)
        return resection.solve(pixels: used.map { camera.project($0.ray) }, points: used.map(\.position), intrinsics: camera)?
            .cameraFromWorld
    }

    /// Two unit vectors perpendicular to a unit direction and to each other.
    private static func tangents(_ direction: Vector3d) -> (Vector3d, Vector3d) {
        let other = abs(direction.x) < 0.6 ? Vector3d(1, 0, 0) : Vector3d(0, 1, 0)
        let first = normalize(cross(direction, other))
        return (first, cross(direction, first))
    }
}
