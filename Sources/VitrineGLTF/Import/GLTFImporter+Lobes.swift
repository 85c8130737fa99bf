import VitrineMath
import VitrineScene

/// The ratified material extensions beside clearcoat, and the archived specular-glossiness model.
extension GLTFImporter {
    func readLobes(_ json: JSONValue, into material: Material) throws(GLTFError) {
        material.ior = try ior(json.extension("KHR_materials_ior"))
        if let json = try json.extension("KHR_materials_specular") { material.specular = try specular(json) }
        if let json = try json.extension("KHR_materials_sheen") { material.sheen = try sheen(json) }
        if let json = try json.extension("KHR_materials_transmission") {
            material.transmission.factor = try scalar(json, "transmissionFactor", "transmissionTexture", .red)
        }
        if let json = try json.extension("KHR_materials_volume") { material.volume = try volume(json) }
        if let json = try json.extension("KHR_materials_dispersion") {
            if material.volume.thickness.factor == 0 { warn(json, "has no effect without a volume (KHR_materials_volume)") }
            material.transmission.dispersion = try factor(json, "dispersion", in: Self.positive, default: 0)
        }
        if let json = try json.extension("KHR_materials_iridescence") { material.iridescence = try iridescence(json) }
        if let json = try json.extension("KHR_materials_anisotropy") { material.anisotropy = try anisotropy(json) }
        if let json = try json.extension("KHR_materials_pbrSpecularGlossiness") { try readSpecularGlossiness(json, into: material) }
    }

    private static let positive = 0...Float.greatestFiniteMagnitude

    private func scalar(
        _ json: JSONValue, _ name: StaticString, _ texture: StaticString, _ channel: TextureChannel,
        in range: ClosedRange<Float> = 0...1, default value: Float = 0
    ) throws(GLTFError) -> ScalarSlot {
        ScalarSlot(try factor(json, name, in: range, default: value), map: try textureMap(json, texture), channel: channel)
    }

    /// 0 stands for a surface that reflects everything; else at least 1.
    private func ior(_ json: JSONValue?) throws(GLTFError) -> Float {
        guard let json else { return 1.5 }
        if try json.float("ior") == 0 { return 0 }
        return try factor(json, "ior", in: 1...Float.greatestFiniteMagnitude, default: 1.5)
    }

    private func specular(_ json: JSONValue) throws(GLTFError) -> Specular {
        // Above 1 is allowed.
        let color = try json.floats("specularColorFactor", count: 3) ?? [1, 1, 1]
        let linear = pointwiseMax(Vector3(color[0], color[1], color[2]), Vector3(repeating: 0))
        return Specular(
            factor: try scalar(json, "specularFactor", "specularTexture", .alpha, default: 1),
            color: ColorSlot(Vector4(linear, 1), map: try textureMap(json, "specularColorTexture")))
    }

    private func sheen(_ json: JSONValue) throws(GLTFError) -> Sheen {
        let color = try colorFactor(json, "sheenColorFactor", count: 3) ?? [0, 0, 0]
        return Sheen(
            color: ColorSlot(Vector4(color[0], color[1], color[2], 1), map: try textureMap(json, "sheenColorTexture")),
            roughness: try scalar(json, "sheenRoughnessFactor", "sheenRoughnessTexture", .alpha))
    }

    private func volume(_ json: JSONValue) throws(GLTFError) -> Volume {
        let color = try colorFactor(json, "attenuationColor", count: 3) ?? [1, 1, 1]
        var distance = try json.float("attenuationDistance") ?? .infinity
        if distance <= 0 {
            if let member = json["attenuationDistance"] { warn(member, "must be above 0; the volume is clear") }
            distance = .infinity
        }
        return Volume(
            thickness: try scalar(json, "thicknessFactor", "thicknessTexture", .green, in: Self.positive),
            attenuationDistance: distance, attenuationColor: Vector3(color[0], color[1], color[2]))
    }

    private func iridescence(_ json: JSONValue) throws(GLTFError) -> Iridescence {
        Iridescence(
            factor: try scalar(json, "iridescenceFactor", "iridescenceTexture", .red),
            ior: try factor(json, "iridescenceIor", in: 1...Float.greatestFiniteMagnitude, default: 1.3),
            thickness: (
                try factor(json, "iridescenceThicknessMinimum", in: Self.positive, default: 100),
                try factor(json, "iridescenceThicknessMaximum", in: Self.positive, default: 400)
            ), thicknessMap: try textureMap(json, "iridescenceThicknessTexture"))
    }

    private func anisotropy(_ json: JSONValue) throws(GLTFError) -> Anisotropy {
        Anisotropy(
            strength: try factor(json, "anisotropyStrength", default: 0), rotation: .radians(try json.float("anisotropyRotation") ?? 0),
            map: try textureMap(json, "anisotropyTexture"))
    }

    /// Archived by Khronos, but many files have it: a dielectric whose reflection straight on is the specular colour, which an index of
    /// refraction of 0 leaves to the colour alone. Glossiness in the texture's alpha would have to be turned round.
    private func readSpecularGlossiness(_ json: JSONValue, into material: Material) throws(GLTFError) {
        let diffuse = try colorFactor(json, "diffuseFactor", count: 4) ?? [1, 1, 1, 1]
        material.baseColor = ColorSlot(
            Vector4(diffuse[0], diffuse[1], diffuse[2], diffuse[3]), map: try textureMap(json, "diffuseTexture"))
        let color = try colorFactor(json, "specularFactor", count: 3) ?? [1, 1, 1]
        let map = try textureMap(json, "specularGlossinessTexture")
        if map != nil, let member = json["specularGlossinessTexture"] {
            warn(member, "its alpha, the glossiness, is not used: glossinessFactor alone is")
        }
        material.specular.color = ColorSlot(Vector4(color[0], color[1], color[2], 1), map: map)
        material.ior = 0
        material.metalness = ScalarSlot(0)
        material.roughness = ScalarSlot(1 - (try factor(json, "glossinessFactor", default: 1)))
    }
}
