extension SimilarityTransform {
    /// Returns the similarity transform that maps `points` to `targets` with the least sum of squared distances (Umeyama 1991).
    ///
    /// Returns nil for fewer than three points, or if all lie on one line, which leaves the rotation about that line undetermined.
    package static func aligning(_ points: [Vector3d], to targets: [Vector3d]) -> SimilarityTransform? {
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
