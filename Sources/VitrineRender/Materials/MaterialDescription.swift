// The parts of a material that the renderer reads: the parts of its shader, its maps and its numbers. `Lobes` describes the lobes of physically based
// ones.

import VitrineMath
import VitrineScene

/// The parts of a material's shader that are compiled only for materials that use them.
struct SurfaceLobes: OptionSet, Hashable {
    var rawValue: UInt32

    /// Microfacets; without it one of the three models after it.
    static let physical = SurfaceLobes(rawValue: 1 << 0)
    static let lambert = SurfaceLobes(rawValue: 1 << 1)
    static let phong = SurfaceLobes(rawValue: 1 << 2)
    static let blinn = SurfaceLobes(rawValue: 1 << 3)
    static let function = SurfaceLobes(rawValue: 1 << 4)
    static let constant = SurfaceLobes(rawValue: 1 << 5)
    static let shadowReceiver = SurfaceLobes(rawValue: 1 << 6)

    // `MaterialLobe.all`.
    static let specular = SurfaceLobes(rawValue: 1 << 7)
    static let anisotropy = SurfaceLobes(rawValue: 1 << 8)
    static let iridescence = SurfaceLobes(rawValue: 1 << 9)
    static let sheen = SurfaceLobes(rawValue: 1 << 10)
    static let transmission = SurfaceLobes(rawValue: 1 << 11)
    static let volume = SurfaceLobes(rawValue: 1 << 12)
    static let dispersion = SurfaceLobes(rawValue: 1 << 13)
    static let coat = SurfaceLobes(rawValue: 1 << 14)

    /// The lighting models, surface functions and shadow receivers, each with its name for `#if`.
    static let baseNames: [(SurfaceLobes, String)] = [
        (.physical, "PHYSICAL"), (.lambert, "LAMBERT"), (.phong, "PHONG"), (.blinn, "BLINN"), (.function, "FUNCTION"),
        (.constant, "CONSTANT"), (.shadowReceiver, "SHADOW_RECEIVER"),
    ]

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The lobes of a material: a lobe with factor 0 is omitted.
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
            for lobe in MaterialLobe.all where lobe.isPresent(m) { insert(lobe.lobe) }
        }
    }

    /// The maps that are read, in the order of their bindings.
    var maps: [MaterialMap] {
        if contains(.shadowReceiver) { return [] }
        if contains(.constant) { return [.baseColor, .opacity] }
        // Opacity after colours, and roughness before the lobes: each may share the texels of a map before it.
        var maps = [.baseColor] + MaterialMap.lit + [.opacity]
        if contains(.phong) || contains(.blinn) { maps += MaterialMap.classic }
        guard contains(.physical) else { return maps }
        maps += MaterialMap.physical
        for lobe in MaterialLobe.all where contains(lobe.lobe) { maps += lobe.maps }
        return maps
    }

    /// The numbers of the lobes, in the order of `MaterialLobe.uniformMembers`.
    func uniforms(of m: Material) -> [Vector4] {
        var values: [Vector4] = []
        for lobe in MaterialLobe.all where contains(lobe.lobe) { for uniform in lobe.uniforms { values.append(uniform.value(m)) } }
        return values
    }

    /// The number of vectors that `uniforms` returns.
    var uniformCount: Int {
        var count = 0
        for lobe in MaterialLobe.all where contains(lobe.lobe) { count += lobe.uniforms.count }
        return count
    }

    /// Whether the shader needs tangents even without a map that has them.
    var needTangents: Bool { MaterialLobe.all.contains { $0.needsTangents && contains($0.lobe) } }
}

extension MaterialLobe {
    /// The lobes, from the innermost: a layer lies on those before it.
    static let all: [MaterialLobe] = [.specular, .anisotropy, .iridescence, .sheen, .transmission, .volume, .dispersion, .coat]
}

/// The properties of a material that can come from a texture, the most visible ones first: the last ones are dropped if a GPU cannot bind all
/// textures of a material.
enum MaterialSlot: Int, CaseIterable {
    case baseColor, opacity, normal, lightMap, roughness, metalness, emission, transmission, occlusion, coat, sheenColor, highlight
    case iridescence, specularColor, thickness, specular, anisotropy, coatNormal, coatRoughness, sheenRoughness, iridescenceThickness

    /// The description of the map.
    var map: MaterialMap { Self.descriptions[rawValue] }

