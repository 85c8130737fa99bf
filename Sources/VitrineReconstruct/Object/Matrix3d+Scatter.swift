import VitrineVision

extension Matrix3d {
    /// Σ w v vᵀ.
    static func scatter(of vectors: [Vector3d], weights: [Double]? = nil) -> Matrix3d {
        var sum = Matrix3d(.zero, .zero, .zero)
        for (index, v) in vectors.enumerated() {
            let w = weights?[index] ?? 1
            sum = sum + Matrix3d(v * (v.x * w), v * (v.y * w), v * (v.z * w))
        }
        return sum
    }
}
