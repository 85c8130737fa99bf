import VitrineMath
import VitrineScene

/// A material of the file, with one variant for each binding of its textures to sets of texture coordinates.
private final class ReadMaterial {
    /// The names of sets of texture coordinates in its textures, in order of occurrence.
    var semantics: [String] = []
    /// The materials by the sets to which those names are bound.
    var variants: [[Int]: Material] = [:]
}

/// The meaning of the numbers in `<transparent>`, by its attribute `opaque`.
private enum OpaqueMode: String {
    case alphaOne = "A_ONE"
    case rgbZero = "RGB_ZERO"
    case alphaZero = "A_ZERO"
    case rgbOne = "RGB_ONE"

    /// Returns the opacity; 1 is opaque ("Determining Transparency", COLLADA 1.5).
    func opacity(_ color: Vector4, transparency: Float) -> Float {
        let luminance = dot(color.xyz, Vector3(0.212671, 0.715160, 0.072169))
        return switch self {
        case .alphaOne: color.w * transparency
        case .alphaZero: 1 - color.w * transparency
        case .rgbZero: 1 - luminance * transparency
        case .rgbOne: luminance * transparency
        }
    }
}

/// The materials, textures and images of a document. Parses each once.
final class COLLADAMaterials {
    private let files: COLLADAFiles
    private(set) var textures: [ParsedTexture] = []
    private var materials: [Material] = []
    private var materialsByElement: [XMLElement: ReadMaterial] = [:]
    /// The ambient colours of materials, which may differ from their base colours.
    private var ambientColors: [(material: Material, color: Vector3, element: XMLElement)] = []
    private var texturesByKey: [String: Texture] = [:]
    private var imageCount = 0
    private var imagesByPath: [String: (index: Int, bytes: [UInt8])] = [:]
    private let fallback = Material(name: "", baseColor: Color(white: 0.8), metalness: 0, roughness: 1)
    private var usesFallback = false

    init(_ files: COLLADAFiles) { self.files = files }

    /// The materials that meshes use, in order of first use.
    var all: [Material] { usesFallback ? materials + [fallback] : materials }

    /// The material of parts without one.
    func fallbackMaterial() -> Material {
        usesFallback = true
        return fallback
    }

    private func warn(_ element: XMLElement?, _ message: String, kind: String? = nil) { files.warn(element, message, kind: kind) }

    /// Returns the material that is bound to a part; nil if there is none.
    func material(_ binding: XMLElement?, part: BuiltPart) throws(ModelFileError) -> Material? {
        guard let binding else { return nil }
        guard let element = try files.resolve(binding["target"], from: binding), element.name == "material" else {
            warn(binding, "there is no material \"\((binding["target"] ?? "").prefix(80))\"")
            return nil
        }
        return try material(element, binding: binding, part: part)
    }

    func material(_ element: XMLElement, binding: XMLElement?, part: BuiltPart) throws(ModelFileError) -> Material? {
        let read = materialsByElement[element] ?? ReadMaterial()
        if materialsByElement[element] == nil {
            materialsByElement[element] = read
            // The first pass collects the names.
            let first = try self.effect(of: element) { name in
                if !read.semantics.contains(name) { read.semantics.append(name) }
                return 0
            }
            let key = read.semantics.map { set($0, binding, part) }
            if key.allSatisfy({ $0 == 0 }) {
                read.variants[key] = first
                materials.append(first)
                return first
            }
        }
        let key = read.semantics.map { set($0, binding, part) }
        if let known = read.variants[key] { return known }
        let made = try self.effect(of: element) { name in read.semantics.firstIndex(of: name).map { key[$0] } ?? 0 }
        read.variants[key] = made
        materials.append(made)
        return made
    }

