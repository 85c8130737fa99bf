/// Linear algebra of the few small systems that geometry from matches needs. Matrices are rows after rows.
enum SmallLinearAlgebra {
    /// A basis of what a matrix of `rows` × `columns` (rows < columns) maps to zero, by elimination with full pivoting: `columns - rows`
    /// vectors, or nil where the rows depend on each other. The matrix is overwritten.
    static func nullSpace(_ m: inout [Double], rows: Int, columns: Int) -> [[Double]]? {
        var order = Array(0..<columns)
        let scale = m.reduce(0) { max($0, abs($1)) }
        guard scale > 0, scale.isFinite else { return nil }
        let isRegular = m.withUnsafeMutableBufferPointer { m -> Bool in
            for k in 0..<rows {
                var (best, pivotRow, pivotColumn) = (0.0, k, k)
                for r in k..<rows {
                    for c in k..<columns where abs(m[r * columns + c]) > best {
                        (best, pivotRow, pivotColumn) = (abs(m[r * columns + c]), r, c)
                    }
                }
                guard best > 1e-11 * scale else { return false }
                if pivotRow != k { for c in 0..<columns { m.swapAt(k * columns + c, pivotRow * columns + c) } }
                if pivotColumn != k {
                    for r in 0..<rows { m.swapAt(r * columns + k, r * columns + pivotColumn) }
                    order.swapAt(k, pivotColumn)
                }
                let inverse = 1 / m[k * columns + k]
                for c in k..<columns { m[k * columns + c] *= inverse }
                for r in 0..<rows where r != k {
                    let factor = m[r * columns + k]
                    if factor == 0 { continue }
                    for c in k..<columns { m[r * columns + c] -= factor * m[k * columns + c] }
                }
            }
            return true
        }
        guard isRegular else { return nil }
        return (rows..<columns).map { free in
            var vector = [Double](repeating: 0, count: columns)
            vector[order[free]] = 1
            for r in 0..<rows { vector[order[r]] = -m[r * columns + free] }
            return vector
        }
    }

    /// The unit eigenvector of a symmetric n × n matrix's smallest eigenvalue, and all eigenvalues, rising (Jacobi's rotations).
    static func smallestEigenvector(_ matrix: [Double], n: Int) -> (vector: [Double], values: [Double]) {
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

    /// The real roots of a x³ + b x² + c x + d.
    static func cubicRoots(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> [Double] {
        let scale = max(abs(a), abs(b), abs(c), abs(d))
        guard scale > 0, scale.isFinite else { return [] }
        guard abs(a) > 1e-12 * scale else { return quadraticRoots(b, c, d) }
        // Turning points part the line into pieces with at most one root each.
        let turns = quadraticRoots(3 * a, 2 * b, c).sorted()
        let bound = 1 + max(abs(b), abs(c), abs(d)) / abs(a)
        let ends = [-bound] + turns + [bound]
        func value(_ x: Double) -> Double { ((a * x + b) * x + c) * x + d }
        var roots: [Double] = []
        for i in 1..<ends.count {
            var (low, high) = (ends[i - 1], ends[i])
            let (lowValue, highValue) = (value(low), value(high))
            guard (lowValue < 0) != (highValue < 0) else { continue }
            var x = 0.5 * (low + high)
            for _ in 0..<100 {
                let y = value(x)
                if (y < 0) == (lowValue < 0) { low = x } else { high = x }
                let slope = (3 * a * x + 2 * b) * x + c
                var next = x - y / slope
                if !(next > low && next < high) { next = 0.5 * (low + high) }
                if abs(next - x) <= 1e-15 * max(1, abs(next)) { break }
                x = next
            }
            roots.append(x)
        }
        return roots
    }

    static func quadraticRoots(_ a: Double, _ b: Double, _ c: Double) -> [Double] {
        guard abs(a) > 1e-14 * max(abs(b), abs(c)) else { return b != 0 ? [-c / b] : [] }
        let discriminant = b * b - 4 * a * c
        guard discriminant >= 0 else { return [] }
        let q = -0.5 * (b + (b < 0 ? -1 : 1) * discriminant.squareRoot())
        return q != 0 ? [q / a, c / q] : [0]
    }
}
