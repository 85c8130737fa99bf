import VitrineMath
import VitrineVision

/// The triangulated position of a track's point.
struct TrackTriangulation {
    /// The point in the world, metres.
    var point: Vector3d
    /// Standard deviation of the inverse depth in the newest camera, 1/m, from pixel noise alone.
    var inverseDepthDeviation: Double
    /// Relative standard deviation of the depth.
    var depthDeviation: Double

    /// Starts from the point with the least distances to the rays; refines direction and inverse depth in the newest camera by Gauss–Newton
    /// (Mourikis & Roumeliotis 2007, appendix), which is nearly linear at any distance. nil if triangulation fails.
    /// - Parameters:
    ///   - cameras: `cameraFromWorld` by slot.
    ///   - slots: The slots that observe the point, oldest first.
    ///   - noise: Standard deviation of normalized coordinates.
    ///   - typicalDepth: Prior depth with 50 % uncertainty, or nil.
    ///   - usesDepth: Whether to use measured depths.
    ///   - turn: The estimated rotation of the second camera.
    init?(
        _ track: FeatureTrack, slots: [Int], cameras: [RigidTransform], noise: Double, typicalDepth: Double? = nil, usesDepth: Bool = false,
        turn: Double = 0
    ) {
        guard slots.count > 1 else { return nil }
        let anchor = cameras[slots[slots.count - 1]]
        let worldFromAnchor = anchor.inverse
        let relative = slots.map { cameras[$0] * worldFromAnchor }
        let measured = usesDepth ? slots.indices.filter { track.hasDepth(in: slots[$0]) } : []
        guard var unknown = Self.measuredStart(track, slots, relative, measured, turn) ?? Self.start(track, slots, relative) else {
            return nil
        }
        let prior = typicalDepth.map { Vector2d(1 / $0, 4 * noise * noise * $0 * $0) }
        if let prior, prior.y > 0 { unknown.z = min(unknown.z, 4 * prior.x) }
        var information = Matrix3d.zero
        var last = Double.infinity
        for _ in 0..<6 {
            guard var (normal, right, cost) = Self.normalEquations(track, slots, relative, unknown) else { return nil }
            if let prior {
                let residual = prior.x - unknown.z
                normal.z.z += prior.y
                right.z += prior.y * residual
                cost += prior.y * residual * residual
            }
            for index in measured {
                if let depth = track.depth(in: slots[index], turn: turn) {
                    Self.addDepth(depth, relative[index], noise, share: measured.count, unknown, &normal, &right, &cost)
                }
            }
            information = normal
            let step = normal.inverse * right
            guard step.x.isFinite, step.y.isFinite, step.z.isFinite else { return nil }
            unknown += step
            if abs(last - cost) <= 1e-6 * cost || lengthSquared(step) < 1e-16 { break }
            last = cost
        }
        let depth = 1 / unknown.z
        guard unknown.z > 1e-4, depth > 0.05, depth.isFinite else { return nil }
        point = worldFromAnchor * (Vector3d(unknown.x, unknown.y, 1) * depth)
        let variance = information.inverse.z.z * noise * noise
        guard variance >= 0, variance.isFinite else { return nil }
        inverseDepthDeviation = variance.squareRoot()
        depthDeviation = inverseDepthDeviation * depth
        for slot in slots where (cameras[slot] * point).z < 0.05 { return nil }
    }

    /// (x/z, y/z, 1/z) in the anchor's frame of the point nearest to all rays.
    private static func start(_ track: FeatureTrack, _ slots: [Int], _ relative: [RigidTransform]) -> Vector3d? {
        var midpoint = RayMidpoint()
        for (pose, slot) in zip(relative, slots) {
            let observed = track.normalized[slot]
            let ray = normalize(pose.rotation.transpose * Vector3d(observed.x, observed.y, 1))
            midpoint.add(origin: -(pose.rotation.transpose * pose.translation), direction: ray)
        }
        guard let point = midpoint.point(minimumDeterminant: 1e-12) else { return nil }
        let observed = track.normalized[slots[slots.count - 1]]
        // If noise moves it behind the camera, the point is far away.
        guard point.z > 0.05 else { return Vector3d(observed.x, observed.y, 0.02) }
        return Vector3d(point.x / point.z, point.y / point.z, 1 / point.z)
    }

    /// The point at the first measured depth, as (x/z, y/z, 1/z) in the anchor's frame.
    private static func measuredStart(
        _ track: FeatureTrack, _ slots: [Int], _ relative: [RigidTransform], _ measured: [Int], _ turn: Double
    ) -> Vector3d? {
        guard let first = measured.first, let depth = track.depth(in: slots[first], turn: turn) else { return nil }
        let observed = track.normalized[slots[first]]
        let point = relative[first].inverse * (Vector3d(observed.x, observed.y, 1) * depth.metres)
        return point.z > 0.05 ? Vector3d(point.x, point.y, 1) / point.z : nil
    }

    /// Adds a measured depth, in inverse depths; `share` measurements of a point together count as one.
    private static func addDepth(
        _ depth: MeasuredDepth, _ pose: RigidTransform, _ noise: Double, share: Int, _ unknown: Vector3d,
        _ normal: inout Matrix3d, _ right: inout Vector3d, _ cost: inout Double
    ) {
        let r = pose.rotation
        let turned = (r * Vector3d(unknown.x, unknown.y, 1)).z
        let z = turned + pose.translation.z * unknown.z
        guard z > 1e-6 else { return }
        let weight = noise / depth.inverseNoise / Double(share).squareRoot()
        let slope = -unknown.z / (z * z)
        let row = Vector3d(slope * r.x.z, slope * r.y.z, turned / (z * z)) * weight
        let error = (1 / depth.metres - unknown.z / z) * weight
        normal = normal + Matrix3d.outer(row, row)
        right += row * error
        cost += error * error
    }

    private static func normalEquations(
        _ track: FeatureTrack, _ slots: [Int], _ relative: [RigidTransform], _ unknown: Vector3d
    ) -> (Matrix3d, Vector3d, Double)? {
        var (normal, right, cost) = (Matrix3d.zero, Vector3d.zero, 0.0)
        for (pose, slot) in zip(relative, slots) {
            let r = pose.rotation
            let h = r * Vector3d(unknown.x, unknown.y, 1) + pose.translation * unknown.z
            guard h.z > 1e-6 else { return nil }
            let (u, v) = (h.x / h.z, h.y / h.z)
            let error = track.normalized[slot] - Vector2d(u, v)
            let rowX = (Vector3d(r.x.x, r.y.x, pose.translation.x) - Vector3d(r.x.z, r.y.z, pose.translation.z) * u) / h.z
            let rowY = (Vector3d(r.x.y, r.y.y, pose.translation.y) - Vector3d(r.x.z, r.y.z, pose.translation.z) * v) / h.z
            normal =
                normal + Matrix3d(rowX * rowX.x, rowX * rowX.y, rowX * rowX.z) + Matrix3d(rowY * rowY.x, rowY * rowY.y, rowY * rowY.z)
            right += rowX * error.x + rowY * error.y
            cost += error.x * error.x + error.y * error.y
        }
        return (normal, right, cost)
    }
}
