import VitrineMath
import VitrineVision

/// What finished tracks say about calibration and clones, together: an information matrix and vector over the window.
///
/// A track's point isn't known but through the track. It is taken out of the sum of squares by the Schur complement, which equals the
/// projection onto the left null space (Mourikis & Roumeliotis 2007) followed by its compression, at a small part of the work: a track
/// costs three rows of the window's width instead of twice as many as pictures. Squared numbers cost digits, but what is lost is fifteen
/// decimals below what pixels say, where the state's own covariance says more.
final class TrackInformation {
    /// What is left of one track.
    struct Projection {
        /// H_fᵀ H_f of the point, its lower Cholesky factor, and H_fᵀ r.
        var information: Matrix3d
        var factor: Matrix3d
        var right: Vector3d
        /// The squares that no place of the point can take away.
        var cost: Double
        /// How many numbers they are of.
        var degrees: Int
    }

    let window: Int
    /// One track's rows, two a picture: see `Sighting`. And the slots that they are of.
    private let sightings: RowStorage
    private var slots: [Int] = []
    /// L⁻¹ H_fᵀ [H r] of the track.
    private let point: RowStorage
    /// Hᵀ H and, in the column behind the window, Hᵀ r.
    private let sum: RowStorage
    /// The points' rows, to be taken away from `sum` together.
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
        sightings = RowStorage(rows: 2 * layout.slots, columns: Sighting.columns)
        point = RowStorage(rows: 4, columns: window + 8)
        sum = RowStorage(rows: window, columns: window + 8)
        points = RowStorage(rows: Self.batch, columns: window + 8)
        gate = RowStorage(rows: 2 * layout.slots, columns: eights(2 * layout.slots) + 8)
        turned = RowStorage(rows: window, columns: window)
        negated = RowStorage(rows: window, columns: window)
        floor = Array(repeating: 0, count: window)
    }

    func begin() {
        sum.rows.clear(rows: window, columns: window + 8)
        (pending, count) = (0, 0)
    }

    // MARK: One track

    /// Makes a track linear around `place` and takes its point out.
    func project(_ track: FeatureTrack, slots: [Int], place: Vector3d, _ estimate: FilterEstimate, weight: Double) -> Projection? {
        self.slots = slots
        for (index, slot) in slots.enumerated() {
            guard
                Sighting.write(
                    estimate.rig, estimate.clones[slot], place: place, first: place, pixel: track.pixels[slot], weight: weight,
                    to: sightings.rows[2 * index])
            else { return nil }
        }
        var (a, b, squares) = (Matrix3d.zero, Vector3d.zero, 0.0)
        point.rows.clear(rows: 3, columns: window + 8)
        for row in 0..<2 * slots.count {
            let h = sightings.rows[row]
            let slope = Vector3d(h[Sighting.point], h[Sighting.point + 1], h[Sighting.point + 2])
            let residual = h[Sighting.residual]
            a = a + Matrix3d(slope * slope.x, slope * slope.y, slope * slope.z)
            b += slope * residual
            squares += residual * residual
            let clone = layout.clone(slots[row / 2]) - FilterLayout.window
            for k in 0..<3 {
                let (target, factor) = (point.rows[k], slope[k])
                for column in 0..<Sighting.pose { target[column] += factor * h[column] }
                for column in 0..<6 { target[clone + column] += factor * h[Sighting.pose + column] }
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
            information: a, factor: l, right: b, cost: max(0, squares - lengthSquared(known)), degrees: 2 * slots.count - 3)
    }

    private func scale(_ row: UnsafeMutablePointer<Double>, _ factor: Double, _ count: Int) {
        for column in stride(from: 0, to: count, by: 8) { RowKernels.store(RowKernels.load(row + column) * factor, row + column) }
    }

    /// Whether the track that was projected last agrees with the state, by its squares over their covariance.
    ///
    /// The state's own doubt only ever makes squares more likely: those that pass without it need no more work, and most do. With it, the least
    /// squares that a point can reach under S = H P Hᵀ + 1 are the same as those of the null space's rows under theirs.
    func passes(_ projection: Projection, _ quantiles: ChiSquare, _ covariance: FilterCovariance) -> Bool {
        let most = quantiles[projection.degrees]
        guard projection.cost > most else { return true }
        guard projection.cost < 1e8 else { return false }
        return mahalanobis(covariance) <= most
    }

    private func mahalanobis(_ covariance: FilterCovariance) -> Double {
        let (count, x) = (2 * slots.count, gate.rows)
        let size = eights(count)
        x.clear(rows: size, columns: size + 8)
        for row in 0..<count {
            let h = sightings.rows[row]
            let product = point.rows[3]
            // H P over the window, in the row that `point` has to spare.
            product.update(repeating: 0, count: window)
            for column in 0..<Sighting.point {
                let source = covariance.rows[windowColumn(column, row) + FilterLayout.window] + FilterLayout.window
                RowKernels.subtract(source, times: -h[column], from: product, count: window)
            }
            for other in row..<count {
                let g = sightings.rows[other]
                var value = 0.0
                for column in 0..<Sighting.point { value += product[windowColumn(column, other)] * g[column] }
                x[row, other] = value
            }
            for k in 0..<4 { x[row, size + k] = h[Sighting.point + k] }
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

    /// Where a sighting's column is in the window.
    @inline(__always) private func windowColumn(_ column: Int, _ row: Int) -> Int {
        column < Sighting.pose ? column : layout.clone(slots[row / 2]) - FilterLayout.window + column - Sighting.pose
    }

    /// How the place of the last track's point follows from the window: d place = −Gᵀ d window, and a negated place is what kernels want.
    /// - Parameter target: window × 8, of which the first three columns are G = H_x ᵀ H_f (H_fᵀ H_f)⁻¹.
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
        for row in 0..<2 * slots.count {
            let h = sightings.rows[row]
            let residual = h[Sighting.residual]
            let clone = layout.clone(slots[row / 2]) - FilterLayout.window
            for i in 0..<Sighting.point {
                let (factor, target) = (h[i], sum[i < Sighting.pose ? i : clone + i - Sighting.pose])
                if i < Sighting.pose {
                    for j in i..<Sighting.pose { target[j] += factor * h[j] }
                }
                for j in max(i, Sighting.pose)..<Sighting.point { target[clone + j - Sighting.pose] += factor * h[j] }
                target[window] += factor * residual
            }
        }
        for k in 0..<3 { points.rows[pending + k].update(from: point.rows[k], count: window + 8) }
        pending += 3
        count += 1
        if pending + 3 > Self.batch { takePointsAway() }
    }

    private func takePointsAway() {
        for row in stride(from: 0, to: window, by: 8) {
            RowKernels.subtractProduct(
                points.rows.from(0, row), points.rows.from(0, row), from: sum.rows.from(row, row), rows: 8, columns: window + 8 - row,
                depth: pending)
        }
        pending = 0
    }

    // MARK: All of them

    /// Corrects the state by all tracks that were kept.
    func apply(_ kalman: FilterUpdate, to estimate: inout FilterEstimate, _ covariance: FilterCovariance) -> Bool {
        guard count > 0 else { return true }
        let (sum, negated) = (sum.rows, negated.rows)
        // What is below a hundred-thousand-millionth of what went in is rounding.
        for k in 0..<window { floor[k] = sum[k, k] * 1e-11 + 1e-12 }
        takePointsAway()
        guard RowKernels.factor(sum, size: window, width: window + 8, floor: floor) else { return false }
        for row in 0..<window {
            for column in 0..<window { negated[column, row] = column < row ? 0 : -sum[row, column] }
        }
        return kalman.apply(
            window: window, negated: negated, turned: turned.rows, residuals: sum[0] + window, stride: sum.stride, to: &estimate, covariance
        )
    }
}
