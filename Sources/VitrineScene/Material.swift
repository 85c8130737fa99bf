import VitrineMath

/// What a surface is lit with.
public enum LightingModel: Equatable, Hashable, Sendable {
    /// Metal and roughness, energy conserving.
    case physicallyBased
    /// The base colour as it is, no light.
    case constant
}

/// What alpha does.
public enum AlphaMode: Equatable, Hashable, Sendable {
    case opaque
    /// Drawn where alpha reaches `cutoff`, else not at all.
    case mask(cutoff: Float)
    /// Mixed with what is behind, farthest first.
    case blend
}

/// A colour, times a texture where there is one (colour channels read as sRGB from integer formats).
public struct ColorSlot {
    /// Linear; multiplies the texture.
    public var factor: Vector4
    public var map: TextureMap?
    /// 0…1: how much of the slot shows; 0 leaves the factor at no light (black), as a darkened slot does.
    public var intensity: Float

    public init(_ factor: Vector4, map: TextureMap? = nil, intensity: Float = 1) {
        (self.factor, self.map, self.intensity) = (factor, map, intensity)
    }

    public init(_ color: Color, map: TextureMap? = nil) { self.init(color.linear, map: map) }
}

/// A number, times one channel of a texture where there is one (linear).
public struct ScalarSlot: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    public var factor: Float
    public var map: TextureMap?
    public var channel: TextureChannel
    /// 0…1, multiplies: darkens, as SceneKit's.
    public var intensity: Float

    public init(_ factor: Float, map: TextureMap? = nil, channel: TextureChannel = .red, intensity: Float = 1) {
        (self.factor, self.map, self.channel, self.intensity) = (factor, map, channel, intensity)
    }

    public init(floatLiteral value: Float) { self.init(value) }
    public init(integerLiteral value: Int) { self.init(Float(value)) }
}

/// A tangent-space normal map: red, green, blue 0…1 stand for x, y, z −1…1; +y is up in the picture.
public struct NormalSlot {
    public var map: TextureMap?
    /// Multiplies x and y: 0 is flat, 1 as drawn.
    public var scale: Float

    public init(map: TextureMap? = nil, scale: Float = 1) { (self.map, self.scale) = (map, scale) }
}

/// Height along the surface's normal, from one channel of a texture (linear): `bias + scale · texel` metres. Kept for model files; not drawn.
public struct DisplacementSlot {
    public var map: TextureMap?
    public var channel: TextureChannel
    /// Metres from texel 0 to texel 1.
    public var scale: Float
    /// Metres at texel 0.
    public var bias: Float

    public init(map: TextureMap? = nil, channel: TextureChannel = .red, scale: Float = 1, bias: Float = 0) {
        (self.map, self.channel, self.scale, self.bias) = (map, channel, scale, bias)
    }
}

/// A protective layer over the surface (KHR_materials_clearcoat): dielectric, index of refraction 1.5.
public struct Clearcoat {
    /// 0: none, 1: full.
    public var factor: ScalarSlot
    public var roughness: ScalarSlot
    /// Its own normals; none: the surface's, without the normal map.
    public var normal: NormalSlot

    public init(factor: ScalarSlot = 0.0, roughness: ScalarSlot = 0.0, normal: NormalSlot = NormalSlot()) {
        (self.factor, self.roughness, self.normal) = (factor, roughness, normal)
    }
}

/// How a surface looks. A class: parts that share it change together.
///
/// ```swift
/// let paint = Material(baseColor: Color(sRGB: 0xB00020), metalness: 0, roughness: 0.4)
/// paint.clearcoat.factor = 1
/// ```
public final class Material {
    public var name: String
    public var lightingModel: LightingModel = .physicallyBased
    public var baseColor: ColorSlot
    /// 0 dielectric … 1 metal.
    public var metalness: ScalarSlot
    /// 0 mirror … 1 dull; perceptual (the microfacet width is its square).
    public var roughness: ScalarSlot
    public var normal = NormalSlot()
    /// How much of the environment reaches the surface; `intensity` 0 ignores the map, 1 uses all of it.
    public var occlusion = ScalarSlot(1)
    /// Light that the surface gives off, linear; factors above 1 are allowed (KHR_materials_emissive_strength).
    public var emission = ColorSlot(Vector4(0, 0, 0, 1))
    public var clearcoat = Clearcoat()
    public var displacement = DisplacementSlot()
    public var alphaMode: AlphaMode = .opaque
    /// Back faces are drawn too, with their normals turned.
    public var isDoubleSided = false

    public init(name: String = "", baseColor: Color = .white, metalness: Float = 0, roughness: Float = 0.5) {
        self.name = name
        self.baseColor = ColorSlot(baseColor)
        self.metalness = ScalarSlot(metalness)
        self.roughness = ScalarSlot(roughness)
    }

    /// Every texture in use, in a fixed order, each once.
    public var textures: [Texture] {
        var found: [Texture] = []
        let maps = [
            baseColor.map, metalness.map, roughness.map, normal.map, occlusion.map, emission.map,
            clearcoat.factor.map, clearcoat.roughness.map, clearcoat.normal.map, displacement.map,
        ]
        for case let map? in maps where !found.contains(where: { $0 === map.texture }) { found.append(map.texture) }
        return found
    }
}
