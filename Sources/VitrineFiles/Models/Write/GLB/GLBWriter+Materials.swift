import VitrineMath
import VitrineScene

/// An image with a sampler.
struct GLBTexture: Equatable {
    let image: Int
    let sampler: Int
    /// EXT_texture_webp names the image instead of `source`.
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
        if material.displacement.map != nil { leaveOut("displacement", material) }
        let extensions = try materialExtensions(material)
        if !extensions.isEmpty { members.append(("extensions", .object(extensions))) }
        return .object(members)
    }

    private mutating func metallicRoughness(_ material: Material) throws(ModelFileError) -> JSONText {
        var members: [(String, JSONText)] = []
        let color = material.baseColor
        let factor = Vector4(color.factor.xyz * color.intensity, color.factor.w)
        let clamped = [factor.x, factor.y, factor.z, factor.w].map { clamp($0, 0, 1) }
        if clamped != [factor.x, factor.y, factor.z, factor.w] { leaveOut("base colour outside 0…1", material) }
        if clamped != [1, 1, 1, 1] { members.append(("baseColorFactor", .floats(clamped))) }
        if let map = color.map { members.append(("baseColorTexture", try info(map, image: try pool.image(map.texture)))) }
        let metalness = unit(material.metalness, "metalness", material)
        let roughness = unit(material.roughness, "roughness", material)
        if metalness != 1 { members.append(("metallicFactor", .float(metalness))) }
        if roughness != 1 { members.append(("roughnessFactor", .float(roughness))) }
        var (rough, metal) = (material.roughness.map, material.metalness.map)
        if let first = rough, let second = metal, first.set != second.set || first.transform != second.transform {
            leaveOut("the metalness texture, placed otherwise than the roughness texture", material)
            metal = nil
        }
        if let map = rough ?? metal {
            let image = try channels(
                [nil, rough == nil ? nil : material.roughness.source, metal == nil ? nil : material.metalness.source],
                // A factor of 0 leaves nothing of the texture.
                isFree: [true, rough == nil && roughness == 0, metal == nil && metalness == 0], "metallic-roughness", material)
            rough = nil
            members.append(("metallicRoughnessTexture", try info(map, image: image)))
        }
        return .object(members)
    }

    private mutating func addEmission(_ material: Material, to members: inout [(String, JSONText)]) throws(ModelFileError) {
        let emission = pointwiseMax(material.emission.factor.xyz * material.emission.intensity, Vector3(repeating: 0))
        // Without a factor the texture would give no light.
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
        let strength = (material.emission.factor.xyz * material.emission.intensity).max()
        if strength > 1 { members.append(use("KHR_materials_emissive_strength", .object([("emissiveStrength", .float(strength))]))) }
        if material.lightingModel == .constant { members.append(use("KHR_materials_unlit", .object([]))) }
        if material.lightingModel == .physicallyBased { members += try lobes(material) }
        for loss in material.losses(butFor: [.specular, .ior, .sheen, .transmission, .volume, .iridescence, .anisotropy]) {
            leaveOut(loss, material)
        }
        return members
    }

    // MARK: Slots

    mutating func use(_ name: String, _ value: JSONText) -> (String, JSONText) {
        extensions.insert(name)
        return (name, value)
    }

    mutating func leaveOut(_ what: String, _ material: Material) {
        warnings.append(ModelWarning(place: "material \"\(material.name)\"", message: "\(what): not supported by glTF"))
    }

    mutating func unit(_ slot: ScalarSlot, _ name: String, _ material: Material) -> Float {
        let value = slot.factor * slot.intensity
        if value < 0 || value > 1 { leaveOut("\(name) outside 0…1", material) }
        return clamp(value, 0, 1)
    }

    mutating func channels(
        _ sources: [ChannelSource?], isFree: [Bool], _ slot: String, _ material: Material
    ) throws(ModelFileError) -> Int {
        try pool.image(channels: sources, isFree: isFree, name: material.name.isEmpty ? slot : "\(material.name) \(slot)")
    }

    /// A `textureInfo`.
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
            let place: [(String, JSONText)] = [
                ("offset", .floats([transform.offset.x, transform.offset.y])), ("rotation", .float(transform.rotation.radians)),
                ("scale", .floats([transform.scale.x, transform.scale.y])),
            ]
            members.append(("extensions", .object([use("KHR_texture_transform", .object(place))])))
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
    /// As files know it: anisotropy is the viewer's.
    fileprivate var written: Sampler {
        var sampler = self
        sampler.maximumAnisotropy = 1
        return sampler
    }
}
