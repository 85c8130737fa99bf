import VitrineVision

/// The eigenvalues of a symmetric 3×3 matrix, rising, and their unit eigenvectors, by Jacobi's rotations.
struct SymmetricEigen {
    var values: Vector3d
    /// Columns x, y, z belong to the values x, y, z; right-handed.
    var vectors: Matrix3d

    init(_ matrix: Matrix3d) {
        var a = [[matrix.x.x, matrix.y.x, matrix.z.x], [matrix.x.y, matrix.y.y, matrix.z.y], [matrix.x.z, matrix.y.z, matrix.z.z]]
        var v: [[Double]] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        // Converges quadratically: six sweeps reach the last digit.
        for _ in 0..<12 {
            for (p, q) in [(0, 1), (0, 2), (1, 2)] where abs(a[p][q]) > 1e-300 {
                let theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                let t = (theta < 0 ? -1 : 1) / (abs(theta) + (theta * theta + 1).squareRoot())
                let c = 1 / (t * t + 1).squareRoot()
                let s = t * c
                for k in 0..<3 { (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]) }
                for k in 0..<3 { (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]) }
                for k in 0..<3 { (v[k][p], v[k][q]) = (c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]) }
            }
        }
        let order = [0, 1, 2].sorted { (a[$0][$0], $0) < (a[$1][$1], $1) }
        func column(_ k: Int) -> Vector3d { Vector3d(v[0][order[k]], v[1][order[k]], v[2][order[k]]) }
        values = Vector3d(a[order[0]][order[0]], a[order[1]][order[1]], a[order[2]][order[2]])
        vectors = Matrix3d(column(0), column(1), column(2))
        if vectors.determinant < 0 { vectors.z = -vectors.z }
    }

    /// Σ w v vᵀ.
    static func scatter(_ vectors: [Vector3d], weights: [Double]? = nil) -> Matrix3d {
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
