import VitrineScene

/// The images of a file, still encoded, and the textures that use them.
final class GLTFTextures {
    private struct Source {
        let json: JSONValue
        let name: String
        let mimeType: String
        let uri: String
        /// The bytes of the image; nil, after a warning, if they could not be read.
        let encoded: [UInt8]?
    }

    private let context: GLTFContext
    private let root: GLTFRoot
    private let buffers: GLTFBuffers
    private var images: [Source] = []
    /// Copies of images in buffers, by buffer view.
    private var bytesByView: [Int: [UInt8]] = [:]
    /// The textures by index; nil until a material uses them.
    private var textures: [Texture?]
    private var texturesByImage: [[Texture]]
    /// Every texture that a material uses, in order of first use.
    private(set) var used: [GLTFTexture] = []

    init(_ root: GLTFRoot, _ buffers: GLTFBuffers, _ context: GLTFContext, resolve: GLTFBuffers.Resolver) throws(GLTFError) {
        (self.root, self.buffers, self.context) = (root, buffers, context)
        textures = Array(repeating: nil, count: root.textures.count)
        texturesByImage = Array(repeating: [], count: root.images.count)
        try readImages(resolve)
        checkTextures()
    }

    var count: Int { textures.count }

    // MARK: Images

    private func readImages(_ resolve: GLTFBuffers.Resolver) throws(GLTFError) {
        for (index, json) in root.images.enumerated() {
            let view = try json.index("bufferView", below: buffers.viewCount)
            let (uri, mimeType) = (json["uri"], try json.string("mimeType") ?? "")
            let name = try json.string("name") ?? ""
            var encoded: [UInt8]?
            var path = ""
            switch (view, uri) {
            case (let view?, nil):
                if mimeType.isEmpty { context.warn(json, "an image in a buffer needs a mimeType") }
                encoded = try bytes(inView: view, json)
            case (nil, let uri?):
                let text = try uri.utf8()
                if !text.starts(with: [0x64, 0x61, 0x74, 0x61, 0x3A]) { path = String(decoding: text, as: UTF8.self) }
                encoded = try bytes(json, at: uri, resolve)
            case (nil, nil): context.warn(json, "has neither uri nor bufferView")
            case (.some, .some): throw json.failure("has both uri and bufferView")
            }
            if let encoded { checkKind(of: encoded, mimeType: mimeType, json) }
            let fallback = path.isEmpty ? "image \(index)" : path
            images.append(Source(json: json, name: name.isEmpty ? fallback : name, mimeType: mimeType, uri: path, encoded: encoded))
        }
    }

    private func bytes(inView view: Int, _ json: JSONValue) throws(GLTFError) -> [UInt8]? {
        if let copy = bytesByView[view] { return copy }
        guard buffers.hasBytes(buffers[view: view]) else { return nil }
        let bytes = try buffers.bytes(of: buffers[view: view])
        try context.reserve(bytes: bytes.count, for: json)
        let copy = Array(bytes)
        bytesByView[view] = copy
        return copy
    }

    /// Checks the format of an image: glTF allows PNG and JPEG, and extensions add WebP and KTX2.
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
        if actual.isEmpty { return context.warn(json, "is not a PNG, JPEG, WebP or KTX2 image by its first bytes") }
        if actual == "image/webp", !context.declaredExtensions.contains("EXT_texture_webp") {
            context.warn(json, "is a WebP image, which needs EXT_texture_webp in extensionsUsed")
        }
        if actual == "image/ktx2", !context.declaredExtensions.contains("KHR_texture_basisu") {
            context.warn(json, "is a KTX2 image, which needs KHR_texture_basisu in extensionsUsed")
        }
        if !mimeType.isEmpty, mimeType != actual {
            context.warn(json, "mimeType is \(mimeType), but the first bytes are those of \(actual)")
        }
    }

    /// Reads a file. A missing file is a warning, because the model can be displayed without it.
    private func bytes(_ json: JSONValue, at uri: JSONValue, _ resolve: GLTFBuffers.Resolver) throws(GLTFError) -> [UInt8]? {
        do throws(GLTFError) {
            return try buffers.resource(json, resolve)
        } catch {
            guard case .resource = error.reason else { throw error }
            context.warn(uri, "the texture was omitted: \(error.reason)")
            return nil
        }
    }

    // MARK: Textures

    /// Warns about invalid indices in textures that no material uses. In used textures they are errors.
    private func checkTextures() {
        func check(_ member: JSONValue?, below count: Int) {
            guard let member, let index = try? member.integer(), index >= count else { return }
            context.warn(member, "index \(index), but there are \(count)")
        }
        for json in root.textures {
            check(json["source"], below: images.count)
            check(json["sampler"], below: root.samplers.count)
            for name in ["EXT_texture_webp", "KHR_texture_basisu"] as [StaticString] {
                check(json["extensions"]?[name]?["source"], below: images.count)
            }
        }
    }

    /// Returns a texture with its sampler; nil, with a warning, if it has no image.
    func texture(_ index: Int) throws(GLTFError) -> Texture? {
        if let texture = textures[index] { return texture }
        guard let json = root.textures[index] else { return nil }
        guard let (imageIndex, fallbackIndex) = try imageIndices(json) else {
            context.warn(json, "has no image that can be read")
            return nil
        }
        let image = images[imageIndex]
        guard let encoded = image.encoded else { return nil }
        let sampler = try sampler(json)
        // Textures with equal image and sampler are merged, so that they are uploaded once.
        if let shared = texturesByImage[imageIndex].first(where: { $0.sampler == sampler }) {
            textures[index] = shared
            return shared
        }
        let texture = Texture(name: image.name, content: .encoded(encoded), sampler: sampler)
        textures[index] = texture
        texturesByImage[imageIndex].append(texture)
        used.append(
            GLTFTexture(
                texture: texture, imageIndex: imageIndex, fallback: fallbackIndex.flatMap { images[$0].encoded }, mimeType: image.mimeType,
                uri: image.uri, location: image.json.pointer))
        return texture
    }

    /// Returns the image to decode, and the plain one to use if its bytes are damaged; nil if the texture has no image.
    ///
    /// A WebP image is preferred to the plain one. The plain image is preferred to a KTX2 image: the reader decodes KTX2 to pixels, so that the plain
    /// image has better quality at no cost.
    private func imageIndices(_ json: JSONValue) throws(GLTFError) -> (image: Int, fallback: Int?)? {
        let webP = try json.extension("EXT_texture_webp")?.index("source", below: images.count)
        let source = try json.index("source", below: images.count)
        if let webP { return (webP, source) }
        let ktx2 = try json.extension("KHR_texture_basisu")?.index("source", below: images.count)
        let plain = ktx2 == nil ? source : source.flatMap { images[$0].encoded == nil ? nil : $0 }
        return (plain ?? ktx2).map { ($0, nil) }
    }

    private func sampler(_ texture: JSONValue) throws(GLTFError) -> Sampler {
        guard let index = try texture.index("sampler", below: root.samplers.count), let json = root.samplers[index] else {
            return Sampler()
        }
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
