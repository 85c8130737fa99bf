/// The members that the objects of a glTF file may have. Other members are ignored, with a warning.
enum GLTFSchema {
    enum Object: UInt8, CaseIterable {
        case root, asset, accessor, sparse, sparseIndices, sparseValues, animation, channel, channelTarget, animationSampler
        case buffer, bufferView, camera, orthographic, perspective, image, material, metallicRoughness
        case textureInfo, normalTextureInfo, occlusionTextureInfo, mesh, primitive, node, sampler, scene, skin, texture
        case draco, meshopt, meshoptBuffer, instancing
        case lights, light, spot, lightReference, clearcoat, emissiveStrength, unlit, lightMap, textureTransform, webP
        case ior, specular, sheen, transmission, volume, dispersion, iridescence, anisotropy, specularGlossiness
        case variants, variant, variantMappings, variantMapping, irradianceVolume
    }

    /// A member with the type of its value, if that is an object or an array of objects.
    struct Member {
        let name: StaticString
        let object: Object?
        init(_ name: StaticString, _ object: Object? = nil) { (self.name, self.object) = (name, object) }
    }

    /// The members by `Object.rawValue`. Every object may also have `extensions` and `extras`.
    static let members: [[Member]] = Object.allCases.map { members(of: $0) }

    /// The supported extensions of each object by `Object.rawValue`.
    static let extensions: [[Member]] = Object.allCases.map { extensions(of: $0) }

    private static func members(of object: Object) -> [Member] {
        switch object {
        case .root: rootMembers
        case .asset: [Member("copyright"), Member("generator"), Member("version"), Member("minVersion")]
        case .accessor:
            [
                Member("bufferView"), Member("byteOffset"), Member("componentType"), Member("normalized"), Member("count"), Member("type"),
                Member("max"), Member("min"), Member("sparse", .sparse), Member("name"),
            ]
        case .sparse: [Member("count"), Member("indices", .sparseIndices), Member("values", .sparseValues)]
        case .sparseIndices: [Member("bufferView"), Member("byteOffset"), Member("componentType")]
        case .sparseValues: [Member("bufferView"), Member("byteOffset")]
        case .animation: [Member("channels", .channel), Member("samplers", .animationSampler), Member("name")]
        case .channel: [Member("sampler"), Member("target", .channelTarget)]
        case .channelTarget: [Member("node"), Member("path")]
        case .animationSampler: [Member("input"), Member("interpolation"), Member("output")]
        case .buffer: [Member("uri"), Member("byteLength"), Member("name")]
        case .bufferView:
            [Member("buffer"), Member("byteOffset"), Member("byteLength"), Member("byteStride"), Member("target"), Member("name")]
        case .camera: [Member("orthographic", .orthographic), Member("perspective", .perspective), Member("type"), Member("name")]
        case .orthographic: [Member("xmag"), Member("ymag"), Member("zfar"), Member("znear")]
        case .perspective: [Member("aspectRatio"), Member("yfov"), Member("zfar"), Member("znear")]
        case .image: [Member("uri"), Member("mimeType"), Member("bufferView"), Member("name")]
        case .mesh: [Member("primitives", .primitive), Member("weights"), Member("name")]
        case .primitive: [Member("attributes"), Member("indices"), Member("material"), Member("mode"), Member("targets")]
        case .node:
            [
                Member("camera"), Member("children"), Member("skin"), Member("matrix"), Member("mesh"), Member("rotation"), Member("scale"),
                Member("translation"), Member("weights"), Member("name"),
            ]
        case .sampler: [Member("magFilter"), Member("minFilter"), Member("wrapS"), Member("wrapT"), Member("name")]
        case .scene: [Member("nodes"), Member("name")]
        case .irradianceVolume: [Member("min"), Member("max"), Member("counts"), Member("coefficients")]
        case .skin: [Member("inverseBindMatrices"), Member("skeleton"), Member("joints"), Member("name")]
        case .texture: [Member("sampler"), Member("source"), Member("name")]
        default: materialMembers(of: object)
        }
    }

