import VitrineGLTF
import VitrineMath
import VitrineScene

/// The UsdUVTexture that an input is connected to.
struct USDTextureSource {
    let map: TextureMap
    let output: String
    let scale: Vector4
    let bias: Vector4
    /// The colour space that the file declares; if neither is set, that of the image.
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

/// A material and the primvars that it reads.
struct USDMaterial {
    let material: Material
    /// The index of the set for each name of texture coordinates.
    var coordinateSets: [String: Int] = [:]
    /// Whether the base colour is connected to `displayColor`.
    var readsColours = false
}

/// Reads Material prims (UsdPreviewSurface) and their textures, each once.
final class USDMaterialReader {
    private let stage: USDStage
    private let shaders: USDShaderGraph
    private let binding: USDMaterialBinding
    private(set) var materials: [Material] = []
    private(set) var textures: [ParsedTexture] = []
    /// The materials by prim.
    private var materialsByPrim: [Int: USDMaterial] = [:]
    private var texturesByKey: [String: Texture] = [:]
    private var images: [String: (bytes: [UInt8], index: Int)] = [:]
    /// The materials of prims without a binding, by their appearance.
    private var plainMaterials: [String: Material] = [:]

    init(stage: USDStage) {
        self.stage = stage
        (shaders, binding) = (USDShaderGraph(stage: stage), USDMaterialBinding(stage: stage))
    }

    func hasBinding(_ prim: Int) -> Bool { binding.hasBinding(prim) }

    /// Returns the Material prim that is bound to a prim or an ancestor, and reads its material. nil if there is none.
    func boundMaterial(_ prim: Int) -> Int? {
        let found = binding.material(of: prim)
        if let found { readMaterial(found) }
        return found
    }

    /// Returns a material that has been read, by its prim.
    func material(ofPrim prim: Int) -> USDMaterial? { materialsByPrim[prim] }

    /// Returns the material of prims without a binding.
    func plainMaterial(_ color: Vector4, isDoubleSided: Bool) -> Material {
        let key = "\(color) \(isDoubleSided)"
        if let known = plainMaterials[key] { return known }
        let material = Material(name: "", baseColor: Color(linear: color), metalness: 0, roughness: 1)
        material.isDoubleSided = isDoubleSided
        if color.w < 1 { material.alphaMode = .blend }
        plainMaterials[key] = material
        materials.append(material)
        return material
    }

    private func readMaterial(_ prim: Int) {
        guard materialsByPrim[prim] == nil else { return }
        let name = stage.field(prim, "displayName")?.text ?? stage.prims[prim].name
        let material = Material(name: name, baseColor: Color(linear: Vector4(0.18, 0.18, 0.18, 1)), metalness: 0, roughness: 0.5)
        var reading = USDMaterial(material: material)
        defer { materialsByPrim[prim] = reading }
        materials.append(material)
        guard let surface = surface(of: prim) else {
            stage.warn(prim, "has no UsdPreviewSurface and is replaced by a grey material")
            return
        }
        readColours(surface, into: &reading)
        readReflection(surface, into: &reading)
        readOpacity(surface, into: &reading)
        material.ior = clamp(shaders.number(surface, "ior", 1.5), 0, 10)
        material.clearcoat.factor = scalar(surface, "clearcoat", 0, &reading)
        material.clearcoat.roughness = scalar(surface, "clearcoatRoughness", 0.01, &reading)
        readNormal(surface, into: &reading)
        if let source = texture(surface, "occlusion", &reading) {
            // Interpolates between 1 and the map.
            let share = clamp(source.scale[source.channel.rawValue], 0, 1)
            material.occlusion = ScalarSlot(1, map: source.map, channel: source.channel, intensity: share)
        }
        if let source = texture(surface, "displacement", &reading) {
            material.displacement = DisplacementSlot(
                map: source.map, channel: source.channel, scale: source.scale[source.channel.rawValue],
                bias: source.bias[source.channel.rawValue])
        }
    }

    /// Returns the UsdPreviewSurface that a material's output is connected to.
    private func surface(of prim: Int) -> Int? {
        for output in ["outputs:surface", "outputs:glslfx:surface", "outputs:ri:surface"] {
            guard case .shader(let shader, _)? = shaders.follow(prim, output), stage.start(shader, "info:id")?.text == "UsdPreviewSurface"
            else {
                continue
            }
            if let path = stage.connections(prim, output).first, !path.contains(".") {
                stage.warn(prim, "\(output) is connected to a prim, not to an output; its surface output was used")
            }
            return shader
        }
        return nil
    }