    /// Returns the index of the set of texture coordinates to which a name of the effect is bound.
    private func set(_ semantic: String, _ binding: XMLElement?, _ part: BuiltPart) -> Int {
        var number: Int?
        if let bind = binding?.children.first(where: { $0.name == "bind_vertex_input" && $0["semantic"] == semantic }) {
            number = bind["input_set"].flatMap { Int($0) }
        } else if let digits = semantic.split(whereSeparator: { !$0.isNumber }).last, semantic.hasSuffix(digits) {
            // Without a binding, the number in names such as "UVSET1", "TEX1" and "CHANNEL1" determines the set.
            number = Int(digits)
        }
        guard let number else { return 0 }
        return part.textureSets.firstIndex(of: number) ?? 0
    }

    // MARK: The effect

    private func effect(of material: XMLElement, set: (String) -> Int) throws(ModelFileError) -> Material {
        let result = Material(name: material.title, baseColor: Color(white: 0.8), metalness: 0, roughness: 1)
        result.lightingModel = .lambert
        guard let instance = material.child("instance_effect"), let effect = try files.resolve(instance["url"], from: instance),
            effect.name == "effect"
        else {
            warn(material, "the material has no effect")
            return result
        }
        guard let profile = effect.child("profile_COMMON"), let technique = profile.child("technique"),
            let shader = technique.children.first(where: { ["constant", "lambert", "phong", "blinn"].contains($0.name) })
        else {
            warn(effect, "the effect has no common profile and is replaced by a grey material")
            return result
        }
        let scope = EffectScope(effect: effect, profile: profile, technique: technique, instance: instance)
        try read(shader, scope, into: result, set: set)
        try readBump(technique, scope, into: result, set: set)
        result.isDoubleSided = Self.isDoubleSided(effect) ?? true
        return result
    }

    /// Returns whether a program has written that both sides are visible; nil if the file does not specify it, because COLLADA has no culling.
    static func isDoubleSided(_ element: XMLElement) -> Bool? {
        let said = element.descendants.filter { $0.name == "double_sided" }
        return said.isEmpty ? nil : said.contains { $0.isTrue }
    }

    private func read(
        _ shader: XMLElement, _ scope: EffectScope, into material: Material, set: (String) -> Int
    ) throws(ModelFileError) {
        material.baseColor = ColorSlot(Vector4(0, 0, 0, 1))
        switch shader.name {
        case "constant":
            material.lightingModel = .constant
            // A constant shader emits its colour; some programs write it as diffuse.
            let slot = shader.child("emission") ?? shader.child("diffuse")
            material.baseColor = try color(slot, scope, set) ?? material.baseColor
        default:
            material.lightingModel = shader.name == "phong" ? .phong : shader.name == "blinn" ? .blinn : .lambert
            material.baseColor = try color(shader.child("diffuse"), scope, set) ?? material.baseColor
            material.emission = try color(shader.child("emission"), scope, set) ?? material.emission
        }
        if shader.name == "phong" || shader.name == "blinn" {
            let shininess = try scope.content(shader.child("shininess"))?.float() ?? 20
            material.highlight = Highlight(
                color: try color(shader.child("specular"), scope, set) ?? ColorSlot(Vector4(0, 0, 0, 1)),
                shininess: shininess.isFinite ? exponent(max(shininess, 0), shader) : 20)
        }
        if let ambient = scope.content(shader.child("ambient")) {
            if ambient.name == "texture" {
                try reportAmbientTexture(ambient, scope, material)
            } else if let color = try color(shader.child("ambient"), scope, set) {
                ambientColors.append((material, color.factor.xyz, shader))
            }
        }
        if let ior = try scope.content(shader.child("index_of_refraction"))?.float(), ior.isFinite, ior > 1 { material.ior = ior }
        if let reflectivity = try scope.content(shader.child("reflectivity"))?.float(), reflectivity > 0,
            let reflective = try color(shader.child("reflective"), scope, set), reflective.factor.xyz != Vector3(repeating: 0)
        {
            warn(shader, "mirror reflections of \(shader.name) are not supported", kind: "reflective")
        }
        try readTransparency(shader, scope, into: material, set: set)
    }

