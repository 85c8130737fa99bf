import VitrineMath
import VitrineScene

/// The shadow maps of a frame: views, resolutions, and tiles in the atlas.
///
/// Each light has as few maps as possible. Only casters must lie in a map: points beside all casters, as seen from the light, are lit. So a
/// light of any kind that sees all casters from outside gets one map around them, which does not depend on the camera.
struct ShadowPlan {
    private(set) var views: [ShadowView] = []
    /// Whether one of the lights shines all around.
    private(set) var hasCubes = false
    /// Width and height of the atlas in texels; 0: there are no maps.
    private(set) var atlasSize = SIMD2(0, 0)

    let casters: ShadowCasters
    /// The point of each light from which the maps are drawn.
    let sample: LightSample

    init(_ casters: ShadowCasters, sample: LightSample = .center) { (self.casters, self.sample) = (casters, sample) }

    /// Adds the maps of a light.
    ///
    /// - Parameters:
    ///   - world: the light's node, `worldFromLocal`.
    ///   - camera: for cascades.
    mutating func add(_ light: Light, _ world: Matrix4, seenBy camera: ViewDepths) -> ShadowReference {
        guard light.castsShadow, let sphere = casters.sphere(light.categoryBitMask) else { return .none }
        let first = views.count
        let kind: ShadowReference.Kind
        switch light.kind {
        case .ambient: return .none
        case .directional:
            views += directional(light, world, around: sphere, camera)
            kind = .cascades
        case .point, .spot, .rectangle, .disc:
            let made = perspective(light, world, around: sphere)
            views += made
            kind = made.count > 1 ? .cube : .single
            if kind == .cube { hasCubes = true }
        }
        return ShadowReference(kind: kind, first: first, count: views.count - first)
    }

    mutating func append(_ view: ShadowView) { views.append(view) }

    /// Gives every map its tile.
    ///
    /// - Parameter limit: Texels along the largest atlas; reduces the maps' resolution until they fit.
    mutating func pack(limit: Int) throws(RenderError) {
        guard !views.isEmpty else { return }
        var shift = 0
        while true {
            let sizes = views.map { max($0.resolution >> shift, ShadowAtlas.minimumTile) }
            if let packed = ShadowAtlas(tiles: sizes, limit: limit) {
                for index in views.indices { views[index] = views[index].placed(at: packed.corners[index], resolution: sizes[index]) }
                atlasSize = packed.size
                return
            }
            guard sizes.contains(where: { $0 > ShadowAtlas.minimumTile }) else {
                let room = limit / ShadowAtlas.minimumTile
                throw .tooMany(what: "shadow maps", count: views.count, limit: room * room)
            }
            shift += 1
        }
    }

    func resolution(_ light: Light, default fallback: Int) -> Int {
        Self.tile(light.shadow.resolution ?? fallback)
    }

    /// A map's size in an atlas.
    static func tile(_ resolution: Int) -> Int {
        let wanted = min(max(resolution, 64), 4096)
        var size = 64
        while size < wanted { size *= 2 }
        return size
    }
}

/// A point of a light's surface that casts shadows. The mean of several points has exact penumbras.
struct LightSample: Equatable {
    var index: Int
    var count: Int

    static let center = LightSample(index: 0, count: 1)

    /// A point of the unit disc, evenly distributed over all samples (Vogel 1979); the centre if there is only one.
    var onDisc: Vector2 {
        guard count > 1 else { return Vector2(0, 0) }
        let radius = ((Float(index) + 0.5) / Float(count)).squareRoot()
        let angle = Float(index) * 2.399_963_2
        return Vector2(cos(angle), sin(angle)) * radius
    }

    /// A point of the square −1…1, evenly distributed over all samples: Roberts' sequence of the plastic number.
    var onSquare: Vector2 {
        guard count > 1 else { return Vector2(0, 0) }
        func part(_ step: Float) -> Float {
            let value = 0.5 + step * Float(index + 1)
            return (value - value.rounded(.down)) * 2 - 1
        }
        return Vector2(part(0.754_877_67), part(0.569_840_3))
    }

    /// Radius of each sample's share of the light, as a factor of the light's radius.
    var scale: Float { 1 / Float(count).squareRoot() }
}

extension ShadowView {
    /// Returns the view placed in its tile, with as many texels as fit there.
    fileprivate func placed(at corner: SIMD2<Int>, resolution: Int) -> ShadowView {
        var placed = ShadowView(
            clipFromWorld: clipFromWorld, origin: origin, size: size, texel: texel * Float(self.resolution) / Float(resolution),
            depth: depth, nearest: nearest, fadesAtEdge: fadesAtEdge, resolution: resolution, categories: categories)
        placed.tile = corner
        return placed
    }
}

extension ShadowPlan {
    /// Plans the cascades: spheres around parts of the view, nearest first, until one would contain all casters (whose sphere replaces it).
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

    /// Creates axes along a direction.
    ///
    /// - Parameter tilt: added to `forward` sideways.
    init(along forward: Vector3, tilted tilt: Vector2 = Vector2(0, 0)) {
        // Depends on the direction alone: maps of a light that does not move stay unchanged.
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
    /// do not crawl when the sphere moves.
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

extension ShadowPlan {
    /// Maps of a light with a position: one if it covers all casters, otherwise the six sides of a cube.
    func perspective(_ light: Light, _ world: Matrix4, around sphere: Vector4) -> [ShadowView] {
        let (position, radius) = sampledPosition(light, world)
        let offset = sphere.xyz - position
        let distance = length(offset)
        // The back of an area light is dark.
        let axis: Vector3? =
            switch light.kind {
            case .rectangle, .disc: normalize(-world.z.xyz)
            case .ambient, .directional, .point, .spot: nil
            }
        let farthest = distance + sphere.w
        let nearest = min(max(casters.distance(to: position, ahead: axis, light.categoryBitMask), farthest * 1e-3), farthest)
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

/// Light from one position, for maps.
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

    /// Returns the view of a perspective shadow map.
    ///
    /// - Parameter tangent: The tangent of half the angle of view.
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
