import VitrineMath

extension Matrix3d {
    /// Eigenvalues of a symmetric matrix, falling, and unit eigenvectors as the columns of a rotation, by Jacobi's cyclic rotations.
    public func symmetricEigen() -> (values: Vector3d, vectors: Matrix3d) {
        var (a, v) = (self, Matrix3d.identity)
        for _ in 0..<30 {
            let off = a.y.x * a.y.x + a.z.x * a.z.x + a.z.y * a.z.y
            let scale = a.x.x * a.x.x + a.y.y * a.y.y + a.z.z * a.z.z
            if !(off > 1e-32 * scale) { break }
            for (p, q) in [(0, 1), (0, 2), (1, 2)] { a.rotateAway(p, q, &v) }
        }
        var order = [(a.x.x, v.x), (a.y.y, v.y), (a.z.z, v.z)]
        order.sort { $0.0 > $1.0 }
        var vectors = Matrix3d(order[0].1, order[1].1, order[2].1)
        if vectors.determinant < 0 { vectors.z = -vectors.z }
        return (Vector3d(order[0].0, order[1].0, order[2].0), vectors)
    }

    private subscript(row: Int, column: Int) -> Double {
        get { column == 0 ? x[row] : column == 1 ? y[row] : z[row] }
        set {
            switch column {
            case 0: x[row] = newValue
            case 1: y[row] = newValue
            default: z[row] = newValue
            }
        }
    }

    private mutating func rotateAway(_ p: Int, _ q: Int, _ vectors: inout Matrix3d) {
        let off = self[p, q]
        guard off != 0 else { return }
        let theta = (self[q, q] - self[p, p]) / (2 * off)
        let t = (theta >= 0 ? 1.0 : -1.0) / (abs(theta) + (theta * theta + 1).squareRoot())
        let c = 1 / (t * t + 1).squareRoot()
        let s = t * c
        var rotation = Matrix3d.identity
        rotation[p, p] = c
        rotation[q, q] = c
        rotation[p, q] = s
        rotation[q, p] = -s
        self = rotation.transpose * self * rotation
        vectors = vectors * rotation
    }
}

extension SimilarityTransform {
    /// The similarity that moves `points` nearest to `targets` (least squares): Umeyama 1991.
    ///
    /// Nil for fewer than three points, or where all lie on one line (any turn about it would do).
    public static func aligning(_ points: [Vector3d], to targets: [Vector3d]) -> SimilarityTransform? {
        let count = min(points.count, targets.count)
        guard count >= 3 else { return nil }
        var (mean, targetMean) = (Vector3d.zero, Vector3d.zero)
        for i in 0..<count { (mean, targetMean) = (mean + points[i], targetMean + targets[i]) }
        (mean, targetMean) = (mean / Double(count), targetMean / Double(count))

        var covariance = Matrix3d(.zero, .zero, .zero)
        var variance = 0.0
        for i in 0..<count {
            let (p, q) = (points[i] - mean, targets[i] - targetMean)
            covariance = covariance + Matrix3d(q * p.x, q * p.y, q * p.z)
            variance += lengthSquared(p)
        }
        // covariance = U S Vᵀ, by the eigenvectors V of covarianceᵀ covariance.
        let (squares, v) = (covariance.transpose * covariance).symmetricEigen()
        guard variance > 0, squares.x > 0, squares.y > 1e-20 * squares.x else { return nil }
        let first = normalize(covariance * v.x)
        var second = covariance * v.y
        second = normalize(second - first * dot(first, second))
        let u = Matrix3d(first, second, cross(first, second))
        let rotation = u * v.transpose
        let trace = (rotation.transpose * covariance).trace
        let scale = trace / variance
        guard scale.isFinite, scale > 0 else { return nil }
        return SimilarityTransform(
            scale: scale, rotation: rotation, translation: targetMean - rotation * mean * scale)
    }
}
