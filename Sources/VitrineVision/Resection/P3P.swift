import VitrineMath

/// The perspective-three-point problem: the pose of a calibrated camera from three points, with up to four solutions.
enum P3P {
    /// Returns the camera poses that three points allow.
    ///
    /// - Parameters:
    ///   - rays: Unit directions in the camera frame.
    ///   - points: The points in the world frame.
    /// - Returns: Every cameraFromWorld with the points in front of the camera.
    ///
    /// Persson & Nordberg 2018 (Lambda Twist): a degenerate conic of the pencil in the three depths follows from a cubic and splits into two
    /// lines, each of which gives a quadratic in the ratio of two depths; Gauss–Newton on the depths refines the result.
    static func solve(rays: (Vector3d, Vector3d, Vector3d), points: (Vector3d, Vector3d, Vector3d)) -> [RigidTransform] {
        let (x12, x13, x23) = (points.0 - points.1, points.0 - points.2, points.1 - points.2)
        let (a12, a13, a23) = (lengthSquared(x12), lengthSquared(x13), lengthSquared(x23))
        guard a12 > 0, a13 > 0, a23 > 0 else { return [] }
        let (b12, b13, b23) = (dot(rays.0, rays.1), dot(rays.0, rays.2), dot(rays.1, rays.2))

        // λᵀ M12 λ = a12 and so on; D1 and D2 are the combinations that must vanish.
        let d1 = Matrix3d(Vector3d(a23, -a23 * b12, 0), Vector3d(-a23 * b12, a23 - a12, a12 * b23), Vector3d(0, a12 * b23, -a12))
        let d2 = Matrix3d(Vector3d(a23, 0, -a23 * b13), Vector3d(0, -a13, a13 * b23), Vector3d(-a23 * b13, a13 * b23, a23 - a13))
        guard let gamma = realRoot(mixed(d2, d2) / 3, mixed(d2, d1), mixed(d1, d2), mixed(d1, d1) / 3) else { return [] }
        let degenerate = d1 + d2 * gamma
        let (values, vectors) = degenerate.symmetricEigen()
        guard values.x > 0, values.z < 0 else { return [] }

        var result: [RigidTransform] = []
        let slope = (-values.z / values.x).squareRoot()
        for s in [slope, -slope] {
            // The line λ1 = w0 λ2 + w1 λ3.
            let line = vectors.x - vectors.z * s
            guard abs(line.x) > 1e-12 else { continue }
            let (w0, w1) = (-line.y / line.x, -line.z / line.x)
            let a = a23 * w1 * w1 - a12
            let b = 2 * (a23 * w1 * (w0 - b12) + a12 * b23)
            let c = a23 * (w0 * w0 + 1 - 2 * b12 * w0) - a12
            for ratio in quadraticRoots(a, b, c) where ratio > 0 {
                let squared = a23 / (1 + ratio * (ratio - 2 * b23))
                guard squared > 0, squared.isFinite else { continue }
                let second = squared.squareRoot()
                var depths = Vector3d((w0 + w1 * ratio) * second, second, ratio * second)
                guard depths.x > 0 else { continue }
                sharpen(&depths, Vector3d(a12, a13, a23), Vector3d(b12, b13, b23))
                guard depths.min() > 0, let pose = pose(depths, rays, points, x12, x13) else { continue }
                result.append(pose)
            }
        }
        return result
    }

    /// Returns trace(adjugate(a) b): the coefficients of det(a + γ b), for symmetric matrices.
    private static func mixed(_ a: Matrix3d, _ b: Matrix3d) -> Double {
        dot(cross(a.y, a.z), b.x) + dot(cross(a.z, a.x), b.y) + dot(cross(a.x, a.y), b.z)
    }

    /// A real root of a x³ + b x² + c x + d, away from stationary points where there is a choice.
    private static func realRoot(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double? {
        let scale = max(abs(a), abs(b), abs(c), abs(d))
        guard scale > 0, scale.isFinite else { return nil }
        guard abs(a) > 1e-14 * scale else { return quadraticRoots(b, c, d).first }
        let (p, q, r) = (b / a, c / a, d / a)
        // Beyond the outer stationary point on the root's side, Newton's method converges monotonically.
        let discriminant = p * p - 3 * q
        var x = -p / 3
        if discriminant > 0 {
            let offset = discriminant.squareRoot() / 3
            let value = ((x + p) * x + q) * x + r
            let reach = 2 * offset
            x += value > 0 ? -reach : reach
        } else if abs(((x + p) * x + q) * x + r) > 0 {
            x -= cubeRootStart(((x + p) * x + q) * x + r)
        }
        for _ in 0..<50 {
            let value = ((x + p) * x + q) * x + r
            let slope = (3 * x + 2 * p) * x + q
            guard slope != 0 else { break }
            let step = value / slope
            x -= step
            if abs(step) <= 1e-15 * abs(x) { break }
        }
        return x.isFinite ? x : nil
    }

    private static func cubeRootStart(_ value: Double) -> Double {
        (value < 0 ? -1 : 1) * exp(log(abs(value)) / 3)
    }

    private static func quadraticRoots(_ a: Double, _ b: Double, _ c: Double) -> [Double] {
        let discriminant = b * b - 4 * a * c
        guard discriminant >= 0 else { return [] }
        let q = -0.5 * (b + (b < 0 ? -1 : 1) * discriminant.squareRoot())
        var roots: [Double] = []
        if q != 0 { roots.append(c / q) }
        if a != 0 { roots.append(q / a) }
        return roots.filter(\.isFinite)
    }

    /// Gauss–Newton on the three distances.
    private static func sharpen(_ depths: inout Vector3d, _ squares: Vector3d, _ cosines: Vector3d) {
        for _ in 0..<3 {
            let (l1, l2, l3) = (depths.x, depths.y, depths.z)
            let error = Vector3d(
                l1 * l1 + l2 * l2 - 2 * l1 * l2 * cosines.x - squares.x, l1 * l1 + l3 * l3 - 2 * l1 * l3 * cosines.y - squares.y,
                l2 * l2 + l3 * l3 - 2 * l2 * l3 * cosines.z - squares.z)
            let jacobian = Matrix3d(
                rows: Vector3d(2 * (l1 - l2 * cosines.x), 2 * (l2 - l1 * cosines.x), 0),
                Vector3d(2 * (l1 - l3 * cosines.y), 0, 2 * (l3 - l1 * cosines.y)),
                Vector3d(0, 2 * (l2 - l3 * cosines.z), 2 * (l3 - l2 * cosines.z)))
            let step = jacobian.inverse * error
            guard step.x.isFinite, step.y.isFinite, step.z.isFinite else { return }
            depths -= step
        }
    }

    private static func pose(
        _ depths: Vector3d, _ rays: (Vector3d, Vector3d, Vector3d), _ points: (Vector3d, Vector3d, Vector3d), _ x12: Vector3d,
        _ x13: Vector3d
    ) -> RigidTransform? {
        let first = rays.0 * depths.x
        let (y12, y13) = (first - rays.1 * depths.y, first - rays.2 * depths.z)
        let world = Matrix3d(x12, x13, cross(x12, x13))
        guard abs(world.determinant) > 1e-30 else { return nil }
        let rotation = (Matrix3d(y12, y13, cross(y12, y13)) * world.inverse).orthonormalized
        let translation = first - rotation * points.0
        guard translation.x.isFinite, translation.y.isFinite, translation.z.isFinite, rotation.determinant > 0.5 else { return nil }
        return RigidTransform(rotation: rotation, translation: translation)
    }
}
