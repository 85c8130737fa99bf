import VitrineMath
import VitrineScene

extension USDReader {
    /// The material of a Material prim, read once.
    mutating func material(_ prim: Int) throws(ModelFileError) -> Material {
        if let known = materialsByPrim[prim] { return known }
        let name = try stage.field(prim, "displayName")?.text ?? stage.prims[prim].name
        let material = Material(name: name, baseColor: Color(linear: Vector4(0.18, 0.18, 0.18, 1)), metalness: 0, roughness: 0.5)
        materialsByPrim[prim] = material
        materials.append(material)
        guard let surface = try stage.target(prim, "outputs:surface")?.prim,
            try stage.value(surface, "info:id")?.text == "UsdPreviewSurface"
        else {
            stage.warn(prim, "has no UsdPreviewSurface: shown grey")
            return material
        }
        try readColors(surface, into: material)
        material.metalness = try scalar(surface, "metallic", 0)
        material.roughness = try scalar(surface, "roughness", 0.5)
        material.clearcoat.factor = try scalar(surface, "clearcoat", 0)
        material.clearcoat.roughness = try scalar(surface, "clearcoatRoughness", 0.01)
        if let source = try texture(surface, "normal") { material.normal.map = source.map }
        if let source = try texture(surface, "occlusion") {
            // Mixed with 1: how much of the map is used.
            material.occlusion = ScalarSlot(1, map: source.map, channel: source.channel, intensity: clamp(source.scale.x, 0, 1))
        }
        if let source = try texture(surface, "displacement") {
            material.displacement = DisplacementSlot(
                map: source.map, channel: source.channel, scale: source.scale[source.channel.rawValue],
                bias: source.bias[source.channel.rawValue])
        }
        return material
    }

    private mutating func readColors(_ surface: Int, into material: Material) throws(ModelFileError) {
        material.baseColor = try color(surface, "diffuseColor", Vector3(repeating: 0.18))
        material.emission = try color(surface, "emissiveColor", Vector3(repeating: 0))
        let threshold = Float(try stage.value(surface, "inputs:opacityThreshold")?.number ?? 0)
        let opacity = Float(try stage.value(surface, "inputs:opacity")?.number ?? 1)
        let source = try texture(surface, "opacity")
        guard source != nil || opacity < 1 else { return }
        material.alphaMode = threshold > 0 ? .mask(cutoff: threshold) : .blend
        material.baseColor.factor.w = source.map { $0.scale.w } ?? clamp(opacity, 0, 1)
        // Our alpha lies in the base colour's texture.
        if let source, source.map.texture !== material.baseColor.map?.texture || source.channel != .alpha {
            stage.warn(surface, "opacity from another texture than the base colour's is not read")
        }
    }

    private mutating func color(_ surface: Int, _ input: String, _ fallback: Vector3) throws(ModelFileError) -> ColorSlot {
        if let source = try texture(surface, input) {
            if source.bias != Vector4(repeating: 0) { stage.warn(surface, "\(input): a texture's bias is not read") }
            return ColorSlot(Vector4(source.scale.xyz, 1), map: source.map)
        }
        guard let values = try stage.value(surface, "inputs:\(input)")?.numbers, values.count >= 3 else {
            return ColorSlot(Vector4(fallback, 1))
        }
        return ColorSlot(Vector4(Float(values[0]), Float(values[1]), Float(values[2]), 1))
    }

    private mutating func scalar(_ surface: Int, _ input: String, _ fallback: Float) throws(ModelFileError) -> ScalarSlot {
        if let source = try texture(surface, input) {
            if source.bias != Vector4(repeating: 0) { stage.warn(surface, "\(input): a texture's bias is not read") }
            return ScalarSlot(source.scale[source.channel.rawValue], map: source.map, channel: source.channel)
        }
        return ScalarSlot(Float(try stage.value(surface, "inputs:\(input)")?.number ?? Double(fallback)))
    }

    // MARK: Textures

