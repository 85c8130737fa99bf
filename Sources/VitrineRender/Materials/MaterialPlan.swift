import VitrineMath
import VitrineScene

/// The requirements of a material on its shader: the key of its program, the uniform block, and the textures to sample.
///
/// Slots that share texture and coordinates are sampled once: in glTF, occlusion, roughness and metalness mostly share one texture. Channels that a
/// texture leaves free contain those of another one of the same size, so that one sample reads both. If the GPU
/// binds fewer textures than the material has (a browser's default is 16, 7 of which the frame needs), the least important maps are dropped.
struct MaterialPlan {
    /// One texture sample of the shader.
    struct Sample {
        let map: TextureMap
        fileprivate(set) var use: TextureUse
        fileprivate(set) var packed: TextureContents.Packed?

        var contents: TextureContents { TextureContents(texture: map.texture, use: use, packed: packed) }
    }

    /// The uniform block: the numbers of all materials, then those of the lobes and texture transforms.
    struct Block: Equatable {
        let uniforms: MaterialUniforms
        /// The values of `MaterialUniforms.trailingMembers`.
        let vectors: [Vector4]

        static func == (a: Block, b: Block) -> Bool {
            a.uniforms.hasSameBytes(as: b.uniforms) && a.vectors == b.vectors
        }
    }

    private(set) var key: SurfaceProgramKey
    private(set) var features: SurfaceFeatures = []
    private(set) var samples: [Sample] = []
    private(set) var samplers: [Sampler] = []
    /// The sets of texture coordinates of the shader's first and second stream.
    private(set) var uvSets: (Int, Int?) = (0, nil)
    /// The set of texture coordinates that tangents follow; nil if the material needs no tangents.
    private(set) var tangentSet: Int?
    /// Slots whose maps exceed the GPU's limits: drawn with their factors alone, least important first.
    private(set) var droppedSlots: [MaterialSlot] = []
    private var uniforms: MaterialUniforms
    private let lobeUniforms: [Vector4]

