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
