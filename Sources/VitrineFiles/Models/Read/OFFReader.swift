import VitrineMath
import VitrineScene

/// Reads the text form of Geomview's OFF: polygons, and the normals, colours and texture coordinates of vertices that its first word declares
/// (`STCNOFF`). Colours of faces are ignored with a warning.
struct OFFReader {
    private let file: String
    private var warnings: [ModelWarning] = []
    private var repairs = RepairLog()
    private var hasCoordinates = false
    private var hasColours = false
    private var hasNormals = false
    private var isFour = false
    private var positions: [Float] = []
    private var normals: [Float] = []
    private var colours: [Float] = []
    private var coordinates: [Float] = []
    private var triangles: [UInt32] = []
    private var triangulator = PolygonTriangulator()

    static func read(_ bytes: [UInt8], file: String, name: String) throws(ModelFileError) -> ParsedModel {
        var reader = OFFReader(file: file)
        do {
            try bytes.withUnsafeBufferPointer { try reader.read($0) }
        } catch let error as ModelFileError {
            throw error
        } catch {
            throw ModelFileError(file: file, reason: .malformed("\(error)"))
        }
        return try reader.model(name: name)
    }

    /// Returns whether a text starts like an OFF file.
    static func matches(_ text: Substring) -> Bool {
        let word = text.prefix { !$0.isWhitespace }
        return word.hasSuffix("OFF") && ["", "ST", "C", "N", "CN", "STC", "STN", "STCN", "4", "C4", "N4", "CN4"].contains(word.dropLast(3))
    }

    private init(file: String) { self.file = file }

    private func failure(_ scanner: TextScanner, _ text: String) -> ModelFileError {
        ModelFileError(file: file, location: "line \(scanner.line)", reason: .malformed(text))
    }

    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(ModelFileError) {
        var scanner = TextScanner(bytes)
        guard let word = next(&scanner) else { throw failure(scanner, "is empty") }
        let kind = scanner.text(word)
        (hasCoordinates, hasColours, hasNormals) = (kind.hasPrefix("ST"), kind.contains("C"), kind.contains("N"))
        isFour = kind.contains("4")
        guard let first = next(&scanner) else { throw failure(scanner, "the counts are missing") }
        guard scanner.text(first) != "BINARY" else { throw failure(scanner, "the binary form of OFF is not supported") }
        guard let vertices = scanner.integer(first), vertices >= 0 else { throw failure(scanner, "the number of vertices is missing") }
        let faces = try integer(&scanner)
        _ = try integer(&scanner)
        // A vertex takes at least six bytes, a face four.
        guard vertices <= bytes.count / 6 + 1, faces >= 0, faces <= bytes.count / 4 + 1 else {
            throw failure(scanner, "\(vertices) vertices and \(faces) faces do not fit into the file")
        }
        for _ in 0..<vertices { try readVertex(&scanner) }
        var hasFaceColours = false
        for face in 0..<faces { hasFaceColours = try readFace(&scanner, face) || hasFaceColours }
        if hasFaceColours { warnings.append(ModelWarning(location: "faces", message: "the colours of faces are not supported")) }
    }

    /// Returns the next word, skipping comments.
    private func next(_ scanner: inout TextScanner) -> Range<Int>? {
        while let word = scanner.wordOfAnyLine() {
            guard scanner.text(word.lowerBound..<word.lowerBound + 1) == "#" else { return word }
            scanner.nextLine()
        }
        return nil
    }

    private func integer(_ scanner: inout TextScanner) throws(ModelFileError) -> Int {
        guard let word = next(&scanner), let value = scanner.integer(word) else { throw failure(scanner, "a whole number is missing") }
        return value
    }

    private mutating func float(_ scanner: inout TextScanner) throws(ModelFileError) -> Float {
        guard let word = next(&scanner), let value = scanner.value(word) else { throw failure(scanner, "a number is missing") }
        if value.isFinite { return value }
        repairs.add(RepairLog.notFinite, at: "line \(scanner.line)")
        return 0
    }

    private mutating func readVertex(_ scanner: inout TextScanner) throws(ModelFileError) {
        var point = Vector3(try float(&scanner), try float(&scanner), try float(&scanner))
        if isFour {
            let w = try float(&scanner)
            guard w != 0 else { throw failure(scanner, "a vertex is at infinity") }
            point /= w
        }
        positions += point.array
        if hasNormals { for _ in 0..<3 { normals.append(try float(&scanner)) } }
        if hasColours {
            var channels: [Float] = []
            for _ in 0..<4 { channels.append(try float(&scanner)) }
            // Fractions, or bytes.
            let whole: Float = channels.contains { $0 > 1 } ? 255 : 1
            colours += channels.prefix(3).map { linearFromSRGB(clamp($0 / whole, 0, 1)) } + [clamp(channels[3] / whole, 0, 1)]
        }
        if hasCoordinates { coordinates += [try float(&scanner), 1 - (try float(&scanner))] }
    }

    /// Reads a face.
    ///
    /// - Returns: Whether the face has its own colour.
    private mutating func readFace(_ scanner: inout TextScanner, _ face: Int) throws(ModelFileError) -> Bool {
        let count = try integer(&scanner)
        guard count >= 0, count <= positions.count else { throw failure(scanner, "a face has \(count) corners") }
        var corners: [UInt32] = []
        for _ in 0..<count {
            let vertex = try integer(&scanner)
            guard vertex >= 0, vertex < positions.count / 3 else {
                throw failure(scanner, "vertex \(vertex) of \(positions.count / 3) does not exist")
            }
            corners.append(UInt32(vertex))
        }
        if count < 3 { repairs.add(RepairLog.smallFace, at: "line \(scanner.line)") }
        let points = corners.map { Vector3(positions[Int($0) * 3], positions[Int($0) * 3 + 1], positions[Int($0) * 3 + 2]) }
        triangles += triangulator.split(points).map { corners[$0] }
        return !scanner.rest().isEmpty
    }

    private func model(name: String) throws(ModelFileError) -> ParsedModel {
        let material = Material(name: "", baseColor: hasColours ? .white : Color(white: 0.8), metalness: 0, roughness: 1)
        let scene = Scene(name: name)
        guard !positions.isEmpty else {
            return ParsedModel(scene: scene, materials: [], textures: [], warnings: warnings + repairs.warnings)
        }
        var attributes = [VertexAttribute(.position, componentCount: 3, values: positions)]
        if hasNormals { attributes.append(VertexAttribute(.normal, componentCount: 3, values: UnitVectors.normals(normals))) }
        if hasCoordinates { attributes.append(VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: coordinates)) }
        if hasColours { attributes.append(VertexAttribute(.color(set: 0), componentCount: 4, values: colours)) }
        do throws(GeometryError) {
            let isMesh = !triangles.isEmpty
            var geometry = try Geometry(topology: isMesh ? .triangles : .points, attributes: attributes, indices: isMesh ? triangles : nil)
            if isMesh, !hasNormals { geometry = try geometry.withFlatNormals() }
            scene.rootNode.addChildNode(Node(name: name, mesh: Mesh(name: name, geometry: geometry, material: material)))
        } catch {
            throw ModelFileError(file: file, reason: .malformed("\(error)"))
        }
        return ParsedModel(scene: scene, materials: [material], textures: [], warnings: warnings + repairs.warnings)
    }
}
