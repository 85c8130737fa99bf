import VitrineMath
import VitrineScene

/// The materials of a file with all supported extensions, and its material variants (KHR_materials_variants).
final class GLTFMaterials {
    private let context: GLTFContext
    private let root: GLTFRoot
    private let textures: GLTFTextures
    private var materials: [Material] = []
    /// The sets of texture coordinates that the textures of each material use.
    private var sets: [[Int]] = []
    /// The specification's material for primitives without one.
    let defaultMaterial = GLTFMaterials.makeDefault()
    private(set) var variantNames: [String] = []

    init(_ root: GLTFRoot, _ textures: GLTFTextures, _ context: GLTFContext) throws(GLTFError) {
        (self.root, self.textures, self.context) = (root, textures, context)
        for json in root.materials {
            sets.append([])
            materials.append(try material(json))
        }
        try readVariants()
    }

    var count: Int { materials.count }
    subscript(index: Int) -> Material { materials[index] }

    /// Returns the sets of texture coordinates that a material uses, with repetitions, in the order of its textures.
    func textureSets(of material: Int) -> [Int] { sets[material] }

    /// Every material in the file's order, then the default.
    var all: [Material] { materials + [defaultMaterial] }

    private static func makeDefault() -> Material { Material(baseColor: .white, metalness: 1, roughness: 1) }

    // MARK: Core

    private func material(_ json: JSONValue) throws(GLTFError) -> Material {
        let material = Self.makeDefault()
        material.name = try json.string("name") ?? ""
        try readMetallicRoughness(json.object("pbrMetallicRoughness"), into: material)
        if let info = try json.object("normalTexture") {
            material.normal = NormalSlot(map: try textureMap(info), scale: try info.float("scale") ?? 1)
        }
        if let info = try json.object("occlusionTexture") {
            let strength = try context.factor(info, "strength", default: 1)
            material.occlusion = ScalarSlot(1, map: try textureMap(info), channel: .red, intensity: strength)
        }
        try readEmission(json, into: material)
        if let json = try json.extension("MOZ_lightmap") {
            let intensity = try context.factor(json, "intensity", in: Self.positive, default: 1)
            material.lightMap = ColorSlot(Vector4(intensity, intensity, intensity, 1), map: try textureMap(json))
        }
        try readAlpha(json, into: material)
        material.isDoubleSided = try json.boolean("doubleSided") ?? false
        if try json.extension("KHR_materials_unlit") != nil { material.lightingModel = .constant }
        if let clearcoat = try json.extension("KHR_materials_clearcoat") { material.clearcoat = try self.clearcoat(clearcoat) }
        try readLobes(json, into: material)
        return material
    }

    private func readMetallicRoughness(_ json: JSONValue?, into material: Material) throws(GLTFError) {
        guard let json else { return }
        let color = try context.colorFactor(json, "baseColorFactor", count: 4) ?? [1, 1, 1, 1]
        material.baseColor = ColorSlot(Vector4(color[0], color[1], color[2], color[3]), map: try textureMap(json, "baseColorTexture"))
        // One texture stores both: roughness in green, metalness in blue.
        let map = try textureMap(json, "metallicRoughnessTexture")
        material.metalness = ScalarSlot(try context.factor(json, "metallicFactor", default: 1), map: map, channel: .blue)
        material.roughness = ScalarSlot(try context.factor(json, "roughnessFactor", default: 1), map: map, channel: .green)
    }

    private func readEmission(_ json: JSONValue, into material: Material) throws(GLTFError) {
        let color = try context.colorFactor(json, "emissiveFactor", count: 3) ?? [0, 0, 0]
        let strength = try context.factor(
            json.extension("KHR_materials_emissive_strength"), "emissiveStrength", in: 0...Float.greatestFiniteMagnitude, default: 1)
        let linear = Vector3(color[0], color[1], color[2]) * strength
        material.emission = ColorSlot(Vector4(linear, 1), map: try textureMap(json, "emissiveTexture"))
    }

    private func readAlpha(_ json: JSONValue, into material: Material) throws(GLTFError) {
        let cutoff = try context.factor(json, "alphaCutoff", in: 0...Float.greatestFiniteMagnitude, default: 0.5)
        switch try json.string("alphaMode") {
        case nil, "OPAQUE": material.alphaMode = .opaque
        case "MASK": material.alphaMode = .mask(cutoff: cutoff)
        case "BLEND": material.alphaMode = .blend
        default: throw json.failure("alphaMode", "must be OPAQUE, MASK or BLEND")
        }
        if case .mask = material.alphaMode { return }
        if let cutoff = json["alphaCutoff"] {
            context.warn(cutoff, "has no effect unless alphaMode is MASK")
        }
    }

