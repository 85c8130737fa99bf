/// A dense matrix by rows in memory that somebody else owns; rows are whole eights long where the kernels work on them.
struct Rows {
    let start: UnsafeMutablePointer<Double>
    let stride: Int

    @inline(__always) init(_ start: UnsafeMutablePointer<Double>, stride: Int) { (self.start, self.stride) = (start, stride) }

    @inline(__always) subscript(row: Int, column: Int) -> Double {
        get { start[row * stride + column] }
        nonmutating set { start[row * stride + column] = newValue }
    }
    @inline(__always) subscript(row: Int) -> UnsafeMutablePointer<Double> { start + row * stride }
    @inline(__always) func from(_ row: Int, _ column: Int) -> Rows { Rows(start + row * stride + column, stride: stride) }

    func clear(rows: Int, columns: Int) {
        for row in 0..<rows { self[row].update(repeating: 0, count: columns) }
    }
}

/// Memory for one matrix, zero at first.
final class RowStorage {
    let rows: Rows
    private let count: Int

    init(rows: Int, columns: Int) {
        let stride = eights(max(columns, 1))
        count = stride * eights(max(rows, 1))
        let start = UnsafeMutablePointer<Double>.allocate(capacity: count)
        start.initialize(repeating: 0, count: count)
        self.rows = Rows(start, stride: stride)
    }

    deinit { rows.start.deallocate() }
}
