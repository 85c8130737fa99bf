import VitrineGeometry

/// The relative pose of two calibrated cameras from inlier matches, given as rays.
struct PoseFromMatches {
    /// Directions (x/z, y/z, 1) in each camera's frame.
    let first, second: [Vector3d]
    /// The squared inlier threshold in normalized coordinates.
    let limit: Double

    /// The best pose of those that the matrices allow, with its gain in matches.
    func best(essential: Matrix3d, homography: Matrix3d?) -> (pose: RigidTransform, gain: Double)? {
        var starts: [RigidTransform] = []
        if let pose = mostInFront(Self.poses(essential: essential)) { starts.append(pose) }
        if let homography, let pose = mostInFront(Self.poses(homography: homography)) { starts.append(pose) }
        var best: (pose: RigidTransform, gain: Double)?
        for start in starts {
            let pose = refined(start)
            let value = gain(pose)
            if value > best?.gain ?? 0 { best = (pose, value) }
        }
        return best
    }

    /// The median angle between the rays of a match, radians.
    func medianAngle(_ pose: RigidTransform) -> Double { median(angles(pose.rotation)) }

    func angles(_ rotation: Matrix3d) -> [Double] {
        first.indices.map { i in
            let (a, b) = (rotation * first[i], second[i])
            return VitrineMath.atan2(length(cross(a, b)), dot(a, b))
        }
    }

    // MARK: Poses from matrices

    /// The four poses of an essential matrix (Hartley & Zisserman 2004, 9.6.2).
    static func poses(essential e: Matrix3d) -> [RigidTransform] {
        let (squares, v) = (e.transpose * e).symmetricEigen()
        guard squares.y > 1e-12 * squares.x, squares.x > 0 else { return [] }
        let (u1, u2) = (normalize(e * v.x), normalize(e * v.y - normalize(e * v.x) * dot(normalize(e * v.x), e * v.y)))
        let u3 = cross(u1, u2)
        // U W Vᵀ with W the rotation by 90° about z, and its inverse; V is a rotation already.
        let turn = Matrix3d(u2, -u1, u3) * v.transpose
        let back = Matrix3d(-u2, u1, u3) * v.transpose
        return [turn, back].flatMap { [RigidTransform(rotation: $0, translation: u3), RigidTransform(rotation: $0, translation: -u3)] }
    }

    /// The poses of a homography between normalized coordinates (Ma, Soatto, Košecká & Sastry 2004, 5.3.3); none for a pure rotation.
    static func poses(homography: Matrix3d) -> [RigidTransform] {
        let (squares, v) = (homography.transpose * homography).symmetricEigen()
        guard squares.y > 0 else { return [] }
        let h = homography * ((homography.determinant < 0 ? -1 : 1) / squares.y.squareRoot())
        let (largest, least) = (squares.x / squares.y, max(0, squares.z / squares.y))
        guard largest - least > 1e-6 else { return [] }
        let a = max(0, 1 - least).squareRoot()
        let b = max(0, largest - 1).squareRoot()
        let c = (largest - least).squareRoot()
        var poses: [RigidTransform] = []
        for sign in [1.0, -1.0] {
            let u = (v.x * a + v.z * (sign * b)) / c
            let normal = cross(v.y, u)
            let (w1, w2) = (h * v.y, h * u)
            let rotation = Matrix3d(w1, w2, cross(w1, w2)) * Matrix3d(v.y, u, normal).transpose
            let translation = (h - rotation) * normal
            guard lengthSquared(translation) > 1e-18 else { continue }
            let direction = normalize(translation)
            poses.append(RigidTransform(rotation: rotation, translation: direction))
            poses.append(RigidTransform(rotation: rotation, translation: -direction))
        }
        return poses
    }

    private func mostInFront(_ poses: [RigidTransform]) -> RigidTransform? {
        var best: (pose: RigidTransform, count: Int)?
        for pose in poses {
            let count = inFront(pose)
            if count > best?.count ?? 0 { best = (pose, count) }
        }
        return best?.pose
    }

    /// The number of matches that triangulate in front of both cameras.
    private func inFront(_ pose: RigidTransform) -> Int {
        var count = 0
        for i in first.indices {
            // depth2 b = depth1 R a + t, by least squares.
            let (a, b, t) = (pose.rotation * first[i], second[i], pose.translation)
            let (aa, ab, bb) = (dot(a, a), dot(a, b), dot(b, b))
            let (at, bt) = (dot(a, t), dot(b, t))
            let determinant = aa * bb - ab * ab
            guard determinant > 1e-12 * aa * bb else { continue }
            if ab * bt - bb * at > 0, aa * bt - ab * at > 0 { count += 1 }
        }
        return count
    }

