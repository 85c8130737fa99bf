import VitrineGLTF
import VitrineMath
import VitrineScene

/// Reads PLY files: triangles and polygons, or points; positions, normals, texture coordinates and colours of vertices (as sRGB), in text, with one
/// line per element, and in both binary forms. Other elements and properties are ignored with a warning.
struct PLYReader {
    private let file: String
    private var warnings: [ModelWarning] = []
    private var repairs = RepairLog()
    private var positions: [Float] = []
    private var normals: [Float] = []
    private var coordinates: [Float] = []
    private var colors: [Float] = []
    private var triangles: [UInt32] = []
    private var triangulator = PolygonTriangulator()
    private var faceCount = 0

    static func read(_ bytes: [UInt8], file: String, name: String) throws(ModelFileError) -> ParsedModel {
        var reader = PLYReader(file: file)
        try bytes.withUnsafeBufferPointer { bytes throws(ModelFileError) in try reader.readElements(bytes) }
        return try reader.model(name: name)
    }

    private init(file: String) { self.file = file }

    private func failure(_ location: String, _ reason: String) -> ModelFileError {
        ModelFileError(file: file, location: location, reason: .malformed(reason))
    }

    // MARK: Elements

    private mutating func readElements(_ bytes: UnsafeBufferPointer<UInt8>) throws(ModelFileError) {
        let layout = try PLYLayout(bytes, file: file)
        var numbers = PLYNumbers(bytes, layout)
        for element in layout.elements {
            // Counts are not trusted: reserves no more memory than the file can fill.
            let (needed, overflow) = element.count.multipliedReportingOverflow(by: element.smallest(layout.encoding))
            guard !overflow, needed <= numbers.remaining + 1 else {
                throw failure(numbers.location, "\(element.count) elements \"\(element.name)\" do not fit into the file")
            }
            guard !element.properties.isEmpty || element.count == 0 else {
                throw failure(numbers.location, "\"\(element.name)\" has no properties")
            }
            switch element.name {
            case "vertex": try readVertices(element, &numbers)
            case "face": try readFaces(element, &numbers)
            default:
                warnings.append(ModelWarning(location: element.name, message: "\(element.count) elements are not supported"))
                for index in 0..<element.count {
                    try startRow(element, index, &numbers)
                    for property in element.properties { try skip(property, &numbers) }
                    endRow(&numbers)
                }
            }
        }
    }

    /// Starts an element; in text, each element has its own line.
    private func startRow(_ element: PLYLayout.Element, _ index: Int, _ numbers: inout PLYNumbers) throws(ModelFileError) {
        guard numbers.startRow() else {
            throw failure(numbers.location, "the file ends after \(index) of \(element.count) \"\(MessageText.name(element.name))\"")
        }
    }

    private mutating func endRow(_ numbers: inout PLYNumbers) {
        guard numbers.endRow() > 0 else { return }
        repairs.add("the row has more values than the header declares; the rest was ignored", at: numbers.lastLocation)
    }

    private func skip(_ property: PLYLayout.Property, _ numbers: inout PLYNumbers) throws(ModelFileError) {
        guard let length = property.length else {
            _ = try next(property.number, &numbers)
            return
        }
        for _ in 0..<(try count(length, property.number, &numbers)) { _ = try next(property.number, &numbers) }
    }

    private func next(_ number: PLYLayout.Number, _ numbers: inout PLYNumbers) throws(ModelFileError) -> Double {
        guard let value = numbers.next(number) else { throw failure(numbers.location, numbers.missing) }
        return value
    }

    /// Returns the length of a list.
    private func count(_ length: PLYLayout.Number, _ number: PLYLayout.Number, _ numbers: inout PLYNumbers) throws(ModelFileError) -> Int {
        let value = try next(length, &numbers)
        guard value >= 0, value <= Double(numbers.remaining) else { throw failure(numbers.location, "a list has \(value) numbers") }
        return Int(value)
    }

    /// The use of a property of a vertex.
    private enum Role {
        case position(Int)
        case normal(Int)
        case coordinate(Int)
        case color(Int, whole: Double)
        case none
    }

    private static func role(_ property: PLYLayout.Property) -> Role {
        switch property.name {
        case "x": .position(0)
        case "y": .position(1)
        case "z": .position(2)
        case "nx": .normal(0)
        case "ny": .normal(1)
        case "nz": .normal(2)
        case "s", "u", "texture_u": .coordinate(0)
        case "t", "v", "texture_v": .coordinate(1)
        case "red", "diffuse_red", "r": .color(0, whole: property.number.whole)
        case "green", "diffuse_green", "g": .color(1, whole: property.number.whole)
        case "blue", "diffuse_blue", "b": .color(2, whole: property.number.whole)
        case "alpha", "diffuse_alpha", "a": .color(3, whole: property.number.whole)
        default: .none
        }
    }

