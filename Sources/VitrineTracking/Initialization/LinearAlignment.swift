import VitrineMath
import VitrineVision

/// Solves for velocity, gravity and the points' positions in metres, in one linear system of directions and inertial measurements.
///
/// With known rotations, every observation gives equations linear in the point's position, the initial velocity and gravity (Dong-Si & Mourikis, "Estimator initialization in vision-aided inertial navigation with unknown camera-IMU calibration",
/// 2012). Points are eliminated one by one; the magnitude of gravity is an exact constraint. All results are on the first frame's body axes. A measured
/// depth is one more equation of its point, which makes the system solvable without translation.
struct LinearAlignment {
    struct Frame: Sendable {
        /// Seconds since the first.
        var time: Double
        /// The first body from this one, and the displacement by the specific force alone.
        var rotation: Matrix3d
        var displacement: Vector3d
    }

    struct Solution: Sendable {
        var velocity, gravity: Vector3d
        /// The magnitude of gravity without the constraint: near the true value only if the window determines the scale.
        var unconstrainedGravity: Double
        /// The points in the order of the tracks; nil if the rays do not intersect in front of the cameras.
        var points: [Vector3d?]
    }

    let frames: [Frame]
    let tracks: [InitializationWindow.Track]
    let bodyFromCamera: RigidTransform
    let gravity: Double
    private let rays: [[Ray]]

    init(frames: [Frame], tracks: [InitializationWindow.Track], bodyFromCamera: RigidTransform, gravity: Double) {
        (self.frames, self.tracks, self.bodyFromCamera, self.gravity) = (frames, tracks, bodyFromCamera, gravity)
        rays = tracks.map { track in
            track.observations.map { observation in
                let frame = frames[observation.frame]
                let direction = frame.rotation * (bodyFromCamera.rotation * NormalizedObservation.ray(observation.normalized))
                let center = frame.displacement + frame.rotation * bodyFromCamera.translation
                let isFirst = observation.frame == track.observations[0].frame
                let stretch = length(Vector3d(observation.normalized.x, observation.normalized.y, 1))
                let range = isFirst ? track.depth.map { (metres: $0.metres * stretch, deviation: $0.deviation * stretch) } : nil
                return Ray(center: center, direction: direction, time: frame.time, range: range)
            }
        }
    }

    func solve(iterations: Int = 4) -> Solution? {
        var depths = rays.map { $0.map { $0.range?.metres ?? 1 } }
        var weights = tracks.map { [Double](repeating: 1, count: $0.observations.count) }
        var solution: Solution?
        for _ in 0..<iterations {
            guard let (velocity, gravity, free) = solved(depths, weights) else { return solution }
            var points: [Vector3d?] = []
            for index in tracks.indices {
                let point = position(rays[index], velocity, gravity, depths[index], weights[index])
                points.append(updateWeights(rays[index], point, velocity, gravity, &depths[index], &weights[index]) ? point : nil)
            }
            solution = Solution(velocity: velocity, gravity: gravity, unconstrainedGravity: free, points: points)
        }
        return solution
    }

    /// An observation's ray; the centre excludes the contributions of velocity and gravity.
    private struct Ray: Sendable {
        var center, direction: Vector3d
        var time: Double
        /// The measured distance of the point along the ray, and its standard deviation, metres.
        var range: (metres: Double, deviation: Double)?

        /// The inverse variance of the distance in units of that of a ray at the distance of one metre.
        var rangeWeight: Double {
            guard let range else { return 0 }
            let deviation = range.deviation / LinearAlignment.angularDeviation
            return 1 / (deviation * deviation)
        }
    }

    /// The standard deviation of a ray's direction in radians, as a scale for measured distances.
    private static let angularDeviation = 0.002

    /// Whether the direct solution determines a point: its rays are not parallel, or its distance is measured.
    private static func isDetermined(_ matrix: Matrix3d) -> Bool {
        matrix.determinant > 1e-9 * matrix.trace * matrix.trace * matrix.trace
    }

    /// A ray's normal matrix, and its product with the measured position on the ray.
    private static func equation(_ ray: Ray, weight: Double) -> (matrix: Matrix3d, right: Vector3d) {
        let across = across(ray.direction) * weight
        guard let range = ray.range else { return (across, across * ray.center) }
        let along = Matrix3d.outer(ray.direction, ray.direction) * ray.rangeWeight
        return (across + along, across * ray.center + along * (ray.center + ray.direction * range.metres))
    }

    private static func across(_ d: Vector3d) -> Matrix3d { .identity - Matrix3d.outer(d, d) }

