/// Small dense matrices of any size, row-major in arrays, for minimal solvers.
package enum SmallMatrix {
    /// Returns a basis of the null space of a `rows` × `columns` matrix (rows < columns) by Gaussian elimination with full pivoting: `columns - rows`
    /// vectors, or nil if the rows are linearly dependent. Overwrites the matrix.
    package static func nullSpace(_ m: inout [Double], rows: Int, columns: Int) -> [[Double]]? {
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
}