    private mutating func readVertices(_ element: PLYLayout.Element, _ numbers: inout PLYNumbers) throws(ModelFileError) {
        guard positions.isEmpty else { throw failure(numbers.location, "\"vertex\" occurs twice") }
        let roles = element.properties.map { $0.length == nil ? Self.role($0) : .none }
        var has = (position: Set<Int>(), normal: Set<Int>(), coordinate: Set<Int>(), color: Set<Int>())
        for (role, property) in zip(roles, element.properties) {
            switch role {
            case .position(let axis): has.position.insert(axis)
            case .normal(let axis): has.normal.insert(axis)
            case .coordinate(let axis): has.coordinate.insert(axis)
            case .color(let channel, _): has.color.insert(channel)
            case .none: warnings.append(ModelWarning(location: "vertex/\(property.name)", message: "is not supported"))
            }
        }
        guard has.position.count == 3 else { throw failure(numbers.location, "the vertices have no x, y and z") }
        let (hasNormal, hasCoordinate) = (has.normal.count == 3, has.coordinate.count == 2)
        let hasColor = has.color.isSuperset(of: [0, 1, 2])
        let linear = (0..<256).map { linearFromSRGB(Float($0) / 255) }
        for index in 0..<element.count {
            try startRow(element, index, &numbers)
            var (position, normal, coordinate, color) = (Vector3(), Vector3(), Vector2(), Vector4(0, 0, 0, 1))
            for (role, property) in zip(roles, element.properties) {
                if case .none = role {
                    try skip(property, &numbers)
                    continue
                }
                var value = try next(property.number, &numbers)
                if !Float(value).isFinite { value = replaced(role, index) }
                switch role {
                case .position(let axis): position[axis] = Float(value)
                case .normal(let axis): normal[axis] = Float(value)
                case .coordinate(let axis): coordinate[axis] = Float(value)
                case .color(3, let whole): color.w = Float(clamp(value / whole, 0, 1))
                case .color(let channel, let whole):
                    let share = clamp(value / whole, 0, 1)
                    color[channel] = whole == 255 ? linear[Int(share * 255 + 0.5)] : linearFromSRGB(Float(share))
                case .none: break
                }
            }
            endRow(&numbers)
            for axis in 0..<3 { positions.append(position[axis]) }
            if hasNormal { for axis in 0..<3 { normals.append(normal[axis]) } }
            if hasCoordinate {
                coordinates.append(coordinate.x)
                // PLY's second coordinate points up.
                coordinates.append(1 - coordinate.y)
            }
            if hasColor { for channel in 0..<4 { colors.append(color[channel]) } }
        }
    }

    /// Returns the replacement of a number that is not finite.
    private mutating func replaced(_ role: Role, _ vertex: Int) -> Double {
        guard case .color(_, let whole) = role else {
            repairs.add(RepairLog.notFinite, at: "vertex \(vertex)")
            return 0
        }
        repairs.add(RepairLog.notFiniteColor, at: "vertex \(vertex)")
        return whole
    }

    private mutating func readFaces(_ element: PLYLayout.Element, _ numbers: inout PLYNumbers) throws(ModelFileError) {
        let vertexCount = positions.count / 3
        let corners = element.properties.firstIndex { ["vertex_indices", "vertex_index"].contains($0.name) && $0.length != nil }
        guard let corners else { throw failure(numbers.location, "the faces have no vertex_indices") }
        for (index, property) in element.properties.enumerated() where index != corners {
            warnings.append(ModelWarning(location: "face/\(property.name)", message: "is not supported"))
        }
        faceCount += element.count
        var corner: [UInt32] = []
        for face in 0..<element.count {
            try startRow(element, face, &numbers)
            for (index, property) in element.properties.enumerated() {
                guard index == corners, let length = property.length else {
                    try skip(property, &numbers)
                    continue
                }
                let count = try count(length, property.number, &numbers)
                corner.removeAll(keepingCapacity: true)
                for _ in 0..<count {
                    let value = try next(property.number, &numbers)
                    guard value >= 0, value < Double(vertexCount) else {
                        throw failure("face \(face)", "vertex \(value) of \(vertexCount) does not exist")
                    }
                    corner.append(UInt32(value))
                }
                if count == 3 {
                    triangles.append(contentsOf: corner)
                } else {
                    let points = corner.map { Vector3(positions[Int($0) * 3], positions[Int($0) * 3 + 1], positions[Int($0) * 3 + 2]) }
                    if count < 3 { repairs.add(RepairLog.smallFace, at: "face \(face)") }
                    for index in triangulator.split(points) { triangles.append(corner[index]) }
                }
            }
            endRow(&numbers)
        }
    }

