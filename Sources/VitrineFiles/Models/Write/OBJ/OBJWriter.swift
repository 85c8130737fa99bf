import VitrineMath
import VitrineScene

/// A scene as Wavefront OBJ, with its materials (MTL) and textures in files beside it; everything in the scene's frame.
///
/// Materials have the classic statements (`Kd`, `Ks`, `Ns`, `illum`) and those for metal and roughness that most programs know (`Pr`, `Pm`,
/// `Pc`, `Pcr`, `norm`); colours are sRGB-encoded, as programs of that age show them. Colours of vertices follow the coordinates, as MeshLab
/// has it.
struct OBJWriter {
    let contents: SceneContents
    var pool: TexturePool
    var warnings: [ModelWarning]
    private let stem: String
    let generator: String
    /// Texts for people and programs are short: names of materials, one a material.
    var materialNames: [String] = []

    static func write(
        _ contents: SceneContents, pool: TexturePool, options: ModelWriteOptions, name: String
    ) throws(ModelFileError) -> EncodedModel {
        var writer = OBJWriter(
            contents: contents, pool: pool, warnings: contents.warnings + contents.losses(.all), stem: ModelFile.stem(name),
            generator: options.generator)
        let materials = try writer.materials()
        var files = [EncodedModel.File(name: name, bytes: writer.geometry())]
        if !contents.materials.isEmpty { files.append(.init(name: writer.stem + ".mtl", bytes: materials)) }
        for (index, picture) in writer.pool.pictures.enumerated() {
            files.append(.init(name: writer.fileName(ofPicture: index), bytes: picture.bytes))
        }
        return EncodedModel(files: files, warnings: writer.warnings)
    }

    func fileName(ofPicture index: Int) -> String { "\(stem)_\(index).\(pool.pictures[index].pathExtension)" }

    mutating func leaveOut(_ what: String, at place: String) {
        warnings.append(ModelWarning(place: place, message: "\(what): not written"))
    }

    /// Names are single words here.
    static func word(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.isWhitespace || $0.value < 0x20 || $0 == "#" ? "_" : $0 }))
    }

    // MARK: Geometry

    private mutating func geometry() -> [UInt8] {
        var text = TextWriter()
        text.line("# \(Self.word(generator)): metres, +Y up")
        if !contents.materials.isEmpty { text.line("mtllib \(stem).mtl") }
        // Each kind of data is counted through the whole file, from 1.
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
            // The last two are worked out by readers.
            case .position, .normal, .textureCoordinate(set: 0), .color(set: 0), .tangent, .occlusionHarmonics: break
            default: leaveOut("\(attribute.semantic)", at: part.place)
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

/// Lines of words, as bytes from the start: strings of this length would cost more than the numbers in them.
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
