import VitrineGLTF
import VitrineMath
import VitrineScene

extension USDReader {
    /// Reads a Material prim once.
    mutating func readMaterial(_ prim: Int) throws(ModelFileError) {
        guard materialsByPrim[prim] == nil else { return }
        let name = stage.field(prim, "displayName")?.text ?? stage.prims[prim].name
        let material = Material(name: name, baseColor: Color(linear: Vector4(0.18, 0.18, 0.18, 1)), metalness: 0, roughness: 0.5)
        var reading = USDMaterial(material: material)
        defer { materialsByPrim[prim] = reading }
        materials.append(material)
        guard let surface = surface(of: prim) else {
            stage.warn(prim, "has no UsdPreviewSurface: shown grey")
            return
        }
        readColours(surface, into: &reading)
        readReflection(surface, into: &reading)
        readOpacity(surface, into: &reading)
        material.ior = clamp(number(surface, "ior", 1.5), 0, 10)
        material.clearcoat.factor = scalar(surface, "clearcoat", 0, &reading)
        material.clearcoat.roughness = scalar(surface, "clearcoatRoughness", 0.01, &reading)
        readNormal(surface, into: &reading)
        if let source = texture(surface, "occlusion", &reading) {
            // Mixed with 1: how much of the map is used.
            let share = clamp(source.scale[source.channel.rawValue], 0, 1)
            material.occlusion = ScalarSlot(1, map: source.map, channel: source.channel, intensity: share)
        }
        if let source = texture(surface, "displacement", &reading) {
            material.displacement = DisplacementSlot(
                map: source.map, channel: source.channel, scale: source.scale[source.channel.rawValue],
                bias: source.bias[source.channel.rawValue])
        }
    }

    /// The UsdPreviewSurface that a material's output leads to.
    private mutating func surface(of prim: Int) -> Int? {
        for output in ["outputs:surface", "outputs:glslfx:surface", "outputs:ri:surface"] {
            guard case .shader(let shader, _)? = follow(prim, output), stage.start(shader, "info:id")?.text == "UsdPreviewSurface" else {
                continue
            }
            if let path = stage.connections(prim, output).first, !path.contains(".") {
                stage.warn(prim, "\(output) is connected to a prim, not to an output; its surface was taken")
            }
            return shader
        }
        return nil
    }

    // MARK: Inputs

    /// What an attribute gets: through materials' and node graphs' own inputs and outputs to a shader or a value.
    func follow(_ prim: Int, _ attribute: String) -> USDInput? {
        var (prim, attribute) = (prim, attribute)
        for _ in 0..<32 {
            if let path = stage.connections(prim, attribute).first {
                let (owner, name) = USDPath.split(path)
                guard let next = stage.primOfPath[owner] else { return nil }
                // Its one output, where a prim is named instead of it.
                if name.isEmpty, attribute.hasPrefix("outputs:"), stage.has(next, "info:id") {
                    return .shader(prim: next, output: "outputs:surface")
                }
                if name.hasPrefix("outputs:"), stage.has(next, "info:id") { return .shader(prim: next, output: name) }
                (prim, attribute) = (next, name)
                continue
            }
            guard let opinion = stage.opinion(prim, attribute), let value = opinion.start else { return nil }
            return .value(value, opinion.site)
        }
        return nil
    }

    func value(_ shader: Int, _ input: String) -> USDField? {
        if case .value(let value, _)? = follow(shader, "inputs:\(input)") { return value }
        return nil
    }

    private func number(_ shader: Int, _ input: String, _ fallback: Float) -> Float {
        let value = value(shader, input)?.float ?? fallback
        return value.isFinite ? value : fallback
    }

    private mutating func readColours(_ surface: Int, into reading: inout USDMaterial) {
        reading.material.baseColor = color(surface, "diffuseColor", Vector3(repeating: 0.18), &reading)
        reading.material.emission = color(surface, "emissiveColor", Vector3(repeating: 0), &reading)
        guard case .shader(let reader, _)? = follow(surface, "inputs:diffuseColor"), primvarName(reader) == "displayColor" else { return }
        reading.readsColours = true
        reading.material.baseColor.factor = Vector4(1, 1, 1, 1)
    }

