import VitrineGLTF
import VitrineMath
import VitrineScene

/// Reads Wavefront OBJ with its MTL files: polygons, lines and points; normals, texture coordinates, and colours after the positions (as sRGB). Each
/// object (`o`, or a group `g` if there are no objects) becomes a node, each material in it a part. Curves and surfaces are ignored with a
/// warning. Faces without normals are flat, or smooth within their smoothing group.
struct OBJReader {
    /// The vertex indices of a corner: position, texture coordinate and normal, from 0; −1 for none.
    private typealias Corner = SIMD3<Int32>

    /// A future part of a mesh.
    private struct Piece {
        let object: Int
        let material: Int
        let topology: PrimitiveTopology
        var corners: [Corner] = []
    }

    private struct PieceKey: Hashable {
        let material: Int
        let topology: PrimitiveTopology
    }

    /// The maximum number of corners of a face, so that a hostile line cannot take seconds.
    private static let maximumCorners = 65_536

    private let file: String
    private var warnings: [ModelWarning] = []
    private var repairs = RepairLog()
    private var positions: [Float] = []
    private var colors: [Float] = []
    private var coordinates: [Float] = []
    private var normals: [Float] = []
    private var objects: [String] = []
    private var hasObjects = false
    /// The pieces, in increasing order of objects.
    private var pieces: [Piece] = []
    /// The pieces of the last object, by material and topology.
    private var openPieces: [PieceKey: Int] = [:]
    private var piece: Int?
    private var material = -1
    /// The corners of the current face.
    private var face: [Corner] = []
    private var triangulator = PolygonTriangulator()
    private var topology = PrimitiveTopology.triangles
    private var materialNames: [String] = []
    private var materialIndices: [String: Int] = [:]
    private var libraries: [String] = []
    private var ignored: [String] = []
    /// The smoothing group of the following faces; 0 for none.
    private var group: Int32 = 0
    private var smooth = SmoothNormals()

    static func read(_ bytes: [UInt8], file: String, name: String, resources: ModelResources) throws(ModelFileError) -> ParsedModel {
        var reader = OBJReader(file: file)
        do {
            try bytes.withUnsafeBufferPointer { try reader.readLines($0) }
        } catch let error as ModelFileError {
            throw error
        } catch {
            throw ModelFileError(file: file, reason: .malformed("\(error)"))
        }
        return try reader.model(name: name, resources: resources)
    }

    private init(file: String) { self.file = file }

    // MARK: Lines

    private mutating func readLines(_ bytes: UnsafeBufferPointer<UInt8>) throws(ModelFileError) {
        var scanner = TextScanner(bytes)
        while !scanner.isAtEnd {
            if let word = scanner.word() { try read(word, &scanner) }
            scanner.nextLine()
        }
    }

    private func failure(_ scanner: TextScanner, _ reason: String) -> ModelFileError {
        ModelFileError(file: file, location: "line \(scanner.line)", reason: .malformed(reason))
    }

    private mutating func read(_ word: Range<Int>, _ scanner: inout TextScanner) throws(ModelFileError) {
        if scanner.equals(word, "v") { return try readPosition(&scanner) }
        if scanner.equals(word, "vt") { return try readCoordinate(&scanner) }
        if scanner.equals(word, "vn") {
            for value in try numbers(3, &scanner) { normals.append(value) }
            return
        }
        if scanner.equals(word, "f") { return try readFace(&scanner) }
        if scanner.equals(word, "l") { return try readLine(&scanner) }
        if scanner.equals(word, "p") { return try readPoints(&scanner) }
        let statement = scanner.text(word)
        switch statement {
        case "usemtl":
            let name = scanner.text(scanner.rest())
            material = materialIndices[name] ?? materialNames.count
            if material == materialNames.count {
                materialNames.append(name)
                materialIndices[name] = material
            }
            piece = nil
        case "o", "g":
            // Groups inside objects only divide them further.
            if statement == "g", hasObjects { return }
            hasObjects = hasObjects || statement == "o"
            objects.append(scanner.text(scanner.rest()))
            piece = nil
            openPieces = [:]
        case "mtllib": libraries.append(scanner.fileName(scanner.rest()))
        case "s":
            let name = scanner.rest()
            // "off" is 0; some programs write "on" for 1.
            group = scanner.integer(name).map { Int32(clamping: $0) } ?? (scanner.text(name) == "on" ? 1 : 0)
        default:
            if statement.hasPrefix("#") || ignored.contains(statement) || ignored.count >= 32 { return }
            ignored.append(statement)
            warnings.append(
                ModelWarning(location: "line \(scanner.line)", message: "statements \"\(MessageText.name(statement))\" are not supported"))
        }
    }