    /// Returns the exponent of the highlight, which is the value of `<shininess>` by the specification. Two kinds of programs write numbers up to 1 with
    /// other meanings: 3ds Max a fraction of the sharpest highlight, here 128; others for `<blinn>` the eccentricity of Blinn's paper (1977).
    private func exponent(_ shininess: Float, _ shader: XMLElement) -> Float {
        guard shininess > 0, shininess <= 1 else { return shininess }
        let tool = shader.tree.root.child("asset", "contributor", "authoring_tool")?.text.lowercased() ?? ""
        if tool.contains("max") { return shininess * 128 }
        return shader.name == "blinn" ? Self.exponent(ofEccentricity: shininess) : shininess
    }

    /// Returns the exponent for which the power of the cosine is a half at the same angle as Blinn's distribution (e² / (1 - (1 - e²) cos²))².
    static func exponent(ofEccentricity eccentricity: Float) -> Float {
        let squared = eccentricity * eccentricity
        let cosine = (1 - Float(2).squareRoot() * squared) / max(1 - squared, 1e-6)
        // From e = 0.84 on, the distribution is never below a half.
        guard cosine > 0.01 else { return 1 }
        return clamp(log(Float(0.5)) / log(min(cosine, 0.999_999).squareRoot()), 1, 1000)
    }

    /// Warns about an ambient texture, which materials do not support, unless it equals the diffuse texture.
    private func reportAmbientTexture(_ element: XMLElement, _ scope: EffectScope, _ material: Material) throws(ModelFileError) {
        guard let texture = try texture(element, scope), texture !== material.baseColor.map?.texture else { return }
        warn(element, "the ambient texture \"\(texture.name.prefix(80))\" is not supported", kind: "ambient texture")
    }

    /// Returns a colour, or a texture; nil if the slot is empty.
    private func color(_ slot: XMLElement?, _ scope: EffectScope, _ set: (String) -> Int) throws(ModelFileError) -> ColorSlot? {
        guard let content = scope.content(slot) else { return nil }
        if content.name == "texture" {
            guard let map = try map(content, scope, set) else { return nil }
            return ColorSlot(Vector4(1, 1, 1, 1), map: map)
        }
        let numbers = try content.floats(limit: 16)
        guard !numbers.isEmpty else { return nil }
        return ColorSlot(Vector4(Self.linear(numbers), 1))
    }

    private func map(_ element: XMLElement, _ scope: EffectScope, _ set: (String) -> Int) throws(ModelFileError) -> TextureMap? {
        guard let texture = try texture(element, scope) else { return nil }
        return TextureMap(texture, set: set(element["texcoord"] ?? ""), transform: try Self.transform(element))
    }

    /// Reads a bump or normal map, which is not part of the common profile but of the extensions of programs.
    private func readBump(
        _ technique: XMLElement, _ scope: EffectScope, into material: Material, set: (String) -> Int
    ) throws(ModelFileError) {
        guard let bump = technique.children("extra").lazy.compactMap({ $0.firstDescendant("bump") }).first,
            let element = bump.child("texture"), let map = try map(element, scope, set), case .encoded(let bytes) = map.texture.content
        else { return }
        if bump["bumptype"]?.uppercased() == "NORMALMAP" || OpacityImage.isNormalMap(bytes, name: map.texture.name) {
            material.normal = NormalSlot(map: map)
        } else {
            warn(bump, "a bump map of heights is not supported", kind: "bump")
        }
    }