    private static let descriptions: [MaterialMap] = allCases.map { slot in
        guard let map = MaterialMap.all.first(where: { $0.slot == slot }) else { preconditionFailure("a slot of materials has no map") }
        return map
    }
}

extension MaterialMap {
    static let baseColor = MaterialMap(.baseColor, "baseColor", .color) { $0.baseColor.map }
    static let opacity = MaterialMap(.opacity, "opacity", readsOnlyAlpha: { $0.opacity.channel == .alpha }, map: { $0.opacity.map })
    /// The maps of every material that is lit.
    static let lit: [MaterialMap] = [
        MaterialMap(.normal, "normal", .normal, condition: "NORMAL_MAP") { $0.normal.map },
        MaterialMap(.occlusion, "occlusion", condition: "OCCLUSION_MAP") { $0.occlusion.map },
        MaterialMap(.emission, "emission", .color) { $0.emission.map },
        MaterialMap(.lightMap, "lightMap", .color, condition: "LIGHT_MAP") { $0.lightMap.map },
    ]
    /// The maps of Phong's and Blinn's models.
    static let classic: [MaterialMap] = [MaterialMap(.highlight, "highlight", .color) { $0.highlight.color.map }]
    /// The maps of physically based materials, before those of the lobes.
    static let physical: [MaterialMap] = [
        MaterialMap(.roughness, "roughness") { $0.roughness.map },
        MaterialMap(.metalness, "metalness") { $0.metalness.map },
    ]
    static let all: [MaterialMap] = [baseColor] + lit + [opacity] + classic + physical + MaterialLobe.all.flatMap { $0.maps }
}

/// A material's numbers. Values that may come from a texture are vectors of four: the factor in the channel that holds the value, so that the
/// dot product with a texel is the value, and a white texel gives the factor.
struct MaterialUniforms: ShaderStructure {
    var baseColor: Vector4
    /// Linear; w is 0.
    var emission: Vector4
    /// Multiplies the light map; w is 0.
    var lightMap: Vector4
    var normalScale: Float
    /// Share of the occlusion map that is applied, 0…1.
    var occlusionStrength: Float
    /// Index of refraction.
    var ior: Float
    /// Alpha below which a masked surface is not drawn.
    var alphaCutoff: Float
    var metalness: Vector4
    var roughness: Vector4
    var occlusion: Vector4
    var opacity: Vector4
    /// Colour and exponent of the highlight.
    var highlight: Vector4

    static let name = "Material"
    static let fields: [ShaderField<MaterialUniforms>] = [
        .init("baseColor") { $0.baseColor }, .init("emission") { $0.emission }, .init("lightMap") { $0.lightMap },
        .init("normalScale") { $0.normalScale }, .init("occlusionStrength") { $0.occlusionStrength }, .init("ior") { $0.ior },
        .init("alphaCutoff") { $0.alphaCutoff },
        .init("metalness") { $0.metalness }, .init("roughness") { $0.roughness }, .init("occlusion") { $0.occlusion },
        .init("opacity") { $0.opacity }, .init("highlight") { $0.highlight },
    ]
    /// The numbers of the lobes, and two rows (a, b, c, set) per texture sample: u' = a u + b v + c. The array is never empty.
    static let trailingMembers: String? = "\(MaterialLobe.uniformMembers)transforms: array<vec4f, TRANSFORM_ROWS>"

    static func transformRows(samples: Int) -> Int { max(2, 2 * samples) }

    /// Bytes of the whole block.
    static func byteCount(_ key: SurfaceProgramKey) -> Int {
        byteCount + (key.lobes.uniformCount + transformRows(samples: key.samplers.count)) * 16
    }

    init(_ m: Material) {
        baseColor = Vector4(m.baseColor.linear.xyz, m.baseColor.factor.w)
        (emission, lightMap) = (m.emission.linear, m.lightMap.linear)
        (normalScale, occlusionStrength, ior) = (m.normal.scale, m.occlusion.intensity, m.ior)
        if case .mask(let cutoff) = m.alphaMode { alphaCutoff = cutoff } else { alphaCutoff = 0 }
        (metalness, roughness) = (m.metalness.channelFactors, m.roughness.channelFactors)
        // The intensity of occlusion is the applied share of the slot, not a factor.
        var unscaled = m.occlusion
        unscaled.intensity = 1
        (occlusion, opacity) = (unscaled.channelFactors, m.opacity.channelFactors)
        highlight = Vector4(m.highlight.color.linear.xyz, max(m.highlight.shininess, 0))
    }
}
