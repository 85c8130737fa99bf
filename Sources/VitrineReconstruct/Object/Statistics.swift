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

/// The value with a share of the others below it; 0 for none.
func quantile(_ values: [Double], _ share: Double) -> Double {
    guard !values.isEmpty else { return 0 }
    return quantile(sorted: values.sorted(), share)
}

func quantile(sorted values: [Double], _ share: Double) -> Double {
    guard !values.isEmpty else { return 0 }
    let place = share * Double(values.count - 1)
    let low = Int(place)
    let high = min(low + 1, values.count - 1)
    return values[low] + (values[high] - values[low]) * (place - Double(low))
}