    private func readColours(_ surface: Int, into reading: inout USDMaterial) {
        reading.material.baseColor = color(surface, "diffuseColor", Vector3(repeating: 0.18), &reading)
        reading.material.emission = color(surface, "emissiveColor", Vector3(repeating: 0), &reading)
        guard case .shader(let reader, _)? = shaders.follow(surface, "inputs:diffuseColor"), shaders.primvarName(reader) == "displayColor"
        else { return }
        reading.readsColours = true
        reading.material.baseColor.factor = Vector4(1, 1, 1, 1)
    }

    /// Reads metalness and roughness, or the reflection at normal incidence.
    private func readReflection(_ surface: Int, into reading: inout USDMaterial) {
        let material = reading.material
        material.roughness = scalar(surface, "roughness", 0.5, &reading)
        guard shaders.value(surface, "useSpecularWorkflow")?.number == 1 else {
            material.metalness = scalar(surface, "metallic", 0, &reading)
            return
        }
        // Vitrine's value is relative to the reflection of an index of refraction of 1.5: 4 %.
        var slot = color(surface, "specularColor", Vector3(repeating: 0), &reading)
        slot.factor = Vector4(slot.factor.xyz / 0.04, 1)
        material.specular.color = slot
    }

    private func readOpacity(_ surface: Int, into reading: inout USDMaterial) {
        let material = reading.material
        let threshold = shaders.number(surface, "opacityThreshold", 0)
        let opacity = shaders.number(surface, "opacity", 1)
        let source = texture(surface, "opacity", &reading)
        guard source != nil || opacity < 1 else { return }
        material.alphaMode = threshold > 0 ? .mask(cutoff: threshold) : .blend
        guard let source else {
            material.baseColor.factor.w = clamp(opacity, 0, 1)
            return
        }
        // The alpha of the base colour's image is already applied.
        if let map = material.baseColor.map, source.channel == .alpha, map.texture === source.map.texture {
            material.baseColor.factor.w = source.scale.w
        } else {
            material.opacity = ScalarSlot(source.scale[source.channel.rawValue], map: source.map, channel: source.channel)
        }
    }

    private func readNormal(_ surface: Int, into reading: inout USDMaterial) {
        guard let source = texture(surface, "normal", &reading) else { return }
        reading.material.normal.map = source.map
        // From 0…1 to −1…1, which many files do not declare although their values require it.
        if source.scale.x > 0, source.scale.x == source.scale.y, source.bias.x < 0 { reading.material.normal.scale = source.scale.x / 2 }
        if source.scale.y < 0 { stage.warn(surface, "a normal map whose green points down is not supported") }
    }

    private func color(_ surface: Int, _ input: String, _ fallback: Vector3, _ reading: inout USDMaterial) -> ColorSlot {
        if let source = texture(surface, input, &reading) {
            if source.bias.xyz != Vector3(repeating: 0) { stage.warn(surface, "\(input): the bias of a texture is not supported") }
            if source.isRaw { stage.warn(surface, "\(input): a texture with linear values is interpreted as sRGB") }
            if source.output != "outputs:rgb" { stage.warn(surface, "\(input): a single channel of a texture is used for all three") }
            return ColorSlot(Vector4(source.scale.xyz, 1), map: source.map)
        }
        guard let values = shaders.value(surface, input)?.floats, values.count >= 3, values.allSatisfy(\.isFinite) else {
            return ColorSlot(Vector4(unread(surface, input) ?? fallback, 1))
        }
        return ColorSlot(Vector4(values[0], values[1], values[2], 1))
    }

    private func scalar(_ surface: Int, _ input: String, _ fallback: Float, _ reading: inout USDMaterial) -> ScalarSlot {
        if let source = texture(surface, input, &reading) {
            if source.bias[source.channel.rawValue] != 0 { stage.warn(surface, "\(input): the bias of a texture is not supported") }
            if source.isColour { stage.warn(surface, "\(input): a texture in sRGB is interpreted as linear values") }
            return ScalarSlot(source.scale[source.channel.rawValue], map: source.map, channel: source.channel)
        }
        return ScalarSlot(
            shaders.value(surface, input) == nil ? unread(surface, input)?.x ?? fallback : shaders.number(surface, input, fallback))
    }

    /// Returns the fallback of a texture or primvar that is not supported.
    private func unread(_ surface: Int, _ input: String) -> Vector3? {
        guard case .shader(let shader, _)? = shaders.follow(surface, "inputs:\(input)") else { return nil }
        if stage.start(shader, "info:id")?.text != "UsdUVTexture", shaders.primvarName(shader) != "displayColor" {
            stage.warn(surface, "\(input): only textures, displayColor and values are supported")
        }
        guard let values = shaders.value(shader, "fallback")?.floats, let first = values.first else { return nil }
        return values.count >= 3 ? Vector3(values[0], values[1], values[2]) : Vector3(repeating: first)
    }

