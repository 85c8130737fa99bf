import VitrineMath
import VitrineScene

/// Writes a scene as Wavefront OBJ, with its materials (MTL) and textures in separate files; all coordinates are in the scene's frame.
///
/// Materials have the classic statements (`Kd`, `Ks`, `Ns`, `illum`) and those for metalness and roughness that most programs support (`Pr`, `Pm`,
/// `Pc`, `Pcr`, `norm`); colours are sRGB-encoded, as programs of that age display them. Colours of vertices follow the coordinates, as in MeshLab.
struct OBJWriter {
    private let contents: SceneContents
    private var pool: TexturePool
    private var warnings: [ModelWarning]
    private let stem: String
    private let generator: String
    /// The names of materials, one per material.
    private var materialNames: [String] = []

    static func write(
        _ contents: SceneContents, pool: TexturePool, options: ModelWriteOptions, name: String
    ) throws(ModelFileError) -> EncodedModel {
        var writer = OBJWriter(
            contents: contents, pool: pool, warnings: contents.warnings + contents.losses(.all), stem: ModelFile.stem(name),
            generator: options.signature)
        let materials = try writer.materials()
        var files = [EncodedModel.File(name: name, bytes: writer.geometry())]
        if !contents.materials.isEmpty { files.append(.init(name: writer.stem + ".mtl", bytes: materials)) }
        for (index, image) in writer.pool.images.enumerated() {
            files.append(.init(name: writer.fileName(ofImage: index), bytes: image.bytes))
        }
        return EncodedModel(files: files, warnings: writer.warnings)
    }

    func fileName(ofImage index: Int) -> String { "\(stem)_\(index).\(pool.images[index].pathExtension)" }

    mutating func reportOmission(of feature: String, at location: String) {
        warnings.append(ModelWarning(location: location, message: "\(feature): not written"))
    }

    /// Returns a text as a single word, as OBJ requires for names.
    static func word(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.isWhitespace || $0.value < 0x20 || $0 == "#" ? "_" : $0 }))
    }

    // MARK: Geometry

    private mutating func geometry() -> [UInt8] {
        var text = TextWriter()
        text.line("# \(Self.word(generator)): metres, +Y up")
        if !contents.materials.isEmpty { text.line("mtllib \(stem).mtl") }
        // Each kind of data is numbered through the whole file, from 1.
        var (positions, coordinates, normals) = (1, 1, 1)
        for (number, part) in WorldPart.all(of: contents).enumerated() {
            text.line("o \(part.name.isEmpty ? "part_\(number)" : Self.word(part.name))")
            text.line("usemtl \(materialNames[contents.index(of: part.material)])")
            let colours = part.geometry.attribute(.color(set: 0))
            for vertex in 0..<part.geometry.vertexCount {
                text.word("v")
                text.numbers(part.positions, vertex * 3..<vertex * 3 + 3)
                if let colours {
                    let first = vertex * colours.componentCount
                    text.numbers(colours.values[first..<first + 3].map { clamp(sRGBFromLinear($0), 0, 1) }, 0..<3)
                }
                text.endLine()
            }
            let st = part.geometry.attribute(.textureCoordinate(set: 0))?.values
            for index in stride(from: 0, to: st?.count ?? 0, by: 2) {
                guard let st else { break }
                text.word("vt")
                text.numbers([st[index], 1 - st[index + 1]], 0..<2)
                text.endLine()
            }
            for index in stride(from: 0, to: part.normals?.count ?? 0, by: 3) {
                text.word("vn")
                text.numbers(part.normals ?? [], index..<index + 3)
                text.endLine()
            }
            report(part)
            let corner = Corner(position: positions, coordinate: st == nil ? nil : coordinates, normal: part.normals == nil ? nil : normals)
            addElements(of: part, corner, to: &text)
            positions += part.geometry.vertexCount
            if st != nil { coordinates += part.geometry.vertexCount }
            if part.normals != nil { normals += part.geometry.vertexCount }
        }
        return text.bytes
    }

    private mutating func report(_ part: WorldPart) {
        for attribute in part.geometry.attributes {
            switch attribute.semantic {
            // Readers compute the last two.
            case .position, .normal, .textureCoordinate(set: 0), .color(set: 0), .tangent, .occlusionHarmonics: break
            default: reportOmission(of: "\(attribute.semantic)", at: part.location)
            }
        }
    }

    /// The numbers of a part's first vertex.
    private struct Corner {
        let position: Int
        let coordinate, normal: Int?

        func text(_ vertex: Int) -> String {
            switch (coordinate, normal) {
            case (nil, nil): "\(position + vertex)"
            case (let coordinate?, nil): "\(position + vertex)/\(coordinate + vertex)"
            case (nil, let normal?): "\(position + vertex)//\(normal + vertex)"
            case (let coordinate?, let normal?): "\(position + vertex)/\(coordinate + vertex)/\(normal + vertex)"
            }
        }
    }

    private func addElements(of part: WorldPart, _ corner: Corner, to text: inout TextWriter) {
        let geometry = part.geometry
        let elements = geometry.indices?.map { Int($0) } ?? Array(0..<geometry.vertexCount)
        switch geometry.topology {
        case .triangles, .triangleStrip, .triangleFan:
            for first in stride(from: 0, to: part.triangles.count - 2, by: 3) {
                text.line("f " + (0..<3).map { corner.text(Int(part.triangles[first + $0])) }.joined(separator: " "))
            }
        case .points: for vertex in elements { text.line("p \(corner.position + vertex)") }
        case .lines:
            for first in stride(from: 0, to: elements.count - 1, by: 2) {
                text.line("l \(corner.position + elements[first]) \(corner.position + elements[first + 1])")
            }
        case .lineStrip, .lineLoop:
            let closing = geometry.topology == .lineLoop ? elements.prefix(1) : []
            text.line("l " + (elements + closing).map { "\(corner.position + $0)" }.joined(separator: " "))
        }
    }
}

