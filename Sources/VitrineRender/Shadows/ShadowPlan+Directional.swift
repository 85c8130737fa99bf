import VitrineMath
import VitrineScene

extension ShadowPlan {
    /// Cascades: spheres around parts of the view, nearest first, until one would contain all casters (whose sphere replaces it).
    func directional(_ light: Light, _ world: Matrix4, around sphere: Vector4, _ camera: ViewDepths) -> [ShadowView] {
        let size = tan(min(light.angularDiameter.radians / 2, 1.4))
        let axes = Axes(along: normalize(-world.z.xyz), tilted: sample.onDisc * size)
        let source = ParallelLight(
            axes: axes, size: size * sample.scale, resolution: resolution(light, default: 2048), categories: light.categoryBitMask)
        return cascades(light.shadow, around: sphere, camera).map { cascade in
            source.view(around: cascade.sphere, casters: sphere, fadesAtEdge: cascade.fadesAtEdge)
        }
    }

    private func cascades(_ settings: ShadowSettings, around sphere: Vector4, _ camera: ViewDepths) -> [(
        sphere: Vector4, fadesAtEdge: Bool
    )] {
        let count = min(max(settings.cascadeCount, 1), 4)
        let distance = length(sphere.xyz - camera.eye)
        // In steps, so that maps stay unchanged while the camera moves a little.
        var far = ShadowPlan.step(min(distance + sphere.w, camera.far), up: true)
        if let limit = settings.distance { far = min(far, max(limit, 1e-3)) }
        let nearest = max(camera.near, distance - sphere.w, far * 1e-3)
        let near = min(ShadowPlan.step(nearest, up: false), far / 2)
        var cascades: [(sphere: Vector4, fadesAtEdge: Bool)] = []
        var from = near
        for index in 1...count {
            // Between even and logarithmic steps (Zhang and others 2006): nearer to these.
            let part = Float(index) / Float(count)
            let to = index == count ? far : 0.75 * near * pow(far / near, part) + 0.25 * (near + (far - near) * part)
            let slice = camera.sphere(from: from, to: to)
            let isLimited = settings.distance != nil && far < distance + sphere.w
            if slice.w >= sphere.w * 0.9, !isLimited {
                cascades.append((sphere, false))
                return cascades
            }
            cascades.append((slice, true))
            from = to
        }
        return cascades
    }

    /// The next fourth root of a power of two.
    static func step(_ value: Float, up: Bool) -> Float {
        guard value.isFinite, value > 0 else { return value }
        let steps = log2(value) * 4
        return exp2((up ? steps.rounded(.up) : steps.rounded(.down)) / 4)
    }
}

/// A light's view axes.
struct Axes: Equatable {
    let right, up, forward: Vector3

    init(right: Vector3, up: Vector3, forward: Vector3) { (self.right, self.up, self.forward) = (right, up, forward) }

    /// - Parameter tilt: added to `forward` sideways.
    init(along forward: Vector3, tilted tilt: Vector2 = Vector2(0, 0)) {
        // Depends on the direction alone: maps of a still light stay still.
        let reference = abs(forward.y) < 0.95 ? Vector3(0, 1, 0) : Vector3(0, 0, 1)
        let right = normalize(cross(forward, reference))
        let up = cross(right, forward)
        guard tilt != Vector2(0, 0) else {
            self.init(right: right, up: up, forward: forward)
            return
        }
        let tilted = normalize(forward + right * tilt.x + up * tilt.y)
        let newRight = normalize(cross(tilted, up))
        self.init(right: newRight, up: cross(newRight, tilted), forward: tilted)
    }

    /// World to a frame at `origin` that looks along its −z.
    func viewFromWorld(origin: Vector3) -> Matrix4 {
        let m = Matrix3(Vector3(right.x, up.x, -forward.x), Vector3(right.y, up.y, -forward.y), Vector3(right.z, up.z, -forward.z))
        return Matrix4(m, translation: -(m * origin))
    }
}

/// Light of one direction, for maps.
struct ParallelLight {
    let axes: Axes
    let size: Float
    let resolution: Int
    let categories: UInt32

    /// A map of all casters that may shadow points in a sphere. Its centre lies on a multiple of a texel's width, so that edges of shadows
    /// don't crawl when the sphere moves.
    func view(around sphere: Vector4, casters: Vector4, fadesAtEdge: Bool) -> ShadowView {
        let half = sphere.w * Float(resolution) / Float(resolution - 2 * ShadowView.border)
        let texel = 2 * half / Float(resolution)
        let x = snapped(dot(sphere.xyz, axes.right), texel)
        let y = snapped(dot(sphere.xyz, axes.up), texel)
        let margin = casters.w * 0.01
        let nearest = dot(casters.xyz, axes.forward) - casters.w - margin
        let depth = 2 * (casters.w + margin)
        let origin = axes.right * x + axes.up * y + axes.forward * nearest
        let projection = Matrix4.orthographic(width: 2 * half, height: 2 * half, near: depth, far: 0)
        return ShadowView(
            clipFromWorld: projection * axes.viewFromWorld(origin: origin), origin: Vector4(-axes.forward, 0), size: size, texel: texel,
            depth: depth, nearest: 0, fadesAtEdge: fadesAtEdge, resolution: resolution, categories: categories)
    }

    private func snapped(_ value: Float, _ texel: Float) -> Float { (value / texel).rounded() * texel }
}