    private static func materialMembers(of object: Object) -> [Member] {
        switch object {
        case .material:
            [
                Member("name"), Member("pbrMetallicRoughness", .metallicRoughness), Member("normalTexture", .normalTextureInfo),
                Member("occlusionTexture", .occlusionTextureInfo), Member("emissiveTexture", .textureInfo), Member("emissiveFactor"),
                Member("alphaMode"), Member("alphaCutoff"), Member("doubleSided"),
            ]
        case .metallicRoughness:
            [
                Member("baseColorFactor"), Member("baseColorTexture", .textureInfo), Member("metallicFactor"), Member("roughnessFactor"),
                Member("metallicRoughnessTexture", .textureInfo),
            ]
        case .textureInfo: [Member("index"), Member("texCoord")]
        case .normalTextureInfo: [Member("index"), Member("texCoord"), Member("scale")]
        case .occlusionTextureInfo: [Member("index"), Member("texCoord"), Member("strength")]
        case .clearcoat:
            [
                Member("clearcoatFactor"), Member("clearcoatTexture", .textureInfo), Member("clearcoatRoughnessFactor"),
                Member("clearcoatRoughnessTexture", .textureInfo), Member("clearcoatNormalTexture", .normalTextureInfo),
            ]
        case .emissiveStrength: [Member("emissiveStrength")]
        case .lightMap: [Member("index"), Member("texCoord"), Member("intensity")]
        case .ior, .specular, .sheen, .transmission, .volume, .dispersion, .iridescence, .anisotropy, .specularGlossiness:
            lobeMembers(of: object)
        case .variants: [Member("variants", .variant)]
        case .variant: [Member("name")]
        case .variantMappings: [Member("mappings", .variantMapping)]
        case .variantMapping: [Member("variants"), Member("material"), Member("name")]
        case .textureTransform: [Member("offset"), Member("rotation"), Member("scale"), Member("texCoord")]
        case .webP: [Member("source")]
        case .draco: [Member("bufferView"), Member("attributes")]
        case .meshopt:
            [
                Member("buffer"), Member("byteOffset"), Member("byteLength"), Member("byteStride"), Member("count"), Member("mode"),
                Member("filter"),
            ]
        case .meshoptBuffer: [Member("fallback")]
        case .instancing: [Member("attributes")]
        case .lights: [Member("lights", .light)]
        case .light:
            [Member("name"), Member("color"), Member("intensity"), Member("type"), Member("range"), Member("spot", .spot)]
        case .spot: [Member("innerConeAngle"), Member("outerConeAngle")]
        case .lightReference: [Member("light")]
        default: []
        }
    }

    private static func lobeMembers(of object: Object) -> [Member] {
        switch object {
        case .ior: [Member("ior")]
        case .specular:
            [
                Member("specularFactor"), Member("specularTexture", .textureInfo), Member("specularColorFactor"),
                Member("specularColorTexture", .textureInfo),
            ]
        case .sheen:
            [
                Member("sheenColorFactor"), Member("sheenColorTexture", .textureInfo), Member("sheenRoughnessFactor"),
                Member("sheenRoughnessTexture", .textureInfo),
            ]
        case .transmission: [Member("transmissionFactor"), Member("transmissionTexture", .textureInfo)]
        case .volume:
            [
                Member("thicknessFactor"), Member("thicknessTexture", .textureInfo), Member("attenuationDistance"),
                Member("attenuationColor"),
            ]
        case .dispersion: [Member("dispersion")]
        case .iridescence:
            [
                Member("iridescenceFactor"), Member("iridescenceTexture", .textureInfo), Member("iridescenceIor"),
                Member("iridescenceThicknessMinimum"), Member("iridescenceThicknessMaximum"),
                Member("iridescenceThicknessTexture", .textureInfo),
            ]
        case .anisotropy: [Member("anisotropyStrength"), Member("anisotropyRotation"), Member("anisotropyTexture", .textureInfo)]
        case .specularGlossiness:
            [
                Member("diffuseFactor"), Member("diffuseTexture", .textureInfo), Member("specularFactor"), Member("glossinessFactor"),
                Member("specularGlossinessTexture", .textureInfo),
            ]
        default: []
        }
    }

