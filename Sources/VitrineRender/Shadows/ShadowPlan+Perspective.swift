import VitrineMath
import VitrineScene

extension ShadowPlan {
    /// Maps of a light with a position: one if it covers all casters, else the six sides of a cube.
    func perspective(_ light: Light, _ world: Matrix4, around sphere: Vector4) -> [ShadowView] {
        let (position, radius) = sampledPosition(light, world)
        let offset = sphere.xyz - position
        let distance = length(offset)
        let nearest = max(casters.distance(to: position, light.categoryBitMask), (distance + sphere.w) * 1e-3)
        let source = PointLight(
            position: position, size: radius, nearest: nearest, resolution: resolution(light, default: 1024),
            categories: light.categoryBitMask)
        if let (axis, angle) = singleView(light, world, distance: distance, offset: offset, radius: sphere.w) {
            return [source.view(Axes(along: axis), tangent: tan(angle))]
        }
        return PointLight.cube.map { source.view($0, tangent: 1) }
    }

    /// Axis and half angle of one map that contains everything that a caster may shadow; nil if that is too wide.
    private func singleView(
        _ light: Light, _ world: Matrix4, distance: Float, offset: Vector3, radius: Float
    ) -> (axis: Vector3, angle: Float)? {
        let widest: Float = 1.05
        var best: (axis: Vector3, angle: Float)?
        if distance > radius * 1.001 {
            let sine = radius / distance
            let angle = atan2(sine, (1 - sine * sine).squareRoot())
            if angle <= widest { best = (offset / distance, max(angle, 1e-3)) }
        }
        if case .spot(_, let outer) = light.kind, outer.radians <= widest, outer.radians < best?.angle ?? .infinity {
            best = (normalize(-world.z.xyz), max(outer.radians, 1e-3))
        }
        return best
    }

    /// Position of the light's sample, and the radius of a disc of its share of the light's area.
    private func sampledPosition(_ light: Light, _ world: Matrix4) -> (Vector3, Float) {
        let (right, up) = (normalize(world.x.xyz), normalize(world.y.xyz))
        let center = world.translation
        switch light.kind {
        case .rectangle(let width, let height):
            let at = sample.onSquare * 0.5
            return (center + right * (width * at.x) + up * (height * at.y), (width * height / .pi).squareRoot() * sample.scale)
        case .disc(let radius):
            let at = sample.onDisc * radius
            return (center + right * at.x + up * at.y, radius * sample.scale)
        default:
            // A sphere looks like a disc; here as seen from the scene's centre.
            let radius = max(light.radius, 0)
            guard sample.count > 1, radius > 0, let sphere = casters.sphere(light.categoryBitMask) else {
                return (center, radius * sample.scale)
            }
            let axes = Axes(along: normalize(sphere.xyz - center))
            let at = sample.onDisc * radius
            return (center + axes.right * at.x + axes.up * at.y, radius * sample.scale)
        }
    }
}

/// Light from one place, for maps.
struct PointLight {
    let position: Vector3
    let size: Float
    let nearest: Float
    let resolution: Int
    let categories: UInt32

    /// Sides of a cube, in the order in which the shader counts them: +x, −x, +y, −y, +z, −z.
    static let cube: [Axes] = [
        Axes(along: Vector3(1, 0, 0)), Axes(along: Vector3(-1, 0, 0)), Axes(along: Vector3(0, 1, 0)), Axes(along: Vector3(0, -1, 0)),
        Axes(along: Vector3(0, 0, 1)), Axes(along: Vector3(0, 0, -1)),
    ]

    /// - Parameter tangent: Of half the angle of view.
    func view(_ axes: Axes, tangent: Float) -> ShadowView {
        let half = tangent * Float(resolution) / Float(resolution - 2 * ShadowView.border)
        // At the side of a wide view a plane at the nearest caster's distance lies far ahead of it.
        let near = nearest * 0.99 / (1 + 2 * half * half).squareRoot()
        // x, y over distance; depth = near / distance, 0 infinitely far.
        let projection = Matrix4(
            Vector4(1 / half, 0, 0, 0), Vector4(0, 1 / half, 0, 0), Vector4(0, 0, 0, -1), Vector4(0, 0, near, 0))
        return ShadowView(
            clipFromWorld: projection * axes.viewFromWorld(origin: position), origin: Vector4(position, 1), size: size,
            texel: 2 * half / Float(resolution), depth: near, nearest: nearest, fadesAtEdge: false, resolution: resolution,
            categories: categories)
    }
}
