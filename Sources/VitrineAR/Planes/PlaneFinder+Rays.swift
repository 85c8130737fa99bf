import VitrineMath
import VitrineVision

extension PlaneFinder {
    /// Tracked points within `cone` radians (2.3°) of a ray, the nearest to its origin first. A ray that isn't finite or has no direction is near
    /// nothing.
    func points(near ray: Ray, cone: Double = 0.04) -> [PointHit] {
        guard let direction = ray.unit else { return [] }
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

    /// A half-line in the tracker's world.
    struct Ray {
        var origin: Vector3d
        /// Needn't be a unit vector.
        var direction: Vector3d

        /// Of length 1; nil where the ray is none.
        var unit: Vector3d? {
            let squared = dot(direction, direction)
            let sum = origin.x + origin.y + origin.z
            guard squared > 0, squared.isFinite, sum.isFinite else { return nil }
            let unit = normalize(direction)
            return unit.x.isFinite && unit.y.isFinite && unit.z.isFinite ? unit : nil
        }

        /// Metres along the unit direction to a plane in front; nil where there is none, or where they are parallel (within 0.06°).
        func distance(to point: Vector3d, _ normal: Vector3d) -> Double? {
            let slope = dot(direction, normal)
            guard abs(slope) > 1e-3 else { return nil }
            let distance = dot(point - origin, normal) / slope
            return distance > 0 && distance.isFinite ? distance : nil
        }
    }
}
