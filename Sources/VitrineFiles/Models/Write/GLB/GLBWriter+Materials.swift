import VitrineMath
import VitrineScene

/// An image with a sampler.
struct GLBTexture: Equatable {
    let image: Int
    let sampler: Int
    /// Whether EXT_texture_webp refers to the image instead of `source`.
    let isWebP: Bool

    var json: JSONText {
        let source: [(String, JSONText)] = [("source", .integer(image))]
        guard isWebP else { return .object([("sampler", .integer(sampler))] + source) }
        return .object([("sampler", .integer(sampler)), ("extensions", .object([("EXT_texture_webp", .object(source))]))])
    }
}

extension GLBWriter {
    mutating func json(_ material: Material) throws(ModelFileError) -> JSONText {
        var members: [(String, JSONText)] = material.name.isEmpty ? [] : [("name", .string(material.name))]
        members.append(("pbrMetallicRoughness", try metallicRoughness(material)))
        if let map = material.normal.map {
            let scale: [(String, JSONText)] = material.normal.scale == 1 ? [] : [("scale", .float(material.normal.scale))]
            members.append(("normalTexture", try info(map, image: try pool.image(map.texture), more: scale)))
        }
        if let map = material.occlusion.map {
            let strength = material.occlusion.intensity
            members.append(
                (
                    "occlusionTexture",
                    try info(
                        map,
                        image: try channels([material.occlusion.source, nil, nil], isFree: [true, true, true], "occlusion", material),
                        more: strength == 1 ? [] : [("strength", .float(clamp(strength, 0, 1)))])
                ))
        }
        try addEmission(material, to: &members)
        switch material.alphaMode {
        case .opaque: break
        case .mask(let cutoff): members += [("alphaMode", .string("MASK")), ("alphaCutoff", .float(max(0, cutoff)))]
        case .blend: members.append(("alphaMode", .string("BLEND")))
        }
        if material.isDoubleSided { members.append(("doubleSided", .boolean(true))) }
        if material.displacement.map != nil { reportOmission(of: "displacement", material) }
        let extensions = try materialExtensions(material)
        if !extensions.isEmpty { members.append(("extensions", .object(extensions))) }
        return .object(members)
    }

    private mutating func metallicRoughness(_ material: Material) throws(ModelFileError) -> JSONText {
        var members: [(String, JSONText)] = []
        let color = material.baseColor
        let factor = Vector4(color.factor.xyz * color.intensity, color.factor.w)
        let clamped = [factor.x, factor.y, factor.z, factor.w].map { clamp($0, 0, 1) }
        if clamped != [factor.x, factor.y, factor.z, factor.w] { reportOmission(of: "base colour outside 0…1", material) }
        if clamped != [1, 1, 1, 1] { members.append(("baseColorFactor", .floats(clamped))) }
        if let map = color.map { members.append(("baseColorTexture", try info(map, image: try pool.image(map.texture)))) }
        let metalness = unit(material.metalness, "metalness", material)
        let roughness = unit(material.roughness, "roughness", material)
        if metalness != 1 { members.append(("metallicFactor", .float(metalness))) }
        if roughness != 1 { members.append(("roughnessFactor", .float(roughness))) }
        var (rough, metal) = (material.roughness.map, material.metalness.map)
        if let first = rough, let second = metal, first.set != second.set || first.transform != second.transform {
            reportOmission(of: "the metalness texture, whose transform differs from that of the roughness texture", material)
            metal = nil
        }
        if let map = rough ?? metal {
            let image = try channels(
                [nil, rough == nil ? nil : material.roughness.source, metal == nil ? nil : material.metalness.source],
                // A factor of 0 makes the texture irrelevant.
                isFree: [true, rough == nil && roughness == 0, metal == nil && metalness == 0], "metallic-roughness", material)
            rough = nil
            members.append(("metallicRoughnessTexture", try info(map, image: image)))
        }
        return .object(members)
    }

    private mutating func addEmission(_ material: Material, to members: inout [(String, JSONText)]) throws(ModelFileError) {
        let emission = pointwiseMax(material.emission.factor.xyz * material.emission.intensity, Vector3(repeating: 0))
        // With a factor of 0, the texture would emit no light.
        guard emission != Vector3(repeating: 0) else { return }
        members.append(("emissiveFactor", .floats((emission / max(1, emission.max())).array)))
        if let map = material.emission.map { members.append(("emissiveTexture", try info(map, image: try pool.image(map.texture)))) }
    }