    /// Metal and roughness, or what the surface reflects straight on.
    private mutating func readReflection(_ surface: Int, into reading: inout USDMaterial) {
        let material = reading.material
        material.roughness = scalar(surface, "roughness", 0.5, &reading)
        guard value(surface, "useSpecularWorkflow")?.number == 1 else {
            material.metalness = scalar(surface, "metallic", 0, &reading)
            return
        }
        // Ours is relative to what an index of refraction of 1.5 reflects: 4 %.
        var slot = color(surface, "specularColor", Vector3(repeating: 0), &reading)
        slot.factor = Vector4(slot.factor.xyz / 0.04, 1)
        material.specular.color = slot
    }

    private mutating func readOpacity(_ surface: Int, into reading: inout USDMaterial) {
        let material = reading.material
        let threshold = number(surface, "opacityThreshold", 0)
        let opacity = number(surface, "opacity", 1)
        let source = texture(surface, "opacity", &reading)
        guard source != nil || opacity < 1 else { return }
        material.alphaMode = threshold > 0 ? .mask(cutoff: threshold) : .blend
        guard let source else {
            material.baseColor.factor.w = clamp(opacity, 0, 1)
            return
        }
        // Alpha of the base colour's own image counts anyway.
        if let map = material.baseColor.map, source.channel == .alpha, map.texture === source.map.texture {
            material.baseColor.factor.w = source.scale.w
        } else {
            material.opacity = ScalarSlot(source.scale[source.channel.rawValue], map: source.map, channel: source.channel)
        }
    }

    private mutating func readNormal(_ surface: Int, into reading: inout USDMaterial) {
        guard let source = texture(surface, "normal", &reading) else { return }
        reading.material.normal.map = source.map
        // From 0…1 to −1…1; many files forget to say so, and mean it.
        if source.scale.x > 0, source.scale.x == source.scale.y, source.bias.x < 0 { reading.material.normal.scale = source.scale.x / 2 }
        if source.scale.y < 0 { stage.warn(surface, "a normal map whose green goes down is not read as that") }
    }

    private mutating func color(_ surface: Int, _ input: String, _ fallback: Vector3, _ reading: inout USDMaterial) -> ColorSlot {
        if let source = texture(surface, input, &reading) {
            if source.bias.xyz != Vector3(repeating: 0) { stage.warn(surface, "\(input): a texture's bias is not read") }
            if source.isRaw { stage.warn(surface, "\(input): a texture in linear numbers is read as sRGB") }
            if source.output != "outputs:rgb" { stage.warn(surface, "\(input): one channel of a texture is read as all three") }
            return ColorSlot(Vector4(source.scale.xyz, 1), map: source.map)
        }
        guard let values = value(surface, input)?.floats, values.count >= 3, values.allSatisfy(\.isFinite) else {
            return ColorSlot(Vector4(unread(surface, input) ?? fallback, 1))
        }
        return ColorSlot(Vector4(values[0], values[1], values[2], 1))
    }

    private mutating func scalar(_ surface: Int, _ input: String, _ fallback: Float, _ reading: inout USDMaterial) -> ScalarSlot {
        if let source = texture(surface, input, &reading) {
            if source.bias[source.channel.rawValue] != 0 { stage.warn(surface, "\(input): a texture's bias is not read") }
            if source.isColour { stage.warn(surface, "\(input): a texture in sRGB is read as linear numbers") }
            return ScalarSlot(source.scale[source.channel.rawValue], map: source.map, channel: source.channel)
        }
        return ScalarSlot(value(surface, input) == nil ? unread(surface, input)?.x ?? fallback : number(surface, input, fallback))
    }

    /// A texture's or a primvar's fallback, where that itself isn't read.
    private mutating func unread(_ surface: Int, _ input: String) -> Vector3? {
        guard case .shader(let shader, _)? = follow(surface, "inputs:\(input)") else { return nil }
        if stage.start(shader, "info:id")?.text != "UsdUVTexture", primvarName(shader) != "displayColor" {
            stage.warn(surface, "\(input): only textures and displayColor are read, and values")
        }
        guard let values = value(shader, "fallback")?.floats, let first = values.first else { return nil }
        return values.count >= 3 ? Vector3(values[0], values[1], values[2]) : Vector3(repeating: first)
    }

