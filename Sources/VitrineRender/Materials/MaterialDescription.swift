// What the renderer reads of a material, lobe by lobe: when a lobe is compiled, which textures it samples, which numbers it takes.

import VitrineMath
import VitrineScene

/// The optional parts of a material's shader: compiled only for materials that use them.
struct SurfaceLobes: OptionSet, Hashable {
    var rawValue: UInt16

    /// Microfacets; without it one of the three models after it.
    static let physical = SurfaceLobes(rawValue: 1 << 0)
    static let lambert = SurfaceLobes(rawValue: 1 << 1)
    static let phong = SurfaceLobes(rawValue: 1 << 2)
    static let blinn = SurfaceLobes(rawValue: 1 << 3)
    static let coat = SurfaceLobes(rawValue: 1 << 4)
    static let sheen = SurfaceLobes(rawValue: 1 << 5)
    static let specular = SurfaceLobes(rawValue: 1 << 6)
    static let anisotropy = SurfaceLobes(rawValue: 1 << 7)
    static let iridescence = SurfaceLobes(rawValue: 1 << 8)
    static let transmission = SurfaceLobes(rawValue: 1 << 9)
    static let volume = SurfaceLobes(rawValue: 1 << 10)
    static let dispersion = SurfaceLobes(rawValue: 1 << 11)
    static let function = SurfaceLobes(rawValue: 1 << 12)
    static let constant = SurfaceLobes(rawValue: 1 << 13)
    static let shadowReceiver = SurfaceLobes(rawValue: 1 << 14)

    /// Each with its name in `#if`.
    static let names: [(SurfaceLobes, String)] = [
        (.physical, "PHYSICAL"), (.lambert, "LAMBERT"), (.phong, "PHONG"), (.blinn, "BLINN"), (.coat, "COAT"), (.sheen, "SHEEN"),
        (.specular, "SPECULAR"), (.anisotropy, "ANISOTROPY"), (.iridescence, "IRIDESCENCE"), (.transmission, "TRANSMISSION"),
        (.volume, "VOLUME"), (.dispersion, "DISPERSION"), (.function, "FUNCTION"), (.constant, "CONSTANT"),
        (.shadowReceiver, "SHADOW_RECEIVER"),
    ]

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The lobes of a material: a lobe with factor 0 is left out.
    init(_ m: Material) {
        self = []
        guard !m.isShadowReceiver else {
            self = [.shadowReceiver, .lambert]
            return
        }
        if m.surfaceFunction != nil { insert(.function) }
        switch m.lightingModel {
        case .constant: insert(.constant)
        case .lambert: insert(.lambert)
        case .phong: insert(.phong)
        case .blinn: insert(.blinn)
        case .physicallyBased:
            insert(.physical)
            addLayers(of: m)
        }
    }

    private mutating func addLayers(of m: Material) {
        func has(_ name: StaticString) -> Bool { m.surfaceFunction?.sets(name) ?? false }
        if m.clearcoat.factor.shows || has("coat") { insert(.coat) }
        if m.sheen.color.shows || has("sheenColor") { insert(.sheen) }
        let s = m.specular
        if m.ior != 1.5 || s.factor.factor * s.factor.intensity != 1 || s.factor.map != nil || s.color.map != nil || s.color.tints
            || has("specular") || has("specularColor") || has("ior")
        {
            insert(.specular)
        }
        if m.anisotropy.strength != 0 || has("anisotropy") { insert(.anisotropy) }
        if m.iridescence.factor.shows || has("iridescence") { insert(.iridescence) }
        if m.transmission.factor.shows || has("transmission") {
            insert(.transmission)
            if m.volume.thickness.shows || has("thickness") {
                insert(.volume)
                if m.transmission.dispersion > 0 { insert(.dispersion) }
            }
        }
    }

    /// The slots that are read.
    var slots: [MaterialSlot] {
        if contains(.shadowReceiver) { return [] }
        if contains(.constant) { return [.baseColor, .opacity] }
        var slots: [MaterialSlot] = [.baseColor, .normal, .occlusion, .emission, .opacity]
        if contains(.phong) || contains(.blinn) { slots.append(.highlight) }
        guard contains(.physical) else { return slots }
        // Fixed binding order: roughness before slots that share its texels.
        slots += [.roughness, .metalness]
        if contains(.coat) { slots += [.coat, .coatRoughness, .coatNormal] }
        if contains(.specular) { slots += [.specularColor, .specular] }
        if contains(.sheen) { slots += [.sheenColor, .sheenRoughness] }
        if contains(.transmission) { slots.append(.transmission) }
        if contains(.volume) { slots.append(.thickness) }
        if contains(.iridescence) { slots += [.iridescence, .iridescenceThickness] }
        if contains(.anisotropy) { slots.append(.anisotropy) }
        return slots
    }
}

extension ScalarSlot {
    fileprivate var shows: Bool { factor * intensity > 0 }
}

extension ColorSlot {
    fileprivate var shows: Bool { factor.xyz.max() * intensity > 0 }
    fileprivate var tints: Bool { factor.xyz * intensity != .init(repeating: 1) }
}

/// The properties of a material that can come from a texture.
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

    /// How the renderer interprets the texels.
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

    /// The condition for `#if` in the shader's text; nil if no shader tests it.
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