    /// Solves the 6×6 system of velocity and gravity after eliminating the points.
    private func solved(_ depths: [[Double]], _ weights: [[Double]]) -> (velocity: Vector3d, gravity: Vector3d, free: Double)? {
        let zero = Matrix3d(.zero, .zero, .zero)
        var (vv, vg, gg) = (zero, zero, zero)
        var (v, g) = (Vector3d.zero, Vector3d.zero)
        for index in tracks.indices {
            // Rows Q (P − t V − t²/2 G − c) = 0, where Q projects orthogonally to the ray.
            var (pp, pv, pg) = (zero, zero, zero)
            var p = Vector3d.zero
            for (k, ray) in rays[index].enumerated() {
                let depth = depths[index][k]
                let (q, c) = Self.equation(ray, weight: weights[index][k] / (depth * depth))
                let (t, h) = (ray.time, ray.time * ray.time / 2)
                (pp, pv, pg) = (pp + q, pv - q * t, pg - q * h)
                (vv, vg, gg) = (vv + q * (t * t), vg + q * (t * h), gg + q * (h * h))
                p += c
                v -= c * t
                g -= c * h
            }
            guard Self.isDetermined(pp) else {
                // All rays are parallel: the track has no information. Subtract its terms again.
                for (k, ray) in rays[index].enumerated() {
                    let (q, c) = Self.equation(ray, weight: weights[index][k] / (depths[index][k] * depths[index][k]))
                    let (t, h) = (ray.time, ray.time * ray.time / 2)
                    (vv, vg, gg) = (vv - q * (t * t), vg - q * (t * h), gg - q * (h * h))
                    v += c * t
                    g += c * h
                }
                continue
            }
            let inverse = pp.inverse
            let (vp, gp) = (pv.transpose * inverse, pg.transpose * inverse)
            (vv, vg, gg) = (vv - vp * pv, vg - vp * pg, gg - gp * pg)
            v -= vp * p
            g -= gp * p
        }
        let scale = vv.trace
        guard scale > 0, vv.determinant > 1e-15 * scale * scale * scale else { return nil }
        let inverse = vv.inverse
        let reduced = gg - vg.transpose * inverse * vg
        let right = g - vg.transpose * (inverse * v)
        guard let (found, free) = Self.constrained(reduced, right, gravity) else { return nil }
        return (inverse * (v - vg * found), found, free)
    }

    /// Minimizes xᵀ S x / 2 − rᵀ x subject to |x| = `magnitude`, by (S + λ I) x = r. Also returns |x| without the constraint.
    private static func constrained(_ s: Matrix3d, _ r: Vector3d, _ magnitude: Double) -> (Vector3d, Double)? {
        let (values, vectors) = s.symmetricEigen()
        let parts = vectors.transpose * r
        func size(_ shift: Double) -> Double { length(parts / (values + Vector3d(repeating: shift))) }
        guard values.x > 0, parts.x.isFinite, parts.y.isFinite, parts.z.isFinite else { return nil }
        let least = max(values.z, 1e-12 * values.x)
        let free = length(parts / Vector3d(values.x, max(values.y, least), least))
        // The length decreases monotonically with the shift.
        var (low, high) = (-values.z + 1e-12 * values.x, values.x)
        while size(high) > magnitude, high < 1e12 * values.x { high *= 4 }
        guard size(low) >= magnitude else { return nil }
        for _ in 0..<200 {
            let middle = (low + high) / 2
            if size(middle) > magnitude { low = middle } else { high = middle }
        }
        let x = vectors * (parts / (values + Vector3d(repeating: (low + high) / 2)))
        return x.x.isFinite && length(x) > 0 ? (normalize(x) * magnitude, free) : nil
    }

    private func center(_ ray: Ray, _ velocity: Vector3d, _ gravity: Vector3d) -> Vector3d {
        ray.center + velocity * ray.time + gravity * (ray.time * ray.time / 2)
    }

    private func position(
        _ rays: [Ray], _ velocity: Vector3d, _ gravity: Vector3d, _ depths: [Double], _ weights: [Double]
    ) -> Vector3d? {
        var midpoint = RayMidpoint()
        for (k, ray) in rays.enumerated() {
            var moved = ray
            moved.center = center(ray, velocity, gravity)
            let (matrix, right) = Self.equation(moved, weight: weights[k] / (depths[k] * depths[k]))
            midpoint.matrix = midpoint.matrix + matrix
            midpoint.right += right
        }
        let trace = midpoint.matrix.trace
        return midpoint.point(minimumDeterminant: 1e-9 * trace * trace * trace)
    }

    /// Sets the next iteration's weights: residuals count as angles, outliers get little weight.
    /// - Returns: Whether the point is in front of all cameras.
    private func updateWeights(
        _ rays: [Ray], _ point: Vector3d?, _ velocity: Vector3d, _ gravity: Vector3d, _ depths: inout [Double],
        _ weights: inout [Double]
    ) -> Bool {
        guard let point, point.x.isFinite else { return false }
        var isInFront = true
        for (k, ray) in rays.enumerated() {
            let way = point - center(ray, velocity, gravity)
            let depth = dot(way, ray.direction)
            if depth <= 0.01 { isInFront = false }
            depths[k] = min(max(length(way), 0.1), 100)
            let angle = length(way - ray.direction * depth) / depths[k]
            weights[k] = 1 / (1 + angle * angle / (0.01 * 0.01))
        }
        return isInFront
    }
}
