import VitrineMath
import VitrineScene

/// A frame's lights as the shader reads them: those without bounds (directional, or without range) first, which reach every pixel, then
/// those with a range, listed for each cluster of the view that they reach into (Olsson and others 2012).
struct LightList {
    static let maximumCount = 65_536
    /// Vectors a light, as `Light` in WGSL.
    static let vectorCount = 6

    private(set) var lights: [Vector4] = []
    private(set) var unboundedCount = 0
    private(set) var boundedCount = 0
    /// Radiance from everywhere.
    private(set) var ambient = Vector3(repeating: 0)
    private(set) var clusters = LightClusters()
    /// Whether any is a rectangle or a disc.
    private(set) var hasAreas = false
    /// Lights that cast shadows: their number among all, and where they are.
    private(set) var shadowed: [(index: Int, light: Light, world: Matrix4)] = []

    var count: Int { unboundedCount + boundedCount }
    static let tilesAcross = LightClusters.tilesAcross
    static let tilesDown = LightClusters.tilesDown
    static let sliceCount = LightClusters.sliceCount
    var sliceScale: Vector2 { clusters.sliceScale }

    init(_ nodes: [(slot: Int32, node: Node)], _ store: NodeStore, view: View, aspectRatio: Float) throws(RenderError) {
        let visible = nodes.filter { $0.node.light != nil && store.worldOpacities[Int($0.slot)] > 0 }
        guard visible.count <= Self.maximumCount else { throw .tooMany(what: "lights", count: visible.count, limit: Self.maximumCount) }
        var reaches: [LightReach] = []
        let viewFromWorld = view.worldFromCamera.affineInverse
        for wantsBounds in [false, true] {
            for (slot, node) in visible {
                guard let light = node.light, (light.range != nil && light.kind != .directional) == wantsBounds else { continue }
                if light.kind == .ambient {
                    // Ambient light has no place and no range.
                    if !wantsBounds { ambient += light.linearIntensity }
                    continue
                }
                let world = store.worldTransforms[Int(slot)]
                append(light, world)
                if wantsBounds { reaches.append(LightReach(light, world, viewFromWorld)) }
            }
            if !wantsBounds { unboundedCount = lights.count / Self.vectorCount }
        }
        boundedCount = reaches.count
        if !reaches.isEmpty { clusters.assign(reaches, first: unboundedCount, view.camera, aspectRatio) }
    }

    /// Says where a light's shadow maps are.
    mutating func setShadow(_ index: Int, _ shadow: ShadowReference) {
        let at = index * Self.vectorCount + 5
        lights[at].y = Float(bitPattern: UInt32(shadow.first))
        lights[at].z = Float(bitPattern: shadow.kind.rawValue | UInt32(shadow.count) << 2)
    }

    private mutating func append(_ light: Light, _ world: Matrix4) {
        if light.castsShadow { shadowed.append((lights.count / Self.vectorCount, light, world)) }
        let forward = normalize(-world.z.xyz)
        var position = Vector4(world.translation, 0)
        if light.kind == .directional { position = Vector4(-forward, -1) }
        if let range = light.range, light.kind != .directional { position.w = 1 / max(range * range, 1e-12) }
        // A cone's falloff as KHR_lights_punctual has it: saturate(cos · scale + offset)²; none for others.
        var (scale, offset): (Float, Float) = (0, 1)
        if case .spot(let inner, let outer) = light.kind {
            let (cosInner, cosOuter) = (cos(inner.radians), cos(outer.radians))
            scale = 1 / max(cosInner - cosOuter, 1e-4)
            offset = -cosOuter * scale
        }
        let area = Area(light.kind)
        if area.shape != .none { hasAreas = true }
        lights.append(position)
        lights.append(Vector4(light.linearIntensity, scale))
        lights.append(Vector4(forward, offset))
        lights.append(Vector4(normalize(world.x.xyz) * area.halfWidth, 0))
        lights.append(Self.divisor(light) ?? Vector4(normalize(world.y.xyz) * area.halfHeight, 0))
        lights.append(Vector4(Float(bitPattern: light.categoryBitMask), 0, 0, Float(bitPattern: area.shape.rawValue)))
    }
}

extension LightList {
    /// What a point or spot light is divided by at distance d: x + y · d + z · d², never 0; w says so. nil: d².
    fileprivate static func divisor(_ light: Light) -> Vector4? {
        switch light.kind {
        case .point, .spot:
            guard case .polynomial(let constant, let linear, let quadratic) = light.attenuation else { return nil }
            return Vector4(max(constant, 1e-6), max(linear, 0), max(quadratic, 0), 1)
        case .ambient, .directional, .rectangle, .disc: return nil
        }
    }
}

/// The glowing shape of a light.
private struct Area {
    enum Shape: UInt32 { case none, rectangle, disc }

    var shape = Shape.none
    var halfWidth: Float = 0
    var halfHeight: Float = 0

    init(_ kind: Light.Kind) {
        switch kind {
        case .ambient, .directional, .point, .spot: break
        case .rectangle(let width, let height): (shape, halfWidth, halfHeight) = (.rectangle, width / 2, height / 2)
        case .disc(let radius): (shape, halfWidth, halfHeight) = (.disc, radius, radius)
        }
    }
}
