import VitrineMath
import VitrineScene

/// A primitive element converted to vertices with their source indices, because skins and morphs refer to positions and corners.
struct BuiltPart {
    /// The symbol to which the instance binds a material.
    let symbol: String
    let geometry: Geometry
    let primitive: PrimitiveElements
    /// The index of the position of each vertex.
    let positionIndices: [Int32]
    /// The corner from which each vertex was created.
    let corners: [Int32]
    /// The set numbers of the file, in the order of the vertex attributes.
    let textureSets: [Int]
    /// Whether the normals were computed; triangles then do not share vertices.
    let hasOwnNormals: Bool
}

/// The geometries of a document. Converts each once.
final class COLLADAGeometries {
    private let files: COLLADAFiles
    private let streams: COLLADAStreams
    private var primitives: [XMLElement: PrimitiveElements] = [:]
    private var canonicalIndices: [XMLElement: [Int32]] = [:]
    private var geometries: [XMLElement: [BuiltPart]] = [:]

    init(_ streams: COLLADAStreams) { (files, self.streams) = (streams.files, streams) }

    private func warn(_ element: XMLElement?, _ message: String, kind: String? = nil) { files.warn(element, message, kind: kind) }

    /// Returns the parts of a geometry, which are converted once.
    func parts(of geometry: XMLElement) throws(ModelFileError) -> [BuiltPart] {
        if let known = geometries[geometry] { return known }
        var parts: [BuiltPart] = []
        for child in geometry.children {
            switch child.name {
            case "mesh": parts += try readMesh(child)
            case "convex_mesh":
                if child.children.contains(where: { PrimitiveElements.names.contains($0.name) }) {
                    parts += try readMesh(child)
                } else {
                    warn(child, "a <convex_mesh> of another geometry is not supported")
                }
            case "spline", "brep": warn(child, "<\(child.name)> is not supported")
            default: break
            }
        }
        geometries[geometry] = parts
        return parts
    }

    private func readMesh(_ mesh: XMLElement) throws(ModelFileError) -> [BuiltPart] {
        var parts: [BuiltPart] = []
        for element in mesh.children where PrimitiveElements.names.contains(element.name) {
            if let primitive = try readPrimitive(element), let part = try build(primitive) { parts.append(part) }
        }
        return parts
    }

    /// Reads a primitive; returns nil if it is empty.
    func readPrimitive(_ element: XMLElement) throws(ModelFileError) -> PrimitiveElements? {
        if let known = primitives[element] { return known }
        guard element.children.contains(where: { ["p", "ph"].contains($0.name) }) else { return nil }
        let inputs = try streams.inputs(element)
        guard let position = inputs.first(where: { $0.semantic == "POSITION" }) else {
            throw element.failure("<\(element.name)> has no positions")
        }
        let points = try streams.stream(position.source)
        let primitive = try PrimitiveElements(element, inputs: inputs, positionOffset: position.offset) { index in
            Self.point(points, Int(index))
        }
        primitives[element] = primitive
        return primitive
    }

    /// Returns a point; missing components are 0.
    static func point(_ stream: Stream, _ index: Int) -> Vector3 {
        guard index >= 0, index < stream.count else { return Vector3(repeating: 0) }
        let base = index * stream.width
        func number(_ axis: Int) -> Float { axis < stream.width ? stream.values[base + axis] : 0 }
        return Vector3(number(0), number(1), number(2))
    }

    private func build(_ primitive: PrimitiveElements) throws(ModelFileError) -> BuiltPart? {
        guard !primitive.order.isEmpty, let position = primitive.inputs.first(where: { $0.semantic == "POSITION" }) else { return nil }
        let known: Set = ["POSITION", "NORMAL", "TEXCOORD", "UV", "COLOR", "TEXTANGENT", "TANGENT", "TEXBINORMAL", "BINORMAL"]
        let inputs = primitive.inputs.filter { known.contains($0.semantic) }
        for input in primitive.inputs where !known.contains(input.semantic) {
            warn(input.element, "inputs \"\(input.semantic.prefix(40))\" are not supported")
        }
        let hasNormals = inputs.contains { $0.semantic == "NORMAL" }
        let hasOwnNormals = !hasNormals && primitive.topology == .triangles
        var (corners, elements): ([Int32], [UInt32])
        if hasOwnNormals {
            (corners, elements) = (primitive.order, (0..<UInt32(primitive.order.count)).map { $0 })
        } else {
            var table = CornerTable(
                primitive, offsets: Array(Set(inputs.map { $0.offset })).sorted(), canonical: try canonical(inputs))
            elements = table.vertices(of: primitive.order)
            corners = table.corners
        }
        let indices = corners.map { primitive.indices[Int($0) * primitive.stride + position.offset] }
        let positions = try streams.stream(position.source)
        if let bad = indices.first(where: { $0 < 0 || Int($0) >= positions.count }) {
            throw primitive.element.failure("position \(bad) of \(positions.count) does not exist")
        }
        var attributes = [VertexAttribute(.position, componentCount: 3, values: gather(positions, indices, width: 3, fill: 0))]
        if hasOwnNormals {
            attributes.append(VertexAttribute(.normal, componentCount: 3, values: CreaseNormals.make(attributes[0].values, indices)))
        } else if let input = inputs.first(where: { $0.semantic == "NORMAL" }) {
            let values = try gathered(input, primitive, corners, width: 3, fill: 0)
            attributes.append(VertexAttribute(.normal, componentCount: 3, values: UnitVectors.normals(values)))
        }
        let sets = try addCoordinates(inputs, primitive, corners, to: &attributes)
        try addTangents(inputs, primitive, corners, to: &attributes)
        do throws(GeometryError) {
            let geometry = try Geometry(topology: primitive.topology, attributes: attributes, indices: elements)
            return BuiltPart(
                symbol: primitive.symbol, geometry: geometry, primitive: primitive, positionIndices: indices, corners: corners,
                textureSets: sets, hasOwnNormals: hasOwnNormals)
        } catch {
            throw primitive.element.failure("\(error)")
        }
    }

