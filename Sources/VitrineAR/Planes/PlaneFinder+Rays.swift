import VitrineMath
import VitrineVision

extension PlaneFinder {
    /// Everything of `ray.target` that a ray meets, the nearest first; equally far, by rising id.
    ///
    /// Planes are hit from either side. A ray that isn't finite, has no direction or runs along a plane (within 0.06°) hits nothing.
    public func raycast(_ ray: SurfaceRay) -> [SurfaceHit] {
        guard let direction = Self.unit(ray) else { return [] }
        switch ray.target {
        case .existingPlaneGeometry, .existingPlaneInfinite:
            let hits = planes.compactMap { Self.hit($0, ray, direction) }
            return hits.sorted { ($0.distance, $0.planeID ?? 0) < ($1.distance, $1.planeID ?? 0) }
        case .estimatedPlane:
            return estimate(ray, direction).map { [$0] } ?? []
        }
    }

    /// Tracked points within `cone` radians of a ray, the nearest to its origin first.
    ///
    /// - Parameter cone: default 2.3°.
    public func points(near ray: SurfaceRay, cone: Double = 0.04) -> [PointHit] {
        guard let direction = Self.unit(ray) else { return [] }
        let hits = memory.entries.compactMap { entry -> PointHit? in
            let offset = entry.position - ray.origin
            let distance = length(offset)
            guard distance > 0.02 else { return nil }
            let angle = atan2(length(cross(direction, offset)), dot(direction, offset))
            return angle <= cone
                ? PointHit(distance: distance, angle: angle, position: entry.position, pointID: entry.id) : nil
        }
        return hits.sorted { ($0.distance, $0.pointID) < ($1.distance, $1.pointID) }
    }

    static func unit(_ ray: SurfaceRay) -> Vector3d? {
        let squared = dot(ray.direction, ray.direction)
        let sum = ray.origin.x + ray.origin.y + ray.origin.z
        guard squared > 0, squared.isFinite, sum.isFinite else { return nil }
        let unit = normalize(ray.direction)
        return unit.x.isFinite && unit.y.isFinite && unit.z.isFinite ? unit : nil
    }

    private static func hit(_ plane: FoundPlane, _ ray: SurfaceRay, _ direction: Vector3d) -> SurfaceHit? {
        guard ray.alignment.allows(plane.alignment) else { return nil }
        guard let distance = distance(ray.origin, direction, to: plane.worldFromPlane.translation, plane.normal) else { return nil }
        let place = ray.origin + direction * distance
        if ray.target == .existingPlaneGeometry {
            let local = plane.worldFromPlane.inverse * place
            guard Outline.contains(plane.outline, Vector2d(local.x, local.z)) else { return nil }
        }
        var axes = plane.worldFromPlane.rotation
        // From behind: turned over about x.
        if dot(direction, axes.y) > 0 { axes = Matrix3d(axes.x, -axes.y, -axes.z) }
        return SurfaceHit(
            distance: distance, worldTransform: RigidTransform(rotation: axes, translation: place), target: ray.target,
            alignment: plane.alignment, planeID: plane.id)
    }

    /// Metres along a unit direction to a plane in front; nil where there is none, or where they are parallel.
    static func distance(_ origin: Vector3d, _ direction: Vector3d, to point: Vector3d, _ normal: Vector3d) -> Double? {
        let slope = dot(direction, normal)
        guard abs(slope) > 1e-3 else { return nil }
        let distance = dot(point - origin, normal) / slope
        return distance > 0 && distance.isFinite ? distance : nil
    }
}

extension RayAlignment {
    func allows(_ alignment: PlaneAlignment?) -> Bool {
        switch self {
        case .any: true
        case .horizontal: alignment == .horizontal
        case .vertical: alignment == .vertical
        }
    }
}
