/// A symmetric positive definite linear system with up to a few hundred unknowns, solved by Cholesky factorization on one thread.
package struct SymmetricSystem: Sendable {
    package let size: Int
    /// The matrix, row-major, `size` × `size`, both triangles.
    package var matrix: [Double]
    /// The right-hand side; `size` elements.
    package var right: [Double]

    package init(size: Int) {
        self.size = size
        matrix = [Double](repeating: 0, count: size * size)
        right = [Double](repeating: 0, count: size)
    }

    /// Factors the matrix with every diagonal element increased by `damping` times itself; nil if it is not positive definite.
    package func factored(damping: Double = 0) -> Factor? {
        let (size, stride) = (size, RowKernels.paddedCount(size))
        var upper = [Double](repeating: 0, count: stride * stride)
        let isGood = upper.withUnsafeMutableBufferPointer { upper -> Bool in
            guard let start = upper.baseAddress else { return false }
            let rows = MatrixRows(start, stride: stride)
            for i in 0..<stride {
                guard i < size else {
                    rows[i, i] = 1
                    continue
                }
                for j in i..<size { rows[i, j] = matrix[i * size + j] }
                rows[i, i] += damping * max(rows[i, i], 1e-12)
            }
            return RowKernels.factor(rows, size: stride, width: stride)
        }
        return isGood ? Factor(size: size, stride: stride, upper: upper) : nil
    }

    /// The factor U, for which Uᵀ U equals the matrix.
    package struct Factor: Sendable {
        let size: Int
        package let stride: Int
        /// The upper triangle, row-major with `stride`. Elements below the diagonal are undefined.
        package let upper: [Double]

        /// Solves the system for a right-hand side.
        package func solve(_ right: [Double]) -> [Double] {
            var x = right
            upper.withUnsafeBufferPointer { upper in
                x.withUnsafeMutableBufferPointer { x in
                    for i in 0..<size {
                        let row = i * stride
                        let value = x[i] / upper[row + i]
                        x[i] = value
                        for k in (i + 1)..<max(i + 1, size) { x[k] -= upper[row + k] * value }
                    }
                    for i in (0..<size).reversed() {
                        let row = i * stride
                        var sum = x[i]
                        for k in (i + 1)..<max(i + 1, size) { sum -= upper[row + k] * x[k] }
                        x[i] = sum / upper[row + i]
                    }
                }
            }
            return x
        }

        /// Returns the block of the inverse with the rows and columns `indices`, row-major.
        package func inverse(_ indices: [Int]) -> [Double] {
            var result = [Double](repeating: 0, count: indices.count * indices.count)
            for (column, index) in indices.enumerated() {
                var unit = [Double](repeating: 0, count: size)
                unit[index] = 1
                let solved = solve(unit)
                for (row, other) in indices.enumerated() { result[row * indices.count + column] = solved[other] }
            }
            return result
        }
    }
}
