import VitrineMath
import VitrineScene

/// A material's numbers and maps. Values that may come from a map are vectors of four: the factor in the channel that holds the value, as in the
/// real-time renderer's `MaterialUniforms`.
struct PathMaterial: BitwiseCopyable {
    /// The model by which light is reflected.
    enum Model: UInt8 { case physical, lambert, phong, blinn, constant, shadowReceiver }

    /// The use of alpha.
    enum Alpha: UInt8 { case opaque, mask, blend }

    let model: Model
    let alphaMode: Alpha
    let isDoubleSided: Bool
    let hasCoat, hasSheen, hasTransmission, hasVolume, hasDispersion, hasFilm, hasAnisotropy: Bool
    let needsTangents: Bool
    let alphaCutoff: Float

    let baseColor, emission: Vector4
    let metalness, roughness, opacity, coat, coatRoughness, specular, sheenRoughness, transmission, iridescence: Vector4
    let specularColor, sheenColor: Vector3
    let highlight: Vector4
    let normalScale, coatNormalScale: Float
    let ior, dispersion: Float
    /// Rate per metre at which light fades inside.
    let attenuation: Vector3
    let filmIOR, filmMinimum, filmMaximum: Float
    let anisotropy: Float
    let anisotropyDirection: Vector2

    let baseColorMap, emissionMap, metalnessMap, roughnessMap, opacityMap, normalMap: MapReference
    let coatMap, coatRoughnessMap, coatNormalMap: MapReference
    let specularMap, specularColorMap, sheenColorMap, sheenRoughnessMap: MapReference
    let transmissionMap, iridescenceMap, filmThicknessMap, anisotropyMap, highlightMap: MapReference

    /// Indices of the energy tables of `ior`; the second pair is for light through a volume, from outside and from inside.
    let dielectricTable, outerGlassTable, innerGlassTable: Int32

    init(_ m: Material, _ textures: TextureTable, _ tables: inout EnergyTables) throws(PathTracerError) {
        guard m.surfaceFunction == nil || m.isShadowReceiver else { throw .surfaceFunction(material: m.name) }
        model =
            if m.isShadowReceiver { .shadowReceiver } else {
                switch m.lightingModel {
                case .physicallyBased: .physical
                case .constant: .constant
                case .lambert: .lambert
                case .phong: .phong
                case .blinn: .blinn
                }
            }
        switch m.alphaMode {
        case .opaque: (alphaMode, alphaCutoff) = (.opaque, 0)
        case .mask(let cutoff): (alphaMode, alphaCutoff) = (.mask, cutoff)
        case .blend: (alphaMode, alphaCutoff) = (.blend, 0)
        }
        isDoubleSided = m.isDoubleSided
        let isPhysical = model == .physical
        hasCoat = isPhysical && m.clearcoat.factor.hasEffect
        hasSheen = isPhysical && m.sheen.color.hasEffect
        hasTransmission = isPhysical && m.transmission.factor.hasEffect
        hasVolume = hasTransmission && m.volume.thickness.hasEffect
        hasDispersion = hasVolume && m.transmission.dispersion > 0
        hasFilm = isPhysical && m.iridescence.factor.hasEffect
        hasAnisotropy = isPhysical && m.anisotropy.strength != 0
        needsTangents = m.normal.map != nil || (hasCoat && m.clearcoat.normal.map != nil) || hasAnisotropy

        baseColor = Vector4(m.baseColor.linear.xyz, m.baseColor.factor.w)
        emission = m.emission.linear
        (metalness, roughness, opacity) = (m.metalness.channelFactors, m.roughness.channelFactors, m.opacity.channelFactors)
        (coat, coatRoughness) = (m.clearcoat.factor.channelFactors, m.clearcoat.roughness.channelFactors)
        (specular, specularColor) = (m.specular.factor.channelFactors, m.specular.color.linear.xyz)
        (sheenColor, sheenRoughness) = (m.sheen.color.linear.xyz, m.sheen.roughness.channelFactors)
        (transmission, iridescence) = (m.transmission.factor.channelFactors, m.iridescence.factor.channelFactors)
        highlight = Vector4(m.highlight.color.linear.xyz, max(m.highlight.shininess, 0))
        (normalScale, coatNormalScale) = (m.normal.scale, m.clearcoat.normal.scale)
        (ior, dispersion, attenuation) = (m.ior, m.transmission.dispersion, m.volume.attenuationRates)
        (filmIOR, filmMinimum, filmMaximum) = (m.iridescence.ior, m.iridescence.thickness.minimum, m.iridescence.thickness.maximum)
        anisotropy = m.anisotropy.strength
        let rotation = m.anisotropy.rotation.radians
        anisotropyDirection = Vector2(cos(rotation), sin(rotation))

        baseColorMap = try textures.reference(to: m.baseColor.map, isColor: true)
        emissionMap = try textures.reference(to: m.emission.map, isColor: true)
        metalnessMap = try textures.reference(to: m.metalness.map, isColor: false)
        roughnessMap = try textures.reference(to: m.roughness.map, isColor: false)
        opacityMap = try textures.reference(to: m.opacity.map, isColor: false)
        normalMap = try textures.reference(to: m.normal.map, isColor: false)
        coatMap = try textures.reference(to: hasCoat ? m.clearcoat.factor.map : nil, isColor: false)
        coatRoughnessMap = try textures.reference(to: hasCoat ? m.clearcoat.roughness.map : nil, isColor: false)
        coatNormalMap = try textures.reference(to: hasCoat ? m.clearcoat.normal.map : nil, isColor: false)
        specularMap = try textures.reference(to: isPhysical ? m.specular.factor.map : nil, isColor: false)
        specularColorMap = try textures.reference(to: isPhysical ? m.specular.color.map : nil, isColor: true)
        sheenColorMap = try textures.reference(to: hasSheen ? m.sheen.color.map : nil, isColor: true)
        sheenRoughnessMap = try textures.reference(to: hasSheen ? m.sheen.roughness.map : nil, isColor: false)
        transmissionMap = try textures.reference(to: hasTransmission ? m.transmission.factor.map : nil, isColor: false)
        iridescenceMap = try textures.reference(to: hasFilm ? m.iridescence.factor.map : nil, isColor: false)
        filmThicknessMap = try textures.reference(to: hasFilm ? m.iridescence.thicknessMap : nil, isColor: false)
        anisotropyMap = try textures.reference(to: hasAnisotropy ? m.anisotropy.map : nil, isColor: false)
        highlightMap = try textures.reference(to: m.highlight.color.map, isColor: true)

        if hasSheen { tables.prepareSheen() }
        dielectricTable = isPhysical ? tables.dielectric(index: m.ior) : 0
        outerGlassTable = hasVolume ? tables.glass(ratio: Dielectric.ratio(m.ior)) : 0
        innerGlassTable = hasVolume ? tables.glass(ratio: 1 / Dielectric.ratio(m.ior)) : 0
    }
}
