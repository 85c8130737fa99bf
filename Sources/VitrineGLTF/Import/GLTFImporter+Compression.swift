import VitrineMath

/// EXT_meshopt_compression and KHR_draco_mesh_compression.
extension GLTFImporter {
    // MARK: meshopt

    /// The view over unpacked bytes; nil where it isn't compressed, or only a decoder is missing and there is a fallback.
    func unpackedView(_ json: JSONValue) throws(GLTFError) -> GLTFBufferView? {
        guard let decode = decoders.meshopt, let packed = try json.extension("EXT_meshopt_compression") else { return nil }
        let layout = try meshoptLayout(packed)
        let (length, overflow) = layout.count.multipliedReportingOverflow(by: layout.stride)
        guard !overflow, try json.requireInteger("byteLength", in: 1...Int.max) == length else {
            throw json.failure("byteLength", "is not \(layout.count) elements of \(layout.stride) bytes")
        }
        let buffer = try packed.requireIndex("buffer", below: buffers.count)
        let offset = try packed.integer("byteOffset") ?? 0
        let count = try packed.requireInteger("byteLength", in: 1...Int.max)
        guard let range = buffers[buffer].range, offset <= range.count, count <= range.count - offset else {
            throw packed.failure("\(count) bytes at \(offset) reach beyond the buffer")
        }
        try reserve(bytes: length, for: json)
        let start = range.lowerBound + offset
        let bytes: [UInt8]
        do throws(GLTFDecoderError) {
            bytes = try decode(buffers[buffer].bytes[start..<start + count], layout)
        } catch {
            throw packed.failure(error.text)
        }
        guard bytes.count == length else { throw packed.failure("unpacks to \(bytes.count) bytes, not \(length)") }
        unpackedBuffers.append(GLTFBuffer(bytes: bytes, range: 0..<length))
        let stride = try json.integer("byteStride", in: 4...252)
        return GLTFBufferView(
            buffer: bufferList.count + unpackedBuffers.count - 1, offset: 0, length: length, stride: stride, json: json)
    }

    private func meshoptLayout(_ json: JSONValue) throws(GLTFError) -> MeshoptLayout {
        let mode: MeshoptLayout.Mode
        switch try json.string("mode") {
        case "ATTRIBUTES": mode = .attributes
        case "TRIANGLES": mode = .triangles
        case "INDICES": mode = .indices
        default: throw json.failure("mode", "must be ATTRIBUTES, TRIANGLES or INDICES")
        }
        let filter: MeshoptLayout.Filter
        switch try json.string("filter") {
        case nil, "NONE": filter = .none
        case "OCTAHEDRAL": filter = .octahedral
        case "QUATERNION": filter = .quaternion
        case "EXPONENTIAL": filter = .exponential
        default: throw json.failure("filter", "must be NONE, OCTAHEDRAL, QUATERNION or EXPONENTIAL")
        }
        let layout = MeshoptLayout(
            count: try json.requireInteger("count", in: 1...Int.max), stride: try json.requireInteger("byteStride", in: 1...256),
            mode: mode,
            filter: filter)
        guard layout.isSound else {
            throw json.failure("a stride of \(layout.stride) and a count of \(layout.count) don't go with the mode and the filter")
        }
        return layout
    }

    // MARK: Draco

    /// A primitive's mesh, unpacked; nil where it isn't compressed.
    func dracoMesh(_ primitive: JSONValue) throws(GLTFError) -> GLTFDracoPrimitive? {
        guard let decode = decoders.draco, let packed = try primitive.extension("KHR_draco_mesh_compression") else { return nil }
        let view = try packed.requireIndex("bufferView", below: bufferViews.count)
        guard let ids = try packed.object("attributes") else { throw packed.failure("attributes", "is missing") }
        if let known = dracoMeshes[view] { return GLTFDracoPrimitive(mesh: known, ids: ids, json: packed) }
        let range = try range(of: bufferViews[view])
        let mesh: DracoMesh
        do throws(GLTFDecoderError) {
            // The library needs about 32 bytes a triangle while it unpacks.
            mesh = try decode(buffers[bufferViews[view].buffer].bytes[range], max(limits.decodedBytes, bufferBytes) / 32)
        } catch {
            throw packed.failure(error.text)
        }
        let floats = mesh.streams.reduce(0) { $0 + $1.values.count }
        try reserve(bytes: (floats + mesh.indices.count) * 4, for: packed)
        dracoMeshes[view] = mesh
        return GLTFDracoPrimitive(mesh: mesh, ids: ids, json: packed)
    }

    /// The values of an attribute that lies in Draco data; nil where it lies in its accessor.
    func dracoValues(
        _ primitive: GLTFDracoPrimitive?, attribute name: String, accessor: GLTFAccessor, at place: JSONValue
    ) throws(GLTFError) -> [Float]? {
        guard let primitive, let id = try primitive.id(of: name) else { return nil }
        guard let stream = primitive.mesh.streams.first(where: { $0.id == id }) else {
            throw primitive.json.failure("attributes", "the Draco data has no attribute \(id)")
        }
        guard stream.componentCount == accessor.componentCount else {
            throw place.failure("the Draco data has elements of \(stream.componentCount), the accessor of \(accessor.componentCount)")
        }
        // Encoders split and merge vertices, and some leave the number that was there before.
        if primitive.mesh.vertexCount != accessor.count {
            warn(place, "the accessor has \(accessor.count) elements, the Draco data \(primitive.mesh.vertexCount), which are used")
        }
        var values = stream.values
        if accessor.isNormalized { accessor.type.normalize(&values) }
        replaceNotFinite(&values, of: accessor)
        return values
    }
}

/// A primitive with its Draco data.
struct GLTFDracoPrimitive {
    let mesh: DracoMesh
    /// The extension's `attributes`: ids by name.
    let ids: JSONValue
    let json: JSONValue

    func id(of name: String) throws(GLTFError) -> Int? {
        for index in 0..<ids.count {
            let (key, value) = ids.member(index)
            if key == name { return try value.index(below: Int(Int32.max)) }
        }
        return nil
    }
}

extension MeshoptLayout {
    /// The extension's rules.
    var isSound: Bool {
        switch mode {
        case .attributes:
            switch filter {
            case .none, .exponential: stride % 4 == 0
            case .octahedral: stride == 4 || stride == 8
            case .quaternion: stride == 8
            }
        case .triangles: (stride == 2 || stride == 4) && count % 3 == 0 && filter == .none
        case .indices: (stride == 2 || stride == 4) && filter == .none
        }
    }
}

extension GLTFComponentType {
    /// Integers to 0…1 or −1…1.
    func normalize(_ values: inout [Float]) {
        let scale: Float
        switch self {
        case .int8: scale = 127
        case .uint8: scale = 255
        case .int16: scale = 32767
        case .uint16: scale = 65535
        case .uint32, .float32: return
        }
        for index in values.indices { values[index] = max(values[index] / scale, -1) }
    }
}
