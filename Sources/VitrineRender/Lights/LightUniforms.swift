import VitrineMath
import VitrineScene

/// One light as shaders read it.
struct LightUniforms: ShaderStructure {
    /// Position and 1 / range² (0: no range), or the direction towards a light infinitely far away and −1.
    var position: Vector4
    /// Linear intensity; scale of the cone.
    var color: Vector4
    /// Unit axis of the cone, away from the light; offset of the cone.
    var axis: Vector4
    /// Half the width of a rectangle or disc as a vector.
    var right: Vector4
    /// Half the height as a vector, w 0; of a point or spot light with polynomial attenuation the coefficients, w 1.
    var up: Vector4
    var categories: UInt32
    /// Index of the first of the light's shadow maps.
    var shadowFirst: UInt32 = 0
    /// `ShadowReference.Kind`, and the number of maps times 4.
    var shadowMode: UInt32 = 0
    /// The raw value of the light's `Shape`.
    var shape: UInt32

    static let name = "Light"
    static let fields: [ShaderField<LightUniforms>] = [
        .init("position") { $0.position }, .init("color") { $0.color }, .init("axis") { $0.axis }, .init("right") { $0.right },
        .init("up") { $0.up }, .init("categories") { $0.categories }, .init("shadowFirst") { $0.shadowFirst },
        .init("shadowMode") { $0.shadowMode }, .init("shape") { $0.shape },
    ]

    /// The emitting surface.
    enum Shape: UInt32 { case none, rectangle, disc }

    init(_ light: Light, worldFromLocal world: Matrix4) {
        let forward = normalize(-world.z.xyz)
        position = Vector4(world.translation, 0)
        if light.kind == .directional { position = Vector4(-forward, -1) }
        if let range = light.range, light.kind != .directional { position.w = 1 / max(range * range, 1e-12) }
        // The falloff of KHR_lights_punctual, saturate(cos · scale + offset)²; constant for lights without a cone.
        var (scale, offset): (Float, Float) = (0, 1)
        if case .spot(let inner, let outer) = light.kind {
            let (cosInner, cosOuter) = (cos(inner.radians), cos(outer.radians))
            scale = 1 / max(cosInner - cosOuter, 1e-4)
            offset = -cosOuter * scale
        }
        let (shape, halfWidth, halfHeight): (Shape, Float, Float) =
            switch light.kind {
            case .ambient, .directional, .point, .spot: (.none, 0, 0)
            case .rectangle(let width, let height): (.rectangle, width / 2, height / 2)
            case .disc(let radius): (.disc, radius, radius)
            }
        color = Vector4(light.linearIntensity, scale)
        axis = Vector4(forward, offset)
        right = Vector4(normalize(world.x.xyz) * halfWidth, 0)
        up = Self.attenuation(light) ?? Vector4(normalize(world.y.xyz) * halfHeight, 0)
        categories = light.categoryBitMask
        self.shape = shape.rawValue
    }

    /// Sets where the light's shadow maps are.
    mutating func setShadow(_ shadow: ShadowReference) {
        shadowFirst = UInt32(shadow.first)
        shadowMode = shadow.kind.rawValue | UInt32(shadow.count) << 2
    }

    /// The polynomial that divides the intensity at distance d: x + y · d + z · d², never 0, and w = 1; nil for d².
    private static func attenuation(_ light: Light) -> Vector4? {
        switch light.kind {
        case .point, .spot:
            guard case .polynomial(let constant, let linear, let quadratic) = light.attenuation else { return nil }
            return Vector4(max(constant, 1e-6), max(linear, 0), max(quadratic, 0), 1)
        case .ambient, .directional, .rectangle, .disc: return nil
        }
    }
}