    private struct Source {
        let map: TextureMap
        let channel: TextureChannel
        let scale: Vector4
        let bias: Vector4
    }

    /// What an input takes from a UsdUVTexture; nil where it is not connected to one.
    private mutating func texture(_ surface: Int, _ input: String) throws(ModelFileError) -> Source? {
        guard let target = try stage.target(surface, "inputs:\(input)") else { return nil }
        let shader = target.prim
        guard try stage.value(shader, "info:id")?.text == "UsdUVTexture" else {
            stage.warn(surface, "\(input): only textures are read, directly connected")
            return nil
        }
        guard let path = try stage.value(shader, "inputs:file")?.text, let texture = try texture(path, shader) else { return nil }
        let channels: [String: TextureChannel] = ["outputs:g": .green, "outputs:b": .blue, "outputs:a": .alpha]
        func vector(_ name: String, _ fallback: Float) throws(ModelFileError) -> Vector4 {
            guard let values = try stage.value(shader, name)?.numbers, values.count == 4 else { return Vector4(repeating: fallback) }
            return Vector4(Float(values[0]), Float(values[1]), Float(values[2]), Float(values[3]))
        }
        let (set, transform) = try coordinates(shader)
        return Source(
            map: TextureMap(texture, set: set, transform: transform), channel: channels[target.property] ?? .red,
            scale: try vector("inputs:scale", 1), bias: try vector("inputs:bias", 0))
    }

    /// The set of coordinates that a texture is read by, and how they are moved.
    private mutating func coordinates(_ shader: Int) throws(ModelFileError) -> (Int, TextureTransform) {
        var transform = TextureTransform.identity
        guard var source = try stage.target(shader, "inputs:st")?.prim else { return (0, transform) }
        if try stage.value(source, "info:id")?.text == "UsdTransform2d" {
            let angle = Angle.degrees(Float(try stage.value(source, "inputs:rotation")?.number ?? 0))
            let scale = try stage.value(source, "inputs:scale")?.floats ?? [1, 1]
            let moved = try stage.value(source, "inputs:translation")?.floats ?? [0, 0]
            if scale.count == 2, moved.count == 2, (scale + moved + [angle.radians]).allSatisfy(\.isFinite) {
                // The writer's movement, solved for the offset.
                let (s, c) = (sin(angle.radians), cos(angle.radians))
                transform = TextureTransform(
                    offset: Vector2(moved[0] - scale[1] * s, 1 - moved[1] - scale[1] * c), rotation: angle,
                    scale: Vector2(scale[0], scale[1]))
            }
            guard let next = try stage.target(source, "inputs:in")?.prim else { return (0, transform) }
            source = next
        }
        let name = try stage.value(source, "inputs:varname")?.text ?? "st"
        return (name.hasPrefix("st") ? Int(name.dropFirst(2)) ?? 0 : 0, transform)
    }

    private mutating func texture(_ path: String, _ shader: Int) throws(ModelFileError) -> Texture? {
        var sampler = Sampler(wrapS: .clampToEdge, wrapT: .clampToEdge)
        func wrap(_ name: String) throws(ModelFileError) -> WrapMode {
            switch try stage.value(shader, name)?.text {
            case "repeat": .repeat
            case "mirror": .mirroredRepeat
            default: .clampToEdge
            }
        }
        (sampler.wrapS, sampler.wrapT) = (try wrap("inputs:wrapS"), try wrap("inputs:wrapT"))
        let key = "\(sampler.wrapS) \(sampler.wrapT) \(path)"
        if let known = texturesByKey[key] { return known }
        let place = stage.path(of: stage.prims[shader].path)
        do throws(FileError) {
            let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
            let texture = Texture(name: path, content: .encoded(try resources.bytes(relative)), sampler: sampler)
            texturesByKey[key] = texture
            textures.append(ParsedTexture(texture: texture, imageIndex: textures.count, uri: path, place: place))
            return texture
        } catch {
            stage.warn(shader, "the picture \"\(path.prefix(200))\" was left out: \(error.reason)")
            return nil
        }
    }
}