    private func clearcoat(_ json: JSONValue) throws(GLTFError) -> Clearcoat {
        var clearcoat = Clearcoat()
        clearcoat.factor = ScalarSlot(
            try context.factor(json, "clearcoatFactor", default: 0), map: try textureMap(json, "clearcoatTexture"), channel: .red)
        clearcoat.roughness = ScalarSlot(
            try context.factor(json, "clearcoatRoughnessFactor", default: 0), map: try textureMap(json, "clearcoatRoughnessTexture"),
            channel: .green)
        if let info = try json.object("clearcoatNormalTexture") {
            clearcoat.normal = NormalSlot(map: try textureMap(info), scale: try info.float("scale") ?? 1)
        }
        return clearcoat
    }

    // MARK: Texture references

    private func textureMap(_ json: JSONValue, _ key: StaticString) throws(GLTFError) -> TextureMap? {
        guard let info = try json.object(key) else { return nil }
        return try textureMap(info)
    }

    /// Reads a `textureInfo`: the texture, its set of texture coordinates, and their transform (KHR_texture_transform).
    private func textureMap(_ info: JSONValue) throws(GLTFError) -> TextureMap? {
        let index = try info.requireIndex("index", below: textures.count)
        var set = try info.integer("texCoord", in: 0...Int(Int32.max)) ?? 0
        var transform = TextureTransform.identity
        if let json = try info.extension("KHR_texture_transform") {
            if let offset = try json.floats("offset", count: 2) { transform.offset = Vector2(offset[0], offset[1]) }
            if let scale = try json.floats("scale", count: 2) { transform.scale = Vector2(scale[0], scale[1]) }
            transform.rotation = .radians(try json.float("rotation") ?? 0)
            set = try json.integer("texCoord", in: 0...Int(Int32.max)) ?? set
        }
        sets[sets.count - 1].append(set)
        guard let texture = try textures.texture(index) else { return nil }
        return TextureMap(texture, set: set, transform: transform)
    }

    // MARK: Extensions