    /// The primvar that a reader reads.
    func primvarName(_ shader: Int) -> String? {
        guard let id = stage.start(shader, "info:id")?.text, id.hasPrefix("UsdPrimvarReader") else { return nil }
        return value(shader, "varname")?.text
    }
}

/// What an input takes from a UsdUVTexture.
struct USDTextureSource {
    let map: TextureMap
    let output: String
    let scale: Vector4
    let bias: Vector4
    /// As the file says; neither: by the image.
    let isRaw: Bool
    let isColour: Bool

    var channel: TextureChannel {
        switch output {
        case "outputs:g": .green
        case "outputs:b": .blue
        case "outputs:a": .alpha
        default: .red
        }
    }
}

extension USDReader {
    /// nil where an input is not connected to a texture whose image is there.
    mutating func texture(_ surface: Int, _ input: String, _ reading: inout USDMaterial) -> USDTextureSource? {
        guard case .shader(let shader, let output)? = follow(surface, "inputs:\(input)"),
            stage.start(shader, "info:id")?.text == "UsdUVTexture"
        else { return nil }
        guard case .value(let file, let site)? = follow(shader, "inputs:file"), let path = file.text, !path.isEmpty else {
            stage.warn(shader, "names no image")
            return nil
        }
        guard let texture = texture(path, shader, site) else { return nil }
        let space = value(shader, "sourceColorSpace")?.text ?? stage.field(shader, "inputs:file", "colorSpace")?.text
        let (set, transform) = coordinates(shader, &reading)
        return USDTextureSource(
            map: TextureMap(texture, set: set, transform: transform), output: output, scale: vector(shader, "scale", 1),
            bias: vector(shader, "bias", 0), isRaw: space == "raw", isColour: space == "sRGB")
    }

    private func vector(_ shader: Int, _ input: String, _ fallback: Float) -> Vector4 {
        guard let values = value(shader, input)?.floats, values.count == 4, values.allSatisfy(\.isFinite) else {
            return Vector4(repeating: fallback)
        }
        return Vector4(values[0], values[1], values[2], values[3])
    }

    /// The set of coordinates that a texture is read by, and how they are moved.
    private mutating func coordinates(_ shader: Int, _ reading: inout USDMaterial) -> (Int, TextureTransform) {
        var transform = TextureTransform.identity
        guard case .shader(var source, _)? = follow(shader, "inputs:st") else { return (0, transform) }
        if stage.start(source, "info:id")?.text == "UsdTransform2d" {
            let angle = Angle.degrees(value(source, "rotation")?.float ?? 0)
            let (scale, moved) = (value(source, "scale")?.floats ?? [1, 1], value(source, "translation")?.floats ?? [0, 0])
            if scale.count == 2, moved.count == 2, (scale + moved + [angle.radians]).allSatisfy(\.isFinite) {
                // Theirs goes up, ours down: the writer's movement, solved for the offset.
                let (s, c) = (sin(angle.radians), cos(angle.radians))
                transform = TextureTransform(
                    offset: Vector2(moved[0] - scale[1] * s, 1 - moved[1] - scale[1] * c), rotation: angle,
                    scale: Vector2(scale[0], scale[1]))
            }
            guard case .shader(let next, _)? = follow(source, "inputs:in") else { return (0, transform) }
            source = next
        }
        let name = primvarName(source) ?? "st"
        return (USDMeshAssembly.coordinateSet(name, in: &reading.coordinateSets), transform)
    }

    // MARK: Images

    private mutating func texture(_ path: String, _ shader: Int, _ site: USDStage.Site) -> Texture? {
        let sampler = Sampler(wrapS: wrap(shader, "wrapS"), wrapT: wrap(shader, "wrapT"))
        let key = "\(site.document.location) \(path)"
        if let known = texturesByKey["\(sampler.wrapS) \(sampler.wrapT) \(key)"] { return known }
        do throws(FileError) {
            let image: (bytes: [UInt8], index: Int)
            if let known = images[key] {
                image = known
            } else {
                image = (try resources.file(path, from: site.document), images.count)
                images[key] = image
            }
            let texture = Texture(name: path, content: .encoded(image.bytes), sampler: sampler)
            texturesByKey["\(sampler.wrapS) \(sampler.wrapT) \(key)"] = texture
            textures.append(
                ParsedTexture(texture: texture, imageIndex: image.index, uri: path, place: stage.prims[shader].path))
            return texture
        } catch {
            stage.warn(shader, "the texture \"\(path.prefix(200))\" was left out: \(error.reason)")
            return nil
        }
    }

