import VitrineMath
import VitrineVision

extension VisualInertialFilter {
    /// Corrects the state by what the picture shows of its points.
    /// - Returns: false where the filter has failed.
    func measurePoints(_ slot: Int, _ report: inout FilterReport) -> Bool {
        let row = UnsafeMutablePointer<Double>.allocate(capacity: 2 * Sighting.columns)
        defer { row.deallocate() }
        var columns = [Int32](repeating: 0, count: Sighting.residual)
        for k in 0..<FilterLayout.calibrationSize { columns[k] = Int32(FilterLayout.extrinsics + k) }
        for k in 0..<6 { columns[Sighting.pose + k] = Int32(layout.clone(slot) + k) }
        letPointsDrift()
        kalman.begin(covariance)
        var (squares, most) = (0.0, quantiles[2])
        for index in estimate.points.indices {
            let point = estimate.points[index]
            guard point.seen == pictureTime, point.started != pictureTime, !kalman.isFull else { continue }
            guard
                Sighting.write(
                    estimate.rig, estimate.clones[slot], place: point.position, first: point.firstPosition, pixel: point.pixel,
                    weight: 1 / settings.pixelNoise, to: row)
            else {
                estimate.points[index].misses += 1
                report.pointsGated += 1
                continue
            }
            for k in 0..<3 { columns[Sighting.point + k] = Int32(layout.point(index) + k) }
            let square = addSighting(row, columns)
            if square <= most {
                squares += square
                report.pointsUsed += 1
                estimate.points[index].misses = 0
            } else {
                kalman.removeLast(2)
                report.pointsGated += 1
                estimate.points[index].misses += 1
            }
        }
        most = Double(2 * report.pointsUsed)
        if most > 0 { report.innovation = squares / most }
        return kalman.apply(to: &estimate, covariance)
    }

    /// What a point shows creeps: by so much more its place may be off.
    private func letPointsDrift() {
        guard settings.pointDrift > 0 else { return }
        let drift = settings.pointDrift / max(1, estimate.rig.camera.focal.max())
        let body = estimate.body.worldFromBody.translation
        for (index, point) in estimate.points.enumerated() where point.seen == pictureTime && point.started != pictureTime {
            let variance = drift * drift * lengthSquared(point.position - body)
            for k in layout.point(index)..<layout.point(index) + 3 { covariance[k, k] += variance }
        }
    }

    /// - Returns: the two rows' squared residuals over their covariance.
    private func addSighting(_ row: UnsafeMutablePointer<Double>, _ columns: [Int32]) -> Double {
        columns.withUnsafeBufferPointer { columns in
            kalman.add(columns: columns, coefficients: row, residual: row[Sighting.residual], covariance)
            let second = row + Sighting.columns
            kalman.add(columns: columns, coefficients: second, residual: second[Sighting.residual], covariance)
        }
        let last = kalman.count - 1
        let (a, b, c) = (kalman.innovation(last - 1, last - 1) + 1, kalman.innovation(last - 1, last), kalman.innovation(last, last) + 1)
        let (x, y) = (kalman.residual(last - 1), kalman.residual(last))
        let square = (c * x * x - 2 * b * x * y + a * y * y) / (a * c - b * b)
        return square >= 0 ? square : .infinity
    }
}
