import VitrineMath
import VitrineScene

extension COLLADAReader {
    /// The texture that a `<texture>` of a shader means, with its sampler; nil, with a warning, where there is none.
    func texture(_ element: XMLElement, _ scope: EffectScope) throws(ModelFileError) -> Texture? {
        let sampler = scope.sampler(element)
        guard let image = try image(of: sampler, element, scope) else {
            warn(element, "there is no image for the texture \"\((element["texture"] ?? "").prefix(80))\"")
            return nil
        }
        guard let (index, bytes, path) = try encodedImage(image) else { return nil }
        let settings = Self.sampler(sampler)
        let key = "\(index) \(settings.hashValueText)"
        if let known = texturesByKey[key] { return known }
        let texture = Texture(name: path, content: .encoded(bytes), sampler: settings)
        texturesByKey[key] = texture
        textures.append(ParsedTexture(texture: texture, imageIndex: index, uri: path, place: image.place))
        return texture
    }

    private func image(of sampler: XMLElement?, _ element: XMLElement, _ scope: EffectScope) throws(ModelFileError) -> XMLElement? {
        // 1.5: the sampler names the image; 1.4: a surface that does; careless programs: the texture itself.
        if let instance = sampler?.child("instance_image") {
            if let url = instance["url"], let image = try files.resolve(url, from: instance), image.name == "image" { return image }
        }
        var name = element["texture"]
        if let sampler {
            let source = sampler.child("source")?.text
            let surface = scope.value(source)
            name = Self.imageName(surface) ?? source
        } else if let surface = scope.value(name), surface.name == "surface" {
            name = Self.imageName(surface)
        }
        guard let name, let image = try files.resolve(name.contains("#") ? name : "#" + name, from: element), image.name == "image" else {
            return nil
        }
        return image
    }

    /// `<init_from>`, also inside of others, or `<init_planar><all ref="…"/>`.
    private static func imageName(_ surface: XMLElement?) -> String? {
        guard let surface else { return nil }
        if let name = surface.firstDescendant("init_from")?.text, !name.isEmpty { return name }
        return surface.descendants.lazy.compactMap { $0["ref"] }.first
    }

    /// The encoded bytes of an `<image>`, each once.
    private func encodedImage(_ image: XMLElement) throws(ModelFileError) -> (index: Int, bytes: [UInt8], path: String)? {
        if let hex = image.child("init_from", "hex") ?? image.child("data") {
            let key = "\(image.tree.file):\(image.index)"
            if let known = imagesByPath[key] { return (known.index, known.bytes, image.title) }
            guard let bytes = Self.bytes(hex: hex) else {
                warn(hex, "the image in the file is no hexadecimal text")
                return nil
            }
            return kept(bytes, key: key, path: image.title)
        }
        guard let element = image.child("init_from") else {
            warn(image, "the image has no file")
            return nil
        }
        let uri = element.child("ref")?.text ?? element.text
        let key = image.tree.folder + uri
        if let known = imagesByPath[key] { return (known.index, known.bytes, uri) }
        guard let (bytes, path) = files.image(uri, from: element) else { return nil }
        if let known = imagesByPath[path] {
            imagesByPath[key] = known
            return (known.index, known.bytes, path)
        }
        let result = kept(bytes, key: path, path: path)
        imagesByPath[key] = imagesByPath[path]
        return result
    }

    private func kept(_ bytes: [UInt8], key: String, path: String) -> (index: Int, bytes: [UInt8], path: String) {
        let index = nextImageIndex()
        imagesByPath[key] = (index, bytes)
        return (index, bytes, path)
    }

    /// Indices count from 0 in order of first use.
    func nextImageIndex() -> Int {
        defer { imageCount += 1 }
        return imageCount
    }

    private static func bytes(hex element: XMLElement) -> [UInt8]? {
        var bytes: [UInt8] = []
        for word in element.words {
            let digits = Array(word.utf8)
            guard digits.count % 2 == 0 else { return nil }
            for index in stride(from: 0, to: digits.count, by: 2) {
                guard let high = Character(UnicodeScalar(digits[index])).hexDigitValue,
                    let low = Character(UnicodeScalar(digits[index + 1])).hexDigitValue
                else { return nil }
                bytes.append(UInt8(high << 4 | low))
            }
        }
        return bytes
    }

    private static func sampler(_ element: XMLElement?) -> Sampler {
        guard let element else { return Sampler() }
        func wrap(_ name: String) -> WrapMode {
            switch element.child(name)?.text {
            case "MIRROR": .mirroredRepeat
            case "CLAMP", "BORDER", "NONE", "MIRROR_ONCE": .clampToEdge
            default: .repeat
            }
        }
        func filter(_ name: String) -> String { element.child(name)?.text ?? "" }
        let minimum = filter("minfilter")
        let mipmap = filter("mipfilter")
        // Without a word about mipmaps there are some: images far away would flicker.
        let mip: FilterMode = minimum.hasSuffix("MIPMAP_NEAREST") || mipmap == "NEAREST" ? .nearest : .linear
        return Sampler(
            wrapS: wrap("wrap_s"), wrapT: wrap("wrap_t"), magnification: filter("magfilter") == "NEAREST" ? .nearest : .linear,
            minification: minimum.hasPrefix("NEAREST") ? .nearest : .linear, mip: mip)
    }

    /// What programs say beside the format about where on the surface the image lies (`repeatU`, `offsetU` … of the MAYA profile).
    static func transform(_ texture: XMLElement) throws(ModelFileError) -> TextureTransform {
        guard let maya = texture.children("extra").flatMap({ $0.children("technique") }).first(where: { $0["profile"] == "MAYA" }) else {
            return .identity
        }
        func number(_ name: String, _ standard: Float) throws(ModelFileError) -> Float {
            guard let value = try maya.child(name)?.float(), value.isFinite else { return standard }
            return value
        }
        let scale = Vector2(try number("repeatU", 1), try number("repeatV", 1))
        let offset = Vector2(try number("offsetU", 0), try number("offsetV", 0))
        // Their v points up, ours down.
        return TextureTransform(offset: Vector2(offset.x, 1 - scale.y - offset.y), scale: scale)
    }
}

extension Sampler {
    /// A key of the sampler, the same in every run.
    fileprivate var hashValueText: String { "\(wrapS) \(wrapT) \(magnification) \(minification) \(mip.map { "\($0)" } ?? "")" }
}