    /// The wrap mode. The default is to repeat, as in most programs.
    private mutating func wrap(_ shader: Int, _ input: String) -> WrapMode {
        switch value(shader, input)?.text {
        case "mirror": return .mirroredRepeat
        case "clamp": return .clampToEdge
        case "black":
            stage.warn(shader, "\(input): black borders are not supported, the edge is extended")
            return .clampToEdge
        default: return .repeat
        }
    }
}

extension USDReader {
    /// Purposes in the order of their worth for an image.
    private static let purposes = ["material:binding:preview", "material:binding", "material:binding:full"]

    func hasBinding(_ prim: Int) throws(ModelFileError) -> Bool {
        Self.purposes.contains { !stage.targets(prim, $0).isEmpty }
    }

    /// The Material prim that a prim or one above it is bound to, which then is read.
    mutating func boundMaterial(_ prim: Int) throws(ModelFileError) -> Int? {
        for purpose in Self.purposes {
            if let found = try boundMaterial(prim, purpose) {
                try readMaterial(found)
                return found
            }
        }
        return nil
    }

    /// The nearest binding; one above goes before those below where it says so.
    private mutating func boundMaterial(_ prim: Int, _ purpose: String) throws(ModelFileError) -> Int? {
        var (found, current): (Int?, Int?) = (nil, prim)
        while let index = current {
            // A collection's binding goes before a direct one of the same prim.
            for name in [collectionBinding(of: prim, at: index, purpose), purpose].compactMap({ $0 }) {
                let isStrong = stage.field(index, name, "bindMaterialAs")?.text == "strongerThanDescendants"
                guard found == nil || isStrong, let material = try target(ofBinding: name, at: index) else { continue }
                found = material
                break
            }
            current = stage.prims[index].parent
        }
        return found
    }

    private mutating func target(ofBinding name: String, at prim: Int) throws(ModelFileError) -> Int? {
        let targets = stage.targets(prim, name)
        let isCollection = name.contains(":collection:")
        let isPlain = targets.count <= (isCollection ? 2 : 1)
        if !isPlain { stage.warn(prim, "\(MessageText.name(name)) has \(targets.count) targets; the last material was taken") }
        guard let path = targets.last(where: { !$0.contains(".") }) else { return nil }
        guard let material = stage.primOfPath[path], stage.prims[material].typeName == "Material" else {
            stage.warn(prim, "bound to <\(MessageText.name(path, limit: 200))>, which is no material")
            return nil
        }
        return material
    }

    /// The first collection of `owner` with a material whose members `prim` is among.
    private func collectionBinding(of prim: Int, at owner: Int, _ purpose: String) -> String? {
        stage.properties(owner, prefix: purpose + ":collection:").first { name in
            guard let collection = stage.targets(owner, name).first(where: { $0.contains(".collection:") }) else { return false }
            let (path, property) = USDPath.split(collection)
            guard let holder = stage.primOfPath[path] else { return false }
            return isMember(prim, of: property, at: holder)
        }
    }

    /// Included, or below what is, and not excluded further down.
    private func isMember(_ prim: Int, of collection: String, at holder: Int) -> Bool {
        let rule = stage.start(holder, collection + ":expansionRule")?.text ?? "expandPrims"
        let path = stage.prims[prim].path
        func nearest(_ list: [String]) -> Int? {
            list.filter { path == $0 || (rule != "explicitOnly" && path.hasPrefix($0 == "/" ? "/" : $0 + "/")) }.map(\.utf8.count).max()
        }
        var included = nearest(stage.targets(holder, collection + ":includes"))
        if stage.start(holder, collection + ":includeRoot")?.number == 1 { included = included ?? 0 }
        guard let included else { return false }
        return (nearest(stage.targets(holder, collection + ":excludes")) ?? -1) < included
    }
}
