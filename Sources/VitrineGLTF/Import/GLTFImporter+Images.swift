import VitrineScene

/// An image of the file; its bytes are taken on first use.
struct GLTFImage {
    let json: JSONValue
    let name: String
    let mimeType: String
    let uri: String
    /// nil: no bytes could be had, and a warning says so.
    let encoded: [UInt8]?
}

extension GLTFImporter {
    func readImages(_ resolve: Resolver) throws(GLTFError) {
        for (index, json) in imageList.enumerated() {
            let view = try json.index("bufferView", below: bufferViews.count)
            let (uri, mimeType) = (json["uri"], try json.string("mimeType") ?? "")
            let name = try json.string("name") ?? ""
            var encoded: [UInt8]?
            var path = ""
            switch (view, uri) {
            case (let view?, nil):
                if mimeType.isEmpty { warn(json, "a picture in a buffer needs a mimeType") }
                encoded = try picture(inView: view, json)
            case (nil, let uri?):
                let text = try uri.utf8()
                if !text.starts(with: [0x64, 0x61, 0x74, 0x61, 0x3A]) { path = String(decoding: text, as: UTF8.self) }
                encoded = try picture(json, at: uri, resolve)
            case (nil, nil): warn(json, "has neither uri nor bufferView")
            case (.some, .some): throw json.failure("has both uri and bufferView")
            }
            if let encoded { checkKind(of: encoded, mimeType: mimeType, json) }
            let fallback = path.isEmpty ? "image \(index)" : path
            images.append(GLTFImage(json: json, name: name.isEmpty ? fallback : name, mimeType: mimeType, uri: path, encoded: encoded))
        }
    }

    private func picture(inView view: Int, _ json: JSONValue) throws(GLTFError) -> [UInt8]? {
        if let copy = pictures[view] { return copy }
        guard hasBytes(bufferViews[view]) else { return nil }
        let range = try range(of: bufferViews[view])
        try reserve(bytes: range.count, for: json)
        let copy = Array(buffers[bufferViews[view].buffer].bytes[range])
        pictures[view] = copy
        return copy
    }

    /// glTF allows PNG and JPEG; WebP and KTX2 come with their extensions.
    private func checkKind(of bytes: [UInt8], mimeType: String, _ json: JSONValue) {
        let actual =
            if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
                "image/png"
            } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
                "image/jpeg"
            } else if bytes.starts(with: [0x52, 0x49, 0x46, 0x46]) {
                "image/webp"
            } else if bytes.starts(with: [0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB]) {
                "image/ktx2"
            } else {
                ""
            }
        if actual.isEmpty { return warn(json, "the first bytes are not those of a PNG, JPEG, WebP or KTX2 picture") }
        if actual == "image/webp", !declaredExtensions.contains("EXT_texture_webp") {
            warn(json, "is a WebP image, which needs EXT_texture_webp in extensionsUsed")
        }
        if actual == "image/ktx2", !declaredExtensions.contains("KHR_texture_basisu") {
            warn(json, "is a KTX2 image, which needs KHR_texture_basisu in extensionsUsed")
        }
        if !mimeType.isEmpty, mimeType != actual { warn(json, "mimeType is \(mimeType), but the first bytes say \(actual)") }
    }

    /// A model without one of its pictures is still worth showing.
    private func picture(_ json: JSONValue, at uri: JSONValue, _ resolve: Resolver) throws(GLTFError) -> [UInt8]? {
        do throws(GLTFError) {
            return try resource(json, resolve)
        } catch {
            guard case .resource = error.reason else { throw error }
            warn(uri, "the picture was left out: \(error.reason)")
            return nil
        }
    }

    // MARK: Textures

    /// Names references to nothing in textures that no material uses: those of used textures are errors.
    func checkTextures() {
        func check(_ member: JSONValue?, below count: Int) {
            guard let member, let index = try? member.integer(), index >= count else { return }
            warn(member, "index \(index), but there are \(count)")
        }
        for json in textureList {
            check(json["source"], below: images.count)
            check(json["sampler"], below: samplerList.count)
            for name in ["EXT_texture_webp", "KHR_texture_basisu"] as [StaticString] {
                check(json["extensions"]?[name]?["source"], below: images.count)
            }
        }
    }

    /// A texture with its sampler; nil where its picture is missing (a warning says so).
    func texture(_ index: Int) throws(GLTFError) -> Texture? {
        if textures.isEmpty {
            textures = Array(repeating: nil, count: textureList.count)
            texturesOfImages = Array(repeating: [], count: images.count)
        }
        if let texture = textures[index] { return texture }
        guard let json = textureList[index] else { return nil }
        guard let imageIndex = try imageIndex(json) else {
            warn(json, "has no picture that can be read")
            return nil
        }
        let image = images[imageIndex]
        guard let encoded = image.encoded else { return nil }
        let sampler = try sampler(json)
        // Two textures that agree in everything are one, and are uploaded once.
        if let used = texturesOfImages[imageIndex].first(where: { $0.sampler == sampler }) {
            textures[index] = used
            return used
        }
        let texture = Texture(name: image.name, content: .encoded(encoded), sampler: sampler)
        textures[index] = texture
        texturesOfImages[imageIndex].append(texture)
        usedTextures.append(
            GLTFTexture(
                texture: texture, imageIndex: imageIndex, mimeType: image.mimeType, uri: image.uri, place: image.json.pointer))
        return texture
    }

    /// WebP is read, so its variant comes first. A KTX2 picture is unpacked whatever the screen could show packed: beside it a plain one is
    /// better, and comes first.
    private func imageIndex(_ json: JSONValue) throws(GLTFError) -> Int? {
        if let webP = try json.extension("EXT_texture_webp")?.index("source", below: images.count) { return webP }
        let plain = try json.index("source", below: images.count)
        guard let packed = try json.extension("KHR_texture_basisu")?.index("source", below: images.count) else { return plain }
        return plain.flatMap { images[$0].encoded == nil ? nil : $0 } ?? packed
    }

    private func sampler(_ texture: JSONValue) throws(GLTFError) -> Sampler {
        guard let index = try texture.index("sampler", below: samplerList.count), let json = samplerList[index] else { return Sampler() }
        var sampler = Sampler()
        sampler.wrapS = try wrapMode(json, "wrapS")
        sampler.wrapT = try wrapMode(json, "wrapT")
        switch try json.integer("magFilter") {
        case nil, 9729: sampler.magnification = .linear
        case 9728: sampler.magnification = .nearest
        default: throw json.failure("magFilter", "must be 9728 or 9729")
        }
        switch try json.integer("minFilter") {
        case nil, 9987: (sampler.minification, sampler.mip) = (.linear, .linear)
        case 9728: (sampler.minification, sampler.mip) = (.nearest, nil)
        case 9729: (sampler.minification, sampler.mip) = (.linear, nil)
        case 9984: (sampler.minification, sampler.mip) = (.nearest, .nearest)
        case 9985: (sampler.minification, sampler.mip) = (.linear, .nearest)
        case 9986: (sampler.minification, sampler.mip) = (.nearest, .linear)
        default: throw json.failure("minFilter", "must be 9728, 9729, or 9984…9987")
        }
        return sampler
    }

    private func wrapMode(_ json: JSONValue, _ key: StaticString) throws(GLTFError) -> WrapMode {
        switch try json.integer(key) {
        case nil, 10497: return .repeat
        case 33071: return .clampToEdge
        case 33648: return .mirroredRepeat
        default: throw json.failure(key, "must be 10497, 33071 or 33648")
        }
    }
}
