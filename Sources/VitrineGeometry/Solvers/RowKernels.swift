/// The inner loops of dense linear algebra on rows of doubles, which dominate the time of filters and least squares.
///
/// They process eight columns at a time; matrices are padded to multiples of eight (`paddedCount`), so that there is no remainder.
@usableFromInline package enum RowKernels {
    @usableFromInline package typealias Lanes = SIMD8<Double>

    /// Returns `count` rounded up to a multiple of eight.
    @inlinable @inline(__always) package static func paddedCount(_ count: Int) -> Int { (count + 7) & ~7 }

    @inlinable @inline(__always) package static func load(_ from: UnsafePointer<Double>) -> Lanes {
        UnsafeRawPointer(from).loadUnaligned(as: Lanes.self)
    }
    @inlinable @inline(__always) package static func store(_ lanes: Lanes, _ to: UnsafeMutablePointer<Double>) {
        UnsafeMutableRawPointer(to).storeBytes(of: lanes, as: Lanes.self)
    }

    /// Computes c −= aᵀ b.
    /// - Parameters:
    ///   - a: depth × rows.
    ///   - b: depth × columns.
    ///   - rows: a multiple of four.
    ///   - columns: a multiple of eight.
    package static func subtractProduct(_ a: MatrixRows, _ b: MatrixRows, from c: MatrixRows, rows: Int, columns: Int, depth: Int) {
        for row in stride(from: 0, to: rows, by: 4) {
            for column in stride(from: 0, to: columns, by: 8) {
                let (p0, p1, p2, p3) = (c[row] + column, c[row + 1] + column, c[row + 2] + column, c[row + 3] + column)
                var (c0, c1, c2, c3) = (load(p0), load(p1), load(p2), load(p3))
                var (left, right) = (a.start + row, b.start + column)
                for _ in 0..<depth {
                    let lanes = load(right)
                    c0 -= lanes * left[0]
                    c1 -= lanes * left[1]
                    c2 -= lanes * left[2]
                    c3 -= lanes * left[3]
                    left += a.stride
                    right += b.stride
                }
                store(c0, p0)
                store(c1, p1)
                store(c2, p2)
                store(c3, p3)
            }
        }
    }

    /// Computes target −= factor · source.
    /// - Parameter count: the number of elements, a multiple of eight.
    @inlinable @inline(__always) package static func subtract(
        _ source: UnsafePointer<Double>, times factor: Double, from target: UnsafeMutablePointer<Double>, count: Int
    ) {
        for column in stride(from: 0, to: count, by: 8) {
            store(load(target + column) - load(source + column) * factor, target + column)
        }
    }

    /// Cholesky factorization in place: replaces the symmetric matrix A in the first `size` columns by U with Uᵀ U = A, and every further
    /// column c by U⁻ᵀ c.
    ///
    /// Reads the upper triangle only; elements below the diagonal are undefined afterwards.
    /// - Parameters:
    ///   - size: a multiple of eight.
    ///   - width: a multiple of eight, at least `size`.
    ///   - floor: The limits of the pivots: a pivot of row k at or below floor[k] counts as zero and gives a row of zeros. If nil, such a pivot
    ///     makes the factorization fail.
    /// - Returns: false if the matrix is not positive definite.
    package static func factor(_ x: MatrixRows, size: Int, width: Int, floor: UnsafePointer<Double>? = nil) -> Bool {
        for block in stride(from: 0, to: size, by: 8) {
            let rest = width - block
            if block > 0 {
                let above = x.from(0, block)
                subtractProduct(above, above, from: x.from(block, block), rows: 8, columns: rest, depth: block)
            }
            for k in block..<block + 8 {
                let row = x[k] + block
                let pivot = x[k, k]
                guard pivot > (floor?[k] ?? 0), pivot.isFinite else {
                    guard floor != nil, pivot.isFinite else { return false }
                    row.update(repeating: 0, count: rest)
                    continue
                }
                let scale = 1 / pivot.squareRoot()
                for column in stride(from: 0, to: rest, by: 8) { store(load(row + column) * scale, row + column) }
                for below in k + 1..<block + 8 { subtract(row, times: row[below - block], from: x[below] + block, count: rest) }
            }
        }
        return true
    }
}