    private mutating func numbers(_ count: Int, _ scanner: inout TextScanner) throws(ModelFileError) -> [Float] {
        var values: [Float] = []
        for _ in 0..<count { values.append(try number(&scanner)) }
        return values
    }

    /// Parses the next word as a finite number.
    private mutating func number(_ scanner: inout TextScanner) throws(ModelFileError) -> Float {
        guard let word = word(&scanner) else { throw failure(scanner, "a number is missing") }
        return try number(word, scanner)
    }

    private mutating func number(_ word: Range<Int>, _ scanner: TextScanner) throws(ModelFileError) -> Float {
        guard let value = scanner.value(word) else { throw failure(scanner, "\"\(MessageText.name(scanner.text(word)))\" is not a number") }
        if value.isFinite { return value }
        repairs.add(RepairLog.notFinite, at: "line \(scanner.line)")
        return 0
    }

    /// Returns the next word of the line, up to a comment.
    private func word(_ scanner: inout TextScanner) -> Range<Int>? {
        guard let word = scanner.word(), !scanner.starts(word, with: "#") else { return nil }
        return word
    }

    private mutating func readPosition(_ scanner: inout TextScanner) throws(ModelFileError) {
        guard positions.count < 3 * Int(Int32.max) else { throw failure(scanner, "too many vertices") }
        for _ in 0..<3 { positions.append(try number(&scanner)) }
        // A weight, or a colour.
        var (more, count) = (Vector4(repeating: 1), 0)
        while count < 4, let word = word(&scanner) {
            guard let value = scanner.value(word) else {
                throw failure(scanner, "\"\(MessageText.name(scanner.text(word)))\" is not a number")
            }
            if !value.isFinite { repairs.add(RepairLog.notFiniteColor, at: "line \(scanner.line)") }
            more[count] = value.isFinite ? value : 1
            count += 1
        }
        guard count >= 3 else { return }
        // White for the previous vertices.
        let missing = positions.count - 3 - colors.count
        if missing > 0 { colors += repeatElement(1, count: missing) }
        for channel in 0..<3 { colors.append(linearFromSRGB(clamp(more[channel], 0, 1))) }
    }

    private mutating func readCoordinate(_ scanner: inout TextScanner) throws(ModelFileError) {
        coordinates.append(try number(&scanner))
        // Vitrine's v points down. A single number is a coordinate of a 1D texture.
        var v: Float = 0
        if let word = word(&scanner) { v = try number(word, scanner) }
        coordinates.append(1 - v)
    }

    // MARK: Elements

    private mutating func start(_ wanted: PrimitiveTopology) -> Int {
        if let piece, topology == wanted { return piece }
        topology = wanted
        if objects.isEmpty { objects.append("") }
        let key = PieceKey(material: material, topology: wanted)
        if let known = openPieces[key] {
            piece = known
            return known
        }
        pieces.append(Piece(object: objects.count - 1, material: material, topology: wanted))
        openPieces[key] = pieces.count - 1
        piece = pieces.count - 1
        return pieces.count - 1
    }

