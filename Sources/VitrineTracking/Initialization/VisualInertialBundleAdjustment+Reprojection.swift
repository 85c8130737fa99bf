import VitrineMath
import VitrineVision

/// Reprojection residuals and outliers.
extension VisualInertialBundleAdjustment {
    /// The transform from a point's anchor frame to another frame that observes it.
    struct RelativeView {
        let anchor: Frame, other: Frame
        let cameraFromWorld: Matrix3d
        /// The point in the other camera, times its inverse depth: direction · d + shift · (1/z).
        let direction: Matrix3d
        let shift: Vector3d
    }

    /// The residual of an observation and its derivatives.
    private struct Linearization {
        /// The derivatives with respect to the point's parameters.
        var pointX, pointY: Vector3d
        /// The derivatives with respect to rotation and position of the anchor, rotation and position of the other frame, and the clock;
        /// then the residual.
        var x, y: SIMD16<Double>

        static let width = 13
        var residual: Vector2d { Vector2d(x[Self.width], y[Self.width]) }
    }

    /// The frames at the capture times, corrected by the clock; their rates without the bias.
    private var framesAtCapture: [Frame] {
        frames.map { frame in
            var moved = frame
            moved.rate -= gyroscopeBias
            guard timeOffset != 0 else { return moved }
            moved.worldFromBody.rotation = frame.worldFromBody.rotation * Matrix3d.rotation(moved.rate * timeOffset)
            moved.worldFromBody.translation += frame.velocity * timeOffset
            return moved
        }
    }

    private func relativeView(_ a: Frame, _ j: Frame) -> RelativeView {
        let cameraFromBody = bodyFromCamera.rotation.transpose
        let back = j.worldFromBody.rotation.transpose
        let cameraFromWorld = cameraFromBody * back
        let apart = a.worldFromBody.translation - j.worldFromBody.translation + a.worldFromBody.rotation * bodyFromCamera.translation
        return RelativeView(
            anchor: a, other: j, cameraFromWorld: cameraFromWorld,
            direction: cameraFromWorld * a.worldFromBody.rotation * bodyFromCamera.rotation,
            shift: cameraFromBody * (back * apart - bodyFromCamera.translation))
    }

    /// Projected less observed, in normalized coordinates; nil behind the camera.
    private func residual(_ parameters: Vector3d, _ relativeView: RelativeView, _ observed: Vector2d) -> Vector2d? {
        let h = relativeView.direction * Vector3d(parameters.x, parameters.y, 1) + relativeView.shift * parameters.z
        return h.z > 1e-3 ? Vector2d(h.x, h.y) / h.z - observed : nil
    }

    private func linearized(_ parameters: Vector3d, _ relativeView: RelativeView, _ observed: Vector2d) -> Linearization? {
        let (a, j) = (relativeView.anchor, relativeView.other)
        let direction = Vector3d(parameters.x, parameters.y, 1)
        let h = relativeView.direction * direction + relativeView.shift * parameters.z
        guard h.z > 1e-3 else { return nil }
        let projected = Vector2d(h.x, h.y) / h.z
        // Scaled by the inverse depth, which is well-behaved for distant points.
        let onAnchor = bodyFromCamera.rotation * direction + bodyFromCamera.translation * parameters.z
        let onBody = bodyFromCamera.rotation * h + bodyFromCamera.translation * parameters.z
        let apart = a.velocity - j.velocity
        func row(_ r: Vector3d, _ residual: Double) -> (point: Vector3d, rest: SIMD16<Double>) {
            let inWorld = relativeView.cameraFromWorld.transpose * r
            let p = inWorld * parameters.z
            let t = cross(onAnchor, a.worldFromBody.rotation.transpose * inWorld)
            let u = cross(bodyFromCamera.rotation * r, onBody)
            let clock = dot(t, a.rate) + dot(u, j.rate) + dot(p, apart)
            let byDirection = relativeView.direction.transpose * r
            return (
                Vector3d(byDirection.x, byDirection.y, dot(r, relativeView.shift)),
                SIMD16(t.x, t.y, t.z, p.x, p.y, p.z, u.x, u.y, u.z, -p.x, -p.y, -p.z, clock, residual, 0, 0)
            )
        }
        let residual = projected - observed
        let x = row(Vector3d(1, 0, -projected.x) / h.z, residual.x)
        let y = row(Vector3d(0, 1, -projected.y) / h.z, residual.y)
        return Linearization(pointX: x.point, pointY: y.point, x: x.rest, y: y.rest)
    }

