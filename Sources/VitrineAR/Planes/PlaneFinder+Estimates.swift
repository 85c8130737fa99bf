import VitrineMath
import VitrineVision

extension PlaneFinder {
    /// The surface around a ray: from depth where the newest depth image saw the place, else from tracked points.
    func estimate(_ ray: SurfaceRay, _ direction: Vector3d) -> SurfaceHit? {
        if let view, let patch = view.cloud(limit: settings.depthLimit).surface(ray.origin, direction) {
            return hit(ray, direction, point: patch.point, normal: patch.normal)
        }
        return estimateFromPoints(ray, direction)
    }

    /// The hit on a guessed surface, its normal brought to level or upright where it is nearly so; nil where its alignment isn't asked for.
    private func hit(_ ray: SurfaceRay, _ direction: Vector3d, point: Vector3d, normal: Vector3d) -> SurfaceHit? {
        // Within 14°.
        let alignment = Self.alignment(normal, within: 0.25)
        guard ray.alignment.allows(alignment) else { return nil }
        var y = dot(normal, direction) > 0 ? -normal : normal
        switch alignment {
        case .horizontal?: y = Vector3d(0, y.y > 0 ? 1 : -1, 0)
        case .vertical?: y = normalize(Vector3d(y.x, 0, y.z))
        case nil: break
        }
        guard let distance = Self.distance(ray.origin, direction, to: point, y) else { return nil }
        let place = ray.origin + direction * distance
        // The normal was turned: on a surface seen at a grazing angle that may carry the hit away from what was measured.
        guard length(place - point) < 0.5 else { return nil }
        return SurfaceHit(
            distance: distance, worldTransform: RigidTransform(rotation: Self.axes(y, alignment, back: -direction), translation: place),
            target: .estimatedPlane, alignment: alignment, planeID: nil)
    }

    /// Axes about a normal: z towards `back` on level and slanted surfaces, and down on upright ones.
    private static func axes(_ y: Vector3d, _ alignment: PlaneAlignment?, back: Vector3d) -> Matrix3d {
        var z = alignment == .vertical ? Vector3d(0, -1, 0) : back
        z -= y * dot(y, z)
        // Looking straight at it: any direction will do, the same always.
        if length(z) < 1e-3 { z = Vector3d(0, 0, 1) - y * y.z }
        if length(z) < 1e-3 { z = Vector3d(1, 0, 0) - y * y.x }
        z = normalize(z)
        return Matrix3d(cross(y, z), y, z)
    }

    /// The 32 points nearest to the ray, within 11°, vote for level, upright and slanted surfaces through them, the more the nearer they are to
    /// the ray; one that has at least four of them wins.
    private func estimateFromPoints(_ ray: SurfaceRay, _ direction: Vector3d) -> SurfaceHit? {
        let near = points(near: ray, cone: 0.2).sorted { ($0.angle, $0.pointID) < ($1.angle, $1.pointID) }.prefix(32)
        guard near.count >= 4 else { return nil }
        let votes = near.map { 1 / (0.03 * 0.03 + $0.angle * $0.angle) }
        let places = near.map(\.position)
        var best: (votes: Double, hit: SurfaceHit)?
        for candidate in candidates(places, ray.alignment) {
            guard let (sum, middle) = support(candidate, places, votes), sum > best?.votes ?? 0 else { continue }
            let meeting = nearest(middle, candidate.normal, ray.origin, direction)
            guard let hit = hit(ray, direction, point: meeting, normal: candidate.normal) else { continue }
            // No farther from a point that it is made of than a hand's breadth or a tenth of the way.
            let reach = max(0.15, 0.1 * hit.distance)
            let isNear = places.contains { isOn(candidate, $0) && length($0 - hit.position) < reach }
            if isNear { best = (sum, hit) }
        }
        return best?.hit
    }

    private typealias Candidate = (point: Vector3d, normal: Vector3d)

    private func isOn(_ candidate: Candidate, _ place: Vector3d) -> Bool {
        abs(dot(candidate.normal, place - candidate.point)) < settings.pointTolerance
    }

