import VitrineMath
import VitrineScene

extension OBJWriter {
    mutating func materials() throws(ModelFileError) -> [UInt8] {
        var text = TextWriter()
        text.line("# \(Self.word(generator))")
        for (index, material) in contents.materials.enumerated() {
            let name = material.name.isEmpty ? "material" : Self.word(material.name)
            materialNames.append(materialNames.contains(name) ? "\(name)_\(index)" : name)
            text.line("\nnewmtl \(materialNames[index])")
            try addColours(of: material, to: &text)
            if material.lightingModel == .physicallyBased {
                try addScalar("Pr", material.roughness, material, &text)
                try addScalar("Pm", material.metalness, material, &text)
            }
            if material.clearcoat.factor.factor > 0 {
                try addScalar("Pc", material.clearcoat.factor, material, &text)
                try addScalar("Pcr", material.clearcoat.roughness, material, &text)
                if material.clearcoat.normal.map != nil { leaveOut("the clearcoat's normals", at: place(material)) }
            }
            try addMaps(of: material, to: &text)
            for loss in material.losses(butFor: [.lighting]) { leaveOut(loss, at: place(material)) }
        }
        return text.bytes
    }

    private func place(_ material: Material) -> String { "material \"\(material.name)\"" }

    private mutating func addColours(of material: Material, to text: inout TextWriter) throws(ModelFileError) {
        let base = material.baseColor
        text.line("Kd " + Self.colour(base.factor.xyz * base.intensity))
        try addHighlight(of: material, to: &text)
        if let map = base.map { try add("map_Kd", map, material, &text) }
        let emission = material.emission.factor.xyz * material.emission.intensity
        if emission != Vector3(repeating: 0) {
            text.line("Ke " + Self.colour(emission))
            if let map = material.emission.map { try add("map_Ke", map, material, &text) }
        }
        guard material.alphaMode != .opaque else { return }
        text.line("d \(clamp(base.factor.w * material.opacity.factor * material.opacity.intensity, 0, 1))")
        if let map = material.opacity.map {
            try addChannel("map_d", map, material.opacity.channel, material, &text)
        } else if let map = base.map {
            try addChannel("map_d", map, .alpha, material, &text)
        }
        if case .mask = material.alphaMode { leaveOut("the alpha mask's limit", at: place(material)) }
    }

    /// `illum` 0: the colour as it is; 1: a diffuse surface; 2: with Blinn's highlight. Metal and roughness get one that is about as wide and
    /// as bright, for programs that know nothing else.
    private mutating func addHighlight(of material: Material, to text: inout TextWriter) throws(ModelFileError) {
        switch material.lightingModel {
        case .constant, .lambert:
            text.line("Ks 0 0 0")
            text.line("illum \(material.lightingModel == .constant ? 0 : 1)")
        case .phong, .blinn:
            if material.lightingModel == .phong { leaveOut("Phong's highlight (Blinn's is written)", at: place(material)) }
            let color = material.highlight.color
            text.line("Ks " + Self.colour(color.factor.xyz * color.intensity))
            text.line("Ns \(material.highlight.shininess)")
            text.line("illum 2")
            if let map = color.map { try add("map_Ks", map, material, &text) }
        case .physicallyBased:
            let metalness = clamp(material.metalness.factor * material.metalness.intensity, 0, 1)
            let base = material.baseColor.factor.xyz * material.baseColor.intensity
            text.line("Ks " + Self.colour(mix(Vector3(repeating: 0.04), base, metalness)))
            // What `MTLLibrary` takes an exponent for, the other way; MTL's end at 1,000.
            let width = pow(clamp(material.roughness.factor * material.roughness.intensity, 0.2, 1), 4)
            text.line("Ns \(min(max(2 / width - 2, 0), 1000))")
            text.line("illum 2")
        }
    }

    private static func colour(_ linear: Vector3) -> String {
        linear.array.map { $0 == 1 ? "1" : "\(sRGBFromLinear($0))" }.joined(separator: " ")
    }

    private mutating func addMaps(of material: Material, to text: inout TextWriter) throws(ModelFileError) {
        if let map = material.normal.map {
            let scale = material.normal.scale
            try add(scale == 1 ? "norm" : "norm -bm \(scale)", map, material, &text)
        }
        if let map = material.occlusion.map {
            try addChannel("map_ao", map, material.occlusion.channel, material, &text)
            if material.occlusion.intensity != 1 {
                leaveOut("the occlusion's intensity \(material.occlusion.intensity)", at: place(material))
            }
        }
        if let map = material.displacement.map {
            let (scale, bias) = (material.displacement.scale, material.displacement.bias)
            try addChannel("disp -mm \(bias) \(scale)", map, material.displacement.channel, material, &text)
        }
        if material.isDoubleSided { leaveOut("drawing both sides", at: place(material)) }
    }

    private mutating func addScalar(
        _ name: String, _ slot: ScalarSlot, _ material: Material, _ text: inout TextWriter
    ) throws(ModelFileError) {
        text.line("\(name) \(slot.factor * slot.intensity)")
        if let map = slot.map { try addChannel("map_\(name)", map, slot.channel, material, &text) }
    }

    /// A picture that has the channel's values in red, green and blue.
    private mutating func addChannel(
        _ statement: String, _ map: TextureMap, _ channel: TextureChannel, _ material: Material, _ text: inout TextWriter
    ) throws(ModelFileError) {
        let source = ChannelSource(texture: map.texture, channel: channel)
        let picture = try pool.picture(channels: [source, source, source], name: map.texture.name)
        addPlaced(statement, map, picture, material, &text)
    }

    private mutating func add(
        _ statement: String, _ map: TextureMap, _ material: Material, _ text: inout TextWriter
    ) throws(ModelFileError) {
        addPlaced(statement, map, try pool.picture(map.texture), material, &text)
    }

    private mutating func addPlaced(_ statement: String, _ map: TextureMap, _ picture: Int, _ material: Material, _ text: inout TextWriter)
    {
        if map.set != 0 { leaveOut("texture coordinates of set \(map.set) (set 0 is used)", at: place(material)) }
        if map.transform != .identity { leaveOut("a texture's transform", at: place(material)) }
        let clamp = map.texture.sampler.wrapS == .clampToEdge && map.texture.sampler.wrapT == .clampToEdge ? " -clamp on" : ""
        text.line("\(statement)\(clamp) \(fileName(ofPicture: picture))")
    }
}
