import VitrineVision

/// The Kalman update with measurements as rows of unit noise.
///
/// P ← P − Wᵀ W and δ = Wᵀ U⁻ᵀ r with S = H P Hᵀ + 1 = Uᵀ U and W = U⁻ᵀ H P, from one factorization of S extended by H P and r.
final class FilterUpdate {
    let covariance: FilterCovariance
    /// H P, and the residual in the column behind it.
    private let product: RowStorage
    /// S, then `product`.
    private let joint: RowStorage
    private let correction: RowStorage
    private let maximumRows: Int
    private var width = 0
    private(set) var count = 0
    /// The rows' columns and coefficients, 24 each.
    private var columns: [Int32]
    private var values: [Double]
    private static let maximumCoefficients = 24

    init(layout: FilterLayout, covariance: FilterCovariance) {
        self.covariance = covariance
        maximumRows = max(layout.windowSize, eights(2 * layout.maximumPoints), 24)
        product = RowStorage(rows: maximumRows, columns: layout.capacity + 8)
        joint = RowStorage(rows: maximumRows, columns: maximumRows + layout.capacity + 8)
        correction = RowStorage(rows: 1, columns: layout.capacity)
        columns = Array(repeating: 0, count: Self.maximumCoefficients * maximumRows)
        values = Array(repeating: 0, count: Self.maximumCoefficients * maximumRows)
    }

    func begin() {
        width = covariance.width
        count = 0
    }

    var isFull: Bool { count + 2 > maximumRows }

    /// Adds a row of unit noise.
    /// - Parameter coefficients: At most 24, one for each column.
    func add(columns at: UnsafeBufferPointer<Int32>, coefficients: UnsafePointer<Double>, residual: Double) {
        precondition(count < maximumRows && at.count <= Self.maximumCoefficients)
        let (row, base) = (product.rows[count], Self.maximumCoefficients * count)
        row.update(repeating: 0, count: width + 8)
        for k in 0..<Self.maximumCoefficients {
            columns[base + k] = k < at.count ? at[k] : 0
            values[base + k] = k < at.count ? coefficients[k] : 0
        }
        for column in stride(from: 0, to: width, by: 8) {
            var sum = RowKernels.Lanes(repeating: 0)
            for k in 0..<at.count { sum += RowKernels.load(covariance.rows[Int(at[k])] + column) * coefficients[k] }
            RowKernels.store(sum, row + column)
        }
        row[width] = residual
        count += 1
    }

    func removeLast(_ rows: Int) { count -= rows }
    func residual(_ row: Int) -> Double { product.rows[row, width] }

    /// The covariance of two rows' residuals, without their noise.
    func innovation(_ a: Int, _ b: Int) -> Double {
        var sum = 0.0
        let row = product.rows[a]
        values.withUnsafeBufferPointer { values in
            columns.withUnsafeBufferPointer { columns in
                for k in Self.maximumCoefficients * b..<Self.maximumCoefficients * (b + 1) { sum += row[Int(columns[k])] * values[k] }
            }
        }
        return sum
    }

    /// The Mahalanobis distance squared of all rows, χ² distributed with `count` degrees of freedom. Infinite if S is not positive definite.
    func mahalanobis() -> Double {
        let size = fill()
        let x = joint.rows
        guard RowKernels.factor(x, size: size, width: size + width + 8) else { return .infinity }
        var sum = 0.0
        for row in 0..<count { sum += x[row, size + width] * x[row, size + width] }
        return sum
    }

    /// Writes S beside the product; padding rows have no measurement.
    private func fill() -> Int {
        let size = eights(count)
        let x = joint.rows
        for row in 0..<size {
            x[row].update(repeating: 0, count: size)
            if row < count {
                for column in row..<count { x[row, column] = innovation(row, column) }
                (x[row] + size).update(from: product.rows[row], count: width + 8)
            } else {
                (x[row] + size).update(repeating: 0, count: width + 8)
            }
            x[row, row] += 1
        }
        return size
    }

    /// Applies the update with the added rows.
    /// - Parameter estimatesKeyframes: Whether the keyframes are estimated, or consider parameters.
    /// - Returns: false if S is not positive definite.
    func apply(to estimate: inout FilterEstimate, estimatesKeyframes: Bool = false) -> Bool {
        guard count > 0 else { return true }
        return finish(fill(), &estimate, estimatesKeyframes)
    }

    /// Applies the update with a triangular system of the window.
    /// - Parameters:
    ///   - negated: The rows' negated transpose, window × window.
    ///   - turned: Scratch memory, window × window.
    ///   - residuals: One for each row, `stride` values apart.
    func apply(
        window size: Int, negated: MatrixRows, turned: MatrixRows, residuals: UnsafePointer<Double>, stride: Int,
        to estimate: inout FilterEstimate
    ) -> Bool {
        width = covariance.width
        let x = joint.rows
        x.clear(rows: size, columns: size + width + 8)
        let product = x.from(0, size)
        RowKernels.subtractProduct(
            negated, covariance.rows.from(FilterLayout.window, 0), from: product, rows: size, columns: width, depth: size)
        for row in 0..<size {
            for column in 0..<size { turned[column, row] = product[row, FilterLayout.window + column] }
            x[row, row] = 1
            product[row, width] = residuals[row * stride]
        }
        RowKernels.subtractProduct(turned, negated, from: x, rows: size, columns: size, depth: size)
        return finish(size, &estimate, false)
    }

    private func finish(
        _ size: Int, _ estimate: inout FilterEstimate, _ estimatesKeyframes: Bool
    ) -> Bool {
        let x = joint.rows
        guard RowKernels.factor(x, size: size, width: size + width + 8) else { return false }
        let w = x.from(0, size)
        covariance.subtractSquare(w, depth: size, estimatesKeyframes: estimatesKeyframes)
        let error = correction.rows.start
        error.update(repeating: 0, count: width)
        for row in 0..<size { RowKernels.subtract(w[row], times: -w[row, width], from: error, count: width) }
        estimate.correct(error, estimatesKeyframes: estimatesKeyframes)
        return true
    }
}
