import VitrineMath
import VitrineScene

extension GLTFImporter {
    /// The specification's material for primitives that name none.
    static func makeDefaultMaterial() -> Material { Material(baseColor: .white, metalness: 1, roughness: 1) }

    func readMaterials() throws(GLTFError) {
        for json in materialList {
            materialSets.append([])
            materials.append(try material(json))
        }
    }

    private func material(_ json: JSONValue) throws(GLTFError) -> Material {
        let material = GLTFImporter.makeDefaultMaterial()
        material.name = try json.string("name") ?? ""
        try readMetallicRoughness(json.object("pbrMetallicRoughness"), into: material)
        if let info = try json.object("normalTexture") {
            material.normal = NormalSlot(map: try textureMap(info), scale: try info.float("scale") ?? 1)
        }
        if let info = try json.object("occlusionTexture") {
            let strength = try factor(info, "strength", default: 1)
            material.occlusion = ScalarSlot(1, map: try textureMap(info), channel: .red, intensity: strength)
        }
        try readEmission(json, into: material)
        try readAlpha(json, into: material)
        material.isDoubleSided = try json.boolean("doubleSided") ?? false
        if try json.extension("KHR_materials_unlit") != nil { material.lightingModel = .constant }
        if let clearcoat = try json.extension("KHR_materials_clearcoat") { material.clearcoat = try self.clearcoat(clearcoat) }
        try readLobes(json, into: material)
        return material
    }

    private func readMetallicRoughness(_ json: JSONValue?, into material: Material) throws(GLTFError) {
        guard let json else { return }
        let color = try colorFactor(json, "baseColorFactor", count: 4) ?? [1, 1, 1, 1]
        material.baseColor = ColorSlot(Vector4(color[0], color[1], color[2], color[3]), map: try textureMap(json, "baseColorTexture"))
        // One texture holds both: roughness in green, metalness in blue.
        let map = try textureMap(json, "metallicRoughnessTexture")
        material.metalness = ScalarSlot(try factor(json, "metallicFactor", default: 1), map: map, channel: .blue)
        material.roughness = ScalarSlot(try factor(json, "roughnessFactor", default: 1), map: map, channel: .green)
    }

    private func readEmission(_ json: JSONValue, into material: Material) throws(GLTFError) {
        let color = try colorFactor(json, "emissiveFactor", count: 3) ?? [0, 0, 0]
        let strength = try factor(
            json.extension("KHR_materials_emissive_strength"), "emissiveStrength", in: 0...Float.greatestFiniteMagnitude, default: 1)
        let linear = Vector3(color[0], color[1], color[2]) * strength
        material.emission = ColorSlot(Vector4(linear, 1), map: try textureMap(json, "emissiveTexture"))
    }

    private func readAlpha(_ json: JSONValue, into material: Material) throws(GLTFError) {
        let cutoff = try factor(json, "alphaCutoff", in: 0...Float.greatestFiniteMagnitude, default: 0.5)
        switch try json.string("alphaMode") {
        case nil, "OPAQUE": material.alphaMode = .opaque
        case "MASK": material.alphaMode = .mask(cutoff: cutoff)
        case "BLEND": material.alphaMode = .blend
        default: throw json.failure("alphaMode", "must be OPAQUE, MASK or BLEND")
        }
        if json["alphaCutoff"] != nil, case .mask = material.alphaMode {
        } else if let cutoff = json["alphaCutoff"] {
            warn(cutoff, "has no meaning unless alphaMode is MASK")
        }
    }

    private func clearcoat(_ json: JSONValue) throws(GLTFError) -> Clearcoat {
        var clearcoat = Clearcoat()
        clearcoat.factor = ScalarSlot(
            try factor(json, "clearcoatFactor", default: 0), map: try textureMap(json, "clearcoatTexture"), channel: .red)
        clearcoat.roughness = ScalarSlot(
            try factor(json, "clearcoatRoughnessFactor", default: 0), map: try textureMap(json, "clearcoatRoughnessTexture"),
            channel: .green)
        if let info = try json.object("clearcoatNormalTexture") {
            clearcoat.normal = NormalSlot(map: try textureMap(info), scale: try info.float("scale") ?? 1)
        }
        return clearcoat
    }

    /// Colours between 0 and 1.
    func colorFactor(_ json: JSONValue, _ key: StaticString, count: Int) throws(GLTFError) -> [Float]? {
        guard let values = try json.floats(key, count: count) else { return nil }
        if values.contains(where: { $0 < 0 || $0 > 1 }), let member = json[key] {
            warn(member, "is outside 0…1 and was moved to the nearest value inside")
        }
        return values.map { clamp($0, 0, 1) }
    }

    // MARK: Texture infos

    func textureMap(_ json: JSONValue, _ key: StaticString) throws(GLTFError) -> TextureMap? {
        guard let info = try json.object(key) else { return nil }
        return try textureMap(info)
    }

    /// A `textureInfo`: which texture, by which coordinates, moved how (KHR_texture_transform).
    private func textureMap(_ info: JSONValue) throws(GLTFError) -> TextureMap? {
        let index = try info.requireIndex("index", below: textureList.count)
        var set = try info.integer("texCoord", in: 0...Int(Int32.max)) ?? 0
        var transform = TextureTransform.identity
        if let json = try info.extension("KHR_texture_transform") {
            if let offset = try json.floats("offset", count: 2) { transform.offset = Vector2(offset[0], offset[1]) }
            if let scale = try json.floats("scale", count: 2) { transform.scale = Vector2(scale[0], scale[1]) }
            transform.rotation = .radians(try json.float("rotation") ?? 0)
            set = try json.integer("texCoord", in: 0...Int(Int32.max)) ?? set
        }
        materialSets[materialSets.count - 1].append(set)
        guard let texture = try texture(index) else { return nil }
        return TextureMap(texture, set: set, transform: transform)
    }
}
