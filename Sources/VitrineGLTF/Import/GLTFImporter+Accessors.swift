extension GLTFImporter {
    func readAccessors() throws(GLTFError) {
        for json in accessorList { accessors.append(try readAccessor(json)) }
        decodedAccessors = Array(repeating: nil, count: accessors.count)
    }

    private func readAccessor(_ json: JSONValue) throws(GLTFError) -> GLTFAccessor {
        let type = try componentType(json)
        guard let typeName = json["type"] else { throw json.failure("type", "is missing") }
        guard let shape = GLTFElementShape(try typeName.utf8()) else {
            throw typeName.failure("must be SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4")
        }
        let count = try json.requireInteger("count", in: 1...Int.max)
        let isNormalized = try json.boolean("normalized") ?? false
        if isNormalized, type == .float32 || type == .uint32 { warn(json, "normalized has no meaning for this component type") }
        let bare = GLTFAccessor(
            json: json, type: type, shape: shape, count: count, isNormalized: isNormalized, source: nil, sparse: nil)
        let source = try source(json, count: count, layout: bare, key: "bufferView", mayHaveStride: true)
        if source == nil {
            guard count <= limits.unbackedElements else {
                throw GLTFError(
                    file: document.name, place: .property(json.pointer),
                    reason: .limit("\(count) elements without bytes, the limit is \(limits.unbackedElements)"))
            }
            if json["byteOffset"] != nil { warn(json, "byteOffset has no meaning without a bufferView") }
        }
        let sparse = try readSparse(json, accessor: bare)
        return GLTFAccessor(
            json: json, type: type, shape: shape, count: count, isNormalized: isNormalized, source: source, sparse: sparse)
    }

    private func componentType(_ json: JSONValue) throws(GLTFError) -> GLTFComponentType {
        guard let type = GLTFComponentType(rawValue: try json.requireInteger("componentType")) else {
            throw json.failure("componentType", "must be 5120, 5121, 5122, 5123, 5125 or 5126")
        }
        return type
    }

    /// Where `count` elements lie; nil if `json` names no view, or one without bytes.
    private func source(
        _ json: JSONValue, count: Int, layout: GLTFAccessor, key: StaticString, mayHaveStride: Bool
    ) throws(GLTFError) -> GLTFAccessor.Source? {
        guard let index = try json.index(key, below: bufferViews.count) else { return nil }
        let view = bufferViews[index]
        guard hasBytes(view) else { return nil }
        if !mayHaveStride, view.stride != nil { warn(json, "its buffer view has a byteStride, which has no meaning here") }
        let explicitStride = mayHaveStride ? view.stride : nil
        let stride = explicitStride ?? layout.packedStride
        if stride < layout.elementSize {
            throw json.failure("elements of \(layout.elementSize) bytes overlap at a byteStride of \(stride)")
        }
        let offset = try json.integer("byteOffset") ?? 0
        let range = try range(of: view)
        let (span, overflow) = stride.multipliedReportingOverflow(by: count - 1)
        let (end, overflow2) = span.addingReportingOverflow(layout.elementSize)
        guard !overflow, !overflow2, offset <= range.count, end <= range.count - offset else {
            throw json.failure("\(count) elements of \(layout.elementSize) bytes at \(offset) reach beyond the view's \(range.count) bytes")
        }
        if offset % layout.type.size != 0 || (view.offset + offset) % layout.type.size != 0 || stride % layout.type.size != 0 {
            warn(json, "is not aligned to its components of \(layout.type.size) bytes")
        }
        return GLTFAccessor.Source(
            buffer: view.buffer, offset: range.lowerBound + offset, stride: stride, hasExplicitStride: explicitStride != nil)
    }

    private func readSparse(_ accessor: JSONValue, accessor layout: GLTFAccessor) throws(GLTFError) -> GLTFAccessor.Sparse? {
        guard let json = try accessor.object("sparse") else { return nil }
        let count = try json.requireInteger("count", in: 1...Int.max)
        guard count <= layout.count else { throw json.failure("count", "is more than the accessor's \(layout.count)") }
        guard let indices = try json.object("indices") else { throw json.failure("indices", "is missing") }
        guard let values = try json.object("values") else { throw json.failure("values", "is missing") }
        let type = try componentType(indices)
        guard type == .uint8 || type == .uint16 || type == .uint32 else {
            throw indices.failure("componentType", "must be 5121, 5123 or 5125")
        }
        for part in [indices, values] {
            if let view = try part.index("bufferView", below: bufferViews.count), !hasBytes(bufferViews[view]) { return nil }
        }
        let scalar = GLTFAccessor(
            json: indices, type: type, shape: .scalar, count: count, isNormalized: false, source: nil, sparse: nil)
        guard let indexSource = try source(indices, count: count, layout: scalar, key: "bufferView", mayHaveStride: false) else {
            throw indices.failure("bufferView", "is missing")
        }
        guard let valueSource = try source(values, count: count, layout: layout, key: "bufferView", mayHaveStride: false) else {
            throw values.failure("bufferView", "is missing")
        }
        return GLTFAccessor.Sparse(count: count, indexType: type, indices: indexSource, values: valueSource, json: json)
    }

    // MARK: Memory

    /// Books memory for decoded values before it is asked for.
    func reserve(bytes: Int, for json: JSONValue) throws(GLTFError) {
        let (scaled, overflow) = bufferBytes.multipliedReportingOverflow(by: limits.decodedBytesPerBufferByte)
        let limit = max(limits.decodedBytes, overflow ? Int.max : scaled)
        guard bytes <= limit - decodedBytes else {
            throw GLTFError(
                file: document.name, place: .property(json.pointer),
                reason: .limit("the decoded data takes more than \(limit) bytes"))
        }
        decodedBytes += bytes
    }

    func reserve(count: Int, componentCount: Int, for json: JSONValue) throws(GLTFError) {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: componentCount * 4)
        try reserve(bytes: overflow ? Int.max : bytes, for: json)
    }
}