/// A material's numbers. Values that may come from a texture are vectors of four: the factor in the channel that holds the value, so that the
/// dot product with a texel is the value, and a white texel gives the factor.
struct MaterialUniforms: ShaderStructure {
    var baseColor: Vector4
    /// Linear; w is 0.
    var emission: Vector4
    var normalScale: Float
    var coatNormalScale: Float
    /// Share of the occlusion map that is applied, 0…1.
    var occlusionStrength: Float
    /// Index of refraction.
    var ior: Float
    var metalness: Vector4
    var roughness: Vector4
    var occlusion: Vector4
    var opacity: Vector4
    var coat: Vector4
    var coatRoughness: Vector4
    var specular: Vector4
    var specularColor: Vector4
    var sheenColor: Vector4
    var sheenRoughness: Vector4
    var transmission: Vector4
    var thickness: Vector4
    /// Rate per metre at which light fades inside, by channel; w is 0.
    var attenuation: Vector4
    var iridescence: Vector4
    var filmIOR: Float
    /// Thickness of the film in nanometres where its texel is 0.
    var filmMinimum: Float
    /// Thickness of the film in nanometres where its texel is 1, or everywhere without a map.
    var filmMaximum: Float
    var dispersion: Float
    /// Cosine and sine of the rotation.
    var anisotropyDirection: Vector2
    var anisotropyStrength: Float
    /// Alpha below which a masked surface is not drawn.
    var alphaCutoff: Float
    /// Colour and exponent of the highlight.
    var highlight: Vector4

    static let name = "Material"
    static let fields: [ShaderField<MaterialUniforms>] = [
        .init("baseColor") { $0.baseColor }, .init("emission") { $0.emission }, .init("normalScale") { $0.normalScale },
        .init("coatNormalScale") { $0.coatNormalScale }, .init("occlusionStrength") { $0.occlusionStrength }, .init("ior") { $0.ior },
        .init("metalness") { $0.metalness }, .init("roughness") { $0.roughness }, .init("occlusion") { $0.occlusion },
        .init("opacity") { $0.opacity }, .init("coat") { $0.coat }, .init("coatRoughness") { $0.coatRoughness },
        .init("specular") { $0.specular }, .init("specularColor") { $0.specularColor }, .init("sheenColor") { $0.sheenColor },
        .init("sheenRoughness") { $0.sheenRoughness }, .init("transmission") { $0.transmission }, .init("thickness") { $0.thickness },
        .init("attenuation") { $0.attenuation }, .init("iridescence") { $0.iridescence }, .init("filmIOR") { $0.filmIOR },
        .init("filmMinimum") { $0.filmMinimum }, .init("filmMaximum") { $0.filmMaximum }, .init("dispersion") { $0.dispersion },
        .init("anisotropyDirection") { $0.anisotropyDirection }, .init("anisotropyStrength") { $0.anisotropyStrength },
        .init("alphaCutoff") { $0.alphaCutoff }, .init("highlight") { $0.highlight },
    ]
    /// Two rows (a, b, c, set) per texture sample: u' = a u + b v + c. The array is never empty.
    static let trailingArray: String? = "transforms: array<vec4f, TRANSFORM_ROWS>"

    static func transformRows(samples: Int) -> Int { max(2, 2 * samples) }

    /// Bytes of the whole block.
    static func byteCount(samples: Int) -> Int { byteCount + transformRows(samples: samples) * 16 }

    init(_ m: Material) {
        baseColor = Vector4(m.baseColor.factor.xyz * m.baseColor.intensity, m.baseColor.factor.w)
        emission = m.emission.linear
        (normalScale, coatNormalScale) = (m.normal.scale, m.clearcoat.normal.scale)
        (occlusionStrength, ior) = (m.occlusion.intensity, m.ior)
        (metalness, roughness) = (m.metalness.channelFactors, m.roughness.channelFactors)
        // Occlusion's intensity is how much of the slot is applied, not a factor.
        var unscaled = m.occlusion
        unscaled.intensity = 1
        occlusion = unscaled.channelFactors
        opacity = m.opacity.channelFactors
        (coat, coatRoughness) = (m.clearcoat.factor.channelFactors, m.clearcoat.roughness.channelFactors)
        (specular, specularColor) = (m.specular.factor.channelFactors, m.specular.color.linear)
        (sheenColor, sheenRoughness) = (m.sheen.color.linear, m.sheen.roughness.channelFactors)
        (transmission, thickness) = (m.transmission.factor.channelFactors, m.volume.thickness.channelFactors)
        (attenuation, dispersion) = (Vector4(m.volume.attenuation, 0), m.transmission.dispersion)
        iridescence = m.iridescence.factor.channelFactors
        (filmIOR, filmMinimum, filmMaximum) = (m.iridescence.ior, m.iridescence.thickness.minimum, m.iridescence.thickness.maximum)
        let rotation = m.anisotropy.rotation.radians
        (anisotropyDirection, anisotropyStrength) = (Vector2(cos(rotation), sin(rotation)), m.anisotropy.strength)
        if case .mask(let cutoff) = m.alphaMode { alphaCutoff = cutoff } else { alphaCutoff = 0 }
        highlight = Vector4(m.highlight.color.linear.xyz, max(m.highlight.shininess, 0))
    }
}

extension ColorSlot {
    /// Colour times intensity; w is 0.
    fileprivate var linear: Vector4 { Vector4(factor.xyz * intensity, 0) }
}

extension ScalarSlot {
    /// The factor in the channel that the map holds the value in, 0 in the others; in the first channel without a map.
    fileprivate var channelFactors: Vector4 {
        var factors = Vector4(repeating: 0)
        factors[map == nil ? 0 : channel.rawValue] = factor * intensity
        return factors
    }
}

extension Volume {
    /// Rate per metre at which the logarithm of light falls, by channel; 0 if nothing is absorbed.
    fileprivate var attenuation: Vector3 {
        guard attenuationDistance > 0, attenuationDistance.isFinite else { return Vector3(repeating: 0) }
        var rates = Vector3(repeating: 0)
        for channel in 0..<3 { rates[channel] = -log(clamp(attenuationColor[channel], 1e-6, 1)) / attenuationDistance }
        return rates
    }
}