    /// Compensates for ambient colours: Vitrine's ambient light uses the base colour, COLLADA's a separate colour. If that is brighter and there is
    /// ambient light, the surface emits the difference; if it is darker, as in most files, the base colour is unchanged.
    ///
    /// - Parameter light: The sum of the scene's ambient lights.
    func fitAmbientColors(to light: Vector3) {
        guard light != Vector3(repeating: 0) else { return }
        for (material, color, element) in ambientColors where material.lightingModel != .constant {
            let base = material.baseColor.map == nil ? material.baseColor.factor.xyz : Vector3(repeating: 1)
            let more = simdMaximum(color - base, Vector3(repeating: 0)) * light
            guard more != Vector3(repeating: 0), material.emission.map == nil else { continue }
            material.emission.factor = Vector4(material.emission.factor.xyz + more, 1)
            warn(element, "an ambient colour brighter than the diffuse one is shown as emission", kind: "ambient colour")
        }
    }

    private func simdMaximum(_ a: Vector3, _ b: Vector3) -> Vector3 { a.replacing(with: b, where: a .< b) }

    /// Converts three or more numbers of an sRGB colour to linear ones.
    static func linear(_ numbers: [Float]) -> Vector3 {
        func channel(_ index: Int) -> Float {
            let value = index < numbers.count ? numbers[index] : numbers.last ?? 0
            let linear = max(linearFromSRGB(value), 0)
            return linear.isFinite ? linear : 0
        }
        return Vector3(channel(0), channel(1), channel(2))
    }

    // MARK: Transparency

    private func readTransparency(
        _ shader: XMLElement, _ scope: EffectScope, into material: Material, set: (String) -> Int
    ) throws(ModelFileError) {
        let slot = shader.child("transparent")
        let given = try scope.content(shader.child("transparency"))?.float()
        guard slot != nil || given != nil else { return }
        let transparency = given.flatMap { $0.isFinite ? $0 : nil } ?? 1
        let mode = slot?["opaque"].flatMap { OpaqueMode(rawValue: $0) } ?? .alphaOne
        let content = scope.content(slot)
        if let content, content.name == "texture" {
            return try readTransparent(content, mode, transparency, scope, into: material, set: set)
        }
        let numbers = try content?.floats(limit: 16).map { $0.isFinite ? $0 : 1 } ?? [1, 1, 1, 1]
        let color = Vector4(number(numbers, 0), number(numbers, 1), number(numbers, 2), numbers.count > 3 ? numbers[3] : 1)
        let opacity = clamp(mode.opacity(color, transparency: transparency), 0, 1)
        // Old programs write a transparency of 0 without `opaque` for opaque surfaces.
        if opacity == 0, slot?["opaque"] == nil {
            warn(shader, "transparency 0 would hide the surface and is replaced by opaque", kind: "transparency 0")
            return
        }
        guard opacity < 1 else { return }
        material.baseColor.factor.w = opacity
        material.alphaMode = .blend
    }

    private func number(_ list: [Float], _ index: Int) -> Float { index < list.count ? list[index] : list.last ?? 1 }

    private func readTransparent(
        _ element: XMLElement, _ mode: OpaqueMode, _ transparency: Float, _ scope: EffectScope, into material: Material,
        set: (String) -> Int
    ) throws(ModelFileError) {
        guard let texture = try texture(element, scope), case .encoded(let bytes) = texture.content else { return }
        let map = TextureMap(texture, set: set(element["texcoord"] ?? ""), transform: try Self.transform(element))
        if mode == .alphaOne {
            let opacity = clamp(transparency, 0, 1)
            if !OpacityImage.mayHaveAlpha(bytes) {
                guard opacity < 1, opacity > 0 else { return }
                material.baseColor.factor.w = opacity
            } else if let base = material.baseColor.map, base.texture === texture, base.set == map.set {
                // The alpha of the base colour is already applied.
                material.baseColor.factor.w = opacity > 0 ? opacity : 1
            } else {
                material.opacity = ScalarSlot(opacity > 0 ? opacity : 1, map: map, channel: .alpha)
            }
            material.alphaMode = .blend
            return
        }
        let image = OpacityImage.make(bytes, name: texture.name) { mode.opacity(Vector4($0, $1, $2, $3), transparency: transparency) }
        guard let image else {
            warn(element, "the image \"\(texture.name)\" cannot be decoded for its transparency")
            return
        }
        let made = Texture(name: texture.name + " (opacity)", content: .image(image), sampler: texture.sampler)
        textures.append(ParsedTexture(texture: made, imageIndex: nextImageIndex(), uri: "", location: element.location))
        material.opacity = ScalarSlot(1, map: TextureMap(made, set: map.set, transform: map.transform), channel: .red)
        material.alphaMode = .blend
    }