    // MARK: Refinement

    func gain(_ pose: RigidTransform) -> Double {
        let e = Matrix3d.skew(pose.translation) * pose.rotation
        var sum = 0.0
        for i in first.indices {
            let residual = Self.residual(e, first[i], second[i])
            sum += max(0, 1 - residual * residual / limit)
        }
        return sum
    }

    /// The signed Sampson distance.
    @inline(__always) private static func residual(_ e: Matrix3d, _ a: Vector3d, _ b: Vector3d) -> Double {
        let line = e * a
        let back = Vector2d(dot(e.x, b), dot(e.y, b))
        let gradient = line.x * line.x + line.y * line.y + back.x * back.x + back.y * back.y
        return dot(line, b) / max(gradient, 1e-30).squareRoot()
    }

    /// Gauss–Newton on Sampson distances over rotation and direction of translation, with Cauchy weights.
    private func refined(_ start: RigidTransform) -> RigidTransform {
        var pose = start
        var cost = robustCost(pose)
        var damping = 1e-4
        for _ in 0..<12 {
            guard let step = step(from: pose, damping: damping) else { break }
            let moved = Self.moved(pose, step)
            let next = robustCost(moved)
            if next < cost {
                let isDone = cost - next < 1e-7 * cost
                (pose, cost, damping) = (moved, next, max(damping * 0.1, 1e-9))
                if isDone { break }
            } else {
                damping *= 10
                if damping > 1e3 { break }
            }
        }
        return pose
    }

    private func robustCost(_ pose: RigidTransform) -> Double {
        let e = Matrix3d.skew(pose.translation) * pose.rotation
        let scale = 4 / limit
        var sum = 0.0
        for i in first.indices {
            let residual = Self.residual(e, first[i], second[i])
            sum += VitrineMath.log(1 + scale * residual * residual)
        }
        return sum
    }

    private static func moved(_ pose: RigidTransform, _ step: [Double]) -> RigidTransform {
        let t = pose.translation
        let side = normalize(cross(t, abs(t.x) < 0.6 ? Vector3d(1, 0, 0) : Vector3d(0, 1, 0)))
        let direction = normalize(t + side * step[3] + cross(t, side) * step[4])
        return RigidTransform(
            rotation: Matrix3d.rotation(Vector3d(step[0], step[1], step[2])) * pose.rotation, translation: direction)
    }

    private func step(from pose: RigidTransform, damping: Double) -> [Double]? {
        let delta = 1e-6
        let e = Matrix3d.skew(pose.translation) * pose.rotation
        let nearby = (0..<5).map { k -> Matrix3d in
            var step = [Double](repeating: 0, count: 5)
            step[k] = delta
            let other = Self.moved(pose, step)
            return Matrix3d.skew(other.translation) * other.rotation
        }
        var (normal, right) = ([Double](repeating: 0, count: 25), [Double](repeating: 0, count: 5))
        let scale = 4 / limit
        var jacobian = [Double](repeating: 0, count: 5)
        for i in first.indices {
            let residual = Self.residual(e, first[i], second[i])
            let weight = 1 / (1 + scale * residual * residual)
            for k in 0..<5 { jacobian[k] = (Self.residual(nearby[k], first[i], second[i]) - residual) / delta }
            for r in 0..<5 {
                right[r] -= weight * jacobian[r] * residual
                for c in 0..<5 { normal[r * 5 + c] += weight * jacobian[r] * jacobian[c] }
            }
        }
        for k in 0..<5 { normal[k * 6] *= 1 + damping }
        // The solution spans the null space of [normal | −right].
        var system: [Double] = []
        for r in 0..<5 {
            let diagonal = max(normal[r * 6], 1e-300)
            system += normal[(r * 5)..<(r * 5 + 5)].map { $0 / diagonal } + [-right[r] / diagonal]
        }
        guard let basis = SmallMatrix.nullSpace(&system, rows: 5, columns: 6), abs(basis[0][5]) > 1e-12 else { return nil }
        let step = basis[0].prefix(5).map { $0 / basis[0][5] }
        return step.allSatisfy { $0.isFinite && abs($0) < 1 } ? step : nil
    }
}
