import VitrineMath
import VitrineScene

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