    /// Adds all observations and eliminates the points.
    func addObservations(_ damping: Double, _ equations: inout NormalEquations) -> Bool {
        let captured = framesAtCapture
        let order = points.indices.sorted { (points[$0].anchor, $0) < (points[$1].anchor, $1) }
        // Points of one anchor together: their terms for a pair of anchor and frame are summed before they are scattered.
        var sums = [SIMD16<Double>](repeating: .zero, count: Linearization.width * frames.count)
        var views: [RelativeView] = []
        var others = [Double](repeating: 0, count: 24 * equations.points.lanes)
        var anchor = -1
        for index in order {
            if points[index].anchor != anchor {
                if anchor >= 0 { scatter(&sums, anchor, &equations.system) }
                anchor = points[index].anchor
                views = captured.map { relativeView(captured[anchor], $0) }
            }
            guard addPoint(index, views, damping, &others, &sums, &equations) else { return false }
        }
        if anchor >= 0 { scatter(&sums, anchor, &equations.system) }
        equations.points.reduce(&equations.system)
        return true
    }

    private func addPoint(
        _ index: Int, _ views: [RelativeView], _ damping: Double, _ others: inout [Double], _ sums: inout [SIMD16<Double>],
        _ equations: inout NormalEquations
    ) -> Bool {
        let point = points[index]
        let stride = 8 * equations.points.lanes
        for k in others.indices { others[k] = 0 }
        var (square, right) = (Matrix3d(.zero, .zero, .zero), Vector3d.zero)
        // Keeps an undetermined depth where it is.
        square.z.z += 1e-6
        for (slot, observed) in point.track.observations.enumerated() {
            if slot == 0 {
                let residual = Vector2d(point.parameters.x, point.parameters.y) - observed.normalized
                let weight = weight(residual, &equations.cost)
                square.x.x += weight
                square.y.y += weight
                right -= Vector3d(residual.x, residual.y, 0) * weight
                if let depth = point.track.depth { addDepth(depth, of: point, &square, &right, &equations.cost) }
                continue
            }
            guard let d = linearized(point.parameters, views[observed.frame], observed.normalized) else {
                // Behind the camera: a large constant cost without a gradient.
                equations.cost += robustThreshold * robustThreshold * log(1 + 1e6 / (robustThreshold * robustThreshold))
                continue
            }
            let weight = weight(d.residual, &equations.cost)
            square = square + (Matrix3d.outer(d.pointX, d.pointX) + Matrix3d.outer(d.pointY, d.pointY)) * weight
            right -= (d.pointX * d.residual.x + d.pointY * d.residual.y) * weight
            let (x, y) = (d.x * weight, d.y * weight)
            let start = Linearization.width * observed.frame
            for p in 0..<Linearization.width { sums[start + p] += d.x * x[p] + d.y * y[p] }
            for k in 0..<3 {
                let row = x * d.pointX[k] + y * d.pointY[k]
                let (from, to) = (k * stride + pose(point.anchor), k * stride + pose(observed.frame))
                for p in 0..<6 {
                    others[from + p] += row[p]
                    others[to + p] += row[6 + p]
                }
                others[k * stride + clock] += row[12]
            }
        }
        square.x.x *= 1 + damping
        square.y.y *= 1 + damping
        square.z.z *= 1 + damping
        return equations.points.eliminate(
            index, own: square, right: right, others: others, touched: point.track.observations.map { pose($0.frame) })
    }

