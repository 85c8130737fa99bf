import VitrineMath
import VitrineVision

/// Refines a camera's pose by minimizing reprojection errors: Gauss–Newton with a Cauchy loss.
struct PoseRefinement: Sendable {
    struct Point: Sendable {
        var position: Vector3d
        var observation: UndistortedCamera.Observation
    }

    let camera: UndistortedCamera
    /// The loss's scale in undistorted pixels, in the first iteration and in the last.
    var lossScale = (first: 8.0, last: 1.5)
    var iterations = 12

    /// Returns the pose that minimizes the robust reprojection error of points.
    ///
    /// - Parameter start: An approximate `cameraFromWorld`.
    func refined(_ start: RigidTransform, _ points: [Point]) -> RigidTransform {
        var pose = start
        for iteration in 0..<iterations {
            // Halve the scale in every iteration.
            let scale = max(lossScale.last, lossScale.first / Double(1 << min(iteration, 20)))
            guard let step = step(pose, points, scale) else { return pose }
            let (turn, shift) = (Vector3d(step[0], step[1], step[2]), Vector3d(step[3], step[4], step[5]))
            let rotation = (Matrix3d.rotation(turn) * pose.rotation).orthonormalized
            pose = RigidTransform(rotation: rotation, translation: Matrix3d.rotation(turn) * pose.translation + shift)
            if scale == lossScale.last, lengthSquared(turn) + lengthSquared(shift / (1 + length(pose.translation))) < 1e-14 { break }
        }
        return pose
    }

    /// Sets the first loss scale by the median error of an approximate pose.
    mutating func widen(for start: RigidTransform, _ points: [Point]) {
        let errors = errors(start, points).filter(\.isFinite).sorted()
        guard !errors.isEmpty else { return }
        lossScale.first = min(max(4, 2 * errors[errors.count / 2].squareRoot()), 100)
    }

    /// Squared reprojection errors over their variances; infinite behind the camera.
    func errors(_ pose: RigidTransform, _ points: [Point]) -> [Double] { points.map { error(pose, $0) } }

    @inline(__always) func error(_ pose: RigidTransform, _ point: Point) -> Double {
        let inCamera = pose * point.position
        guard inCamera.z > 1e-6 else { return .infinity }
        return lengthSquared(camera.project(inCamera) - point.observation.position) * point.observation.information
    }

    /// The step: a rotation and a translation in the camera's frame.
    private func step(_ pose: RigidTransform, _ points: [Point], _ scale: Double) -> SIMD8<Double>? {
        var system = SmallSymmetricSystem(count: 6)
        let (focal, limit) = (camera.focal, 1 / (scale * scale))
        for point in points {
            let p = pose * point.position
            guard p.z > 1e-6 else { continue }
            let (u, v, inverse) = (p.x / p.z, p.y / p.z, focal / p.z)
            let residual = Vector2d(u, v) * focal + camera.intrinsics.center - point.observation.position
            let weight = point.observation.information / (1 + lengthSquared(residual) * point.observation.information * limit)
            // A rotation w moves the point by w × p.
            let x = SIMD8(-focal * u * v, focal * (1 + u * u), -focal * v, inverse, 0, -inverse * u, 0, 0)
            let y = SIMD8(-focal * (1 + v * v), focal * u * v, focal * u, 0, inverse, -inverse * v, 0, 0)
            for r in 0..<6 { system.rows[r] += x * (weight * x[r]) + y * (weight * y[r]) }
            system.right -= x * (weight * residual.x) + y * (weight * residual.y)
        }
        guard let step = system.solve(relativeDamping: 1e-9, minimumPivot: 1e-12) else { return nil }
        return (0..<6).allSatisfy { abs(step[$0]) < 1e6 } ? step : nil
    }
}