    private func readLobes(_ json: JSONValue, into material: Material) throws(GLTFError) {
        material.ior = try ior(json.extension("KHR_materials_ior"))
        if let json = try json.extension("KHR_materials_specular") { material.specular = try specular(json) }
        if let json = try json.extension("KHR_materials_sheen") { material.sheen = try sheen(json) }
        if let json = try json.extension("KHR_materials_transmission") {
            material.transmission.factor = try scalar(json, "transmissionFactor", "transmissionTexture", .red)
        }
        if let json = try json.extension("KHR_materials_volume") { material.volume = try volume(json) }
        if let json = try json.extension("KHR_materials_dispersion") {
            if material.volume.thickness.factor == 0 { context.warn(json, "has no effect without a volume (KHR_materials_volume)") }
            material.transmission.dispersion = try context.factor(json, "dispersion", in: Self.positive, default: 0)
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
        ScalarSlot(try context.factor(json, name, in: range, default: value), map: try textureMap(json, texture), channel: channel)
    }

    /// Reads the index of refraction. 0 makes the surface reflect all light (KHR_materials_ior); all other values are at least 1.
    private func ior(_ json: JSONValue?) throws(GLTFError) -> Float {
        guard let json else { return 1.5 }
        if try json.float("ior") == 0 { return 0 }
        return try context.factor(json, "ior", in: 1...Float.greatestFiniteMagnitude, default: 1.5)
    }

    private func specular(_ json: JSONValue) throws(GLTFError) -> Specular {
        // The specification allows values above 1.
        let color = try json.floats("specularColorFactor", count: 3) ?? [1, 1, 1]
        let linear = pointwiseMax(Vector3(color[0], color[1], color[2]), Vector3(repeating: 0))
        return Specular(
            factor: try scalar(json, "specularFactor", "specularTexture", .alpha, default: 1),
            color: ColorSlot(Vector4(linear, 1), map: try textureMap(json, "specularColorTexture")))
    }

    private func sheen(_ json: JSONValue) throws(GLTFError) -> Sheen {
        let color = try context.colorFactor(json, "sheenColorFactor", count: 3) ?? [0, 0, 0]
        return Sheen(
            color: ColorSlot(Vector4(color[0], color[1], color[2], 1), map: try textureMap(json, "sheenColorTexture")),
            roughness: try scalar(json, "sheenRoughnessFactor", "sheenRoughnessTexture", .alpha))
    }

    private func volume(_ json: JSONValue) throws(GLTFError) -> Volume {
        let color = try context.colorFactor(json, "attenuationColor", count: 3) ?? [1, 1, 1]
        var distance = try json.float("attenuationDistance") ?? .infinity
        if distance <= 0 {
            if let member = json["attenuationDistance"] { context.warn(member, "must be greater than 0; the volume absorbs no light") }
            distance = .infinity
        }
        return Volume(
            thickness: try scalar(json, "thicknessFactor", "thicknessTexture", .green, in: Self.positive),
            attenuationDistance: distance, attenuationColor: Vector3(color[0], color[1], color[2]))
    }

    private func iridescence(_ json: JSONValue) throws(GLTFError) -> Iridescence {
        Iridescence(
            factor: try scalar(json, "iridescenceFactor", "iridescenceTexture", .red),
            ior: try context.factor(json, "iridescenceIor", in: 1...Float.greatestFiniteMagnitude, default: 1.3),
            thickness: (
                try context.factor(json, "iridescenceThicknessMinimum", in: Self.positive, default: 100),
                try context.factor(json, "iridescenceThicknessMaximum", in: Self.positive, default: 400)
            ), thicknessMap: try textureMap(json, "iridescenceThicknessTexture"))
    }

    private func anisotropy(_ json: JSONValue) throws(GLTFError) -> Anisotropy {
        Anisotropy(
            strength: try context.factor(json, "anisotropyStrength", default: 0),
            rotation: .radians(try json.float("anisotropyRotation") ?? 0),
            map: try textureMap(json, "anisotropyTexture"))
    }

    /// Reads an archived extension that many files use: a dielectric whose reflectance at normal incidence is the specular colour. An index of
    /// refraction of 0 makes the reflectance equal to that colour. The glossiness in the texture's alpha is not read.
    private func readSpecularGlossiness(_ json: JSONValue, into material: Material) throws(GLTFError) {
        let diffuse = try context.colorFactor(json, "diffuseFactor", count: 4) ?? [1, 1, 1, 1]
        material.baseColor = ColorSlot(
            Vector4(diffuse[0], diffuse[1], diffuse[2], diffuse[3]), map: try textureMap(json, "diffuseTexture"))
        let color = try context.colorFactor(json, "specularFactor", count: 3) ?? [1, 1, 1]
        let map = try textureMap(json, "specularGlossinessTexture")
        if map != nil, let member = json["specularGlossinessTexture"] {
            context.warn(member, "its alpha, the glossiness, is ignored; only glossinessFactor is used")
        }
        material.specular.color = ColorSlot(Vector4(color[0], color[1], color[2], 1), map: map)
        material.ior = 0
        material.metalness = ScalarSlot(0)
        material.roughness = ScalarSlot(1 - (try context.factor(json, "glossinessFactor", default: 1)))
    }

    // MARK: Variants

    private func readVariants() throws(GLTFError) {
        guard let json = try root.json.extension("KHR_materials_variants") else { return }
        guard let list = try json.array("variants") else { throw json.failure("variants", "is missing") }
        guard list.count <= context.limits.variants else {
            throw context.limitFailure(list, "more than \(context.limits.variants) material variants")
        }
        for index in 0..<list.count {
            guard let name = try list[index].string("name") else { throw list[index].failure("name", "is missing") }
            variantNames.append(name)
        }
    }

    /// Returns the materials of a primitive in the variants of the file.
    func alternatives(of primitive: JSONValue) throws(GLTFError) -> [(variant: String, material: Material)] {
        guard let mappings = try primitive.extension("KHR_materials_variants")?.array("mappings") else { return [] }
        var alternatives: [(variant: String, material: Material)] = []
        for index in 0..<mappings.count {
            let mapping = mappings[index]
            let material = try mapping.requireIndex("material", below: materials.count)
            guard let variants = try mapping.array("variants") else { throw mapping.failure("variants", "is missing") }
            for position in 0..<variants.count {
                try context.spend(alternatives.count + 1, at: mapping)
                let name = variantNames[try variants[position].index(below: variantNames.count)]
                guard !alternatives.contains(where: { $0.variant == name }) else {
                    context.warn(variants[position], "'\(name)' already has a material; this one was ignored")
                    continue
                }
                alternatives.append((variant: name, material: materials[material]))
            }
        }
        return alternatives
    }
}
