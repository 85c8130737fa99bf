extension Matrix3d {
    /// Returns the eigenvalues of a symmetric matrix in descending order, and unit eigenvectors as the columns of a rotation (cyclic Jacobi method).
    package func symmetricEigen() -> (values: Vector3d, vectors: Matrix3d) {
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

extension SmallMatrix {
    /// Returns the unit eigenvector of the smallest eigenvalue of a symmetric n × n matrix, and all eigenvalues in ascending order (cyclic Jacobi
    /// method).
    package static func smallestEigenvector(_ matrix: [Double], n: Int) -> (vector: [Double], values: [Double]) {
        var (a, v) = (matrix, [Double](repeating: 0, count: n * n))
        for i in 0..<n { v[i * n + i] = 1 }
        for _ in 0..<30 {
            var (off, diagonal) = (0.0, 0.0)
            for i in 0..<n {
                diagonal += a[i * n + i] * a[i * n + i]
                for j in 0..<i { off += a[i * n + j] * a[i * n + j] }
            }
            if !(off > 1e-30 * diagonal) { break }
            a.withUnsafeMutableBufferPointer { a in
                v.withUnsafeMutableBufferPointer { v in
                    for p in 0..<(n - 1) { for q in (p + 1)..<n { rotateAway(p, q, a, v, n) } }
                }
            }
        }
        let values = (0..<n).map { a[$0 * n + $0] }
        let least = values.indices.min { values[$0] < values[$1] } ?? 0
        return ((0..<n).map { v[$0 * n + least] }, values.sorted())
    }

    private static func rotateAway(
        _ p: Int, _ q: Int, _ a: UnsafeMutableBufferPointer<Double>, _ v: UnsafeMutableBufferPointer<Double>, _ n: Int
    ) {
        let off = a[p * n + q]
        guard off != 0 else { return }
        let theta = (a[q * n + q] - a[p * n + p]) / (2 * off)
        let t = (theta >= 0 ? 1.0 : -1.0) / (abs(theta) + (theta * theta + 1).squareRoot())
        let c = 1 / (t * t + 1).squareRoot()
        let s = t * c
        for k in 0..<n {
            let (x, y) = (a[k * n + p], a[k * n + q])
            (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y)
        }
        for k in 0..<n {
            let (x, y) = (a[p * n + k], a[q * n + k])
            (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y)
        }
        for k in 0..<n {
            let (x, y) = (v[k * n + p], v[k * n + q])
            (v[k * n + p], v[k * n + q]) = (c * x - s * y, s * x + c * y)
        }
    }
}
