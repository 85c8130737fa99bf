import VitrineMath
import VitrineScene

/// What a material asks of its shader: the key of its program, the block of numbers as `Material` in WGSL has it, and the pictures that
/// are sampled.
///
/// Slots that share texture and coordinates are sampled once: glTF's occlusion, roughness and metalness mostly lie in one picture.
struct MaterialPlan {
    /// One texture sample of the shader.
    struct Sample {
        let map: TextureMap
        let use: TextureUse
    }

    private(set) var key: SurfaceProgramKey
    private(set) var features: SurfaceFeatures = []
    private(set) var block: [Vector4] = []
    private(set) var samples: [Sample] = []
    private(set) var samplers: [Sampler] = []
    private(set) var uvSets: (Int, Int?) = (0, nil)
    /// The texture coordinates along which tangents lie; nil: none are needed.
    private(set) var tangentSet: Int?

    init(_ material: Material, limits: SurfaceLimits = SurfaceLimits()) throws(RenderError) {
        key = SurfaceProgramKey(lobes: SurfaceLobes(material))
        for slot in key.lobes.slots {
            guard let map = slot.map(of: material) else { continue }
            key[slot] = add(map, slot.use, onlyAlpha: slot.readsOnlyAlpha(of: material))
        }
        if let function = material.surfaceFunction {
            key.function = function.code
            for picture in function.pictures {
                let sample = add(picture.map, picture.holdsColor ? .color : .data, onlyAlpha: false)
                key.named.append(SurfaceProgramKey.NamedSample(name: picture.name, sample: UInt8(sample)))
            }
        }
        guard samples.count <= limits.textures else {
            throw .tooMany(what: "textures in material '\(material.name)'", count: samples.count, limit: limits.textures)
        }
        guard samplers.count <= limits.samplers else {
            throw .tooMany(what: "samplers in material '\(material.name)'", count: samplers.count, limit: limits.samplers)
        }
        if material.isDoubleSided { features.insert(.doubleSided) }
        if material.alphaMode == .blend { features.insert(.blended) }
        try chooseSets(material)
        if let slot = key.tangentSlot {
            tangentSet = slot.map(of: material)?.set
        } else if key.lobes.contains(.anisotropy) {
            tangentSet = 0
        }
        fillBlock(material)
    }

    /// The number of the sample that gives the map's texels.
    private mutating func add(_ map: TextureMap, _ use: TextureUse, onlyAlpha: Bool) -> Int {
        for (index, known) in samples.enumerated() where known.map.isSampledLike(map) {
            if known.use == use || (onlyAlpha && known.use == .color) { return index }
        }
        samples.append(Sample(map: map, use: use))
        let sampler = map.texture.sampler
        let number = samplers.firstIndex(of: sampler) ?? samplers.count
        if number == samplers.count { samplers.append(sampler) }
        key.samplers.append(UInt8(number))
        return samples.count - 1
    }

    /// Two streams of texture coordinates reach the shader: any two sets. A surface function sees set 0 first.
    private mutating func chooseSets(_ material: Material) throws(RenderError) {
        var sets: [Int] = material.surfaceFunction == nil ? [] : [0]
        for sample in samples where !sets.contains(sample.map.set) { sets.append(sample.map.set) }
        guard sets.count <= 2 else { throw .tooManyTextureCoordinateSets(material: material.name, count: sets.count, limit: 2) }
        sets.sort()
        if sets.count > 1 { features.insert([.secondUV, .uvTransforms]) }
        if material.surfaceFunction != nil, sets.count == 1 { sets.append(1) }
        uvSets = (sets.first ?? 0, sets.count > 1 ? sets[1] : nil)
        for sample in samples where sample.map.transform != .identity { features.insert(.uvTransforms) }
    }

    // MARK: Numbers

    private static let fixedVectors = 20

    static func vectorCount(samples: Int) -> Int { fixedVectors + max(2, 2 * samples) }

    private mutating func fillBlock(_ m: Material) {
        block.reserveCapacity(Self.vectorCount(samples: samples.count))
        let base = m.baseColor
        block.append(Vector4(base.factor.xyz * base.intensity, base.factor.w))
        var cutoff: Float = 0
        if case .mask(let value) = m.alphaMode { cutoff = value }
        block.append(Vector4(m.emission.factor.xyz * m.emission.intensity, cutoff))
        block.append(Vector4(m.normal.scale, m.clearcoat.normal.scale, m.occlusion.intensity, m.ior))
        // Occlusion's intensity is how much of the slot is used, not a factor.
        var occlusion = m.occlusion
        occlusion.intensity = 1
        for slot in [m.metalness, m.roughness, occlusion, m.opacity, m.clearcoat.factor, m.clearcoat.roughness, m.specular.factor] {
            block.append(slot.channelFactors)
        }
        block.append(Vector4(m.specular.color.factor.xyz * m.specular.color.intensity, 0))
        block.append(Vector4(m.sheen.color.factor.xyz * m.sheen.color.intensity, 0))
        for slot in [m.sheen.roughness, m.transmission.factor, m.volume.thickness] { block.append(slot.channelFactors) }
        block.append(Vector4(m.volume.attenuation, m.transmission.dispersion))
        block.append(m.iridescence.factor.channelFactors)
        // Without a map the greatest thickness holds.
        block.append(Vector4(m.iridescence.ior, m.iridescence.thickness.minimum, m.iridescence.thickness.maximum, 0))
        let rotation = m.anisotropy.rotation.radians
        block.append(Vector4(cos(rotation), sin(rotation), m.anisotropy.strength, 0))
        block.append(Vector4(m.highlight.color.factor.xyz * m.highlight.color.intensity, max(m.highlight.shininess, 0)))
        for sample in samples {
            let rows = sample.map.transform.rows
            let second: Float = sample.map.set == uvSets.1 ? 1 : 0
            block.append(Vector4(rows.0, second))
            block.append(Vector4(rows.1, second))
        }
        while block.count < Self.vectorCount(samples: samples.count) { block.append(Vector4(repeating: 0)) }
    }
}

/// How much one stage of a shader may bind, less what the frame binds itself.
struct SurfaceLimits {
    var textures = Int.max
    var samplers = Int.max
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

extension Volume {
    /// By how much the logarithm of light falls a metre; 0 where nothing is taken away.
    fileprivate var attenuation: Vector3 {
        guard attenuationDistance > 0, attenuationDistance.isFinite else { return Vector3(repeating: 0) }
        var rates = Vector3(repeating: 0)
        for channel in 0..<3 { rates[channel] = -log(clamp(attenuationColor[channel], 1e-6, 1)) / attenuationDistance }
        return rates
    }
}
