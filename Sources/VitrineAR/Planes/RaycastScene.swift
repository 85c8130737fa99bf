import VitrineMath
import VitrineTracking
import VitrineVision

/// An immutable snapshot of what rays are cast into beside the anchors: feature points and the newest depth image.
///
/// A frame contains one, so that ray casts into a kept frame give the same results at any time.
struct RaycastScene: Sendable {
    /// A feature point in the tracker's world.
    struct Point: Sendable {
        let id: Int
        let position: Vector3d
    }

    /// A depth image with its camera, in the tracker's world.
    struct DepthView: Sendable {
        let image: DepthImage
        let camera: CameraIntrinsics
        let worldFromCamera: RigidTransform
    }

    let points: [Point]
    let depth: DepthView?
    /// Metres beyond which depth is ignored.
    let maximumDepth: Double
    /// The largest distance of a feature point from a surface that it lies on, in metres.
    let pointTolerance: Double
    let sessionFromTracker: RigidTransform

    // MARK: In the session's world

    /// The estimated surface along the ray of a query.
    func results(_ query: ARRaycastQuery) -> [ARRaycastResult] {
        guard let surface = estimatedSurface(along: ray(query.origin, query.direction), query.targetAlignment) else { return [] }
        return [surface.result(Matrix4(sessionFromTracker * surface.worldTransform))]
    }

    /// The feature point with the smallest angle to a ray, and its distance from the ray's origin in metres.
    func nearestPoint(origin: Vector3, direction: Vector3) -> (position: Vector3, distance: Float)? {
        let hits = points(near: ray(origin, direction))
        guard let nearest = hits.min(by: { ($0.angle, $0.id) < ($1.angle, $1.id) }) else { return nil }
        return (Vector3(sessionFromTracker * nearest.position), Float(nearest.distance))
    }

    private func ray(_ origin: Vector3, _ direction: Vector3) -> Ray {
        let trackerFromSession = sessionFromTracker.inverse
        return Ray(origin: trackerFromSession * Vector3d(origin), direction: trackerFromSession.rotation * Vector3d(direction))
    }

    // MARK: In the tracker's world

    /// A ray in double precision.
    struct Ray {
        var origin: Vector3d
        /// The direction, of any length.
        var direction: Vector3d

        /// The direction with length 1; nil if the ray is not finite or has no direction.
        var unit: Vector3d? {
            let squared = dot(direction, direction)
            let sum = origin.x + origin.y + origin.z
            guard squared > 0, squared.isFinite, sum.isFinite else { return nil }
            let unit = normalize(direction)
            return unit.x.isFinite && unit.y.isFinite && unit.z.isFinite ? unit : nil
        }

        /// The distance along a unit direction to a plane; nil if the plane is behind the origin or parallel to within 0.06°.
        func distance(to point: Vector3d, _ normal: Vector3d) -> Double? {
            let slope = dot(direction, normal)
            guard abs(slope) > 1e-3 else { return nil }
            let distance = dot(point - origin, normal) / slope
            return distance > 0 && distance.isFinite ? distance : nil
        }
    }

    /// A surface along a ray that was estimated without a detected plane.
    struct Surface: Equatable, Sendable {
        /// Metres from the ray's origin.
        let distance: Double
        /// The hit: y is the normal on the side of the ray's origin; z points to the ray's origin on horizontal and slanted surfaces, and down on
        /// vertical ones.
        let worldTransform: RigidTransform
        /// nil for a slanted surface.
        let alignment: ARPlaneAnchor.Alignment?

        /// Returns the surface as the result of a raycast.
        ///
        /// - Parameters:
        ///   - transform: `worldTransform` in the session's world.
        ///   - anchor: The mesh that was hit.
        func result(_ transform: Matrix4, anchor: ARAnchor? = nil) -> ARRaycastResult {
            let alignment: ARRaycastQuery.TargetAlignment =
                switch alignment {
                case .horizontal: .horizontal
                case .vertical: .vertical
                case nil: .any
                }
            return ARRaycastResult(
                worldTransform: transform, target: .estimatedPlane, targetAlignment: alignment, anchor: anchor, distance: Float(distance))
        }
    }

    /// A feature point near a ray.
    struct PointHit: Equatable, Sendable {
        let id: Int
        /// Metres from the ray's origin.
        let distance: Double
        /// Radians between ray and point.
        let angle: Double
        let position: Vector3d
    }

    /// The feature points within `cone` radians of a ray (default 2.3°), nearest first. Empty for an invalid ray.
    func points(near ray: Ray, cone: Double = 0.04) -> [PointHit] {
        guard let direction = ray.unit else { return [] }
        let hits = points.compactMap { point -> PointHit? in
            let offset = point.position - ray.origin
            let distance = length(offset)
            guard distance > 0.02 else { return nil }
            let angle = atan2(length(cross(direction, offset)), dot(direction, offset))
            return angle <= cone ? PointHit(id: point.id, distance: distance, angle: angle, position: point.position) : nil
        }
        return hits.sorted { ($0.distance, $0.id) < ($1.distance, $1.id) }
    }

    /// The surface along a ray: from depth where the depth image covers the hit, otherwise from feature points. nil without a surface of
    /// the alignment, or for an invalid ray.
    func estimatedSurface(along ray: Ray, _ alignment: ARRaycastQuery.TargetAlignment) -> Surface? {
        guard let direction = ray.unit else { return nil }
        let ray = Ray(origin: ray.origin, direction: direction)
        if let depth {
            let cloud = DepthPointCloud(
                depth.image, camera: depth.camera, worldFromCamera: depth.worldFromCamera, maximumDepth: maximumDepth)
            if let hit = cloud.surface(ray.origin, direction) { return Self.surface(ray, alignment, point: hit.point, normal: hit.normal) }
        }
        return surfaceFromPoints(ray, alignment)
    }

