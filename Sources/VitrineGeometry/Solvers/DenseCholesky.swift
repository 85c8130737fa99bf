/// A large dense symmetric positive definite system: stores the upper triangle row-major and factors it as Uᵀ U in place.
///
/// Blocked: factors a panel of rows, then updates the remaining rows tile by tile. One thread computes each tile, so that the result does not
/// depend on the number of threads.
package struct DenseCholesky: ~Copyable {
    package let size: Int
    /// The distance between rows in elements. Longer than a row, so that 16 elements can be read and written across its end.
    package let stride: Int
    /// The matrix in `size` rows, of which only the elements on and above the diagonal are used.
    package let rows: UnsafeMutablePointer<Double>
    private let panel: UnsafeMutablePointer<Double>
    /// `size` rounded up to a multiple of eight, as `RowKernels` require; the additional rows are those of the identity.
    private let paddedSize: Int
    private static let panelRows = 48

    package init(size: Int) {
        self.size = size
        stride = (size + 16 + 7) & ~7
        paddedSize = RowKernels.paddedCount(size)
        rows = .allocate(capacity: max(1, paddedSize * stride))
        panel = .allocate(capacity: Self.panelRows * stride)
        rows.initialize(repeating: 0, count: paddedSize * stride)
        panel.initialize(repeating: 0, count: Self.panelRows * stride)
        for row in size..<paddedSize { rows[row * stride + row] = 1 }
    }

    deinit {
        rows.deallocate()
        panel.deallocate()
    }

    /// Sets the matrix to 0.
    package func clear() { rows.update(repeating: 0, count: size * stride) }

    /// Runs a body for the indices 0..<count on any number of threads.
    package typealias ForEach = (_ count: Int, _ body: @Sendable (Int) -> Void) -> Void

    /// Factors the matrix in place.
    /// - Returns: false if the matrix is not positive definite; its contents are then undefined.
    package func factor(forEach: ForEach) -> Bool {
        let matrix = MatrixRows(rows, stride: stride)
        var first = 0
        while first < paddedSize {
            let last = min(paddedSize, first + Self.panelRows)
            guard RowKernels.factor(matrix.from(first, first), size: last - first, width: paddedSize - first) else { return false }
            if last < size { updateRest(first, last, forEach) }
            first = last
        }
        return true
    }

    /// Subtracts panelᵀ · panel from the rows below the panel.
    private func updateRest(_ first: Int, _ last: Int, _ forEach: ForEach) {
        let depth = last - first
        for k in 0..<depth { (panel + k * stride).update(from: rows + (first + k) * stride, count: stride) }
        let isEmpty = emptyColumns(depth)
        // Each tile writes only its own rows.
        nonisolated(unsafe) let (rows, panel) = (self.rows, self.panel)
        let (stride, size) = (self.stride, self.size)
        let tileRows = 32
        forEach((size - last + tileRows - 1) / tileRows) { tile in
            var row = last + tile * tileRows
            let end = min(size, row + tileRows)
            while row < end {
                let count = min(4, end - row)
                // Skips blocks of eight columns in which the panel is zero, as between photos without common points.
                if !isEmpty[row / 8] { Self.updateFourRows(rows, panel, stride, size, row, count, depth, isEmpty) }
                row += count
            }
        }
    }

    /// Returns for each block of eight columns whether the panel is zero there.
    private func emptyColumns(_ depth: Int) -> [Bool] {
        (0..<(size + 7) / 8).map { block in
            var isZero = SIMDMask<SIMD8<Int64>>(repeating: true)
            for k in 0..<depth { isZero .&= load8(panel + k * stride + 8 * block) .== 0 }
            return all(isZero)
        }
    }

    /// Rows row..<row + count. If fewer than four remain, the other sums are discarded.
    @inline(__always) private static func updateFourRows(
        _ rows: UnsafeMutablePointer<Double>, _ panel: UnsafePointer<Double>, _ stride: Int, _ size: Int, _ row: Int, _ count: Int,
        _ depth: Int, _ isEmpty: [Bool]
    ) {
        var column = row & ~7
        while column < size {
            if isEmpty[column / 8] {
                column += 8
                continue
            }
            var (a, b, c, d) = (SIMD8<Double>.zero, SIMD8<Double>.zero, SIMD8<Double>.zero, SIMD8<Double>.zero)
            var source = panel
            for _ in 0..<depth {
                let values = load8(source + column)
                a = a + values * source[row]
                b = b + values * source[row + 1]
                c = c + values * source[row + 2]
                d = d + values * source[row + 3]
                source += stride
            }
            let target = rows + row * stride + column
            store8(load8(target) - a, target)
            if count > 1 { store8(load8(target + stride) - b, target + stride) }
            if count > 2 { store8(load8(target + 2 * stride) - c, target + 2 * stride) }
            if count > 3 { store8(load8(target + 3 * stride) - d, target + 3 * stride) }
            column += 8
        }
    }

    /// Solves Uᵀ U x = b in place.
    package func solve(_ vector: UnsafeMutablePointer<Double>) {
        for k in 0..<size {
            let row = rows + k * stride
            vector[k] /= row[k]
            let value = vector[k]
            if value != 0 { for column in k + 1..<max(k + 1, size) { vector[column] -= value * row[column] } }
        }
        for k in (0..<size).reversed() {
            let row = rows + k * stride
            var sum = vector[k]
            for column in k + 1..<max(k + 1, size) { sum -= row[column] * vector[column] }
            vector[k] = sum / row[k]
        }
    }

    /// Returns the last `count` elements of the inverse's diagonal, which depend on U's last block alone.
    package func inverseDiagonal(last count: Int) -> [Double] {
        let start = size - count
        return (0..<count).map { unit in
            // The inverse's diagonal element is the squared length of U⁻ᵀ e.
            var vector = [Double](repeating: 0, count: count)
            vector[unit] = 1
            var sum = 0.0
            for k in unit..<count {
                let row = rows + (start + k) * stride + start
                vector[k] /= row[k]
                sum += vector[k] * vector[k]
                for column in k + 1..<max(k + 1, count) { vector[column] -= vector[k] * row[column] }
            }
            return sum
        }
    }
}

@inlinable @inline(__always) package func load8(_ pointer: UnsafePointer<Double>) -> SIMD8<Double> {
    UnsafeRawPointer(pointer).loadUnaligned(as: SIMD8<Double>.self)
}

@inlinable @inline(__always) package func store8(_ value: SIMD8<Double>, _ pointer: UnsafeMutablePointer<Double>) {
    UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: SIMD8<Double>.self)
}

@inlinable @inline(__always) package func load16(_ pointer: UnsafePointer<Double>) -> SIMD16<Double> {
    UnsafeRawPointer(pointer).loadUnaligned(as: SIMD16<Double>.self)
}

@inlinable @inline(__always) package func store16(_ value: SIMD16<Double>, _ pointer: UnsafeMutablePointer<Double>) {
    UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: SIMD16<Double>.self)
}
