import VitrineMath
import VitrineVision

/// Moves a camera to where known points fall on their places best: Gauss–Newton with Cauchy's weights.
struct PoseFit: Sendable {
    struct Point: Sendable {
        var position: Vector3d
        var sight: FlatCamera.Sight
    }

    let camera: FlatCamera
    /// How wrong a place may be before it loses its say, in flat pixels: first, and last.
    var reach = (first: 8.0, last: 1.5)
    var rounds = 12

    /// - Parameter start: cameraFromWorld near the answer.
    func refined(_ start: RigidTransform, _ points: [Point]) -> RigidTransform {
        var pose = start
        for round in 0..<rounds {
            // Half as far with every round.
            let scale = max(reach.last, reach.first / Double(1 << min(round, 20)))
            guard let step = step(pose, points, scale) else { return pose }
            let (turn, shift) = (Vector3d(step[0], step[1], step[2]), Vector3d(step[3], step[4], step[5]))
            let rotation = Rotations.tidied(Matrix3d.rotation(turn) * pose.rotation)
            pose = RigidTransform(rotation: rotation, translation: Matrix3d.rotation(turn) * pose.translation + shift)
            if scale == reach.last, lengthSquared(turn) + lengthSquared(shift / (1 + length(pose.translation))) < 1e-14 { break }
        }
        return pose
    }

    /// Lets the first rounds reach as far as a start is off.
    mutating func widen(for start: RigidTransform, _ points: [Point]) {
        let errors = errors(start, points).filter(\.isFinite).sorted()
        guard !errors.isEmpty else { return }
        reach.first = min(max(4, 2 * errors[errors.count / 2].squareRoot()), 100)
    }

    /// The squared distance of each point from its place, in units of its variance; infinite behind the camera.
    func errors(_ pose: RigidTransform, _ points: [Point]) -> [Double] { points.map { error(pose, $0) } }

    @inline(__always) func error(_ pose: RigidTransform, _ point: Point) -> Double {
        let inCamera = pose * point.position
        guard inCamera.z > 1e-6 else { return .infinity }
        return lengthSquared(camera.project(inCamera) - point.sight.place) * point.sight.information
    }

    /// A turn and a shift, both in the camera's frame.
    private func step(_ pose: RigidTransform, _ points: [Point], _ scale: Double) -> SIMD8<Double>? {
        var system = SmallSymmetricSystem(count: 6)
        let (focal, limit) = (camera.focal, 1 / (scale * scale))
        for point in points {
            let p = pose * point.position
            guard p.z > 1e-6 else { continue }
            let (u, v, inverse) = (p.x / p.z, p.y / p.z, focal / p.z)
            let miss = Vector2d(u, v) * focal + camera.intrinsics.center - point.sight.place
            let weight = point.sight.information / (1 + lengthSquared(miss) * point.sight.information * limit)
            // A turn w moves the point by w × p, a shift by itself.
            let x = SIMD8(-focal * u * v, focal * (1 + u * u), -focal * v, inverse, 0, -inverse * u, 0, 0)
            let y = SIMD8(-focal * (1 + v * v), focal * u * v, focal * u, 0, inverse, -inverse * v, 0, 0)
            for r in 0..<6 { system.rows[r] += x * (weight * x[r]) + y * (weight * y[r]) }
            system.right -= x * (weight * miss.x) + y * (weight * miss.y)
        }
        guard let step = system.solve(relativeDamping: 1e-9, minimumPivot: 1e-12) else { return nil }
        return (0..<6).allSatisfy { abs(step[$0]) < 1e6 } ? step : nil
    }
}