/// Writes lines of words directly as bytes, because long strings would cost more than their numbers.
struct TextWriter {
    private(set) var bytes: [UInt8] = []

    mutating func line(_ text: String) {
        bytes += text.utf8
        bytes.append(10)
    }

    mutating func word(_ text: String) { bytes += text.utf8 }

    mutating func numbers(_ values: [Float], _ range: Range<Int>) {
        for index in range {
            bytes.append(32)
            let value = values[index]
            bytes += (value == value.rounded() && abs(value) < 1e7 ? "\(Int(value))" : "\(value)").utf8
        }
    }

    mutating func endLine() { bytes.append(10) }
}

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
                if material.clearcoat.normal.map != nil { reportOmission(of: "the clearcoat's normals", at: location(material)) }
            }
            try addMaps(of: material, to: &text)
            for loss in material.losses(except: [.lighting]) { reportOmission(of: loss, at: location(material)) }
        }
        return text.bytes
    }

    private func location(_ material: Material) -> String { "material \"\(material.name)\"" }

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
        if case .mask = material.alphaMode { reportOmission(of: "the alpha mask's limit", at: location(material)) }
    }

    /// Adds the highlight. `illum` 0: a constant colour; 1: a diffuse surface; 2: with Blinn's highlight. Metalness and roughness get a highlight of
    /// similar width and brightness, for programs that support nothing else.
    private mutating func addHighlight(of material: Material, to text: inout TextWriter) throws(ModelFileError) {
        switch material.lightingModel {
        case .constant, .lambert:
            text.line("Ks 0 0 0")
            text.line("illum \(material.lightingModel == .constant ? 0 : 1)")
        case .phong, .blinn:
            if material.lightingModel == .phong { reportOmission(of: "Phong's highlight (Blinn's is written)", at: location(material)) }
            let color = material.highlight.color
            text.line("Ks " + Self.colour(color.factor.xyz * color.intensity))
            text.line("Ns \(material.highlight.shininess)")
            text.line("illum 2")
            if let map = color.map { try add("map_Ks", map, material, &text) }
        case .physicallyBased:
            let metalness = clamp(material.metalness.factor * material.metalness.intensity, 0, 1)
            let base = material.baseColor.factor.xyz * material.baseColor.intensity
            text.line("Ks " + Self.colour(mix(Vector3(repeating: 0.04), base, metalness)))
            // The inverse of the conversion in `MTLLibrary`; exponents of MTL are at most 1,000.
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
                reportOmission(of: "the occlusion's intensity \(material.occlusion.intensity)", at: location(material))
            }
        }
        if let map = material.displacement.map {
            let (scale, bias) = (material.displacement.scale, material.displacement.bias)
            try addChannel("disp -mm \(bias) \(scale)", map, material.displacement.channel, material, &text)
        }
        if material.isDoubleSided { reportOmission(of: "drawing both sides", at: location(material)) }
    }

    private mutating func addScalar(
        _ name: String, _ slot: ScalarSlot, _ material: Material, _ text: inout TextWriter
    ) throws(ModelFileError) {
        text.line("\(name) \(slot.factor * slot.intensity)")
        if let map = slot.map { try addChannel("map_\(name)", map, slot.channel, material, &text) }
    }

    /// Adds an image with the channel's values in red, green and blue.
    private mutating func addChannel(
        _ statement: String, _ map: TextureMap, _ channel: TextureChannel, _ material: Material, _ text: inout TextWriter
    ) throws(ModelFileError) {
        let source = ChannelSource(texture: map.texture, channel: channel)
        let image = try pool.image(channels: [source, source, source], name: map.texture.name)
        addPlaced(statement, map, image, material, &text)
    }

    private mutating func add(
        _ statement: String, _ map: TextureMap, _ material: Material, _ text: inout TextWriter
    ) throws(ModelFileError) {
        addPlaced(statement, map, try pool.image(map.texture), material, &text)
    }

    private mutating func addPlaced(_ statement: String, _ map: TextureMap, _ image: Int, _ material: Material, _ text: inout TextWriter) {
        if map.set != 0 { reportOmission(of: "texture coordinates of set \(map.set) (set 0 is used)", at: location(material)) }
        if map.transform != .identity { reportOmission(of: "a texture's transform", at: location(material)) }
        let clamp = map.texture.sampler.wrapS == .clampToEdge && map.texture.sampler.wrapT == .clampToEdge ? " -clamp on" : ""
        text.line("\(statement)\(clamp) \(fileName(ofImage: image))")
    }
}
