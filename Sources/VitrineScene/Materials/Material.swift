import VitrineMath

/// The model by which a surface reflects light.
public enum LightingModel: Equatable, Hashable, Sendable {
    /// Physically based: metalness and roughness, energy-conserving.
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

/// The use of alpha.
public enum AlphaMode: Equatable, Hashable, Sendable {
    /// Alpha is ignored.
    case opaque
    /// Opaque where alpha is at least `cutoff`; elsewhere nothing is drawn.
    case mask(cutoff: Float)
    /// Blended over the background, farthest surfaces first.
    case blend
}

/// The appearance of a surface. A reference type: a change affects all parts that share the material.
///
/// ```swift
/// let paint = Material(baseColor: Color(sRGB: 0xB00020), metalness: 0, roughness: 0.4)
/// paint.clearcoat.factor = 1
/// ```
public final class Material {
    /// The values that `copy` copies.
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

    /// Creates a physically based material.
    public init(name: String = "", baseColor: Color = .white, metalness: Float = 0, roughness: Float = 0.5) {
        values = Values(
            name: name, baseColor: ColorSlot(baseColor), metalness: ScalarSlot(metalness), roughness: ScalarSlot(roughness))
    }

    private init(_ values: Values) { self.values = values }

    /// Returns a new material with the same values. The textures are shared with the original.
    public func copy() -> Material { Material(values) }

    // MARK: Properties

    /// The name, for lookups and messages.
    public var name: String {
        get { values.name }
        set { values.name = newValue }
    }
    /// The lighting model. Default `.physicallyBased`.
    public var lightingModel: LightingModel {
        get { values.lightingModel }
        set { values.lightingModel = newValue }
    }
    /// The diffuse colour of dielectrics and the specular colour of metals; alpha is opacity.
    public var baseColor: ColorSlot {
        get { values.baseColor }
        set { values.baseColor = newValue }
    }
    /// The metalness: 0 dielectric … 1 metal.
    public var metalness: ScalarSlot {
        get { values.metalness }
        set { values.metalness = newValue }
    }
    /// The perceptual roughness: 0 mirror … 1 matte (the microfacet width is its square).
    public var roughness: ScalarSlot {
        get { values.roughness }
        set { values.roughness = newValue }
    }
    /// The normal map. Default: none.
    public var normal: NormalSlot {
        get { values.normal }
        set { values.normal = newValue }
    }
    /// The fraction of the environment's light that reaches the surface; `intensity` 0 ignores the map, 1 applies it fully.
    public var occlusion: ScalarSlot {
        get { values.occlusion }
        set { values.occlusion = newValue }
    }
    /// The emitted light, linear; factors above 1 are allowed (KHR_materials_emissive_strength).
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
    /// The factor on the base colour's alpha; used by `alphaMode` `.blend` and `.mask`.
    public var opacity: ScalarSlot {
        get { values.opacity }
        set { values.opacity = newValue }
    }
    /// The clear coat. Default: none.
    public var clearcoat: Clearcoat {
        get { values.clearcoat }
        set { values.clearcoat = newValue }
    }
    /// The index of refraction of the dielectric: 1.5 reflects 4 % at normal incidence, 1 nothing, 0 everything (KHR_materials_ior).
    public var ior: Float {
        get { values.ior }
        set { values.ior = newValue }
    }
    /// The strength and tint of the dielectric reflection.
    public var specular: Specular {
        get { values.specular }
        set { values.specular = newValue }
    }
    /// The sheen of fine fibres. Default: none.
    public var sheen: Sheen {
        get { values.sheen }
        set { values.sheen = newValue }
    }
    /// The transmission of light through the surface. Default: no transmission.
    public var transmission: Transmission {
        get { values.transmission }
        set { values.transmission = newValue }
    }
    /// The medium below a transmissive surface.
    public var volume: Volume {
        get { values.volume }
        set { values.volume = newValue }
    }
    /// The thin film. Default: none.
    public var iridescence: Iridescence {
        get { values.iridescence }
        set { values.iridescence = newValue }
    }
    /// The anisotropy of reflections. Default: none.
    public var anisotropy: Anisotropy {
        get { values.anisotropy }
        set { values.anisotropy = newValue }
    }
    /// The highlight of the `phong` and `blinn` lighting models.
    public var highlight: Highlight {
        get { values.highlight }
        set { values.highlight = newValue }
    }
    /// Custom WGSL that changes the surface before it is lit.
    public var surfaceFunction: SurfaceFunction? {
        get { values.surfaceFunction }
        set { values.surfaceFunction = newValue }
    }
    /// The height map, stored for model files; not rendered.
    public var displacement: DisplacementSlot {
        get { values.displacement }
        set { values.displacement = newValue }
    }
    /// The use of alpha. Default `.opaque`.
    public var alphaMode: AlphaMode {
        get { values.alphaMode }
        set { values.alphaMode = newValue }
    }
    /// Whether the surface is a shadow receiver: invisible except for the shadows on it, black with the fraction of blocked light as its opacity.
    ///
    /// It receives shadows of lights that cast them, and of the brightest parts of the environment. All other properties of the material are ignored
    /// except `isDoubleSided`; the surface itself casts no shadow.
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
    /// Calls `change` for every slot's map, in a fixed order; `change` may replace or remove the map. The textures of a surface function are not
    /// included.
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

