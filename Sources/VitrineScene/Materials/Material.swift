import VitrineMath

/// How a surface reflects light.
public enum LightingModel: Equatable, Hashable, Sendable {
    /// Metalness and roughness, energy conserving.
    case physicallyBased
    /// The unlit base colour.
    case constant
    /// Diffuse light only (Lambert's cosine).
    case lambert
    /// Diffuse light and a highlight around the mirror direction: cosⁿ of the angle to it (`Material.highlight`).
    case phong
    /// Diffuse light and a highlight around the normal: cosⁿ between it and the half vector (`Material.highlight`).
    case blinn
}

/// How alpha is used.
public enum AlphaMode: Equatable, Hashable, Sendable {
    /// Alpha is ignored.
    case opaque
    /// Opaque where alpha is at least `cutoff`, elsewhere not drawn.
    case mask(cutoff: Float)
    /// Blended over the background, farthest surfaces first.
    case blend
}

/// The appearance of a surface. A class: parts that share it change together.
///
/// ```swift
/// let paint = Material(baseColor: Color(sRGB: 0xB00020), metalness: 0, roughness: 0.4)
/// paint.clearcoat.factor = 1
/// ```
public final class Material {
    /// Everything that `copy` copies.
    private struct Values {
        var name: String
        var lightingModel: LightingModel = .physicallyBased
        var baseColor: ColorSlot
        var metalness: ScalarSlot
        var roughness: ScalarSlot
        var normal = NormalSlot()
        var occlusion = ScalarSlot(1)
        var emission = ColorSlot(Vector4(0, 0, 0, 1))
        var lightMap = ColorSlot(Vector4(1, 1, 1, 1))
        var opacity = ScalarSlot(1)
        var clearcoat = Clearcoat()
        var ior: Float = 1.5
        var specular = Specular()
        var sheen = Sheen()
        var transmission = Transmission()
        var volume = Volume()
        var iridescence = Iridescence()
        var anisotropy = Anisotropy()
        var highlight = Highlight()
        var surfaceFunction: SurfaceFunction?
        var displacement = DisplacementSlot()
        var alphaMode: AlphaMode = .opaque
        var isShadowReceiver: Bool = false
        var isDoubleSided: Bool = false
    }

    private var values: Values

    /// Makes a physically based material.
    public init(name: String = "", baseColor: Color = .white, metalness: Float = 0, roughness: Float = 0.5) {
        values = Values(
            name: name, baseColor: ColorSlot(baseColor), metalness: ScalarSlot(metalness), roughness: ScalarSlot(roughness))
    }

    private init(_ values: Values) { self.values = values }

    /// Returns a new material with the same values. The textures are shared with the original.
    public func copy() -> Material { Material(values) }

    // MARK: Properties