    /// Returns canonical indices for the offsets with a single source, except positions, to which skins and morphs refer.
    private func canonical(_ inputs: [StreamInput]) throws(ModelFileError) -> [Int: [Int32]] {
        var result: [Int: [Int32]] = [:]
        for input in inputs where input.semantic != "POSITION" && inputs.filter({ $0.offset == input.offset }).count == 1 {
            if canonicalIndices[input.source] == nil { canonicalIndices[input.source] = try streams.stream(input.source).canonicalIndices }
            result[input.offset] = canonicalIndices[input.source]
        }
        return result
    }

    // MARK: Attributes

    /// Returns the values of an input at corners.
    func gathered(
        _ input: StreamInput, _ primitive: PrimitiveElements, _ corners: [Int32], width: Int, fill: Float
    ) throws(ModelFileError) -> [Float] {
        let stream = try streams.stream(input.source)
        let indices = corners.map { primitive.indices[Int($0) * primitive.stride + input.offset] }
        if let bad = indices.first(where: { $0 < 0 || Int($0) >= stream.count }) {
            warn(
                primitive.element, "\(input.semantic) \(bad) of \(stream.count) does not exist and is replaced by \(fill)",
                kind: "index \(input.semantic)")
        }
        return gather(stream, indices, width: width, fill: fill)
    }

    func gather(_ stream: Stream, _ indices: [Int32], width: Int, fill: Float) -> [Float] {
        let (count, step) = (stream.count, stream.width)
        return [Float](unsafeUninitializedCapacity: indices.count * width) { target, initialized in
            stream.values.withUnsafeBufferPointer { values in
                for (number, index) in indices.enumerated() {
                    let isThere = index >= 0 && Int(index) < count
                    for component in 0..<width {
                        target[number * width + component] = isThere && component < step ? values[Int(index) * step + component] : fill
                    }
                }
            }
            initialized = indices.count * width
        }
    }

    /// Adds the texture coordinates of a primitive.
    ///
    /// - Returns: The file's numbers of the sets of texture coordinates.
    private func addCoordinates(
        _ inputs: [StreamInput], _ primitive: PrimitiveElements, _ corners: [Int32], to attributes: inout [VertexAttribute]
    ) throws(ModelFileError) -> [Int] {
        var sets: [Int] = []
        for input in inputs where ["TEXCOORD", "UV"].contains(input.semantic) && sets.count < 8 {
            var values = try gathered(input, primitive, corners, width: 2, fill: 0)
            // COLLADA's v points up in the image, Vitrine's down.
            for index in Swift.stride(from: 1, to: values.count, by: 2) { values[index] = 1 - values[index] }
            attributes.append(VertexAttribute(.textureCoordinate(set: sets.count), componentCount: 2, values: values))
            sets.append(input.set ?? sets.count)
        }
        var colors = 0
        for input in inputs where input.semantic == "COLOR" && colors < 4 {
            let width = try streams.stream(input.source).width >= 4 ? 4 : 3
            var values = try gathered(input, primitive, corners, width: width, fill: 1)
            for index in values.indices where width == 3 || index % 4 != 3 { values[index] = linearFromSRGB(max(values[index], 0)) }
            attributes.append(VertexAttribute(.color(set: colors), componentCount: width, values: values))
            colors += 1
        }
        return sets
    }

    /// Adds the tangents of the first set of texture coordinates.
    private func addTangents(
        _ inputs: [StreamInput], _ primitive: PrimitiveElements, _ corners: [Int32], to attributes: inout [VertexAttribute]
    ) throws(ModelFileError) {
        guard let tangent = inputs.first(where: { ["TEXTANGENT", "TANGENT"].contains($0.semantic) }),
            let normals = attributes.first(where: { $0.semantic == .normal })?.values,
            attributes.contains(where: { $0.semantic == .textureCoordinate(set: 0) })
        else { return }
        let along = try gathered(tangent, primitive, corners, width: 3, fill: 0)
        let binormal = inputs.first { ["TEXBINORMAL", "BINORMAL"].contains($0.semantic) }
        let across: [Float]? = if let binormal { try gathered(binormal, primitive, corners, width: 3, fill: 0) } else { nil }
        var values: [Float] = []
        values.reserveCapacity(corners.count * 4)
        for vertex in corners.indices {
            func vector(_ list: [Float]) -> Vector3 { Vector3(list[vertex * 3], list[vertex * 3 + 1], list[vertex * 3 + 2]) }
            let (n, t) = (vector(normals), vector(along))
            let sign: Float = across.map { dot(cross(n, t), vector($0)) < 0 ? -1 : 1 } ?? 1
            values.append(contentsOf: [t.x, t.y, t.z, sign])
        }
        attributes.append(VertexAttribute(.tangent, componentCount: 4, values: UnitVectors.tangents(values)))
    }
}