    /// All textures in use, including those of a surface function, in a fixed order, without duplicates.
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

/// A clear coat over the surface (KHR_materials_clearcoat): a dielectric with an index of refraction of 1.5.
public struct Clearcoat {
    /// The strength: 0 for none, 1 for a full coat.
    public var factor: ScalarSlot
    /// The perceptual roughness: 0 mirror … 1 matte.
    public var roughness: ScalarSlot
    /// The coat's normal map; without one, the coat has the normals of the mesh, without the surface's normal map.
    public var normal: NormalSlot

    /// Creates a coat; without arguments it has no effect.
    public init(factor: ScalarSlot = 0.0, roughness: ScalarSlot = 0.0, normal: NormalSlot = NormalSlot()) {
        (self.factor, self.roughness, self.normal) = (factor, roughness, normal)
    }
}

/// The highlight of the `phong` and `blinn` lighting models.
public struct Highlight {
    /// The linear colour; black for no highlight.
    public var color: ColorSlot
    /// The exponent, at least 0: a greater exponent gives a smaller, sharper highlight.
    public var shininess: Float

    /// Creates a highlight.
    public init(color: ColorSlot = ColorSlot(Vector4(1, 1, 1, 1)), shininess: Float = 30) {
        (self.color, self.shininess) = (color, shininess)
    }
}

/// The specular reflection of a dielectric (KHR_materials_specular).
public struct Specular {
    /// The strength: 0 for no reflection, 1 for that of the index of refraction. Stored in the texture's alpha.
    public var factor: ScalarSlot
    /// The tint of the reflection at normal incidence; linear, values above 1 are allowed.
    public var color: ColorSlot

    /// Creates a reflection; without arguments, that of the index of refraction.
    public init(factor: ScalarSlot = ScalarSlot(1, channel: .alpha), color: ColorSlot = ColorSlot(Vector4(1, 1, 1, 1))) {
        (self.factor, self.color) = (factor, color)
    }
}

/// The sheen of fine fibres on the surface, as of velvet (KHR_materials_sheen).
public struct Sheen {
    /// The linear colour; black for no sheen.
    public var color: ColorSlot
    /// The perceptual roughness, 0…1. Stored in the texture's alpha.
    public var roughness: ScalarSlot

    /// Creates a sheen; without arguments it has no effect.
    public init(color: ColorSlot = ColorSlot(Vector4(0, 0, 0, 1)), roughness: ScalarSlot = ScalarSlot(0, channel: .alpha)) {
        (self.color, self.roughness) = (color, roughness)
    }
}

/// Light that passes through the surface without being scattered inside (KHR_materials_transmission, KHR_materials_dispersion).
public struct Transmission {
    /// The fraction: 0 for opaque, 1 if all light that is not reflected is transmitted. Stored in the texture's red.
    public var factor: ScalarSlot
    /// The dispersion in a volume: 20 / Abbe number; 0 for none.
    public var dispersion: Float

    /// Creates a transmission; without arguments it has no effect.
    public init(factor: ScalarSlot = 0.0, dispersion: Float = 0) { (self.factor, self.dispersion) = (factor, dispersion) }
}

/// The volume below the surface (KHR_materials_volume).
public struct Volume {
    /// The thickness in metres in the mesh's local frame; 0 for a thin wall without refraction. Stored in the texture's green.
    public var thickness: ScalarSlot
    /// The distance in metres after which white light has `attenuationColor`; infinite for a clear volume.
    public var attenuationDistance: Float
    /// The linear colour of white light after `attenuationDistance`, 0…1.
    public var attenuationColor: Vector3

    /// Creates a volume; without arguments a thin wall.
    public init(
        thickness: ScalarSlot = ScalarSlot(0, channel: .green), attenuationDistance: Float = .infinity,
        attenuationColor: Vector3 = Vector3(1, 1, 1)
    ) {
        (self.thickness, self.attenuationDistance, self.attenuationColor) = (thickness, attenuationDistance, attenuationColor)
    }
}

/// A thin film whose colour changes with the viewing angle, as of soap bubbles (KHR_materials_iridescence).
public struct Iridescence {
    /// The strength: 0 for none, 1 for full. Stored in the texture's red.
    public var factor: ScalarSlot
    /// The film's index of refraction.
    public var ior: Float
    /// The thickness in nanometres where the texture is 0, and where it is 1 or absent.
    public var thickness: (minimum: Float, maximum: Float)
    /// The map of the thickness between both values, in its green channel.
    public var thicknessMap: TextureMap?

    /// Creates a film; without arguments it has no effect. Thicknesses are in nanometres.
    public init(
        factor: ScalarSlot = 0.0, ior: Float = 1.3, thickness: (minimum: Float, maximum: Float) = (100, 400),
        thicknessMap: TextureMap? = nil
    ) {
        (self.factor, self.ior, self.thickness, self.thicknessMap) = (factor, ior, thickness, thicknessMap)
    }
}

/// The anisotropy of reflections, which are stretched along a direction, as on brushed metal (KHR_materials_anisotropy).
public struct Anisotropy {
    /// The strength: 0 for isotropic reflections, 1 for the largest anisotropy.
    public var strength: Float
    /// The direction in tangent space, counter-clockwise from the tangent.
    public var rotation: Angle
    /// The map: red and green −1…1 are the direction, rotated by `rotation`; blue 0…1 multiplies `strength`.
    public var map: TextureMap?

    /// Creates an anisotropy; without arguments it has no effect.
    public init(strength: Float = 0, rotation: Angle = .zero, map: TextureMap? = nil) {
        (self.strength, self.rotation, self.map) = (strength, rotation, map)
    }
}
