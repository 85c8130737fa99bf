/// The normal equations of a least-squares problem whose unknowns interact only within a band, solved by Cholesky factorization within the band
/// for as many right-hand sides as `Right` has lanes.
///
/// In the module that uses it, so that the compiler specializes it: from another module, unspecialized, fits took 55 times as long.
struct BandedSystem<Right: SIMD> where Right.Scalar == Double {
    let count: Int
    /// The number of diagonals: the main one and those below it.
    let band: Int
    /// The right-hand sides; after `solve()` the solutions.
    private(set) var right: [Right]
    /// Column i's elements in rows i ..< i + band, the diagonal first.
    private var columns: [Double]

    init(count: Int, band: Int) {
        (self.count, self.band) = (count, band)
        right = Array(repeating: .zero, count: count)
        columns = Array(repeating: 0, count: count * band)
    }

    /// Adds an equation: Σ row[j] · unknown[first + j] = value.
    mutating func add(_ row: [Double], at first: Int, _ value: Right, weight: Double = 1) {
        let band = band
        columns.withUnsafeMutableBufferPointer { columns in
            row.withUnsafeBufferPointer { row in
                for j in row.indices where row[j] != 0 {
                    let weighted = row[j] * weight
                    // The entry at row first + k of column first + j.
                    let start = (first + j) * band - j
                    for k in j..<row.count { columns[start + k] += weighted * row[k] }
                }
            }
        }
        for j in row.indices where row[j] != 0 { right[first + j] += value * (row[j] * weight) }
    }

    /// Adds a coefficient to the matrix at `row`, `column`, where `row >= column`.
    mutating func add(_ coefficient: Double, row: Int, column: Int) { columns[column * band + row - column] += coefficient }

    /// Adds to the right-hand side of one row.
    mutating func add(right value: Right, row: Int) { right[row] += value }

    /// Replaces the right-hand sides by the solutions. Returns false if the equations do not determine all unknowns.
    mutating func solve() -> Bool {
        let (count, band) = (count, band)
        return columns.withUnsafeMutableBufferPointer { columns in
            right.withUnsafeMutableBufferPointer { right in
                for i in 0..<count {
                    let column = i * band
                    let width = min(band, count - i)
                    guard columns[column] > 0, columns[column].isFinite else { return false }
                    let root = columns[column].squareRoot()
                    for k in 0..<width { columns[column + k] /= root }
                    right[i] /= root
                    for k in 1..<max(width, 1) {
                        let factor = columns[column + k]
                        guard factor != 0 else { continue }
                        let other = (i + k) * band - k
                        for m in k..<width { columns[other + m] -= factor * columns[column + m] }
                        right[i + k] -= right[i] * factor
                    }
                }
                for i in stride(from: count - 1, through: 0, by: -1) {
                    let column = i * band
                    for k in 1..<max(min(band, count - i), 1) { right[i] -= right[i + k] * columns[column + k] }
                    right[i] /= columns[column]
                }
                return true
            }
        }
    }
}