    /// Plans the lobes and textures of a material.
    ///
    /// - Throws: `RenderError.tooMany` if the surface function alone exceeds the limits, `.tooManyTextureCoordinateSets`.
    init(_ material: Material, limits: SurfaceLimits = SurfaceLimits()) throws(RenderError) {
        let lobes = SurfaceLobes(material)
        uniforms = MaterialUniforms(material)
        lobeUniforms = lobes.uniforms(of: material)
        key = SurfaceProgramKey(lobes: lobes)
        assignSamples(of: material, lobes.maps)
        while samples.count > limits.textures || samplers.count > limits.samplers {
            guard let dropped = leastImportantSlots else { break }
            droppedSlots += dropped
            assignSamples(of: material, lobes.maps.filter { !droppedSlots.contains($0.slot) })
        }
        // Only the surface function's textures are left.
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
            tangentSet = slot.map.map(material)?.set
        } else if key.lobes.needTangents {
            tangentSet = 0
        }
    }

    /// The numbers and texture transforms.
    var block: Block {
        var vectors = lobeUniforms
        let count = vectors.count + MaterialUniforms.transformRows(samples: samples.count)
        vectors.reserveCapacity(count)
        for sample in samples {
            let rows = sample.map.transform.rows
            let second: Float = sample.map.set == uvSets.1 ? 1 : 0
            vectors.append(Vector4(rows.0, second))
            vectors.append(Vector4(rows.1, second))
        }
        while vectors.count < count { vectors.append(Vector4(repeating: 0)) }
        return Block(uniforms: uniforms, vectors: vectors)
    }

    /// The slots of the least important sample; nil if only the surface function reads textures. A sample is as important as the most important
    /// slot that reads it.
    private var leastImportantSlots: [MaterialSlot]? {
        var ranked: [Int] = []
        for slot in MaterialSlot.allCases {
            guard let sample = key[slot], !ranked.contains(sample), !key.named.contains(where: { Int($0.sample) == sample }) else {
                continue
            }
            ranked.append(sample)
        }
        guard let least = ranked.last else { return nil }
        return MaterialSlot.allCases.filter { key[$0] == least }
    }

    /// Assigns a sample to each slot with a map, and to each texture of the surface function.
    private mutating func assignSamples(of material: Material, _ maps: [MaterialMap]) {
        (samples, samplers) = ([], [])
        key = SurfaceProgramKey(lobes: key.lobes)
        uniforms = MaterialUniforms(material)
        key.roughnessChannel = material.roughness.factorChannel
        key.metalnessChannel = material.metalness.factorChannel
        key.occlusionChannel = material.occlusion.factorChannel
        for source in maps {
            guard let map = source.map(material) else { continue }
            key[source.slot] = add(map, source.use, onlyAlpha: source.readsOnlyAlpha(material))
        }
        guard let function = material.surfaceFunction else { return packSamples(of: material) }
        key.function = function.code
        for texture in function.textures {
            let sample = add(texture.map, texture.holdsColor ? .color : .data, onlyAlpha: false)
            key.named.append(SurfaceProgramKey.NamedSample(name: texture.name, sample: UInt8(sample)))
        }
    }

    /// Returns the index of the sample that gives the map's texels.
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

    // MARK: Packing

    /// Slots that one sample provides, and the channels of another sample in which their values could be stored.
    private struct Packing {
        let source, target: Int
        let channels: [(slot: MaterialSlot, move: PackedChannel)]
    }

    /// Stores occlusion in the alpha of the base colour, and roughness and metalness beside x and y of the normals, where that saves a sample.
    private mutating func packSamples(of material: Material) {
        guard key.lobes.contains(.physical) else { return }
        var packings: [Packing] = []
        if material.alphaMode == .opaque {
            if let packing = packing([(.occlusion, material.occlusion.channel.rawValue, 3)], in: .baseColor) { packings.append(packing) }
        }
        let numbers = [
            (slot: MaterialSlot.roughness, from: material.roughness.channel.rawValue, to: 2),
            (.metalness, material.metalness.channel.rawValue, 3),
        ]
        if let packing = packing(numbers, in: .normal) { packings.append(packing) }
        var saved: [Int] = []
        for packing in packings where !saved.contains(packing.source) {
            // All three share one texture, for example: each packing alone would save nothing.
            let together = packings.filter { $0.source == packing.source }
            let moved = together.flatMap { $0.channels.map { $0.slot } }
            guard readers(of: packing.source).allSatisfy(moved.contains) else { continue }
            for packing in together { apply(packing) }
            saved.append(packing.source)
        }
        for source in saved.sorted(by: >) { remove(source) }
    }

    /// - Parameters:
    ///   - slots: With the channel of their map, and a free channel of the target's map.
    ///   - target: A slot whose sample nothing else reads.
    /// - Returns: nil if the slots or the target have no maps, or the maps differ in size, format or coordinates.
    private func packing(_ slots: [(slot: MaterialSlot, from: Int, to: Int)], in target: MaterialSlot) -> Packing? {
        let slots = slots.filter { key[$0.slot] != nil }
        guard let source = slots.first.flatMap({ key[$0.slot] }), slots.allSatisfy({ key[$0.slot] == source }) else { return nil }
        guard let home = key[target], home != source, readers(of: home) == [target] else { return nil }
        let (own, other) = (samples[home].map, samples[source].map)
        guard own.set == other.set, own.transform == other.transform, own.texture.sampler == other.texture.sampler,
            let size = own.texture.packableSize, let otherSize = other.texture.packableSize, size == otherSize
        else { return nil }
        return Packing(
            source: source, target: home, channels: slots.map { ($0.slot, PackedChannel(from: $0.from, to: $0.to)) })
    }

    private mutating func apply(_ packing: Packing) {
        samples[packing.target].packed = TextureContents.Packed(
            texture: samples[packing.source].map.texture, channels: packing.channels.map { $0.move })
        if samples[packing.target].use == .normal {
            samples[packing.target].use = .packedNormal
            key.packsNormal = true
        }
        for (slot, move) in packing.channels {
            key[slot] = packing.target
            switch slot {
            case .occlusion: (uniforms.occlusion, key.occlusionChannel) = (uniforms.occlusion.moved(move), move.to)
            case .roughness: (uniforms.roughness, key.roughnessChannel) = (uniforms.roughness.moved(move), move.to)
            default: (uniforms.metalness, key.metalnessChannel) = (uniforms.metalness.moved(move), move.to)
            }
        }
    }

    /// Removes a sample that nothing reads.
    private mutating func remove(_ sample: Int) {
        samples.remove(at: sample)
        key.samplers.remove(at: sample)
        for slot in MaterialSlot.allCases { if let known = key[slot], known > sample { key[slot] = known - 1 } }
    }

    /// Whether all maps have the same size and coordinates.
    var hasEqualMaps: Bool {
        guard let size = samples.first?.map.texture.packableSize, !features.contains(.uvTransforms) else { return false }
        return samples.allSatisfy { $0.map.texture.packableSize == size }
    }

    private func readers(of sample: Int) -> [MaterialSlot] { MaterialSlot.allCases.filter { key[$0] == sample } }

    /// Two streams of texture coordinates reach the shader, from any two sets. A surface function reads set 0 first.
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
}

/// The number of textures and samplers that a shader stage may bind in addition to those of the frame.
struct SurfaceLimits {
    var textures = Int.max
    var samplers = Int.max
}

extension Vector4 {
    /// The factor of a channel in another one.
    fileprivate func moved(_ channel: PackedChannel) -> Vector4 {
        var result = Vector4(repeating: 0)
        result[channel.to] = self[channel.from]
        return result
    }
}

extension ScalarSlot {
    /// The channel of the factor in `channelFactors`.
    fileprivate var factorChannel: Int { map == nil ? 0 : channel.rawValue }
}

extension Texture {
    /// The size of an image whose channels may share texels with those of another; nil if it has not four channels of 8 bits.
    fileprivate var packableSize: SIMD2<Int>? {
        guard platformImage == nil, case .image(let image) = content, image.format == .rgba8 else { return nil }
        return SIMD2(image.width, image.height)
    }
}

extension TextureMap {
    fileprivate func isSampledLike(_ other: TextureMap) -> Bool {
        texture === other.texture && set == other.set && transform == other.transform
    }
}
