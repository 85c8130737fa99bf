import VitrineMath
import VitrineVision

extension Marker {
    /// The two poses that may explain the corners, the better one first.
    ///
    /// A small or distant marker has a tilt ambiguity: both errors are small then (Schweighofer & Pinz 2006). Returns one pose if both solutions
    /// coincide, none if the corners cannot be a square's.
    /// - Parameter edge: Edge length of the black square in metres.
    package func poses(edge: Double, camera: CameraIntrinsics) -> [MarkerPose] {
        let observed = corners.map(camera.normalized)
        guard edge > 0, observed.count == 4, let start = Self.start(observed, edge) else { return [] }
        var poses: [MarkerPose] = []
        for guess in [start, start.withMirroredTilt] {
            let pose = Self.refined(guess, observed, edge)
            let error = error(pose, edge, camera)
            guard error.isFinite, pose.translation.z > 0 else { continue }
            if poses.allSatisfy({ ($0.cameraFromMarker.rotation.transpose * pose.rotation).trace < 2.9999 }) {
                poses.append(MarkerPose(cameraFromMarker: pose, error: error))
            }
        }
        return poses.sorted { $0.error < $1.error }
    }

    /// The corners in the marker's frame.
    private static func square(_ edge: Double) -> [Vector3d] {
        let h = edge / 2
        return [Vector3d(-h, h, 0), Vector3d(h, h, 0), Vector3d(h, -h, 0), Vector3d(-h, -h, 0)]
    }

    /// The initial pose from the homography of the square (Zhang 2000).
    private static func start(_ observed: [Vector2d], _ edge: Double) -> RigidTransform? {
        let m = SquareHomography(square: observed).matrix
        // The homography's square has unit width, y down, and its origin at the upper left corner.
        let (right, up) = (m.x / edge, -(m.y / edge))
        let origin = m.z + m.x * 0.5 + m.y * 0.5
        let scale = 2 / (length(right) + length(up))
        guard scale.isFinite, origin.z * scale > 0 else { return nil }
        let x = normalize(normalize(right) + normalize(up))
        let y = normalize(normalize(up) - normalize(right))
        // Right and up are at 45° to their sum.
        let (r, u) = (normalize(x - y), normalize(x + y))
        return RigidTransform(rotation: Matrix3d(r, u, cross(r, u)), translation: origin * scale)
    }

    /// Levenberg–Marquardt on the reprojection errors in normalized coordinates.
    private static func refined(_ start: RigidTransform, _ observed: [Vector2d], _ edge: Double) -> RigidTransform {
        let square = square(edge)
        var (pose, cost, damping) = (start, cost(start, observed, square), 1e-9)
        for _ in 0..<30 {
            var equations = SmallSymmetricSystem(count: 6)
            for (corner, target) in zip(square, observed) {
                let turned = pose.rotation * corner
                let p = turned + pose.translation
                for axis in 0..<2 {
                    var slope = Vector3d(0, 0, -p[axis] / p.z)
                    slope[axis] = 1
                    slope /= p.z
                    // A rotation w moves the point by w × turned.
                    let byTurn = cross(turned, slope)
                    equations.add(
                        SIMD8(byTurn.x, byTurn.y, byTurn.z, slope.x, slope.y, slope.z, 0, 0), p[axis] / p.z - target[axis], weight: 1)
                }
            }
            guard let step = equations.solve(damping: damping) else { break }
            let moved = RigidTransform(
                rotation: Matrix3d.rotation(Vector3d(step[0], step[1], step[2])) * pose.rotation,
                translation: pose.translation + Vector3d(step[3], step[4], step[5]))
            let next = Self.cost(moved, observed, square)
            if next < cost {
                let isDone = cost - next < 1e-10 * cost
                (pose, cost, damping) = (moved, next, max(damping * 0.1, 1e-12))
                if isDone { break }
            } else {
                damping *= 30
                if damping > 1 { break }
            }
        }
        return pose
    }

    private static func cost(_ pose: RigidTransform, _ observed: [Vector2d], _ square: [Vector3d]) -> Double {
        var sum = 0.0
        for (corner, target) in zip(square, observed) {
            let p = pose * corner
            guard p.z > 1e-9 else { return .infinity }
            sum += lengthSquared(Vector2d(p.x, p.y) / p.z - target)
        }
        return sum
    }

    private func error(_ pose: RigidTransform, _ edge: Double, _ camera: CameraIntrinsics) -> Double {
        var sum = 0.0
        for (corner, pixel) in zip(Self.square(edge), corners) {
            let p = pose * corner
            guard p.z > 1e-9 else { return .infinity }
            sum += lengthSquared(camera.project(p) - pixel)
        }
        return (sum / 4).squareRoot()
    }
}

extension RigidTransform {
    /// The other pose (camera from a flat target) that explains nearly the same image of a small or distant target: its tilt is mirrored at the
    /// viewing direction.
    var withMirroredTilt: RigidTransform {
        let direction = normalize(translation)
        func mirrored(_ v: Vector3d) -> Vector3d { v - direction * (2 * dot(direction, v)) }
        let (x, y) = (mirrored(rotation.x), mirrored(rotation.y))
        return RigidTransform(rotation: Matrix3d(x, y, cross(x, y)), translation: translation)
    }
}