    // MARK: The scene

    private func model(name: String) throws(ModelFileError) -> ParsedModel {
        let material = Material(name: "", baseColor: .white, metalness: 0, roughness: 1)
        let scene = Scene(name: name)
        let isMesh = faceCount > 0
        if !positions.isEmpty, !isMesh || !triangles.isEmpty {
            var attributes = [VertexAttribute(.position, componentCount: 3, values: positions)]
            if !normals.isEmpty { attributes.append(VertexAttribute(.normal, componentCount: 3, values: UnitVectors.normals(normals))) }
            if !coordinates.isEmpty {
                attributes.append(VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: coordinates))
            }
            if !colors.isEmpty { attributes.append(VertexAttribute(.color(set: 0), componentCount: 4, values: colors)) }
            do throws(GeometryError) {
                var geometry = try Geometry(
                    topology: isMesh ? .triangles : .points, attributes: attributes, indices: isMesh ? triangles : nil)
                if isMesh, normals.isEmpty { geometry = try geometry.withSmoothNormals() }
                scene.rootNode.addChildNode(Node(name: name, mesh: Mesh(name: name, geometry: geometry, material: material)))
            } catch {
                throw ModelFileError(file: file, reason: .malformed("\(error)"))
            }
        }
        return ParsedModel(scene: scene, materials: [material], textures: [], warnings: warnings + repairs.warnings)
    }
}

/// Reads the numbers after a PLY header.
struct PLYNumbers {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let encoding: PLYLayout.Encoding
    private var offset: Int
    private var scanner: TextScanner
    private let headerLines: Int
    /// The position of the last complete row, for messages.
    private(set) var lastLocation = ""

    /// Creates a reader of the numbers of a file.
    ///
    /// - Parameter bytes: The bytes of the file, which must outlive this value.
    init(_ bytes: UnsafeBufferPointer<UInt8>, _ layout: PLYLayout) {
        (self.bytes, encoding, offset, headerLines) = (bytes, layout.encoding, layout.dataOffset, layout.lines)
        scanner = TextScanner(bytes, offset: layout.dataOffset)
    }

    var remaining: Int { bytes.count - (encoding == .text ? scanner.offset : offset) }

    /// The current position, for messages.
    var location: String { encoding == .text ? "line \(headerLines + scanner.line)" : "byte \(offset)" }

    /// Moves to the line of the next element; has no effect in binary files, which have no lines.
    ///
    /// - Returns: false at the end of a text.
    mutating func startRow() -> Bool { encoding != .text || scanner.findWords() }

    /// Moves to the line after that of the element.
    ///
    /// - Returns: The number of remaining words in the line.
    mutating func endRow() -> Int {
        guard encoding == .text else { return 0 }
        var count = 0
        while scanner.word() != nil { count += 1 }
        if count > 0 { lastLocation = location }
        scanner.nextLine()
        return count
    }

    /// The reason why `next` returned nil.
    var missing: String {
        encoding == .text ? "the row has fewer values than the header declares, or one is not a number" : "the file ends"
    }

    /// Returns the next number, which may be infinite or NaN; nil at the end of the row or file, or if a word is not a number.
    mutating func next(_ number: PLYLayout.Number) -> Double? {
        if encoding == .text {
            guard let word = scanner.word() else { return nil }
            // Whole numbers may exceed the precision of a Float.
            return scanner.integer(word).map { Double($0) } ?? scanner.value(word).map { Double($0) }
        }
        guard number.size <= bytes.count - offset, let base = bytes.baseAddress else { return nil }
        let pointer = UnsafeRawPointer(base + offset)
        offset += number.size
        func load<Value: FixedWidthInteger>(_ type: Value.Type) -> Value {
            let raw = pointer.loadUnaligned(as: type)
            return encoding == .littleEndian ? Value(littleEndian: raw) : Value(bigEndian: raw)
        }
        switch number {
        case .int8: return Double(load(Int8.self))
        case .uint8: return Double(load(UInt8.self))
        case .int16: return Double(load(Int16.self))
        case .uint16: return Double(load(UInt16.self))
        case .int32: return Double(load(Int32.self))
        case .uint32: return Double(load(UInt32.self))
        case .float: return Double(Float(bitPattern: load(UInt32.self)))
        case .double: return Double(bitPattern: load(UInt64.self))
        }
    }
}
