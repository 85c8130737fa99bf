import VitrineVision

/// The covariance of the error state: symmetric, both triangles held, so that every row can be read straight.
///
/// Rows and columns beyond `size`, and those of empty slots, are zero.
final class FilterCovariance {
    let rows: MatrixRows
    var size: Int
    private let storage: RowStorage
    private let scratch: RowStorage
    private let capacity: Int

    init(layout: FilterLayout) {
        capacity = layout.capacity
        storage = RowStorage(rows: capacity, columns: capacity)
        scratch = RowStorage(rows: 16, columns: capacity)
        rows = storage.rows
        size = layout.points
    }

    /// How many columns the kernels see.
    var width: Int { min(eights(size), capacity) }

    subscript(row: Int, column: Int) -> Double {
        get { rows[row, column] }
        set { rows[row, column] = newValue }
    }

    /// The block at `row`, `column`.
    func block(_ row: Int, _ column: Int) -> Matrix3d {
        Matrix3d(
            rows: Vector3d(rows[row, column], rows[row, column + 1], rows[row, column + 2]),
            Vector3d(rows[row + 1, column], rows[row + 1, column + 1], rows[row + 1, column + 2]),
            Vector3d(rows[row + 2, column], rows[row + 2, column + 1], rows[row + 2, column + 2]))
    }

    /// The IMU's state moves: its rows become Φ times themselves, its own block gets the noise as well.
    /// - Parameters:
    ///   - transition: 15×15 by rows.
    ///   - noise: 15×15 by rows, symmetric.
    func propagate(transition: [Double], noise: [Double]) {
        let count = FilterLayout.inertialSize
        let old = scratch.rows
        // old = Φ P. The kernel takes from, so Φ goes in with its sign turned; a sixteenth row of zeros fills up.
        old.clear(rows: 16, columns: width)
        let factor = RowStorage(rows: 16, columns: 16)
        for row in 0..<count {
            for column in 0..<count { factor.rows[column, row] = -transition[row * count + column] }
        }
        RowKernels.subtractProduct(factor.rows, rows, from: old, rows: 16, columns: width, depth: count)
        for row in 0..<count {
            rows[row].update(from: old[row], count: width)
            for column in count..<size { rows[column, row] = old[row, column] }
        }
        for row in 0..<count {
            for column in row..<count {
                var sum = noise[row * count + column]
                for k in 0..<count { sum += old[row, k] * transition[column * count + k] }
                rows[row, column] = sum
                rows[column, row] = sum
            }
        }
    }

    /// Takes wᵀ w away: what a measurement did.
    /// - Parameter w: depth × `width`.
    func subtractSquare(_ w: MatrixRows, depth: Int) {
        let width = width
        for strip in stride(from: 0, to: width, by: 8) {
            RowKernels.subtractProduct(
                w.from(0, strip), w.from(0, strip), from: rows.from(strip, strip), rows: 8, columns: width - strip, depth: depth)
        }
        mirror(width)
    }

    /// Copies the upper triangle to the lower, by tiles that stay in the cache.
    private func mirror(_ width: Int) {
        for strip in stride(from: 0, to: width, by: 8) {
            for tile in stride(from: strip, to: width, by: 8) {
                for row in strip..<strip + 8 {
                    let source = rows[row]
                    for column in max(tile, row + 1)..<max(tile + 8, row + 1) { rows[column, row] = source[column] }
                }
            }
        }
    }

    /// Forgets what `count` rows from `first` on say.
    func clear(_ first: Int, _ count: Int) {
        for row in first..<first + count {
            rows[row].update(repeating: 0, count: width)
            for other in 0..<width { rows[other, row] = 0 }
        }
    }

    /// Rows and columns of `source` take the place of those at `target`; they stay where they were, too.
    func copy(_ source: Int, to target: Int, count: Int) {
        for k in 0..<count { rows[target + k].update(from: rows[source + k], count: width) }
        for row in 0..<width {
            for k in 0..<count { rows[row, target + k] = rows[row, source + k] }
        }
    }

    /// Three more rows at the end: a point's.
    /// - Parameters:
    ///   - cross: 3 rows of covariances with all that is there.
    ///   - own: its own covariance.
    func append(cross: MatrixRows, own: Matrix3d) {
        let first = size
        size += 3
        for k in 0..<3 {
            rows[first + k].update(from: cross[k], count: first)
            for row in 0..<first { rows[row, first + k] = cross[k, row] }
        }
        let columns = [own.x, own.y, own.z]
        for row in 0..<3 {
            for column in 0..<3 { rows[first + row, first + column] = (columns[column][row] + columns[row][column]) / 2 }
        }
    }

    /// Takes three rows out; the last three take their place.
    func removePoint(at first: Int) {
        let last = size - 3
        if first != last { copy(last, to: first, count: 3) }
        clear(last, 3)
        size = last
    }
}