    /// For lookups and messages.
    public var name: String {
        get { values.name }
        set { values.name = newValue }
    }
    /// How the surface reflects light. Default `.physicallyBased`.
    public var lightingModel: LightingModel {
        get { values.lightingModel }
        set { values.lightingModel = newValue }
    }
    /// Diffuse colour of dielectrics, specular colour of metals; alpha is opacity.
    public var baseColor: ColorSlot {
        get { values.baseColor }
        set { values.baseColor = newValue }
    }
    /// 0 dielectric … 1 metal.
    public var metalness: ScalarSlot {
        get { values.metalness }
        set { values.metalness = newValue }
    }
    /// 0 mirror … 1 matte; perceptual (the microfacet width is its square).
    public var roughness: ScalarSlot {
        get { values.roughness }
        set { values.roughness = newValue }
    }
    /// The normal map. Default: none.
    public var normal: NormalSlot {
        get { values.normal }
        set { values.normal = newValue }
    }
    /// Share of the environment's light that arrives at the surface; `intensity` 0 ignores the map, 1 applies it fully.
    public var occlusion: ScalarSlot {
        get { values.occlusion }
        set { values.occlusion = newValue }
    }
    /// Emitted light, linear; factors above 1 are allowed (KHR_materials_emissive_strength).
    public var emission: ColorSlot {
        get { values.emission }
        set { values.emission = newValue }
    }
    /// Baked light: the radiance of a white matte surface, which is irradiance divided by π. With a map it replaces the environment's diffuse light and
    /// its occlusion; lights of the scene add to it. Default: no map, no effect.
    public var lightMap: ColorSlot {
        get { values.lightMap }
        set { values.lightMap = newValue }
    }
    /// Multiplies the base colour's alpha; used by `alphaMode` `.blend` and `.mask`.
    public var opacity: ScalarSlot {
        get { values.opacity }
        set { values.opacity = newValue }
    }
    /// A protective layer. Default: none.
    public var clearcoat: Clearcoat {
        get { values.clearcoat }
        set { values.clearcoat = newValue }
    }
    /// Index of refraction of the dielectric: 1.5 reflects 4 % straight on; 1 nothing; 0 everything (KHR_materials_ior).
    public var ior: Float {
        get { values.ior }
        set { values.ior = newValue }
    }
    /// Strength and tint of the dielectric reflection.
    public var specular: Specular {
        get { values.specular }
        set { values.specular = newValue }
    }
    /// Fine fibres. Default: none.
    public var sheen: Sheen {
        get { values.sheen }
        set { values.sheen = newValue }
    }
    /// Transmitted light. Default: none.
    public var transmission: Transmission {
        get { values.transmission }
        set { values.transmission = newValue }
    }
    /// The medium below a transmissive surface.
    public var volume: Volume {
        get { values.volume }
        set { values.volume = newValue }
    }
    /// A thin film. Default: none.
    public var iridescence: Iridescence {
        get { values.iridescence }
        set { values.iridescence = newValue }
    }
    /// Stretched reflections. Default: none.
    public var anisotropy: Anisotropy {
        get { values.anisotropy }
        set { values.anisotropy = newValue }
    }
    /// For the `phong` and `blinn` lighting models.
    public var highlight: Highlight {
        get { values.highlight }
        set { values.highlight = newValue }
    }
    /// WGSL that changes the surface before it is lit.
    public var surfaceFunction: SurfaceFunction? {
        get { values.surfaceFunction }
        set { values.surfaceFunction = newValue }
    }
    /// A height map for model files; not rendered.
    public var displacement: DisplacementSlot {
        get { values.displacement }
        set { values.displacement = newValue }
    }
    /// How alpha is used. Default `.opaque`.
    public var alphaMode: AlphaMode {
        get { values.alphaMode }
        set { values.alphaMode = newValue }
    }
    /// An invisible surface that shows only the shadows on it: black, with the share of blocked light as its opacity.
    ///
    /// Receives shadows of lights that cast them, and of the brightest parts of the environment. All other properties of the material are
    /// ignored except `isDoubleSided`; the surface casts no shadow itself.
    public var isShadowReceiver: Bool {
        get { values.isShadowReceiver }
        set { values.isShadowReceiver = newValue }
    }
    /// Whether back faces are drawn too, with flipped normals.
    public var isDoubleSided: Bool {
        get { values.isDoubleSided }
        set { values.isDoubleSided = newValue }
    }
}

extension Material {
    /// Calls `change` for every slot's map, in a fixed order; it may replace or remove the map. The textures of a surface
    /// function stay.
    public func changeMaps(_ change: (inout TextureMap?) -> Void) {
        change(&baseColor.map)
        change(&metalness.map)
        change(&roughness.map)
        change(&normal.map)
        change(&occlusion.map)
        change(&emission.map)
        change(&lightMap.map)
        change(&clearcoat.factor.map)
        change(&clearcoat.roughness.map)
        change(&clearcoat.normal.map)
        change(&displacement.map)
        change(&opacity.map)
        change(&specular.factor.map)
        change(&specular.color.map)
        change(&sheen.color.map)
        change(&sheen.roughness.map)
        change(&transmission.factor.map)
        change(&volume.thickness.map)
        change(&iridescence.factor.map)
        change(&iridescence.thicknessMap)
        change(&anisotropy.map)
        change(&highlight.color.map)
    }

