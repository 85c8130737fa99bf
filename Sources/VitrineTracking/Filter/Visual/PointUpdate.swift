import VitrineMath
import VitrineVision

/// The points of the state (SLAM features): adds them, updates the state with their observations, and removes them.
struct PointUpdate {
    private let settings: FilterSettings
    private let kalman: FilterUpdate
    private let quantiles: ChiSquare

    init(settings: FilterSettings, kalman: FilterUpdate, quantiles: ChiSquare) {
        (self.settings, self.kalman, self.quantiles) = (settings, kalman, quantiles)
    }

    /// Makes room for one more point; removes the one that was unobserved for longest if necessary.
    func makeRoom(slot: Int, in estimate: inout FilterEstimate, _ report: inout FilterReport) -> Bool {
        guard estimate.layout.maximumPoints > 0 else { return false }
        guard estimate.points.count == estimate.layout.maximumPoints else { return true }
        guard let oldest = estimate.points.indices.min(by: { estimate.points[$0].observed < estimate.points[$1].observed }),
            estimate.points[oldest].observed < estimate.clones[slot].time
        else { return false }
        remove(oldest, from: &estimate, &report)
        return true
    }

    /// Adds a track's point to the state. The track's remaining information is used with all other tracks, which is equivalent to one update.
    func add(
        _ track: FeatureTrack, _ position: Vector3d, _ projection: TrackInformation.Projection, _ information: TrackInformation, slot: Int,
        to estimate: inout FilterEstimate
    ) {
        let covariance = kalman.covariance
        let own = projection.information.inverse
        let gain = RowStorage(rows: information.window, columns: 8)
        let cross = RowStorage(rows: 4, columns: estimate.layout.capacity)
        information.gain(projection, to: gain.rows)
        RowKernels.subtractProduct(
            gain.rows, covariance.rows.from(FilterLayout.window, 0), from: cross.rows, rows: 4, columns: covariance.width,
            depth: information.window)
        var spread = own
        for k in 0..<information.window {
            let g = Vector3d(gain.rows[k, 0], gain.rows[k, 1], gain.rows[k, 2])
            let column = FilterLayout.window + k
            let c = Vector3d(cross.rows[0, column], cross.rows[1, column], cross.rows[2, column])
            spread = spread - Matrix3d(c * g.x, c * g.y, c * g.z)
        }
        covariance.append(cross: cross.rows, own: spread)
        let time = estimate.clones[slot].time
        estimate.append(
            FilterEstimate.Point(
                id: track.id, position: position + own * projection.right, firstPosition: position, pixel: track.pixels[slot],
                observed: time, added: time))
    }

    /// Updates the state with the observations of its points in a frame.
    /// - Returns: false if the filter failed.
    func apply(slot: Int, to estimate: inout FilterEstimate, _ report: inout FilterReport) -> Bool {
        let row = UnsafeMutablePointer<Double>.allocate(capacity: 2 * ObservationJacobian.columns)
        defer { row.deallocate() }
        var columns = [Int32](repeating: 0, count: ObservationJacobian.residual)
        for k in 0..<FilterLayout.calibrationSize { columns[k] = Int32(FilterLayout.extrinsics + k) }
        for k in 0..<6 { columns[ObservationJacobian.pose + k] = Int32(estimate.layout.clone(slot) + k) }
        let time = estimate.clones[slot].time
        addFeatureDrift(estimate, time)
        kalman.begin()
        var squares = 0.0
        let limit = quantiles[2]
        for index in estimate.points.indices {
            let point = estimate.points[index]
            guard point.observed == time, point.added != time, !kalman.isFull else { continue }
            guard
                ObservationJacobian.write(
                    estimate.rig, estimate.clones[slot], position: point.position, first: point.firstPosition, pixel: point.pixel,
                    weight: 1 / settings.pixelNoise, to: row)
            else {
                estimate.rejectPoint(index)
                report.pointsGated += 1
                continue
            }
            for k in 0..<3 { columns[ObservationJacobian.point + k] = Int32(estimate.layout.point(index) + k) }
            let square = addRows(row, columns)
            if square <= limit {
                squares += square
                report.pointsUsed += 1
                estimate.acceptPoint(index)
            } else {
                kalman.removeLast(2)
                report.pointsGated += 1
                estimate.rejectPoint(index)
            }
        }
        let count = Double(2 * report.pointsUsed)
        if count > 0 { report.innovation = squares / count }
        return kalman.apply(to: &estimate)
    }

    /// Adds the drift of features to the covariance of their points.
    private func addFeatureDrift(_ estimate: FilterEstimate, _ time: Double) {
        guard settings.featureDrift > 0 else { return }
        let drift = settings.featureDrift / max(1, estimate.rig.camera.focal.max())
        let body = estimate.body.worldFromBody.translation
        for (index, point) in estimate.points.enumerated() where point.observed == time && point.added != time {
            let variance = drift * drift * lengthSquared(point.position - body)
            let first = estimate.layout.point(index)
            for k in first..<first + 3 { kalman.covariance[k, k] += variance }
        }
    }

    /// Adds an observation's two rows to the update.
    /// - Returns: The Mahalanobis distance squared.
    private func addRows(_ row: UnsafeMutablePointer<Double>, _ columns: [Int32]) -> Double {
        columns.withUnsafeBufferPointer { columns in
            kalman.add(columns: columns, coefficients: row, residual: row[ObservationJacobian.residual])
            let second = row + ObservationJacobian.columns
            kalman.add(columns: columns, coefficients: second, residual: second[ObservationJacobian.residual])
        }
        let last = kalman.count - 1
        let (a, b, c) = (kalman.innovation(last - 1, last - 1) + 1, kalman.innovation(last - 1, last), kalman.innovation(last, last) + 1)
        let (x, y) = (kalman.residual(last - 1), kalman.residual(last))
        let square = (c * x * x - 2 * b * x * y + a * y * y) / (a * c - b * b)
        return square >= 0 ? square : .infinity
    }

    /// Removes points that were not observed for long, and those whose observations were rejected.
    ///
    /// - Parameter time: That of the newest frame.
    func removeLost(at time: Double, from estimate: inout FilterEstimate, _ report: inout FilterReport) {
        for index in estimate.points.indices.reversed() {
            let point = estimate.points[index]
            if time - point.observed > settings.pointMemory || point.rejections >= 4 { remove(index, from: &estimate, &report) }
        }
    }

    func remove(_ index: Int, from estimate: inout FilterEstimate, _ report: inout FilterReport) {
        kalman.covariance.removePoint(at: estimate.layout.point(index))
        estimate.removePoint(index)
        report.pointsRemoved += 1
    }

    /// Standard deviation of a point of the state relative to the newest clone.
    func deviation(of index: Int, _ estimate: FilterEstimate) -> Double {
        let (covariance, at) = (kalman.covariance, estimate.layout.point(index))
        guard let newest = estimate.order.last else { return covariance.block(at, at).trace.squareRoot() }
        let body = estimate.layout.clone(newest) + 3
        let spread = covariance.block(at, at) + covariance.block(body, body) - covariance.block(at, body) * 2
        return max(0, spread.trace).squareRoot()
    }
}