    /// Adds the measured depth in the anchor's frame.
    private func addDepth(_ depth: MeasuredDepth, of point: Point, _ square: inout Matrix3d, _ right: inout Vector3d, _ cost: inout Double)
    {
        let deviation = depth.inverseDeviation
        let residual = (point.parameters.z - 1 / depth.metres) / deviation
        let threshold = robustThreshold * robustThreshold
        cost += threshold * log(1 + residual * residual / threshold)
        let weight = 1 / (1 + residual * residual / threshold)
        square.z.z += weight / (deviation * deviation)
        right.z -= weight * residual / deviation
    }

    private func weight(_ residual: Vector2d, _ cost: inout Double) -> Double {
        let squared = (residual * residual).sum() / (observationDeviation * observationDeviation)
        cost += robustThreshold * robustThreshold * log(1 + squared / (robustThreshold * robustThreshold))
        return 1 / (observationDeviation * observationDeviation * (1 + squared / (robustThreshold * robustThreshold)))
    }

    private func scatter(_ sums: inout [SIMD16<Double>], _ anchor: Int, _ system: inout SymmetricSystem) {
        let size = system.size
        for frame in frames.indices where frame != anchor {
            func unknown(_ p: Int) -> Int { p < 6 ? pose(anchor) + p : p < 12 ? pose(frame) + p - 6 : clock }
            for p in 0..<Linearization.width {
                let row = sums[Linearization.width * frame + p]
                let start = unknown(p) * size
                for q in 0..<Linearization.width { system.matrix[start + unknown(q)] += row[q] }
                system.right[unknown(p)] -= row[Linearization.width]
                sums[Linearization.width * frame + p] = .zero
            }
        }
    }

    // MARK: Outliers

    /// Removes observations with residuals above `limit` standard deviations, and points with fewer than `minimumObservations` left.
    mutating func removeOutliers(limit: Double, minimumObservations: Int) {
        let views = framesAtCapture
        var kept: [Point] = []
        for point in points {
            var track = point.track
            track.observations = point.track.observations.filter { observed in
                guard let residual = residual(of: point, observed, views) else { return false }
                return (residual * residual).sum() <= limit * limit * observationDeviation * observationDeviation
            }
            guard track.observations.count >= minimumObservations, track.observations.first?.frame == point.anchor,
                point.parameters.z > -1e-3
            else { continue }
            kept.append(Point(track: track, parameters: point.parameters))
        }
        points = kept
    }

    private func residual(of point: Point, _ observed: (frame: Int, normalized: Vector2d), _ views: [Frame]) -> Vector2d? {
        guard observed.frame != point.anchor else { return Vector2d(point.parameters.x, point.parameters.y) - observed.normalized }
        return residual(point.parameters, relativeView(views[point.anchor], views[observed.frame]), observed.normalized)
    }

    /// The standard deviation of an observation's coordinate, in normalized coordinates, estimated from the median residual (robust to outliers)
    /// and corrected for the degrees of freedom of points and frames.
    var residualDeviation: Double {
        let views = framesAtCapture
        var (squares, coordinates): ([Double], Int) = ([], 0)
        for point in points {
            for observed in point.track.observations {
                coordinates += 2
                guard let residual = residual(of: point, observed, views) else { continue }
                squares.append((residual * residual).sum())
            }
        }
        let free = coordinates - 3 * points.count - 6 * (frames.count - 1)
        guard free > 0, !squares.isEmpty else { return observationDeviation }
        squares.sort()
        // For two coordinates with variance s², the median of the sum of squares is 2 ln 2 s².
        let variance = squares[squares.count / 2] / (2 * log(2))
        return (variance * Double(coordinates) / Double(free)).squareRoot()
    }
}