    /// The maps of all slots that have one, in the order of `changeMaps`.
    public var textureMaps: [TextureMap] {
        var found: [TextureMap] = []
        changeMaps { map in if let map { found.append(map) } }
        return found
    }

    /// Every texture in use, including those of a surface function, in a fixed order, each once.
    public var textures: [Texture] {
        var found: [Texture] = []
        for map in textureMaps + (surfaceFunction?.textures.map { $0.map } ?? []) where !found.contains(where: { $0 === map.texture }) {
            found.append(map.texture)
        }
        return found
    }

    /// Removes `texture` from every slot that uses it; the slots keep their factors.
    package func removeMaps(of texture: Texture) {
        changeMaps { map in if map?.texture === texture { map = nil } }
    }
}

// MARK: Lobes

/// A protective layer over the surface (KHR_materials_clearcoat): dielectric, index of refraction 1.5.
public struct Clearcoat {
    /// 0: none, 1: full.
    public var factor: ScalarSlot
    /// 0 mirror … 1 matte; perceptual.
    public var roughness: ScalarSlot
    /// The coat's own normal map; without one the coat has the surface's normals without its normal map.
    public var normal: NormalSlot

    /// Makes a coat; without arguments it has no effect.
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

    /// Makes a highlight.
    public init(color: ColorSlot = ColorSlot(Vector4(1, 1, 1, 1)), shininess: Float = 30) {
        (self.color, self.shininess) = (color, shininess)
    }
}

/// The specular reflection of a dielectric (KHR_materials_specular).
public struct Specular {
    /// 0: no reflection, 1: as given by the index of refraction. In the texture's alpha.
    public var factor: ScalarSlot
    /// Tints the reflection at normal incidence; linear, above 1 allowed.
    public var color: ColorSlot

    /// Makes the reflection of the index of refraction.
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

    /// Makes a sheen; without arguments it has no effect.
    public init(color: ColorSlot = ColorSlot(Vector4(0, 0, 0, 1)), roughness: ScalarSlot = ScalarSlot(0, channel: .alpha)) {
        (self.color, self.roughness) = (color, roughness)
    }
}

/// Light that passes through the surface without being scattered inside (KHR_materials_transmission, KHR_materials_dispersion).
public struct Transmission {
    /// 0: opaque, 1: all light that is not reflected is transmitted. In the texture's red.
    public var factor: ScalarSlot
    /// Dispersion in a volume: 20 / Abbe number; 0: none.
    public var dispersion: Float

    /// Makes a transmission; without arguments it has no effect.
    public init(factor: ScalarSlot = 0.0, dispersion: Float = 0) { (self.factor, self.dispersion) = (factor, dispersion) }
}

/// The volume below the surface (KHR_materials_volume).
public struct Volume {
    /// Metres in the mesh's local frame; 0: a thin wall without refraction. In the texture's green.
    public var thickness: ScalarSlot
    /// Metres after which white light has `attenuationColor`; infinite: clear.
    public var attenuationDistance: Float
    /// Linear, 0…1.
    public var attenuationColor: Vector3

    /// Makes a volume; without arguments a thin wall.
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

    /// Makes a film; without arguments it has no effect. Thicknesses are in nanometres.
    public init(
        factor: ScalarSlot = 0.0, ior: Float = 1.3, thickness: (minimum: Float, maximum: Float) = (100, 400),
        thicknessMap: TextureMap? = nil
    ) {
        (self.factor, self.ior, self.thickness, self.thicknessMap) = (factor, ior, thickness, thicknessMap)
    }
}

/// Reflections stretched along a direction, as on brushed metal (KHR_materials_anisotropy).
public struct Anisotropy {
    /// 0: isotropic, 1: most stretched.
    public var strength: Float
    /// The direction in tangent space, counter-clockwise from the tangent.
    public var rotation: Angle
    /// Red and green −1…1: the direction, rotated by `rotation`; blue 0…1: multiplies `strength`.
    public var map: TextureMap?

    /// Makes an anisotropy; without arguments it has no effect.
    public init(strength: Float = 0, rotation: Angle = .zero, map: TextureMap? = nil) {
        (self.strength, self.rotation, self.map) = (strength, rotation, map)
    }
}
