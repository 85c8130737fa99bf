import VitrineMath
import VitrineScene

/// The volume that a light with a range can reach, in the view frame, −z ahead.
struct LightVolume {
    /// Centre of the smallest sphere around the volume.
    let center: Vector3
    let radius: Float
    /// The cone of a spot light; nil if the light shines in all directions.
    let cone: Cone?

    struct Cone {
        let apex: Vector3
        /// The axis, a unit vector.
        let axis: Vector3
        let range, sine, cosine: Float

        /// Whether a sphere may intersect the cone: tested against its mantle, its apex and its end.
        func intersects(_ center: Vector3, _ radius: Float) -> Bool {
            let offset = center - apex
            let along = dot(offset, axis)
            guard along <= range + radius, along >= -radius else { return false }
            let across = max(dot(offset, offset) - along * along, 0).squareRoot()
            return cosine * across - sine * along <= radius
        }
    }

    init(center: Vector3, radius: Float, cone: Cone? = nil) { (self.center, self.radius, self.cone) = (center, radius, cone) }

    init(_ light: Light, _ world: Matrix4, _ viewFromWorld: Matrix4) {
        let range = max(light.range ?? 0, 0)
        let position = viewFromWorld.transform(point: world.translation)
        guard case .spot(_, let outer) = light.kind, outer.radians < .pi / 2 else {
            self.init(center: position, radius: range)
            return
        }
        let axis = normalize(viewFromWorld.transform(direction: -world.z.xyz))
        let (sine, cosine) = (sin(outer.radians), cos(outer.radians))
        let cone = Cone(apex: position, axis: axis, range: range, sine: sine, cosine: cosine)
        // The sphere around a narrow cone passes through apex and rim; the rim of a wide cone is its sphere's equator.
        if outer.radians < .pi / 4 {
            let radius = range / (2 * cosine)
            self.init(center: position + axis * radius, radius: radius, cone: cone)
        } else {
            self.init(center: position + axis * (range * cosine), radius: range * sine, cone: cone)
        }
    }
}
