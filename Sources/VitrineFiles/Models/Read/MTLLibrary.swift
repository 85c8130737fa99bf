import VitrineGLTF
import VitrineMath
import VitrineScene

/// Reads the materials of an OBJ from MTL files: the classic statements and those for metalness and roughness. Unknown statements are ignored with a
/// warning.
///
/// A material without roughness gets it from its highlight's exponent and is physically based, because an OBJ has no lights, and Blinn's highlight
/// is not visible in an environment alone. `Material.highlight` preserves the highlight.
struct MTLLibrary {
    private(set) var warnings: [ModelWarning] = []
    private(set) var textures: [ParsedTexture] = []
    private let resources: ModelResources
    private var materials: [String: Material] = [:]
    private var texturesByPath: [String: Texture] = [:]
    private var ignored: Set<String> = []
    /// The materials that specify their roughness.
    private var rough: Set<ObjectIdentifier> = []
    /// The factor (`-bm`) of the last image.
    private var bumpScale: Float = 1
    /// The range (`-mm`) of the last image.
    private var imageRange: (base: Float, gain: Float) = (0, 1)

    init(resources: ModelResources) { self.resources = resources }

    func material(named name: String) -> Material? { materials[name] }

    /// Reads one file; an unreadable file is a warning.
    mutating func read(_ path: String) {
        do throws(FileError) {
            let bytes = try resources.bytes(path)
            do throws(ModelFileError) {
                try TextEncoding.utf8(bytes, file: path).withUnsafeBufferPointer { readLines($0, file: path) }
            } catch {
                warnings.append(ModelWarning(location: path, message: "the materials were omitted: \(error.reason)"))
            }
        } catch {
            warnings.append(ModelWarning(location: path, message: "the materials were omitted: \(error.reason)"))
        }
    }

    private mutating func readLines(_ bytes: UnsafeBufferPointer<UInt8>, file: String) {
        var scanner = TextScanner(bytes)
        var current: Material?
        while !scanner.isAtEnd {
            if let word = scanner.word() {
                let statement = scanner.text(word)
                if statement == "newmtl" {
                    let name = scanner.text(scanner.rest())
                    let material = Material(name: name, baseColor: Color(white: 0.8), metalness: 0, roughness: 1)
                    materials[name] = materials[name] ?? material
                    current = material === materials[name] ? material : nil
                } else if let current, !statement.hasPrefix("#") {
                    read(statement, into: current, &scanner, file: file)
                }
            }
            scanner.nextLine()
        }
    }

    private mutating func read(_ statement: String, into material: Material, _ scanner: inout TextScanner, file: String) {
        switch statement {
        case "Kd": if let color = color(&scanner) { material.baseColor.factor = Vector4(color, material.baseColor.factor.w) }
        case "Ke": if let color = color(&scanner) { material.emission.factor = Vector4(color, 1) }
        case "d": setAlpha(scanner.float(), of: material)
        case "Tr": setAlpha(scanner.float().map { 1 - $0 }, of: material)
        case "Pr":
            if let value = scanner.float() { material.roughness.factor = clamp(value, 0, 1) }
            rough.insert(ObjectIdentifier(material))
        case "Pm": if let value = scanner.float() { material.metalness.factor = clamp(value, 0, 1) }
        case "Pc": if let value = scanner.float() { material.clearcoat.factor.factor = clamp(value, 0, 1) }
        case "Pcr": if let value = scanner.float() { material.clearcoat.roughness.factor = clamp(value, 0, 1) }
        // Blinn's exponent as the width of a microfacet lobe.
        case "Ns":
            guard let value = scanner.float(), value >= 0, value.isFinite else { break }
            material.highlight.shininess = value
            if !rough.contains(ObjectIdentifier(material)) {
                material.roughness.factor = clamp((2 / (value + 2)).squareRoot().squareRoot(), 0, 1)
            }
        case "illum": if scanner.word().flatMap({ scanner.integer($0) }) == 0 { material.lightingModel = .constant }
        case "Ks": if let color = color(&scanner) { material.highlight.color.factor = Vector4(color, 1) }
        case "map_Ks": if let map = map(&scanner, file) { material.highlight.color.map = map }
        case "map_Kd":
            if let map = map(&scanner, file) {
                (material.baseColor.map, material.baseColor.factor) = (map, whitened(material.baseColor.factor))
            }
        case "map_Ke":
            if let map = map(&scanner, file) {
                material.emission.map = map
                if material.emission.factor.xyz == Vector3(repeating: 0) { material.emission.factor = Vector4(1, 1, 1, 1) }
            }
        case "map_Pr": if let map = map(&scanner, file) { material.roughness.map = map }
        case "map_Pm": if let map = map(&scanner, file) { material.metalness.map = map }
        case "map_Pc": if let map = map(&scanner, file) { material.clearcoat.factor.map = map }
        case "map_Pcr": if let map = map(&scanner, file) { material.clearcoat.roughness.map = map }
        case "map_ao": if let map = map(&scanner, file) { material.occlusion.map = map }
        case "disp", "map_disp", "map_Disp":
            if let map = map(&scanner, file) {
                material.displacement = DisplacementSlot(map: map, scale: imageRange.gain, bias: imageRange.base)
            }
        case "norm", "map_Kn": if let map = map(&scanner, file) { material.normal = NormalSlot(map: map, scale: bumpScale) }
        case "bump", "map_bump", "map_Bump": readBump(into: material, &scanner, file)
        case "map_d": readOpacity(into: material, &scanner, file)
        // Without effect here, or equal in all materials that programs write.
        case "Ka", "Ni", "Tf": break
        default:
            guard ignored.count < 64, ignored.insert(statement).inserted else { return }
            warnings.append(
                ModelWarning(
                    location: "\(file):line \(scanner.line)", message: "statements \"\(MessageText.name(statement))\" are not supported"))
        }
    }

