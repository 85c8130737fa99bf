import VitrineMath
import VitrineVision

/// The information of finished tracks about calibration and clones: an information matrix and vector over the window.
///
/// A track's point is eliminated by the Schur complement, which is equivalent to projection onto the left null space (Mourikis & Roumeliotis
/// 2007) and compression, at a fraction of the cost: three rows of the window's width for each track instead of two for each frame. Squaring
/// costs digits, but the loss is fifteen decimals below the pixels' information, where the prior covariance dominates.
final class TrackInformation {
    /// A track after elimination of its point.
    struct Projection {
        /// H_fᵀ H_f of the point, its lower Cholesky factor, and H_fᵀ r.
        var information: Matrix3d
        var factor: Matrix3d
        var right: Vector3d
        /// The sum of squared residuals at the best position of the point.
        var cost: Double
        /// Degrees of freedom of the cost.
        var degrees: Int
    }

    let window: Int
    /// The rows of one track, two for each frame (``ObservationJacobian``) and then one for each depth, and the slot of each row.
    private let observations: RowStorage
    private var slots: [Int] = []
    /// Depths of one track that are used: those of its first and its last frame.
    static let maximumDepths = 2
    /// L⁻¹ H_fᵀ [H r] of the track, and a row of scratch memory.
    private let point: RowStorage
    /// Hᵀ H and, in the column after the window, Hᵀ r.
    private let sum: RowStorage
    /// The points' rows, subtracted from `sum` in batches.
    private let points: RowStorage
    private var pending = 0
    private(set) var count = 0
    private static let batch = 96
    private let gate: RowStorage
    private let turned: RowStorage
    private let negated: RowStorage
    private var floor: [Double]
    private let layout: FilterLayout

    init(layout: FilterLayout) {
        self.layout = layout
        window = layout.windowSize
        let rows = 2 * layout.slots + Self.maximumDepths
        observations = RowStorage(rows: rows, columns: ObservationJacobian.columns)
        point = RowStorage(rows: 4, columns: window + 8)
        sum = RowStorage(rows: window, columns: window + 8)
        points = RowStorage(rows: Self.batch, columns: window + 8)
        gate = RowStorage(rows: eights(rows), columns: eights(rows) + 8)
        turned = RowStorage(rows: window, columns: window)
        negated = RowStorage(rows: window, columns: window)
        floor = Array(repeating: 0, count: window)
    }

    func start() {
        sum.rows.clear(rows: window, columns: window + 8)
        (pending, count) = (0, 0)
    }

    // MARK: One track

    /// Linearizes a track at a position and eliminates its point.
    func project(
        _ track: FeatureTrack, slots: [Int], position: Vector3d, _ estimate: FilterEstimate, weight: Double, usesDepth: Bool
    ) -> Projection? {
        self.slots = slots.flatMap { [$0, $0] }
        for (index, slot) in slots.enumerated() {
            guard
                ObservationJacobian.write(
                    estimate.rig, estimate.clones[slot], position: position, first: position, pixel: track.pixels[slot], weight: weight,
                    to: observations.rows[2 * index])
            else { return nil }
        }
        if usesDepth { addDepths(track, slots, position, estimate) }
        let slots = self.slots
        var (a, b, squares) = (Matrix3d.zero, Vector3d.zero, 0.0)
        point.rows.clear(rows: 3, columns: window + 8)
        for row in slots.indices {
            let h = observations.rows[row]
            let slope = Vector3d(h[ObservationJacobian.point], h[ObservationJacobian.point + 1], h[ObservationJacobian.point + 2])
            let residual = h[ObservationJacobian.residual]
            a = a + Matrix3d(slope * slope.x, slope * slope.y, slope * slope.z)
            b += slope * residual
            squares += residual * residual
            let clone = layout.clone(slots[row]) - FilterLayout.window
            for k in 0..<3 {
                let (target, factor) = (point.rows[k], slope[k])
                for column in 0..<ObservationJacobian.pose { target[column] += factor * h[column] }
                for column in 0..<6 { target[clone + column] += factor * h[ObservationJacobian.pose + column] }
                target[window] += factor * residual
            }
        }
        guard let l = a.cholesky else { return nil }
        let width = window + 8
        let (p0, p1, p2) = (point.rows[0], point.rows[1], point.rows[2])
        scale(p0, 1 / l.x.x, width)
        RowKernels.subtract(p0, times: l.x.y, from: p1, count: width)
        scale(p1, 1 / l.y.y, width)
        RowKernels.subtract(p0, times: l.x.z, from: p2, count: width)
        RowKernels.subtract(p1, times: l.y.z, from: p2, count: width)
        scale(p2, 1 / l.z.z, width)
        let known = Vector3d(p0[window], p1[window], p2[window])
        return Projection(
            information: a, factor: l, right: b, cost: max(0, squares - lengthSquared(known)), degrees: slots.count - 3)
    }

    /// Adds the rows of the first and the last measured depth, which together have the information of one: their errors are alike.
    private func addDepths(_ track: FeatureTrack, _ slots: [Int], _ position: Vector3d, _ estimate: FilterEstimate) {
        let measured = slots.filter { track.hasDepth(in: $0) }
        let used = measured.count > Self.maximumDepths ? [measured[0], measured[measured.count - 1]] : measured
        for slot in used {
            guard let depth = track.depth(in: slot, turn: estimate.secondTurn) else { continue }
            let weight = 1 / (depth.inverseNoise * Double(used.count).squareRoot())
            ObservationJacobian.write(
                estimate.rig, estimate.clones[slot], position: position, pixel: track.pixels[slot], depth: depth,
                weight: weight,
                to: observations.rows[self.slots.count])
            self.slots.append(slot)
        }
    }