    /// Level surfaces through each point, upright ones through each two, slanted ones through each three of the nearest sixteen.
    private func candidates(_ places: [Vector3d], _ alignment: RayAlignment) -> [Candidate] {
        var result: [Candidate] = []
        if alignment != .vertical { result += places.map { ($0, Vector3d(0, 1, 0)) } }
        if alignment != .horizontal {
            for i in places.indices {
                for j in 0..<i {
                    let across = cross(places[i] - places[j], Vector3d(0, 1, 0))
                    if length(across) > 0.05 { result.append((places[i], normalize(across))) }
                }
            }
        }
        if alignment == .any {
            for i in 0..<min(16, places.count) {
                for j in 0..<i {
                    for k in 0..<j {
                        let across = cross(places[j] - places[i], places[k] - places[i])
                        if length(across) > 0.002 { result.append((places[i], normalize(across))) }
                    }
                }
            }
        }
        return result
    }

    /// The votes of the points on a surface, and where they are on average; nil for fewer than four.
    private func support(_ candidate: Candidate, _ places: [Vector3d], _ votes: [Double]) -> (votes: Double, middle: Vector3d)? {
        var (sum, offset, count) = (0.0, 0.0, 0)
        for (place, vote) in zip(places, votes) where isOn(candidate, place) {
            sum += vote
            offset += dot(candidate.normal, place - candidate.point)
            count += 1
        }
        return count >= 4 ? (sum, candidate.point + candidate.normal * (offset / Double(count))) : nil
    }

    /// Where the ray meets a plane, or a point of the plane where they are parallel.
    private func nearest(_ point: Vector3d, _ normal: Vector3d, _ origin: Vector3d, _ direction: Vector3d) -> Vector3d {
        Self.distance(origin, direction, to: point, normal).map { origin + direction * $0 } ?? point
    }
}

extension DepthCloud {
    /// Where a ray first goes behind what was measured, and the surface there.
    ///
    /// Steps of 2 cm, then the plane fitted to the samples within 6 cm (at least 8) is met exactly.
    func surface(_ origin: Vector3d, _ direction: Vector3d) -> (point: Vector3d, normal: Vector3d)? {
        let (start, step) = (cameraFromWorld * origin, cameraFromWorld.rotation * direction)
        for i in 0..<400 {
            let point = start + step * (Double(i) * 0.02)
            guard point.z > 0.05 else { continue }
            let pixel = camera.project(point)
            guard pixel.x >= 0, pixel.y >= 0, pixel.x < Double(columns), pixel.y < Double(rows) else { continue }
            let depth = samples[Int(pixel.y) * columns + Int(pixel.x)].depth
            guard depth > 0, point.z >= depth else { continue }
            // Behind something that is nearer: the ray has passed out of sight.
            guard point.z < depth + 0.15 else { return nil }
            return fitted(around: Int(pixel.x), Int(pixel.y))
        }
        return nil
    }

    private func fitted(around column: Int, _ row: Int) -> (point: Vector3d, normal: Vector3d)? {
        let middle = samples[row * columns + column]
        let radius = max(2, min(12, Int(0.06 / middle.depth * camera.focal.x)))
        var places: [Vector3d] = []
        for y in max(0, row - radius)...min(rows - 1, row + radius) {
            for x in max(0, column - radius)...min(columns - 1, column + radius) {
                let sample = samples[y * columns + x]
                if sample.depth > 0, length(sample.position - middle.position) < 0.1 { places.append(sample.position) }
            }
        }
        guard places.count >= 8 else { return nil }
        var mean = Vector3d.zero
        for place in places { mean += place }
        mean /= Double(places.count)
        var covariance = Matrix3d(.zero, .zero, .zero)
        for place in places {
            let offset = place - mean
            covariance = covariance + Matrix3d(offset * offset.x, offset * offset.y, offset * offset.z)
        }
        let eigen = covariance.symmetricEigen()
        // A line of points has no normal.
        guard eigen.values.y > 1e-3 * eigen.values.x else { return nil }
        return (mean, eigen.vectors.z)
    }
}
