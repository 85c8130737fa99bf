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
}