    /// The hit of a ray with a plane whose normal is snapped to horizontal or vertical within 14°; nil for another alignment.
    static func surface(_ ray: Ray, _ wanted: ARRaycastQuery.TargetAlignment, point: Vector3d, normal: Vector3d) -> Surface? {
        let alignment = ARPlaneAnchor.Alignment(normal: normal, within: 0.25)
        guard wanted.allows(alignment) else { return nil }
        var y = dot(normal, ray.direction) > 0 ? -normal : normal
        switch alignment {
        case .horizontal?: y = Vector3d(0, y.y > 0 ? 1 : -1, 0)
        case .vertical?: y = normalize(Vector3d(y.x, 0, y.z))
        case nil: break
        }
        guard let distance = ray.distance(to: point, y) else { return nil }
        let position = ray.origin + ray.direction * distance
        // At a grazing angle, snapping the normal may move the hit away from the measurement.
        guard length(position - point) < 0.5 else { return nil }
        return Surface(
            distance: distance,
            worldTransform: RigidTransform(rotation: Self.axes(y, alignment, back: -ray.direction), translation: position),
            alignment: alignment)
    }

    /// Returns axes about a normal: z towards `back` on horizontal and slanted surfaces, down on vertical ones.
    private static func axes(_ y: Vector3d, _ alignment: ARPlaneAnchor.Alignment?, back: Vector3d) -> Matrix3d {
        var z = alignment == .vertical ? Vector3d(0, -1, 0) : back
        z -= y * dot(y, z)
        // For a perpendicular ray, z has a fixed direction.
        if length(z) < 1e-3 { z = Vector3d(0, 0, 1) - y * y.z }
        if length(z) < 1e-3 { z = Vector3d(1, 0, 0) - y * y.x }
        z = normalize(z)
        return Matrix3d(cross(y, z), y, z)
    }

    /// The 32 points nearest to the ray within 11° vote for horizontal, vertical and slanted surfaces, weighted by their angle to the ray. The
    /// surface with most votes and at least four points wins.
    private func surfaceFromPoints(_ ray: Ray, _ alignment: ARRaycastQuery.TargetAlignment) -> Surface? {
        let near = points(near: ray, cone: 0.2).sorted { ($0.angle, $0.id) < ($1.angle, $1.id) }.prefix(32)
        guard near.count >= 4 else { return nil }
        let votes = near.map { 1 / (0.03 * 0.03 + $0.angle * $0.angle) }
        let positions = near.map(\.position)
        var best: (votes: Double, surface: Surface)?
        for candidate in candidates(positions, alignment) {
            guard let (sum, center) = support(candidate, positions, votes), sum > best?.votes ?? 0 else { continue }
            // A ray in the surface hits its centre.
            let hit = ray.distance(to: center, candidate.normal).map { ray.origin + ray.direction * $0 } ?? center
            guard let surface = Self.surface(ray, alignment, point: hit, normal: candidate.normal) else { continue }
            // The hit must lie within 15 cm or a tenth of the distance from one of the surface's points.
            let reach = max(0.15, 0.1 * surface.distance)
            let isNear = positions.contains { isOn(candidate, $0) && length($0 - surface.worldTransform.translation) < reach }
            if isNear { best = (sum, surface) }
        }
        return best?.surface
    }

    private typealias Candidate = (point: Vector3d, normal: Vector3d)

    private func isOn(_ candidate: Candidate, _ position: Vector3d) -> Bool {
        abs(dot(candidate.normal, position - candidate.point)) < pointTolerance
    }

    /// Horizontal surfaces through each point, vertical ones through each pair, slanted ones through each triple of the nearest sixteen.
    private func candidates(_ positions: [Vector3d], _ alignment: ARRaycastQuery.TargetAlignment) -> [Candidate] {
        var result: [Candidate] = []
        if alignment != .vertical { result += positions.map { ($0, Vector3d(0, 1, 0)) } }
        if alignment != .horizontal {
            for i in positions.indices {
                for j in 0..<i {
                    let normal = cross(positions[i] - positions[j], Vector3d(0, 1, 0))
                    if length(normal) > 0.05 { result.append((positions[i], normalize(normal))) }
                }
            }
        }
        if alignment == .any {
            for i in 0..<min(16, positions.count) {
                for j in 0..<i {
                    for k in 0..<j {
                        let normal = cross(positions[j] - positions[i], positions[k] - positions[i])
                        if length(normal) > 0.002 { result.append((positions[i], normalize(normal))) }
                    }
                }
            }
        }
        return result
    }

    /// The votes and the centre of the points on a surface; nil for fewer than four points.
    private func support(_ candidate: Candidate, _ positions: [Vector3d], _ votes: [Double]) -> (votes: Double, center: Vector3d)? {
        var (sum, offset, count) = (0.0, 0.0, 0)
        for (position, vote) in zip(positions, votes) where isOn(candidate, position) {
            sum += vote
            offset += dot(candidate.normal, position - candidate.point)
            count += 1
        }
        return count >= 4 ? (sum, candidate.point + candidate.normal * (offset / Double(count))) : nil
    }
}

extension RaycastScene: Equatable {
    /// Always returns true, because the scene follows from the frames so far and is not visible from outside, so it does not distinguish
    /// frames.
    static func == (a: RaycastScene, b: RaycastScene) -> Bool { true }
}

extension ARRaycastQuery.TargetAlignment {
    func allows(_ alignment: ARPlaneAnchor.Alignment?) -> Bool {
        switch self {
        case .any: true
        case .horizontal: alignment == .horizontal
        case .vertical: alignment == .vertical
        }
    }
}