    private mutating func materialExtensions(_ material: Material) throws(ModelFileError) -> [(String, JSONText)] {
        var members: [(String, JSONText)] = []
        let clearcoat = material.clearcoat
        if clearcoat.factor.factor * clearcoat.factor.intensity > 0 {
            var coat: [(String, JSONText)] = [("clearcoatFactor", .float(unit(clearcoat.factor, "clearcoat", material)))]
            if let map = clearcoat.factor.map {
                let image = try channels([clearcoat.factor.source, nil, nil], isFree: [true, true, true], "clearcoat", material)
                coat.append(("clearcoatTexture", try info(map, image: image)))
            }
            coat.append(("clearcoatRoughnessFactor", .float(unit(clearcoat.roughness, "clearcoat roughness", material))))
            if let map = clearcoat.roughness.map {
                let image = try channels(
                    [nil, clearcoat.roughness.source, nil], isFree: [true, true, true], "clearcoat roughness", material)
                coat.append(("clearcoatRoughnessTexture", try info(map, image: image)))
            }
            if let map = clearcoat.normal.map {
                let scale: [(String, JSONText)] = clearcoat.normal.scale == 1 ? [] : [("scale", .float(clearcoat.normal.scale))]
                coat.append(("clearcoatNormalTexture", try info(map, image: try pool.image(map.texture), more: scale)))
            }
            members.append(use("KHR_materials_clearcoat", .object(coat)))
        }
        if let map = material.lightMap.map {
            let color = material.lightMap.factor.xyz * material.lightMap.intensity
            if color.min() != color.max() { reportOmission(of: "the tint of the light map", material) }
            let intensity: [(String, JSONText)] = [("intensity", .float(max(color.max(), 0)))]
            members.append(use("MOZ_lightmap", try info(map, image: try pool.image(map.texture), more: intensity)))
        }
        let strength = (material.emission.factor.xyz * material.emission.intensity).max()
        if strength > 1 { members.append(use("KHR_materials_emissive_strength", .object([("emissiveStrength", .float(strength))]))) }
        if material.lightingModel == .constant { members.append(use("KHR_materials_unlit", .object([]))) }
        if material.lightingModel == .physicallyBased { members += try lobes(material) }
        for loss in material.losses(except: [.lightMap, .specular, .ior, .sheen, .transmission, .volume, .iridescence, .anisotropy]) {
            reportOmission(of: loss, material)
        }
        return members
    }

    // MARK: Slots

    mutating func use(_ name: String, _ value: JSONText) -> (String, JSONText) {
        extensions.insert(name)
        return (name, value)
    }

    mutating func reportOmission(of feature: String, _ material: Material) {
        warnings.append(ModelWarning(location: "material \"\(material.name)\"", message: "\(feature): not supported by glTF"))
    }

    mutating func unit(_ slot: ScalarSlot, _ name: String, _ material: Material) -> Float {
        let value = slot.factor * slot.intensity
        if value < 0 || value > 1 { reportOmission(of: "\(name) outside 0…1", material) }
        return clamp(value, 0, 1)
    }

    mutating func channels(
        _ sources: [ChannelSource?], isFree: [Bool], _ slot: String, _ material: Material
    ) throws(ModelFileError) -> Int {
        try pool.image(channels: sources, isFree: isFree, name: material.name.isEmpty ? slot : "\(material.name) \(slot)")
    }

    /// Returns a `textureInfo`.
    mutating func info(_ map: TextureMap, image: Int, more: [(String, JSONText)] = []) throws(ModelFileError) -> JSONText {
        let sampler = samplers.firstIndex(of: map.texture.sampler.written) ?? samplers.count
        if sampler == samplers.count { samplers.append(map.texture.sampler.written) }
        let texture = GLBTexture(image: image, sampler: sampler, isWebP: pool.images[image].kind == .webp)
        if texture.isWebP { require("EXT_texture_webp") }
        let index = textures.firstIndex(of: texture) ?? textures.count
        if index == textures.count { textures.append(texture) }
        var members: [(String, JSONText)] = [("index", .integer(index))]
        if map.set != 0 { members.append(("texCoord", .integer(map.set))) }
        members += more
        let transform = map.transform
        if transform != .identity {
            let properties: [(String, JSONText)] = [
                ("offset", .floats([transform.offset.x, transform.offset.y])), ("rotation", .float(transform.rotation.radians)),
                ("scale", .floats([transform.scale.x, transform.scale.y])),
            ]
            members.append(("extensions", .object([use("KHR_texture_transform", .object(properties))])))
        }
        return .object(members)
    }