    private mutating func readFace(_ scanner: inout TextScanner) throws(ModelFileError) {
        let piece = start(.triangles)
        face.removeAll(keepingCapacity: true)
        while let word = word(&scanner) {
            guard face.count < Self.maximumCorners else { throw failure(scanner, "a face has more than \(Self.maximumCorners) corners") }
            face.append(try corner(word, scanner))
        }
        guard face.count >= 3 else { return repairs.add(RepairLog.smallFace, at: "line \(scanner.line)") }
        if group > 0, face.contains(where: { $0.z < 0 }) { smoothFace() }
        if face.count == 3 {
            pieces[piece].corners.append(contentsOf: face)
        } else {
            for corner in triangulator.split(face.map { point($0) }) { pieces[piece].corners.append(face[corner]) }
        }
    }

    private func point(_ corner: Corner) -> Vector3 {
        let first = Int(corner.x) * 3
        return Vector3(positions[first], positions[first + 1], positions[first + 2])
    }

    /// Gives corners without a normal a normal that the faces of their group share.
    private mutating func smoothFace() {
        let points = face.map { point($0) }
        var normal = Vector3(repeating: 0)
        for index in 1..<points.count - 1 { normal += cross(points[index] - points[0], points[index + 1] - points[0]) }
        for index in face.indices where face[index].z < 0 { face[index].z = smooth.add(normal, position: face[index].x, group: group) }
    }

    private mutating func readLine(_ scanner: inout TextScanner) throws(ModelFileError) {
        let piece = start(.lines)
        var last: Corner?
        while let word = word(&scanner) {
            let next = try corner(word, scanner)
            if let last { pieces[piece].corners += [last, next] }
            last = next
        }
    }

    private mutating func readPoints(_ scanner: inout TextScanner) throws(ModelFileError) {
        let piece = start(.points)
        while let word = word(&scanner) { pieces[piece].corners.append(try corner(word, scanner)) }
    }

    /// Parses `position`, `position/coordinate`, `position//normal` or all three; numbered from 1, or backwards from −1.
    private mutating func corner(_ word: Range<Int>, _ scanner: TextScanner) throws(ModelFileError) -> Corner {
        let slash = UInt8(ascii: "/")
        let first = scanner.firstIndex(of: slash, in: word) ?? word.upperBound
        let afterFirst = min(first + 1, word.upperBound)..<word.upperBound
        let second = scanner.firstIndex(of: slash, in: afterFirst) ?? word.upperBound
        let position = try index(word.lowerBound..<first, count: positions.count / 3, scanner) { (value, count) throws(ModelFileError) in
            throw failure(scanner, "vertex \(value) of \(count) does not exist")
        }
        guard position >= 0 else { throw failure(scanner, "a corner has no position") }
        var missing: [String] = []
        let coordinateRange = afterFirst.lowerBound..<max(second, afterFirst.lowerBound)
        let coordinate = try index(coordinateRange, count: coordinates.count / 2, scanner) { (_, _) throws(ModelFileError) in
            missing.append("a corner refers to a texture coordinate that does not exist; it was ignored")
        }
        let normalRange = min(second + 1, word.upperBound)..<word.upperBound
        let normal = try index(normalRange, count: normals.count / 3, scanner) { (_, _) throws(ModelFileError) in
            missing.append("a corner refers to a normal that does not exist; it was ignored")
        }
        for message in missing { repairs.add(message, at: "line \(scanner.line)") }
        return Corner(position, coordinate, normal)
    }

    /// Parses an index, from 0; −1 if the word has none, or if `absent` allows a number beyond `count`.
    private func index(
        _ range: Range<Int>, count: Int, _ scanner: TextScanner, absent: (_ value: Int, _ count: Int) throws(ModelFileError) -> Void
    ) throws(ModelFileError) -> Int32 {
        if range.isEmpty { return -1 }
        guard let value = scanner.integer(range) else {
            throw failure(scanner, "\"\(MessageText.name(scanner.text(range)))\" is not the number of a vertex")
        }
        let index = value > 0 ? value - 1 : count + value
        if value != 0, index >= 0, index < count { return Int32(index) }
        try absent(value, count)
        return -1
    }

