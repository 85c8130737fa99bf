import VitrineMath
import VitrineScene

/// One primitive element as vertices, and where they came from: skins and morphs count positions and corners.
struct BuiltPart {
    /// What the instance binds a material to.
    let symbol: String
    let geometry: Geometry
    let primitive: PrimitiveElements
    /// By vertex: the index of its position.
    let positionIndices: [Int32]
    /// By vertex: the corner that made it.
    let corners: [Int32]
    /// The sets of texture coordinates as the file numbers them, in our order.
    let textureSets: [Int]
    /// Whether the normals were computed; then no triangles share vertices.
    let hasOwnNormals: Bool
}

extension COLLADAReader {
    /// The parts of a geometry; each is built once.
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
                    warn(child, "a <convex_mesh> that is made from another geometry is not read")
                }
            case "spline", "brep": warn(child, "<\(child.name)> is not read")
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

    /// nil where there is nothing to show.
    func readPrimitive(_ element: XMLElement) throws(ModelFileError) -> PrimitiveElements? {
        if let known = primitives[element] { return known }
        guard element.children.contains(where: { ["p", "ph"].contains($0.name) }) else { return nil }
        let inputs = try self.inputs(element)
        guard let position = inputs.first(where: { $0.semantic == "POSITION" }) else {
            throw element.failure("<\(element.name)> has no positions")
        }
        let points = try stream(position.source)
        let primitive = try PrimitiveElements(element, inputs: inputs, positionOffset: position.offset) { index in
            Self.point(points, Int(index))
        }
        primitives[element] = primitive
        return primitive
    }

    /// Missing components are 0.
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
            warn(input.element, "inputs \"\(input.semantic.prefix(40))\" are not read")
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
        let positions = try stream(position.source)
        if let bad = indices.first(where: { $0 < 0 || Int($0) >= positions.count }) {
            throw primitive.element.failure("position \(bad) of \(positions.count)")
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

    /// For the offsets that lead to one source alone. Not for positions: skins and morphs count those.
    private func canonical(_ inputs: [StreamInput]) throws(ModelFileError) -> [Int: [Int32]] {
        var result: [Int: [Int32]] = [:]
        for input in inputs where input.semantic != "POSITION" && inputs.filter({ $0.offset == input.offset }).count == 1 {
            if canonicalIndices[input.source] == nil { canonicalIndices[input.source] = try stream(input.source).canonicalIndices }
            result[input.offset] = canonicalIndices[input.source]
        }
        return result
    }

    // MARK: Attributes

    /// The numbers of an input at corners.
    func gathered(
        _ input: StreamInput, _ primitive: PrimitiveElements, _ corners: [Int32], width: Int, fill: Float
    ) throws(ModelFileError) -> [Float] {
        let stream = try stream(input.source)
        let indices = corners.map { primitive.indices[Int($0) * primitive.stride + input.offset] }
        if let bad = indices.first(where: { $0 < 0 || Int($0) >= stream.count }) {
            warn(primitive.element, "\(input.semantic) \(bad) of \(stream.count): read as \(fill)", kind: "index \(input.semantic)")
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

    /// - Returns: The file's numbers of the sets of texture coordinates.
    private func addCoordinates(
        _ inputs: [StreamInput], _ primitive: PrimitiveElements, _ corners: [Int32], to attributes: inout [VertexAttribute]
    ) throws(ModelFileError) -> [Int] {
        var sets: [Int] = []
        for input in inputs where ["TEXCOORD", "UV"].contains(input.semantic) && sets.count < 8 {
            var values = try gathered(input, primitive, corners, width: 2, fill: 0)
            // Theirs points up in the image, ours down.
            for index in Swift.stride(from: 1, to: values.count, by: 2) { values[index] = 1 - values[index] }
            attributes.append(VertexAttribute(.textureCoordinate(set: sets.count), componentCount: 2, values: values))
            sets.append(input.set ?? sets.count)
        }
        var colors = 0
        for input in inputs where input.semantic == "COLOR" && colors < 4 {
            let width = try stream(input.source).width >= 4 ? 4 : 3
            var values = try gathered(input, primitive, corners, width: width, fill: 1)
            for index in values.indices where width == 3 || index % 4 != 3 { values[index] = linearFromSRGB(max(values[index], 0)) }
            attributes.append(VertexAttribute(.color(set: colors), componentCount: width, values: values))
            colors += 1
        }
        return sets
    }

    /// Those of the first set of texture coordinates.
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

/// The numbers of a `<source>`, one after the other.
struct Stream {
    let values: [Float]
    /// Numbers an element.
    let width: Int

    var count: Int { width > 0 ? values.count / width : 0 }
}

/// One `<input>`: what an index into a source means.
struct StreamInput {
    let semantic: String
    /// Where its index stands among a corner's.
    let offset: Int
    /// As written; nil: none.
    let set: Int?
    let source: XMLElement
    let element: XMLElement
}

extension COLLADAReader {
    /// Those of a primitive, of vertices, of joints … With `VERTEX`, what the vertices have comes in its place.
    func inputs(_ parent: XMLElement) throws(ModelFileError) -> [StreamInput] {
        var found: [StreamInput] = []
        for element in parent.children("input") {
            guard let source = try files.resolve(element["source"], from: element) else {
                throw element.failure("there is no source \"\((element["source"] ?? "").prefix(80))\"")
            }
            let offset = Int(element["offset"] ?? element["idx"] ?? "0") ?? -1
            guard (0..<64).contains(offset) else { throw element.failure("offset \"\(element["offset"] ?? "")\" is not 0 to 63") }
            let semantic = element["semantic"] ?? ""
            if source.name == "vertices" {
                guard semantic == "VERTEX" else { throw element.failure("\(semantic) can't come from vertices") }
                for inner in try inputsOfVertices(source) {
                    found.append(
                        StreamInput(semantic: inner.semantic, offset: offset, set: inner.set, source: inner.source, element: inner.element))
                }
            } else {
                found.append(
                    StreamInput(
                        semantic: semantic, offset: offset, set: element["set"].flatMap { Int($0) }, source: source, element: element))
            }
        }
        return found
    }

    private func inputsOfVertices(_ vertices: XMLElement) throws(ModelFileError) -> [StreamInput] {
        var found: [StreamInput] = []
        for element in vertices.children("input") {
            guard let source = try files.resolve(element["source"], from: element), source.name == "source" else {
                throw element.failure("there is no source \"\((element["source"] ?? "").prefix(80))\"")
            }
            found.append(
                StreamInput(
                    semantic: element["semantic"] ?? "", offset: 0, set: element["set"].flatMap { Int($0) }, source: source,
                    element: element))
        }
        return found
    }

    /// The numbers of a source as its accessor takes them: parameters without a name are left out.
    func stream(_ source: XMLElement) throws(ModelFileError) -> Stream {
        if let known = streams[source] { return known }
        let stream = try readStream(source)
        streams[source] = stream
        return stream
    }

    private func readStream(_ source: XMLElement) throws(ModelFileError) -> Stream {
        guard source.name == "source" else { throw source.failure("is no source") }
        let accessor = source.child("technique_common", "accessor")
        var array = accessor == nil ? nil : try files.resolve(accessor?["source"], from: source)
        if array == nil || !["float_array", "int_array"].contains(array?.name ?? "") {
            array = source.child("float_array") ?? source.child("int_array")
        }
        guard let array else {
            guard let bytes = accessor else { throw source.failure("the source has no numbers") }
            throw bytes.failure("the numbers \"\((bytes["source"] ?? "").prefix(80))\" are not there")
        }
        var all = try array.floats()
        if let bad = all.firstIndex(where: { !$0.isFinite }) {
            warn(array, "number \(bad) is not finite: such numbers are read as 0", kind: "not finite")
            all = all.map { $0.isFinite ? $0 : 0 }
        }
        guard let accessor else { return Stream(values: all, width: 1) }
        return try gather(all, accessor)
    }

    private func gather(_ all: [Float], _ accessor: XMLElement) throws(ModelFileError) -> Stream {
        let stride = Int(accessor["stride"] ?? "1") ?? 0
        let offset = Int(accessor["offset"] ?? "0") ?? -1
        guard (1...4096).contains(stride), offset >= 0 else { throw accessor.failure("the accessor's stride or offset is no use") }
        let parameters = accessor.children("param")
        var places: [Int] = []
        var place = 0
        for parameter in parameters {
            let width = parameter["type"].map(Self.width) ?? 1
            // Without a name: passed over. Old files have no names at all: then all count.
            if parameter["name"] != nil || !parameters.contains(where: { $0["name"] != nil }) { places += Array(place..<place + width) }
            place += width
            guard places.count <= 64 else { throw accessor.failure("more than 64 numbers an element") }
        }
        places.removeAll { $0 >= stride }
        if places.isEmpty { places = Array(0..<min(stride, 64)) }
        let promised = accessor["count"].flatMap { Int($0) } ?? .max
        // The components after the last one of the first element.
        let rest = all.count - offset - (places.last ?? 0) - 1
        let there = rest >= 0 ? rest / stride + 1 : 0
        let count = min(max(promised, 0), max(there, 0))
        if promised != .max, promised > count { warn(accessor, "\(promised) elements are promised, \(count) are there", kind: "accessor") }
        if offset == 0, stride == places.count, count * stride == all.count { return Stream(values: all, width: stride) }
        var values: [Float] = []
        values.reserveCapacity(count * places.count)
        for element in 0..<count { for place in places { values.append(all[offset + element * stride + place]) } }
        return Stream(values: values, width: places.count)
    }

    private static func width(_ type: String) -> Int {
        switch type.lowercased() {
        case "float4x4": 16
        case "float3x3": 9
        case "float2": 2
        case "float3": 3
        case "float4": 4
        default: 1
        }
    }

    /// The words of a source of names.
    func names(_ source: XMLElement) throws(ModelFileError) -> [String] {
        let kinds = ["Name_array", "IDREF_array", "SIDREF_array", "token_array"]
        var array = try files.resolve(source.child("technique_common", "accessor")?["source"], from: source)
        if array == nil || !kinds.contains(array?.name ?? "") { array = source.children.first { kinds.contains($0.name) } }
        guard let array else { throw source.failure("the source has no names") }
        return array.words
    }
}

/// What makes two instances show the same mesh.
struct MeshKey: Hashable {
    let geometry: XMLElement
    /// The controller, where one changes the vertices.
    let variant: XMLElement?
    let materials: [ObjectIdentifier]
}

extension COLLADAReader {
    /// A geometry with the materials that an instance binds; nil where there is nothing to show.
    ///
    /// - Parameter geometries: In place of the parts' own, by part.
    func mesh(
        _ geometry: XMLElement, parts: [BuiltPart], variant: XMLElement?, instance: XMLElement, geometries: [Geometry]? = nil,
        morphWeights: [Float] = []
    ) throws(ModelFileError) -> Mesh? {
        guard !parts.isEmpty else { return nil }
        let bindings = instance.child("bind_material", "technique_common")?.children("instance_material") ?? []
        var bound: [String: XMLElement] = [:]
        for binding in bindings { if let symbol = binding["symbol"], bound[symbol] == nil { bound[symbol] = binding } }
        var materials: [Material] = []
        for part in parts {
            if let material = try material(bound[part.symbol], part: part) {
                materials.append(material)
            } else {
                materials.append(try unbound(part, instance: instance))
            }
        }
        let key = MeshKey(geometry: geometry, variant: variant, materials: materials.map { ObjectIdentifier($0) })
        if let known = meshes[key] { return known }
        if let isDoubleSided = Self.isDoubleSided(geometry) { for material in materials { material.isDoubleSided = isDoubleSided } }
        let drawn = parts.indices.map { MeshPart(geometry: geometries?[$0] ?? parts[$0].geometry, material: materials[$0]) }
        let mesh = Mesh(name: geometry.title, parts: drawn, morphWeights: morphWeights)
        meshes[key] = mesh
        return mesh
    }

    /// Old programs name a material by its id, without binding.
    private func unbound(_ part: BuiltPart, instance: XMLElement) throws(ModelFileError) -> Material {
        guard !part.symbol.isEmpty else { return fallbackMaterial() }
        if let element = try files.resolve("#" + part.symbol, from: part.primitive.element), element.name == "material",
            let found = try material(element, binding: nil, part: part)
        {
            return found
        }
        warn(instance, "no material is bound to \"\(part.symbol.prefix(80))\"")
        return fallbackMaterial()
    }
}
