import VitrineMath
import VitrineScene

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
