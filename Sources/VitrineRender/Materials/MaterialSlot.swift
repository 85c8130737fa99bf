import VitrineScene

/// What of a material can come from a texture.
enum MaterialSlot: Int, CaseIterable {
    case baseColor, metalness, roughness, normal, occlusion, emission, opacity
    case coat, coatRoughness, coatNormal
    case specular, specularColor, sheenColor, sheenRoughness
    case transmission, thickness, iridescence, iridescenceThickness, anisotropy, highlight

    /// Every slot, the most visible ones first: the last ones are dropped if a GPU cannot bind all textures of a material.
    static let byImportance: [MaterialSlot] = [
        .baseColor, .opacity, .normal, .roughness, .metalness, .emission, .transmission, .occlusion, .coat, .sheenColor, .highlight,
        .iridescence, .specularColor, .thickness, .specular, .anisotropy, .coatNormal, .coatRoughness, .sheenRoughness,
        .iridescenceThickness,
    ]

    /// What the texels mean.
    var use: TextureUse {
        switch self {
        case .baseColor, .emission, .specularColor, .sheenColor, .highlight: .color
        case .normal, .coatNormal: .normal
        default: .data
        }
    }

    /// The function in WGSL that gives the slot's texel, before `Texel`.
    var name: String {
        switch self {
        case .baseColor: "baseColor"
        case .metalness: "metalness"
        case .roughness: "roughness"
        case .normal: "normal"
        case .occlusion: "occlusion"
        case .emission: "emission"
        case .opacity: "opacity"
        case .coat: "coat"
        case .coatRoughness: "coatRoughness"
        case .coatNormal: "coatNormal"
        case .specular: "specular"
        case .specularColor: "specularColor"
        case .sheenColor: "sheenColor"
        case .sheenRoughness: "sheenRoughness"
        case .transmission: "transmission"
        case .thickness: "thickness"
        case .iridescence: "iridescence"
        case .iridescenceThickness: "iridescenceThickness"
        case .anisotropy: "anisotropy"
        case .highlight: "highlight"
        }
    }

    /// What the shader's text can ask for by `#if`; nil: it needs not.
    var condition: String? {
        switch self {
        case .normal: "NORMAL_MAP"
        case .coatNormal: "COAT_NORMAL_MAP"
        case .occlusion: "OCCLUSION_MAP"
        case .anisotropy: "ANISOTROPY_MAP"
        default: nil
        }
    }

    func map(of m: Material) -> TextureMap? {
        switch self {
        case .baseColor: m.baseColor.map
        case .metalness: m.metalness.map
        case .roughness: m.roughness.map
        case .normal: m.normal.map
        case .occlusion: m.occlusion.map
        case .emission: m.emission.map
        case .opacity: m.opacity.map
        case .coat: m.clearcoat.factor.map
        case .coatRoughness: m.clearcoat.roughness.map
        case .coatNormal: m.clearcoat.normal.map
        case .specular: m.specular.factor.map
        case .specularColor: m.specular.color.map
        case .sheenColor: m.sheen.color.map
        case .sheenRoughness: m.sheen.roughness.map
        case .transmission: m.transmission.factor.map
        case .thickness: m.volume.thickness.map
        case .iridescence: m.iridescence.factor.map
        case .iridescenceThickness: m.iridescence.thicknessMap
        case .anisotropy: m.anisotropy.map
        case .highlight: m.highlight.color.map
        }
    }

    /// Whether only alpha is read, which is the same in colour and data textures.
    func readsOnlyAlpha(of m: Material) -> Bool {
        switch self {
        case .opacity: m.opacity.channel == .alpha
        case .specular: m.specular.factor.channel == .alpha
        case .sheenRoughness: m.sheen.roughness.channel == .alpha
        default: false
        }
    }
}