    static func json(_ sampler: Sampler) -> JSONText {
        func wrap(_ mode: WrapMode) -> JSONText {
            switch mode {
            case .repeat: .integer(10497)
            case .clampToEdge: .integer(33071)
            case .mirroredRepeat: .integer(33648)
            }
        }
        let minification =
            switch (sampler.minification, sampler.mip) {
            case (.nearest, nil): 9728
            case (.linear, nil): 9729
            case (.nearest, .nearest?): 9984
            case (.linear, .nearest?): 9985
            case (.nearest, .linear?): 9986
            case (.linear, .linear?): 9987
            }
        return .object([
            ("magFilter", .integer(sampler.magnification == .nearest ? 9728 : 9729)), ("minFilter", .integer(minification)),
            ("wrapS", wrap(sampler.wrapS)), ("wrapT", wrap(sampler.wrapT)),
        ])
    }
}

extension Sampler {
    /// The sampler as files store it, without anisotropy.
    fileprivate var written: Sampler {
        var sampler = self
        sampler.maximumAnisotropy = 1
        return sampler
    }
}

/// The material extensions other than clearcoat: only properties that differ from their default are written.
extension GLBWriter {
    mutating func lobes(_ m: Material) throws(ModelFileError) -> [(String, JSONText)] {
        var members: [(String, JSONText)] = []
        if m.ior != 1.5 { members.append(use("KHR_materials_ior", .object([("ior", .float(m.ior))]))) }
        try add("KHR_materials_specular", specular(m), to: &members)
        try add("KHR_materials_sheen", sheen(m), to: &members)
        try add("KHR_materials_transmission", transmission(m), to: &members)
        try add("KHR_materials_volume", volume(m), to: &members)
        if m.transmission.dispersion > 0 {
            members.append(use("KHR_materials_dispersion", .object([("dispersion", .float(m.transmission.dispersion))])))
        }
        try add("KHR_materials_iridescence", iridescence(m), to: &members)
        try add("KHR_materials_anisotropy", anisotropy(m), to: &members)
        return members
    }

    private mutating func add(_ name: String, _ lobe: [(String, JSONText)], to members: inout [(String, JSONText)]) {
        if !lobe.isEmpty { members.append(use(name, .object(lobe))) }
    }

    private mutating func specular(_ m: Material) throws(ModelFileError) -> [(String, JSONText)] {
        var members: [(String, JSONText)] = []
        let factor = unit(m.specular.factor, "specular", m)
        if factor != 1 { members.append(("specularFactor", .float(factor))) }
        try addAlpha(m.specular.factor, "specularTexture", "specular", m, to: &members)
        let color = m.specular.color.factor.xyz * m.specular.color.intensity
        if color != Vector3(1, 1, 1) { members.append(("specularColorFactor", .floats(color.array))) }
        try addColor(m.specular.color.map, "specularColorTexture", to: &members)
        return members
    }

    private mutating func sheen(_ m: Material) throws(ModelFileError) -> [(String, JSONText)] {
        let color = m.sheen.color.factor.xyz * m.sheen.color.intensity
        guard color.max() > 0 else { return [] }
        let inside = pointwiseMin(pointwiseMax(color, Vector3(0, 0, 0)), Vector3(1, 1, 1))
        if inside != color { reportOmission(of: "sheen outside 0…1", m) }
        var members: [(String, JSONText)] = [("sheenColorFactor", .floats(inside.array))]
        try addColor(m.sheen.color.map, "sheenColorTexture", to: &members)
        members.append(("sheenRoughnessFactor", .float(unit(m.sheen.roughness, "sheen roughness", m))))
        try addAlpha(m.sheen.roughness, "sheenRoughnessTexture", "sheen roughness", m, to: &members)
        return members
    }

    private mutating func transmission(_ m: Material) throws(ModelFileError) -> [(String, JSONText)] {
        let factor = unit(m.transmission.factor, "transmission", m)
        guard factor > 0 else { return [] }
        var members: [(String, JSONText)] = [("transmissionFactor", .float(factor))]
        try addChannel(0, m.transmission.factor.map, m.transmission.factor.source, "transmissionTexture", m, to: &members)
        return members
    }

