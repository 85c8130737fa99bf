/// A view of a dense row-major matrix. Does not own the memory; `RowKernels` require rows padded to multiples of eight.
@frozen package struct MatrixRows {
    package let start: UnsafeMutablePointer<Double>
    /// The distance between rows in elements.
    package let stride: Int

    @inlinable @inline(__always) package init(_ start: UnsafeMutablePointer<Double>, stride: Int) {
        (self.start, self.stride) = (start, stride)
    }

    @inlinable @inline(__always) package subscript(row: Int, column: Int) -> Double {
        get { start[row * stride + column] }
        nonmutating set { start[row * stride + column] = newValue }
    }
    @inlinable @inline(__always) package subscript(row: Int) -> UnsafeMutablePointer<Double> { start + row * stride }
    /// Returns a view of the part of the matrix that starts at an element.
    @inlinable @inline(__always) package func from(_ row: Int, _ column: Int) -> MatrixRows {
        MatrixRows(start + row * stride + column, stride: stride)
    }

    /// Sets the first rows and columns to 0.
    package func clear(rows: Int, columns: Int) {
        for row in 0..<rows { self[row].update(repeating: 0, count: columns) }
    }
}

/// Owns the memory of one matrix of doubles, initialized to 0, with columns and rows padded to multiples of eight.
package final class RowStorage {
    package let rows: MatrixRows
    private let count: Int

    package init(rows: Int, columns: Int) {
        let stride = RowKernels.paddedCount(max(columns, 1))
        count = stride * RowKernels.paddedCount(max(rows, 1))
        let start = UnsafeMutablePointer<Double>.allocate(capacity: count)
        start.initialize(repeating: 0, count: count)
        self.rows = MatrixRows(start, stride: stride)
    }

    deinit { rows.start.deallocate() }
}