    /// Reads a bump map, which contains heights by the specification; most current programs write a normal map.
    private mutating func readBump(into material: Material, _ scanner: inout TextScanner, _ file: String) {
        let location = "\(file):line \(scanner.line)"
        guard material.normal.map == nil, let map = map(&scanner, file), case .encoded(let bytes) = map.texture.content else { return }
        if OpacityImage.isNormalMap(bytes, name: map.texture.name) {
            material.normal = NormalSlot(map: map, scale: bumpScale)
        } else {
            warnings.append(ModelWarning(location: location, message: "a bump map of heights is not supported"))
        }
    }

    /// Reads an image of opacity, in grey or in its alpha.
    private mutating func readOpacity(into material: Material, _ scanner: inout TextScanner, _ file: String) {
        guard let map = map(&scanner, file), case .encoded(let bytes) = map.texture.content else { return }
        if material.alphaMode == .opaque { material.alphaMode = .blend }
        // The alpha of the base colour's image applies in any case; if it has alpha, this map repeats it.
        if case .encoded(let base)? = material.baseColor.map?.texture.content, OpacityImage.mayHaveAlpha(base) { return }
        material.opacity = ScalarSlot(1, map: map, channel: OpacityImage.mayHaveAlpha(bytes) ? .alpha : .red)
    }

    /// Returns white for black or grey: old programs write these with a texture that should be unchanged.
    private func whitened(_ factor: Vector4) -> Vector4 { factor.xyz == Vector3(repeating: 0) ? Vector4(1, 1, 1, factor.w) : factor }

    private func setAlpha(_ value: Float?, of material: Material) {
        guard let value else { return }
        material.baseColor.factor.w = clamp(value, 0, 1)
        if value < 1 { material.alphaMode = .blend }
    }

    /// Reads a colour; one number gives all three components.
    private func color(_ scanner: inout TextScanner) -> Vector3? {
        guard let red = scanner.float() else { return nil }
        let (green, blue) = (scanner.float(), scanner.float())
        let linear = Vector3(linearFromSRGB(red), linearFromSRGB(green ?? red), linearFromSRGB(blue ?? red))
        // A value that is finite in the file may overflow in linear light.
        return (linear * 0).sum() == 0 ? linear : nil
    }

    /// Reads the path of an image after its options. Supports the options `-clamp on`, `-o`, `-s`, `-bm` and `-mm`.
    private mutating func map(_ scanner: inout TextScanner, _ file: String) -> TextureMap? {
        var (path, isClamped) = (scanner.fileName(scanner.rest()), false)
        (bumpScale, imageRange) = (1, (0, 1))
        var (offset, scale) = (Vector2(0, 0), Vector2(1, 1))
        if path.hasPrefix("-") {
            var words = path.split(separator: " ")[...]
            while let option = words.first, option.hasPrefix("-") {
                words = words.dropFirst()
                isClamped = isClamped || option == "-clamp" && words.first == "on"
                let numbers = words.dropLast().prefix(3).prefix { Float($0) != nil }.compactMap { Float($0) }.filter(\.isFinite)
                if option == "-o", let u = numbers.first { offset = Vector2(u, numbers.count > 1 ? numbers[1] : 0) }
                if option == "-bm", let scale = numbers.first { bumpScale = scale }
                if option == "-mm", numbers.count > 1 { imageRange = (numbers[0], numbers[1]) }
                if option == "-s", let u = numbers.first { scale = Vector2(u, numbers.count > 1 ? numbers[1] : 1) }
                if !["-clamp", "-o", "-s", "-bm", "-mm"].contains(option), ignored.count < 64, ignored.insert(String(option)).inserted {
                    warnings.append(
                        ModelWarning(
                            location: "\(file):line \(scanner.line)", message: "the option \(MessageText.name(option)) is not supported"))
                }
                // The values of the option: numbers, or one word.
                if words.count > 1, let first = words.first, Float(first) == nil { words = words.dropFirst() }
                while words.count > 1, let first = words.first, Float(first) != nil { words = words.dropFirst() }
            }
            path = words.joined(separator: " ")
        }
        return texture(path, isClamped: isClamped, location: "\(file):line \(scanner.line)").map {
            TextureMap($0, transform: Self.transform(offset: offset, scale: scale))
        }
    }

    /// Converts MTL's `scale · uv + offset` with v up to Vitrine's transform with v down.
    private static func transform(offset: Vector2, scale: Vector2) -> TextureTransform {
        guard offset != Vector2(0, 0) || scale != Vector2(1, 1) else { return .identity }
        return TextureTransform(offset: Vector2(offset.x, 1 - scale.y - offset.y), scale: scale)
    }

    private mutating func texture(_ path: String, isClamped: Bool, location: String) -> Texture? {
        let key = "\(isClamped) \(path)"
        if let known = texturesByPath[key] { return known }
        do throws(FileError) {
            let bytes = try resources.bytes(path)
            let sampler = isClamped ? Sampler(wrapS: .clampToEdge, wrapT: .clampToEdge) : Sampler()
            let texture = Texture(name: path, content: .encoded(bytes), sampler: sampler)
            texturesByPath[key] = texture
            textures.append(ParsedTexture(texture: texture, imageIndex: textures.count, uri: path, location: location))
            return texture
        } catch {
            warnings.append(ModelWarning(location: location, message: "the texture \"\(path.prefix(200))\" was omitted: \(error.reason)"))
            return nil
        }
    }
}