    private func scale(_ row: UnsafeMutablePointer<Double>, _ factor: Double, _ count: Int) {
        for column in stride(from: 0, to: count, by: 8) { RowKernels.store(RowKernels.load(row + column) * factor, row + column) }
    }

    /// The χ² gate for the track projected last.
    ///
    /// The state's uncertainty only lowers the normalized squares: most tracks pass without it and need no more work. With it, the least squares
    /// over the point under S = H P Hᵀ + 1 equal those of the null space's rows.
    func passes(_ projection: Projection, _ quantiles: ChiSquare, _ covariance: FilterCovariance) -> Bool {
        let most = quantiles[projection.degrees]
        guard projection.cost > most else { return true }
        guard projection.cost < 1e8 else { return false }
        return mahalanobis(covariance) <= most
    }

    private func mahalanobis(_ covariance: FilterCovariance) -> Double {
        let (count, x) = (slots.count, gate.rows)
        let size = eights(count)
        x.clear(rows: size, columns: size + 8)
        for row in 0..<count {
            let h = observations.rows[row]
            let product = point.rows[3]
            // H P over the window, in the scratch row of `point`.
            product.update(repeating: 0, count: window)
            for column in 0..<ObservationJacobian.point {
                let source = covariance.rows[windowColumn(column, row) + FilterLayout.window] + FilterLayout.window
                RowKernels.subtract(source, times: -h[column], from: product, count: window)
            }
            for other in row..<count {
                let g = observations.rows[other]
                var value = 0.0
                for column in 0..<ObservationJacobian.point { value += product[windowColumn(column, other)] * g[column] }
                x[row, other] = value
            }
            for k in 0..<4 { x[row, size + k] = h[ObservationJacobian.point + k] }
        }
        for row in 0..<size { x[row, row] += 1 }
        guard RowKernels.factor(x, size: size, width: size + 8) else { return .infinity }
        var (a, b, squares) = (Matrix3d.zero, Vector3d.zero, 0.0)
        for row in 0..<count {
            let slope = Vector3d(x[row, size], x[row, size + 1], x[row, size + 2])
            let residual = x[row, size + 3]
            a = a + Matrix3d(slope * slope.x, slope * slope.y, slope * slope.z)
            b += slope * residual
            squares += residual * residual
        }
        return squares - dot(b, a.inverse * b)
    }

    /// The window's column of a Jacobian's column.
    @inline(__always) private func windowColumn(_ column: Int, _ row: Int) -> Int {
        column < ObservationJacobian.pose ? column : layout.clone(slots[row]) - FilterLayout.window + column - ObservationJacobian.pose
    }

    /// The derivative of the last track's point by the window, negated as the kernels require: d position = −Gᵀ d window.
    /// - Parameter target: window × 8; the first three columns receive G = H_xᵀ H_f (H_fᵀ H_f)⁻¹.
    func gain(_ projection: Projection, to target: MatrixRows) {
        let l = projection.factor
        let (p0, p1, p2) = (point.rows[0], point.rows[1], point.rows[2])
        for column in 0..<window {
            let z = p2[column] / l.z.z
            let y = (p1[column] - l.y.z * z) / l.y.y
            let x = (p0[column] - l.x.y * y - l.x.z * z) / l.x.x
            (target[column, 0], target[column, 1], target[column, 2], target[column, 3]) = (x, y, z, 0)
        }
    }

    /// Adds the last track to the sum.
    func keep() {
        let sum = sum.rows
        for row in slots.indices {
            let h = observations.rows[row]
            let residual = h[ObservationJacobian.residual]
            let clone = layout.clone(slots[row]) - FilterLayout.window
            for i in 0..<ObservationJacobian.point {
                let (factor, target) = (h[i], sum[i < ObservationJacobian.pose ? i : clone + i - ObservationJacobian.pose])
                if i < ObservationJacobian.pose {
                    for j in i..<ObservationJacobian.pose { target[j] += factor * h[j] }
                }
                for j in max(i, ObservationJacobian.pose)..<ObservationJacobian.point {
                    target[clone + j - ObservationJacobian.pose] += factor * h[j]
                }
                target[window] += factor * residual
            }
        }
        for k in 0..<3 { points.rows[pending + k].update(from: point.rows[k], count: window + 8) }
        pending += 3
        count += 1
        if pending + 3 > Self.batch { subtractPoints() }
    }

    private func subtractPoints() {
        for row in stride(from: 0, to: window, by: 8) {
            RowKernels.subtractProduct(
                points.rows.from(0, row), points.rows.from(0, row), from: sum.rows.from(row, row), rows: 8, columns: window + 8 - row,
                depth: pending)
        }
        pending = 0
    }

    // MARK: All tracks

    /// Updates the state with all tracks that were kept.
    func apply(_ kalman: FilterUpdate, to estimate: inout FilterEstimate) -> Bool {
        guard count > 0 else { return true }
        let (sum, negated) = (sum.rows, negated.rows)
        // Values below this share of the diagonal are rounding errors.
        for k in 0..<window { floor[k] = sum[k, k] * 1e-11 + 1e-12 }
        subtractPoints()
        guard RowKernels.factor(sum, size: window, width: window + 8, floor: floor) else { return false }
        for row in 0..<window {
            for column in 0..<window { negated[column, row] = column < row ? 0 : -sum[row, column] }
        }
        return kalman.apply(
            window: window, negated: negated, turned: turned.rows, residuals: sum[0] + window, stride: sum.stride, to: &estimate)
    }
}