    private static var rootMembers: [Member] {
        [
            Member("accessors", .accessor), Member("animations", .animation), Member("asset", .asset), Member("buffers", .buffer),
            Member("bufferViews", .bufferView), Member("cameras", .camera), Member("images", .image), Member("materials", .material),
            Member("meshes", .mesh), Member("nodes", .node), Member("samplers", .sampler), Member("scene"), Member("scenes", .scene),
            Member("skins", .skin), Member("textures", .texture), Member("extensionsUsed"), Member("extensionsRequired"),
        ]
    }

    private static func extensions(of object: Object) -> [Member] {
        switch object {
        case .root: [Member("KHR_lights_punctual", .lights), Member("KHR_materials_variants", .variants)]
        case .primitive: [Member("KHR_materials_variants", .variantMappings), Member("KHR_draco_mesh_compression", .draco)]
        case .scene: [Member("VITRINE_irradiance_volume", .irradianceVolume)]
        case .node: [Member("KHR_lights_punctual", .lightReference), Member("EXT_mesh_gpu_instancing", .instancing)]
        case .bufferView: [Member("EXT_meshopt_compression", .meshopt)]
        case .buffer: [Member("EXT_meshopt_compression", .meshoptBuffer)]
        case .material:
            [
                Member("KHR_materials_clearcoat", .clearcoat), Member("KHR_materials_emissive_strength", .emissiveStrength),
                Member("MOZ_lightmap", .lightMap), Member("KHR_materials_unlit", .unlit), Member("KHR_materials_ior", .ior),
                Member("KHR_materials_specular", .specular),
                Member("KHR_materials_sheen", .sheen), Member("KHR_materials_transmission", .transmission),
                Member("KHR_materials_volume", .volume), Member("KHR_materials_dispersion", .dispersion),
                Member("KHR_materials_iridescence", .iridescence), Member("KHR_materials_anisotropy", .anisotropy),
                Member("KHR_materials_pbrSpecularGlossiness", .specularGlossiness),
            ]
        case .textureInfo, .normalTextureInfo, .occlusionTextureInfo, .lightMap: [Member("KHR_texture_transform", .textureTransform)]
        case .texture: [Member("EXT_texture_webp", .webP), Member("KHR_texture_basisu", .webP)]
        default: []
        }
    }

    // MARK: Checking

    /// Warns about members that the reader ignores: unknown names, extensions at the wrong position or not declared, empty arrays.
    static func check(_ root: JSONValue, _ context: GLTFContext) {
        var pending: [(value: JSONValue, object: Object)] = [(root, .root)]
        while let (value, object) = pending.popLast() {
            guard value.kind == .object else { continue }
            for index in 0..<value.count {
                let (key, child) = value.memberIDs(index)
                if root.document.isString(key, equalTo: "extras") { continue }
                if root.document.isString(key, equalTo: "extensions") {
                    pending += checkExtensions(child, object, context)
                    continue
                }
                guard let member = find(key, in: members[Int(object.rawValue)], root.document) else {
                    context.warn(child, "is not a property of glTF here and was ignored")
                    continue
                }
                if child.kind == .array, child.count == 0 { context.warn(child, "is empty; glTF forbids empty arrays") }
                guard let type = member.object else { continue }
                if child.kind == .array {
                    for element in (0..<child.count).reversed() { pending.append((child[element], type)) }
                } else {
                    pending.append((child, type))
                }
            }
        }
    }

    private static func checkExtensions(
        _ json: JSONValue, _ object: Object, _ context: GLTFContext
    ) -> [(value: JSONValue, object: Object)] {
        guard json.kind == .object else { return [] }
        var found: [(value: JSONValue, object: Object)] = []
        for index in 0..<json.count {
            let (key, child) = json.memberIDs(index)
            let name = String(decoding: json.document.utf8(of: key), as: UTF8.self)
            if !context.declaredExtensions.contains(name) { context.warn(child, "the extension is not declared in extensionsUsed") }
            if let member = find(key, in: extensions[Int(object.rawValue)], json.document), let type = member.object {
                found.append((child, type))
            } else if context.supportedExtensions.contains(name) {
                context.warn(child, "the extension has no effect here and was ignored")
            }
        }
        return found
    }

    private static func find(_ key: Int, in members: [Member], _ document: JSONDocument) -> Member? {
        for member in members where document.isString(key, equalTo: member.name) { return member }
        return nil
    }
}
