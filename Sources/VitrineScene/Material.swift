import VitrineMath

/// What a surface is lit with.
public enum LightingModel: Equatable, Hashable, Sendable {
    /// Metal and roughness, energy conserving.
    case physicallyBased
    /// The base colour as it is, no light.
    case constant
    /// Diffuse light only (Lambert's cosine).
    case lambert
    /// Diffuse light and a highlight around the mirrored direction: cosⁿ of the angle to it (`Material.highlight`).
    case phong
    /// Diffuse light and a highlight around the normal: cosⁿ between it and the half vector (`Material.highlight`).
    case blinn
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

/// The highlight of the `phong` and `blinn` lighting models.
public struct Highlight {
    /// Linear; black: none.
    public var color: ColorSlot
    /// The exponent, at least 0: greater is smaller and sharper.
    public var shininess: Float

    public init(color: ColorSlot = ColorSlot(Vector4(1, 1, 1, 1)), shininess: Float = 30) {
        (self.color, self.shininess) = (color, shininess)
    }
}

/// What a dielectric reflects at its surface (KHR_materials_specular).
public struct Specular {
    /// 0: no reflection, 1: as the index of refraction says. In the texture's alpha.
    public var factor: ScalarSlot
    /// Tints the reflection seen straight on; linear, above 1 allowed.
    public var color: ColorSlot

    public init(factor: ScalarSlot = ScalarSlot(1, channel: .alpha), color: ColorSlot = ColorSlot(Vector4(1, 1, 1, 1))) {
        (self.factor, self.color) = (factor, color)
    }
}

/// Fine fibres over the surface, as of velvet (KHR_materials_sheen).
public struct Sheen {
    /// Linear; black: none.
    public var color: ColorSlot
    /// Perceptual, 0…1. In the texture's alpha.
    public var roughness: ScalarSlot

    public init(color: ColorSlot = ColorSlot(Vector4(0, 0, 0, 1)), roughness: ScalarSlot = ScalarSlot(0, channel: .alpha)) {
        (self.color, self.roughness) = (color, roughness)
    }
}

/// Light that passes through the surface without being scattered inside (KHR_materials_transmission, KHR_materials_dispersion).
public struct Transmission {
    /// 0: none, 1: all light that is not reflected passes. In the texture's red.
    public var factor: ScalarSlot
    /// How far colours part in a volume: 20 / Abbe number; 0: not at all.
    public var dispersion: Float

    public init(factor: ScalarSlot = 0.0, dispersion: Float = 0) { (self.factor, self.dispersion) = (factor, dispersion) }
}

/// What lies behind the surface (KHR_materials_volume).
public struct Volume {
    /// Metres in the mesh's own frame; 0: a thin wall, nothing is refracted. In the texture's green.
    public var thickness: ScalarSlot
    /// Metres after which white light has `attenuationColor`; infinite: clear.
    public var attenuationDistance: Float
    /// Linear, 0…1.
    public var attenuationColor: Vector3

    public init(
        thickness: ScalarSlot = ScalarSlot(0, channel: .green), attenuationDistance: Float = .infinity,
        attenuationColor: Vector3 = Vector3(1, 1, 1)
    ) {
        (self.thickness, self.attenuationDistance, self.attenuationColor) = (thickness, attenuationDistance, attenuationColor)
    }
}

/// A thin film whose colour changes with the angle, as of soap bubbles (KHR_materials_iridescence).
public struct Iridescence {
    /// 0: none, 1: full. In the texture's red.
    public var factor: ScalarSlot
    /// The film's index of refraction.
    public var ior: Float
    /// Nanometres where the texture is 0, and where it is 1 or absent.
    public var thickness: (minimum: Float, maximum: Float)
    /// The thickness between the two; in green.
    public var thicknessMap: TextureMap?

    public init(
        factor: ScalarSlot = 0.0, ior: Float = 1.3, thickness: (minimum: Float, maximum: Float) = (100, 400),
        thicknessMap: TextureMap? = nil
    ) {
        (self.factor, self.ior, self.thickness, self.thicknessMap) = (factor, ior, thickness, thicknessMap)
    }
}

/// Reflections drawn out along a direction, as of brushed metal (KHR_materials_anisotropy).
public struct Anisotropy {
    /// 0: the same all around, 1: drawn out most along the direction.
    public var strength: Float
    /// The direction in tangent space, counter-clockwise from the tangent.
    public var rotation: Angle
    /// Red and green −1…1: the direction, turned by `rotation`; blue 0…1: times `strength`.
    public var map: TextureMap?

    public init(strength: Float = 0, rotation: Angle = .zero, map: TextureMap? = nil) {
        (self.strength, self.rotation, self.map) = (strength, rotation, map)
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
    /// Times the base colour's alpha; shows with `alphaMode` `.blend` and `.mask`.
    public var opacity = ScalarSlot(1)
    public var clearcoat = Clearcoat()
    /// Index of refraction of the dielectric: 1.5 reflects 4 % straight on; 1 nothing; 0 everything (KHR_materials_ior).
    public var ior: Float = 1.5
    public var specular = Specular()
    public var sheen = Sheen()
    public var transmission = Transmission()
    public var volume = Volume()
    public var iridescence = Iridescence()
    public var anisotropy = Anisotropy()
    /// For the `phong` and `blinn` lighting models.
    public var highlight = Highlight()
    /// WGSL that changes the surface before it is lit.
    public var surfaceFunction: SurfaceFunction?
    public var displacement = DisplacementSlot()
    public var alphaMode: AlphaMode = .opaque
    /// An invisible surface that shows only the shadow that falls on it: black, as opaque as light is kept off, over whatever is behind.
    ///
    /// Shadows of lights that cast them count, and of the environment: those of its brightest parts. Everything else about the material is
    /// left aside but `isDoubleSided`; it throws no shadow itself.
    public var isShadowCatcher = false
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
            clearcoat.factor.map, clearcoat.roughness.map, clearcoat.normal.map, displacement.map, opacity.map, specular.factor.map,
            specular.color.map, sheen.color.map, sheen.roughness.map, transmission.factor.map, volume.thickness.map,
            iridescence.factor.map, iridescence.thicknessMap, anisotropy.map, highlight.color.map,
        ]
        let pictures = surfaceFunction?.pictures.map { TextureMap?.some($0.map) } ?? []
        for case let map? in maps + pictures where !found.contains(where: { $0 === map.texture }) { found.append(map.texture) }
        return found
    }
}