    // MARK: The scene

    private mutating func model(name: String, resources: ModelResources) throws(ModelFileError) -> ParsedModel {
        var library = MTLLibrary(resources: resources)
        for path in libraries.prefix(64) { library.read(path) }
        let fallback = Material(name: "", baseColor: Color(white: 0.8), metalness: 0, roughness: 1)
        var materials: [Material] = materialNames.map { library.material(named: $0) ?? fallback }
        for name in materialNames where library.material(named: name) == nil {
            warnings.append(ModelWarning(location: "usemtl \(name)", message: "no readable library contains the material"))
        }
        let scene = Scene(name: name)
        var (usesFallback, lastObject) = (false, -1)
        for piece in pieces where !piece.corners.isEmpty {
            usesFallback = usesFallback || piece.material < 0
            let part = MeshPart(geometry: try geometry(piece), material: piece.material < 0 ? fallback : materials[piece.material])
            if piece.object == lastObject, let mesh = scene.rootNode.childNodes.last?.mesh {
                mesh.parts.append(part)
                continue
            }
            lastObject = piece.object
            let title = objects[piece.object].isEmpty ? name : objects[piece.object]
            scene.rootNode.addChildNode(Node(name: title, mesh: Mesh(name: title, parts: [part])))
        }
        if usesFallback { materials.append(fallback) }
        return ParsedModel(
            scene: scene, materials: materials, textures: library.textures, warnings: warnings + repairs.warnings + library.warnings)
    }

    /// Creates a geometry in which equal corners share a vertex.
    private func geometry(_ piece: Piece) throws(ModelFileError) -> Geometry {
        var vertices: [Corner: UInt32] = [:]
        var (order, indices): ([Corner], [UInt32]) = ([], [])
        indices.reserveCapacity(piece.corners.count)
        for corner in piece.corners {
            if let known = vertices[corner] {
                indices.append(known)
                continue
            }
            vertices[corner] = UInt32(order.count)
            indices.append(UInt32(order.count))
            order.append(corner)
        }
        var attributes = [VertexAttribute(.position, componentCount: 3, values: gathered(order, 0, positions, 3))]
        // −1 means no normal; smaller numbers are smoothing groups.
        let hasNormals = order.allSatisfy { $0.z != -1 }
        if hasNormals {
            let values = order.contains { $0.z < 0 } ? smooth.gathered(order.map(\.z), normals) : gathered(order, 2, normals, 3)
            attributes.append(VertexAttribute(.normal, componentCount: 3, values: UnitVectors.normals(values)))
        }
        if order.contains(where: { $0.y >= 0 }) {
            attributes.append(VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: gathered(order, 1, coordinates, 2)))
        }
        if !colors.isEmpty { attributes.append(VertexAttribute(.color(set: 0), componentCount: 3, values: gathered(order, 0, colors, 3))) }
        do throws(GeometryError) {
            let geometry = try Geometry(topology: piece.topology, attributes: attributes, indices: indices)
            return hasNormals || piece.topology != .triangles ? geometry : try geometry.withFlatNormals()
        } catch {
            throw ModelFileError(file: file, reason: .malformed("\(error)"))
        }
    }

    /// Returns the values at corners: zeros if a corner has none, white if a position has no colour.
    private func gathered(_ corners: [Corner], _ member: Int, _ values: [Float], _ width: Int) -> [Float] {
        var result: [Float] = []
        result.reserveCapacity(corners.count * width)
        for corner in corners {
            let first = Int(corner[member]) * width
            let isThere = corner[member] >= 0 && first + width <= values.count
            for component in 0..<width { result.append(isThere ? values[first + component] : corner[member] >= 0 ? 1 : 0) }
        }
        return result
    }
}
