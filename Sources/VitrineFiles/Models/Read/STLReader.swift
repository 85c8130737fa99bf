import VitrineGLTF
import VitrineMath
import VitrineScene

/// Reads STL, text and binary: each solid becomes a node; every triangle has separate corners with the normal of its plane. Supports the colours of
/// triangles of Materialise Magics and VisCAM (five bits per channel, as sRGB).
///
/// A binary file is detected by its length, because many start with "solid" like text files.
struct STLReader {
    private let file: String
    private var warnings: [ModelWarning] = []
    private var repairs = RepairLog()
    private var solids: [Solid] = []

    private struct Solid {
        var name = ""
        var positions: [Float] = []
        /// Four floats per corner; empty without colours.
        var colours: [Float] = []
    }

    static func read(_ bytes: [UInt8], file: String, name: String) throws(ModelFileError) -> ParsedModel {
        var reader = STLReader(file: file)
        if let count = binaryCount(bytes) {
            try reader.readBinary(bytes, count: count)
        } else {
            try bytes.withUnsafeBufferPointer { bytes throws(ModelFileError) in try reader.readText(bytes) }
        }
        return try reader.model(name: name)
    }

    private init(file: String) { self.file = file }

    // MARK: Binary

    /// Returns the number of triangles if the length of the file matches it. A few additional bytes are accepted, unless the file is text.
    static func binaryCount(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 84 else { return nil }
        let count = (0..<4).reduce(0) { $0 | Int(bytes[80 + $1]) << (8 * $1) }
        let excess = bytes.count - 84 - 50 * count
        let isText = bytes.starts(with: "solid".utf8)
        return excess == 0 || !isText && count > 0 && (0...1024).contains(excess) ? count : nil
    }

    private mutating func readBinary(_ bytes: [UInt8], count: Int) throws(ModelFileError) {
        var solid = Solid()
        solid.positions.reserveCapacity(count * 9)
        let excess = bytes.count - 84 - 50 * count
        if excess > 0 {
            warnings.append(ModelWarning(location: "byte \(84 + 50 * count)", message: "\(excess) bytes follow the last triangle"))
        }
        let header = STLColours(header: bytes[..<80])
        var colours: [Float] = []
        var hasColours = header.hasDefault
        bytes.withUnsafeBytes { raw in
            for triangle in 0..<count {
                let start = 84 + 50 * triangle
                for number in 0..<9 {
                    let value = Float(
                        bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: start + 12 + number * 4, as: UInt32.self)))
                    if !value.isFinite { repairs.add(RepairLog.notFinite, at: "triangle \(triangle)") }
                    solid.positions.append(value.isFinite ? value : 0)
                }
                let attribute = UInt16(littleEndian: raw.loadUnaligned(fromByteOffset: start + 48, as: UInt16.self))
                let colour = header.colour(attribute)
                hasColours = hasColours || colour != nil
                let paint = colour ?? header.standard
                for _ in 0..<3 { colours += [paint.x, paint.y, paint.z, paint.w] }
            }
        }
        if hasColours { solid.colours = colours }
        solids.append(solid)
    }

    // MARK: Text

    private mutating func readText(_ bytes: UnsafeBufferPointer<UInt8>) throws(ModelFileError) {
        var scanner = TextScanner(bytes)
        func failure(_ text: String) -> ModelFileError {
            ModelFileError(file: file, location: "line \(scanner.line)", reason: .malformed(text))
        }
        var solid: Solid?
        /// The number of corners of the current loop.
        var corners = 0
        while let word = scanner.wordOfAnyLine() {
            switch scanner.text(word).lowercased() {
            case "solid":
                if let solid { solids.append(solid) }
                solid = Solid(name: scanner.text(scanner.rest()))
            case "endsolid":
                _ = scanner.rest()
                if let done = solid { solids.append(done) }
                solid = nil
            case "facet", "endfacet": _ = scanner.rest()
            case "outer": corners = 0
            case "loop": break
            case "vertex":
                if solid == nil { solid = Solid() }
                for _ in 0..<3 {
                    guard let number = scanner.wordOfAnyLine(), let value = scanner.value(number) else {
                        throw failure("a number is missing")
                    }
                    if !value.isFinite { repairs.add(RepairLog.notFinite, at: "line \(scanner.line)") }
                    solid?.positions.append(value.isFinite ? value : 0)
                }
                corners += 1
            case "endloop":
                guard corners == 3 else { throw failure("a triangle has \(corners) corners") }
                corners = 0
            case let other: throw failure("\"\(MessageText.name(other))\" is not a word of an STL file")
            }
        }
        if let solid {
            warnings.append(ModelWarning(location: "line \(scanner.line)", message: "the last solid does not end"))
            guard solid.positions.count % 9 == 0 else { throw failure("the last triangle does not end") }
            solids.append(solid)
        }
    }

    // MARK: The scene

    private mutating func model(name: String) throws(ModelFileError) -> ParsedModel {
        let material = Material(name: "", baseColor: Color(white: 0.8), metalness: 0, roughness: 1)
        let coloured = Material(name: "", baseColor: .white, metalness: 0, roughness: 1)
        let scene = Scene(name: name)
        var used: [Material] = []
        for solid in solids {
            let title = solid.name.isEmpty ? name : solid.name
            guard !solid.positions.isEmpty else {
                warnings.append(ModelWarning(location: "solid \"\(title)\"", message: "has no triangles"))
                continue
            }
            var attributes = [VertexAttribute(.position, componentCount: 3, values: solid.positions)]
            if !solid.colours.isEmpty { attributes.append(VertexAttribute(.color(set: 0), componentCount: 4, values: solid.colours)) }
            let paint = solid.colours.isEmpty ? material : coloured
            if !used.contains(where: { $0 === paint }) { used.append(paint) }
            do throws(GeometryError) {
                let geometry = try Geometry(attributes: attributes).withFlatNormals()
                scene.rootNode.addChildNode(Node(name: title, mesh: Mesh(name: title, geometry: geometry, material: paint)))
            } catch {
                throw ModelFileError(file: file, reason: .malformed("\(error)"))
            }
        }
        return ParsedModel(scene: scene, materials: used, textures: [], warnings: warnings + repairs.warnings)
    }
}

/// The colours in the two bytes after each binary triangle.
private struct STLColours {
    /// The colour of the whole model in the header by Magics, which marks triangles with this colour by the highest bit.
    let standard: Vector4
    let hasDefault: Bool

    init(header: ArraySlice<UInt8>) {
        let mark = Array("COLOR=".utf8)
        var (standard, found) = (Vector4(repeating: 1), false)
        for start in header.indices where start + 10 <= header.endIndex && header[start..<start + 6].elementsEqual(mark) {
            let channels = (0..<4).map { Float(header[start + 6 + $0]) / 255 }
            standard = Vector4(linearFromSRGB(channels[0]), linearFromSRGB(channels[1]), linearFromSRGB(channels[2]), channels[3])
            found = true
            break
        }
        (self.standard, hasDefault) = (standard, found)
    }

    /// Returns the colour of a triangle; nil for the standard colour.
    func colour(_ attribute: UInt16) -> Vector4? {
        let isMarked = attribute & 0x8000 != 0
        // In Magics, marked triangles have the standard colour, and red is lowest. In VisCAM, marked triangles have their own colour, and blue is lowest.
        guard isMarked != hasDefault else { return nil }
        func channel(_ shift: UInt16) -> Float { linearFromSRGB(Float(attribute >> shift & 31) / 31) }
        return hasDefault ? Vector4(channel(0), channel(5), channel(10), standard.w) : Vector4(channel(10), channel(5), channel(0), 1)
    }
}