    // MARK: Textures

    /// Returns the texture of an input; nil if the input is not connected to a texture with an image.
    private func texture(_ surface: Int, _ input: String, _ reading: inout USDMaterial) -> USDTextureSource? {
        guard case .shader(let shader, let output)? = shaders.follow(surface, "inputs:\(input)"),
            stage.start(shader, "info:id")?.text == "UsdUVTexture"
        else { return nil }
        guard case .value(let file, let site)? = shaders.follow(shader, "inputs:file"), let path = file.text, !path.isEmpty else {
            stage.warn(shader, "refers to no image")
            return nil
        }
        guard let texture = texture(path, shader, site) else { return nil }
        let space = shaders.value(shader, "sourceColorSpace")?.text ?? stage.field(shader, "inputs:file", "colorSpace")?.text
        let (set, transform) = coordinates(shader, &reading)
        return USDTextureSource(
            map: TextureMap(texture, set: set, transform: transform), output: output, scale: vector(shader, "scale", 1),
            bias: vector(shader, "bias", 0), isRaw: space == "raw", isColour: space == "sRGB")
    }

    private func vector(_ shader: Int, _ input: String, _ fallback: Float) -> Vector4 {
        guard let values = shaders.value(shader, input)?.floats, values.count == 4, values.allSatisfy(\.isFinite) else {
            return Vector4(repeating: fallback)
        }
        return Vector4(values[0], values[1], values[2], values[3])
    }

    /// Returns the set of coordinates of a texture and their transform.
    private func coordinates(_ shader: Int, _ reading: inout USDMaterial) -> (Int, TextureTransform) {
        var transform = TextureTransform.identity
        guard case .shader(var source, _)? = shaders.follow(shader, "inputs:st") else { return (0, transform) }
        if stage.start(source, "info:id")?.text == "UsdTransform2d" {
            let angle = Angle.degrees(shaders.value(source, "rotation")?.float ?? 0)
            let (scale, moved) = (
                shaders.value(source, "scale")?.floats ?? [1, 1], shaders.value(source, "translation")?.floats ?? [0, 0]
            )
            if scale.count == 2, moved.count == 2, (scale + moved + [angle.radians]).allSatisfy(\.isFinite) {
                // USD's v points up, Vitrine's down: the inverse of the writer's transform, solved for the offset.
                let (s, c) = (sin(angle.radians), cos(angle.radians))
                transform = TextureTransform(
                    offset: Vector2(moved[0] - scale[1] * s, 1 - moved[1] - scale[1] * c), rotation: angle,
                    scale: Vector2(scale[0], scale[1]))
            }
            guard case .shader(let next, _)? = shaders.follow(source, "inputs:in") else { return (0, transform) }
            source = next
        }
        let name = shaders.primvarName(source) ?? "st"
        return (USDMeshAssembly.coordinateSet(name, in: &reading.coordinateSets), transform)
    }

    // MARK: Images

    private func texture(_ path: String, _ shader: Int, _ site: USDStage.Site) -> Texture? {
        let sampler = Sampler(wrapS: wrap(shader, "wrapS"), wrapT: wrap(shader, "wrapT"))
        let key = "\(site.document.location) \(path)"
        if let known = texturesByKey["\(sampler.wrapS) \(sampler.wrapT) \(key)"] { return known }
        do throws(FileError) {
            let image: (bytes: [UInt8], index: Int)
            if let known = images[key] {
                image = known
            } else {
                image = (try stage.layers.file(path, from: site.document), images.count)
                images[key] = image
            }
            let texture = Texture(name: path, content: .encoded(image.bytes), sampler: sampler)
            texturesByKey["\(sampler.wrapS) \(sampler.wrapT) \(key)"] = texture
            textures.append(
                ParsedTexture(texture: texture, imageIndex: image.index, uri: path, location: stage.prims[shader].path))
            return texture
        } catch {
            stage.warn(shader, "the texture \"\(path.prefix(200))\" was omitted: \(error.reason)")
            return nil
        }
    }

    /// Returns the wrap mode. The default is to repeat, as in most programs.
    private func wrap(_ shader: Int, _ input: String) -> WrapMode {
        switch shaders.value(shader, input)?.text {
        case "mirror": return .mirroredRepeat
        case "clamp": return .clampToEdge
        case "black":
            stage.warn(shader, "\(input): black borders are not supported, the edge is extended")
            return .clampToEdge
        default: return .repeat
        }
    }
}