    // MARK: Textures

    /// Returns the texture of a `<texture>` of a shader, with its sampler; nil, with a warning, if there is none.
    private func texture(_ element: XMLElement, _ scope: EffectScope) throws(ModelFileError) -> Texture? {
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
        textures.append(ParsedTexture(texture: texture, imageIndex: index, uri: path, location: image.location))
        return texture
    }

    private func image(of sampler: XMLElement?, _ element: XMLElement, _ scope: EffectScope) throws(ModelFileError) -> XMLElement? {
        // In version 1.5, the sampler refers to the image; in 1.4, to a surface that does. Some files refer to the image directly.
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

    /// Returns the image of `<init_from>`, including nested ones, or of `<init_planar><all ref="…"/>`.
    private static func imageName(_ surface: XMLElement?) -> String? {
        guard let surface else { return nil }
        if let name = surface.firstDescendant("init_from")?.text, !name.isEmpty { return name }
        return surface.descendants.lazy.compactMap { $0["ref"] }.first
    }

    /// Returns the encoded bytes of an `<image>`, each read once.
    private func encodedImage(_ image: XMLElement) throws(ModelFileError) -> (index: Int, bytes: [UInt8], path: String)? {
        if let hex = image.child("init_from", "hex") ?? image.child("data") {
            let key = "\(image.tree.file):\(image.index)"
            if let known = imagesByPath[key] { return (known.index, known.bytes, image.title) }
            guard let bytes = Self.bytes(hex: hex) else {
                warn(hex, "the embedded image is not hexadecimal")
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

    /// Returns the next image index, in order of first use.
    private func nextImageIndex() -> Int {
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
        // The default is to use mip levels, because distant images would flicker without them.
        let mip: FilterMode = minimum.hasSuffix("MIPMAP_NEAREST") || mipmap == "NEAREST" ? .nearest : .linear
        return Sampler(
            wrapS: wrap("wrap_s"), wrapT: wrap("wrap_t"), magnification: filter("magfilter") == "NEAREST" ? .nearest : .linear,
            minification: minimum.hasPrefix("NEAREST") ? .nearest : .linear, mip: mip)
    }

    /// Reads the position of the image on the surface from the MAYA profile (`repeatU`, `offsetU` …).
    private static func transform(_ texture: XMLElement) throws(ModelFileError) -> TextureTransform {
        guard let maya = texture.children("extra").flatMap({ $0.children("technique") }).first(where: { $0["profile"] == "MAYA" }) else {
            return .identity
        }
        func number(_ name: String, _ standard: Float) throws(ModelFileError) -> Float {
            guard let value = try maya.child(name)?.float(), value.isFinite else { return standard }
            return value
        }
        let scale = Vector2(try number("repeatU", 1), try number("repeatV", 1))
        let offset = Vector2(try number("offsetU", 0), try number("offsetV", 0))
        // COLLADA's v points up, Vitrine's down.
        return TextureTransform(offset: Vector2(offset.x, 1 - scale.y - offset.y), scale: scale)
    }
}

extension Sampler {
    /// A key of the sampler that is the same in every run.
    fileprivate var hashValueText: String { "\(wrapS) \(wrapT) \(magnification) \(minification) \(mip.map { "\($0)" } ?? "")" }
}