    private mutating func volume(_ m: Material) throws(ModelFileError) -> [(String, JSONText)] {
        let thickness = m.volume.thickness.factor * m.volume.thickness.intensity
        guard thickness > 0 else { return [] }
        var members: [(String, JSONText)] = [("thicknessFactor", .float(thickness))]
        try addChannel(1, m.volume.thickness.map, m.volume.thickness.source, "thicknessTexture", m, to: &members)
        if m.volume.attenuationDistance.isFinite, m.volume.attenuationDistance > 0 {
            members.append(("attenuationDistance", .float(m.volume.attenuationDistance)))
        }
        if m.volume.attenuationColor != Vector3(1, 1, 1) { members.append(("attenuationColor", .floats(m.volume.attenuationColor.array))) }
        return members
    }

    private mutating func iridescence(_ m: Material) throws(ModelFileError) -> [(String, JSONText)] {
        let factor = unit(m.iridescence.factor, "iridescence", m)
        guard factor > 0 else { return [] }
        let film = m.iridescence
        var members: [(String, JSONText)] = [("iridescenceFactor", .float(factor))]
        try addChannel(0, film.factor.map, film.factor.source, "iridescenceTexture", m, to: &members)
        members.append(("iridescenceIor", .float(film.ior)))
        members.append(("iridescenceThicknessMinimum", .float(film.thickness.minimum)))
        members.append(("iridescenceThicknessMaximum", .float(film.thickness.maximum)))
        let source = film.thicknessMap.map { ChannelSource(texture: $0.texture, channel: .green) }
        try addChannel(1, film.thicknessMap, source, "iridescenceThicknessTexture", m, to: &members)
        return members
    }

    private mutating func anisotropy(_ m: Material) throws(ModelFileError) -> [(String, JSONText)] {
        guard m.anisotropy.strength != 0 else { return [] }
        let strength = clamp(m.anisotropy.strength, 0, 1)
        if strength != m.anisotropy.strength { reportOmission(of: "anisotropy outside 0…1", m) }
        var members: [(String, JSONText)] = [
            ("anisotropyStrength", .float(strength)), ("anisotropyRotation", .float(m.anisotropy.rotation.radians)),
        ]
        if let map = m.anisotropy.map { members.append(("anisotropyTexture", try info(map, image: try pool.image(map.texture)))) }
        return members
    }

    // MARK: Textures

    private mutating func addColor(
        _ map: TextureMap?, _ name: String, to members: inout [(String, JSONText)]
    ) throws(ModelFileError) {
        if let map { members.append((name, try info(map, image: try pool.image(map.texture)))) }
    }

    /// Adds a texture in red (0) or green (1), to which other channels are moved.
    private mutating func addChannel(
        _ channel: Int, _ map: TextureMap?, _ source: ChannelSource?, _ name: String, _ m: Material,
        to members: inout [(String, JSONText)]
    ) throws(ModelFileError) {
        guard let map, let source else { return }
        var sources: [ChannelSource?] = [nil, nil, nil]
        sources[channel] = source
        members.append((name, try info(map, image: try channels(sources, isFree: [true, true, true], name, m))))
    }

    /// Adds a texture in alpha; a map in another channel must be encoded again.
    private mutating func addAlpha(
        _ slot: ScalarSlot, _ name: String, _ what: String, _ m: Material, to members: inout [(String, JSONText)]
    ) throws(ModelFileError) {
        guard let map = slot.map else { return }
        guard slot.channel == .alpha else { return reportOmission(of: "the \(what) texture, whose values are not in alpha", m) }
        members.append((name, try info(map, image: try pool.image(map.texture))))
    }

    // MARK: Variants

    /// Returns the materials of a primitive in the variants; nil if it has the same material in all.
    mutating func variantMappings(_ part: MeshPart) -> (String, JSONText)? {
        let known = part.alternatives.filter { contents.variantNames.contains($0.variant) }
        guard !known.isEmpty else { return nil }
        var mappings: [JSONText] = []
        for alternative in known {
            let variant = contents.variantNames.firstIndex(of: alternative.variant) ?? 0
            mappings.append(
                .object([
                    ("material", .integer(contents.index(of: alternative.material))), ("variants", .array([.integer(variant)])),
                ]))
        }
        return use("KHR_materials_variants", .object([("mappings", .array(mappings))]))
    }

    /// The names of the variants, for the root object.
    var variantList: JSONText { .object([("variants", .array(contents.variantNames.map { .object([("name", .string($0))]) }))]) }
}
