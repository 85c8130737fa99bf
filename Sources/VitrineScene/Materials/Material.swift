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
    /// For lookups and messages.
    public var name: String
    /// How the surface reflects light. Default `.physicallyBased`.
    public var lightingModel: LightingModel = .physicallyBased
    /// Diffuse colour of dielectrics, specular colour of metals; alpha is opacity.
    public var baseColor: ColorSlot
    /// 0 dielectric … 1 metal.
    public var metalness: ScalarSlot
    /// 0 mirror … 1 matte; perceptual (the microfacet width is its square).
    public var roughness: ScalarSlot
    /// The normal map. Default: none.
    public var normal = NormalSlot()
    /// Share of the environment's light that arrives at the surface; `intensity` 0 ignores the map, 1 applies it fully.
    public var occlusion = ScalarSlot(1)
    /// Emitted light, linear; factors above 1 are allowed (KHR_materials_emissive_strength).
    public var emission = ColorSlot(Vector4(0, 0, 0, 1))
    /// Multiplies the base colour's alpha; used by `alphaMode` `.blend` and `.mask`.
    public var opacity = ScalarSlot(1)
    /// A protective layer. Default: none.
    public var clearcoat = Clearcoat()
    /// Index of refraction of the dielectric: 1.5 reflects 4 % straight on; 1 nothing; 0 everything (KHR_materials_ior).
    public var ior: Float = 1.5
    /// Strength and tint of the dielectric reflection.
    public var specular = Specular()
    /// Fine fibres. Default: none.
    public var sheen = Sheen()
    /// Transmitted light. Default: none.
    public var transmission = Transmission()
    /// The medium below a transmissive surface.
    public var volume = Volume()
    /// A thin film. Default: none.
    public var iridescence = Iridescence()
    /// Stretched reflections. Default: none.
    public var anisotropy = Anisotropy()
    /// For the `phong` and `blinn` lighting models.
    public var highlight = Highlight()
    /// WGSL that changes the surface before it is lit.
    public var surfaceFunction: SurfaceFunction?
    /// A height map for model files; not rendered.
    public var displacement = DisplacementSlot()
    /// How alpha is used. Default `.opaque`.
    public var alphaMode: AlphaMode = .opaque
    /// An invisible surface that shows only the shadows on it: black, with the share of blocked light as its opacity.
    ///
    /// Receives shadows of lights that cast them, and of the brightest parts of the environment. All other properties of the material are
    /// ignored except `isDoubleSided`; the surface casts no shadow itself.
    public var isShadowReceiver = false
    /// Whether back faces are drawn too, with flipped normals.
    public var isDoubleSided = false

    /// Makes a physically based material.
    public init(name: String = "", baseColor: Color = .white, metalness: Float = 0, roughness: Float = 0.5) {
        self.name = name
        self.baseColor = ColorSlot(baseColor)
        self.metalness = ScalarSlot(metalness)
        self.roughness = ScalarSlot(roughness)
    }
}
