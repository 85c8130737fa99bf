import VitrineMath
import VitrineScene

/// What a material asks of its shader: the block of numbers as `Material` in WGSL has it, the maps that are sampled, and the features.
///
/// Maps that share texture, coordinates and sampler with another slot are sampled once: glTF's occlusion, roughness and metalness mostly
/// lie in one picture.
struct MaterialPlan {
    var features: SurfaceFeatures = []
    var block: [Vector4] = []
    /// By slot; nil where the slot has none or takes another slot's texel.
    var maps: [TextureMap?]
    var uvSets: (Int, Int?) = (0, nil)
    /// The texture coordinates of the normal maps.
    var normalMapSet: Int? { (maps[MaterialSlot.normal.rawValue] ?? maps[MaterialSlot.coatNormal.rawValue])?.set }

    init(_ material: Material) throws(RenderError) {
        let m = material
        maps = [
            m.baseColor.map, m.metalness.map, m.roughness.map, m.normal.map, m.occlusion.map, m.emission.map,
            m.clearcoat.factor.map, m.clearcoat.roughness.map, m.clearcoat.normal.map,
        ]
        let hasCoat = m.clearcoat.factor.factor * m.clearcoat.factor.intensity > 0
        if !hasCoat { for slot in [MaterialSlot.coat, .coatRoughness, .coatNormal] { maps[slot.rawValue] = nil } }
        if m.lightingModel == .constant {
            features.insert(.unlit)
            for slot in MaterialSlot.allCases where slot != .baseColor { maps[slot.rawValue] = nil }
        } else if hasCoat {
            features.insert(.clearcoat)
        }
        if m.isDoubleSided { features.insert(.doubleSided) }
        if m.alphaMode == .blend { features.insert(.blended) }
        shareTexels()
        for slot in MaterialSlot.allCases where maps[slot.rawValue] != nil { features.insert(.map(slot)) }
        try chooseSets(material)
        fillBlock(m)
    }

    private mutating func shareTexels() {
        func share(_ slot: MaterialSlot, with other: MaterialSlot, _ feature: SurfaceFeatures) {
            guard let map = maps[slot.rawValue], let source = maps[other.rawValue], map.isSampledLike(source) else { return }
            maps[slot.rawValue] = nil
            features.insert(feature)
        }
        share(.metalness, with: .roughness, .metalnessInRoughness)
        share(.occlusion, with: .roughness, .occlusionInRoughness)
        share(.coatRoughness, with: .coat, .coatRoughnessInCoat)
    }

    /// Two streams of texture coordinates reach the shader: any two sets.
    private mutating func chooseSets(_ material: Material) throws(RenderError) {
        var sets: [Int] = []
        for case let map? in maps where !sets.contains(map.set) { sets.append(map.set) }
        guard sets.count <= 2 else { throw .tooManyTextureCoordinateSets(material: material.name, count: sets.count, limit: 2) }
        sets.sort()
        uvSets = (sets.first ?? 0, sets.count > 1 ? sets[1] : nil)
        if sets.count > 1 { features.insert([.secondUV, .uvTransforms]) }
        for case let map? in maps where map.transform != .identity { features.insert(.uvTransforms) }
    }

    private mutating func fillBlock(_ m: Material) {
        let base = m.baseColor
        block.reserveCapacity(26)
        block.append(Vector4(base.factor.xyz * base.intensity, base.factor.w))
        var cutoff: Float = 0
        if case .mask(let value) = m.alphaMode { cutoff = value }
        block.append(Vector4(m.emission.factor.xyz * m.emission.intensity, cutoff))
        block.append(Vector4(m.normal.scale, m.clearcoat.normal.scale, m.occlusion.intensity, 0))
        // Occlusion's intensity is how much of the slot is used, not a factor.
        var occlusion = m.occlusion
        occlusion.intensity = 1
        for slot in [m.metalness, m.roughness, occlusion, m.clearcoat.factor, m.clearcoat.roughness] { block.append(slot.channelFactors) }
        for map in maps {
            let rows = map?.transform.rows ?? TextureTransform.identity.rows
            let second: Float = map.map { $0.set == uvSets.1 ? 1 : 0 } ?? 0
            block.append(Vector4(rows.0, second))
            block.append(Vector4(rows.1, second))
        }
    }
}

extension ScalarSlot {
    /// What a texel is multiplied with to give the number: white gives the factor.
    fileprivate var channelFactors: Vector4 {
        var factors = Vector4(repeating: 0)
        factors[map == nil ? 0 : channel.rawValue] = factor * intensity
        return factors
    }
}

extension TextureMap {
    fileprivate func isSampledLike(_ other: TextureMap) -> Bool {
        texture === other.texture && set == other.set && transform == other.transform
    }
}
