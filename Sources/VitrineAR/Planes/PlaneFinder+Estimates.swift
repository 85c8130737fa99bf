import VitrineMath
import VitrineVision

extension PlaneFinder {
    typealias Alignment = ARRaycastQuery.TargetAlignment

    /// The surface around a ray: from depth where the newest depth image saw the place, else from tracked points. nil where there is none of that
    /// alignment, or where the ray is none.
    func guess(_ ray: Ray, _ alignment: Alignment) -> GuessedSurface? {
        guard let direction = ray.unit else { return nil }
        let ray = Ray(origin: ray.origin, direction: direction)
        if let view, let patch = view.cloud(limit: settings.depthLimit).surface(ray.origin, direction) {
            return hit(ray, alignment, point: patch.point, normal: patch.normal)
        }
        return guessFromPoints(ray, alignment)
    }

    /// The hit on a guessed surface, its normal brought to level or upright where it is nearly so; nil where its alignment isn't asked for.
    private func hit(_ ray: Ray, _ wanted: Alignment, point: Vector3d, normal: Vector3d) -> GuessedSurface? {
        // Within 14°.
        let alignment = Self.alignment(normal, within: 0.25)
        guard wanted.allows(alignment) else { return nil }
        var y = dot(normal, ray.direction) > 0 ? -normal : normal
        switch alignment {
        case .horizontal?: y = Vector3d(0, y.y > 0 ? 1 : -1, 0)
        case .vertical?: y = normalize(Vector3d(y.x, 0, y.z))
        case nil: break
        }
        guard let distance = ray.distance(to: point, y) else { return nil }
        let place = ray.origin + ray.direction * distance
        // The normal was turned: on a surface seen at a grazing angle that may carry the hit away from what was measured.
        guard length(place - point) < 0.5 else { return nil }
        return GuessedSurface(
            distance: distance, worldTransform: RigidTransform(rotation: Self.axes(y, alignment, back: -ray.direction), translation: place),
            alignment: alignment)
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
    private func guessFromPoints(_ ray: Ray, _ alignment: Alignment) -> GuessedSurface? {
        let near = points(near: ray, cone: 0.2).sorted { ($0.angle, $0.pointID) < ($1.angle, $1.pointID) }.prefix(32)
        guard near.count >= 4 else { return nil }
        let votes = near.map { 1 / (0.03 * 0.03 + $0.angle * $0.angle) }
        let places = near.map(\.position)
        var best: (votes: Double, hit: GuessedSurface)?
        for candidate in candidates(places, alignment) {
            guard let (sum, middle) = support(candidate, places, votes), sum > best?.votes ?? 0 else { continue }
            // Where the ray runs along it: a point of it.
            let meeting = ray.distance(to: middle, candidate.normal).map { ray.origin + ray.direction * $0 } ?? middle
            guard let hit = hit(ray, alignment, point: meeting, normal: candidate.normal) else { continue }
            // No farther from a point that it is made of than a hand's breadth or a tenth of the way.
            let reach = max(0.15, 0.1 * hit.distance)
            let isNear = places.contains { isOn(candidate, $0) && length($0 - hit.worldTransform.translation) < reach }
            if isNear { best = (sum, hit) }
        }
        return best?.hit
    }

    private typealias Candidate = (point: Vector3d, normal: Vector3d)

    private func isOn(_ candidate: Candidate, _ place: Vector3d) -> Bool {
        abs(dot(candidate.normal, place - candidate.point)) < settings.pointTolerance
    }

    /// Level surfaces through each point, upright ones through each two, slanted ones through each three of the nearest sixteen.
    private func candidates(_ places: [Vector3d], _ alignment: Alignment) -> [Candidate] {
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
}

extension ARRaycastQuery.TargetAlignment {
    func allows(_ alignment: PlaneAlignment?) -> Bool {
        switch self {
        case .any: true
        case .horizontal: alignment == .horizontal
        case .vertical: alignment == .vertical
        }
    }
}
