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
