/// The accessors of a file and their decoded values.
///
/// Each accessor is decoded at most once: primitives that share one share its memory.
final class GLTFAccessors {
    private let context: GLTFContext
    private let buffers: GLTFBuffers
    private var accessors: [GLTFAccessor] = []
    private var decoded: [[Float]?] = []

    init(_ root: GLTFRoot, _ buffers: GLTFBuffers, _ context: GLTFContext) throws(GLTFError) {
        (self.buffers, self.context) = (buffers, context)
        for json in root.accessors { accessors.append(try readAccessor(json)) }
        decoded = Array(repeating: nil, count: accessors.count)
    }

    var count: Int { accessors.count }
    subscript(index: Int) -> GLTFAccessor { accessors[index] }

    // MARK: Values

    /// Returns an accessor's values as floats, with normalized integers scaled and matrices by columns without padding.
    func floats(_ index: Int) throws(GLTFError) -> [Float] {
        if let values = decoded[index] { return values }
        let accessor = accessors[index]
        try context.reserve(count: accessor.count, componentCount: accessor.componentCount, for: accessor.json)
        var values =
            if let source = accessor.source {
                decode(source, count: accessor.count, layout: accessor)
            } else {
                [Float](repeating: 0, count: accessor.count * accessor.componentCount)
            }
        if let sparse = accessor.sparse {
            let width = accessor.componentCount
            let replacements = decode(sparse.values, count: sparse.count, layout: accessor)
            for (position, index) in try sparseIndices(sparse, below: accessor.count).enumerated() {
                for component in 0..<width { values[index * width + component] = replacements[position * width + component] }
            }
        }
        replaceNotFinite(&values, of: accessor)
        decoded[index] = values
        return values
    }

    /// Returns the values of an accessor of unsigned integers.
    func unsignedIntegers(_ index: Int) throws(GLTFError) -> [UInt32] {
        let accessor = accessors[index]
        try context.reserve(count: accessor.count, componentCount: accessor.componentCount, for: accessor.json)
        var values =
            if let source = accessor.source {
                unsignedIntegers(source, type: accessor.type, count: accessor.count)
            } else {
                [UInt32](repeating: 0, count: accessor.count)
            }
        if let sparse = accessor.sparse {
            let replacements = unsignedIntegers(sparse.values, type: accessor.type, count: sparse.count)
            for (position, index) in try sparseIndices(sparse, below: accessor.count).enumerated() {
                values[index] = replacements[position]
            }
        }
        return values
    }

    private func sparseIndices(_ sparse: GLTFAccessor.Sparse, below count: Int) throws(GLTFError) -> [Int] {
        let indices = unsignedIntegers(sparse.indices, type: sparse.indexType, count: sparse.count)
        var result: [Int] = []
        result.reserveCapacity(indices.count)
        for index in indices {
            guard index < count else { throw sparse.json.failure("index \(index), but the accessor has \(count) elements") }
            if let last = result.last, last >= Int(index) {
                throw sparse.json.failure("the indices must increase: \(index) follows \(last)")
            }
            result.append(Int(index))
        }
        return result
    }

    /// Sets NaN and infinity to 0, because they would spread through bounds, matrices and images.
    func replaceNotFinite(_ values: inout [Float], of accessor: GLTFAccessor) {
        guard accessor.type == .float32 else { return }
        // A finite number times zero is zero; other numbers give NaN.
        let probe = values.withUnsafeBufferPointer { $0.reduce(into: Float(0)) { $0 += $1 * 0 } }
        guard probe.isNaN else { return }
        var replaced = 0
        for index in values.indices where !values[index].isFinite {
            values[index] = 0
            replaced += 1
        }
        context.warn(accessor.json, "\(replaced) values are infinite or not a number and were set to 0")
    }

    // MARK: Decoding

    private func decode(_ source: GLTFAccessor.Source, count: Int, layout: GLTFAccessor) -> [Float] {
        buffers.withBytes(source.buffer, from: source.offset) { bytes in
            let elements = StridedElements(bytes: bytes, stride: source.stride, layout: layout, count: count)
            return switch layout.type {
            case .float32: elements.floats()
            case .int8: layout.isNormalized ? elements.normalized(Int8.self) : elements.plain(Int8.self)
            case .uint8: layout.isNormalized ? elements.normalized(UInt8.self) : elements.plain(UInt8.self)
            case .int16: layout.isNormalized ? elements.normalized(Int16.self) : elements.plain(Int16.self)
            case .uint16: layout.isNormalized ? elements.normalized(UInt16.self) : elements.plain(UInt16.self)
            case .uint32: elements.plain(UInt32.self)
            }
        }
    }

    private func unsignedIntegers(_ source: GLTFAccessor.Source, type: GLTFComponentType, count: Int) -> [UInt32] {
        buffers.withBytes(source.buffer, from: source.offset) { bytes in
            switch type {
            case .uint8, .int8: Self.widened(UInt8.self, bytes, stride: source.stride, count: count)
            case .uint16, .int16: Self.widened(UInt16.self, bytes, stride: source.stride, count: count)
            case .uint32, .float32: Self.widened(UInt32.self, bytes, stride: source.stride, count: count)
            }
        }
    }

    @inline(__always)
    private static func widened<T: FixedWidthInteger & UnsignedInteger>(
        _ type: T.Type, _ bytes: UnsafeRawBufferPointer, stride: Int, count: Int
    ) -> [UInt32] {
        [UInt32](unsafeUninitializedCapacity: count) { result, initialized in
            for index in 0..<count {
                result[index] = UInt32(T(littleEndian: bytes.loadUnaligned(fromByteOffset: index * stride, as: T.self)))
            }
            initialized = count
        }
    }

    // MARK: Reading

    private func readAccessor(_ json: JSONValue) throws(GLTFError) -> GLTFAccessor {
        let type = try componentType(json)
        guard let typeName = json["type"] else { throw json.failure("type", "is missing") }
        guard let shape = GLTFElementShape(try typeName.utf8()) else {
            throw typeName.failure("must be SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4")
        }
        let count = try json.requireInteger("count", in: 1...Int.max)
        let isNormalized = try json.boolean("normalized") ?? false
        if isNormalized, type == .float32 || type == .uint32 { context.warn(json, "normalized has no meaning for this component type") }
        let bare = GLTFAccessor(
            json: json, type: type, shape: shape, count: count, isNormalized: isNormalized, source: nil, sparse: nil)
        let source = try source(json, count: count, layout: bare, key: "bufferView", mayHaveStride: true)
        if source == nil {
            guard count <= context.limits.unbackedElements else {
                throw context.limitFailure(json, "\(count) elements without bytes, the limit is \(context.limits.unbackedElements)")
            }
            if json["byteOffset"] != nil { context.warn(json, "byteOffset has no meaning without a bufferView") }
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

    /// Returns the location of `count` elements; nil if `json` has no view, or if the view has no bytes.
    private func source(
        _ json: JSONValue, count: Int, layout: GLTFAccessor, key: StaticString, mayHaveStride: Bool
    ) throws(GLTFError) -> GLTFAccessor.Source? {
        guard let index = try json.index(key, below: buffers.viewCount) else { return nil }
        let view = buffers[view: index]
        guard buffers.hasBytes(view) else { return nil }
        if !mayHaveStride, view.stride != nil { context.warn(json, "its buffer view has a byteStride, which has no meaning here") }
        let explicitStride = mayHaveStride ? view.stride : nil
        let stride = explicitStride ?? layout.packedStride
        if stride < layout.elementSize {
            throw json.failure("elements of \(layout.elementSize) bytes overlap at a byteStride of \(stride)")
        }
        let offset = try json.integer("byteOffset") ?? 0
        let range = try buffers.range(of: view)
        let (span, overflow) = stride.multipliedReportingOverflow(by: count - 1)
        let (end, overflow2) = span.addingReportingOverflow(layout.elementSize)
        guard !overflow, !overflow2, offset <= range.count, end <= range.count - offset else {
            throw json.failure(
                "\(count) elements of \(layout.elementSize) bytes at offset \(offset) exceed the view's \(range.count) bytes")
        }
        if offset % layout.type.size != 0 || (view.offset + offset) % layout.type.size != 0 || stride % layout.type.size != 0 {
            context.warn(json, "is not aligned to its components of \(layout.type.size) bytes")
        }
        return GLTFAccessor.Source(
            buffer: view.buffer, offset: range.lowerBound + offset, stride: stride, hasExplicitStride: explicitStride != nil)
    }

    private func readSparse(_ accessor: JSONValue, accessor layout: GLTFAccessor) throws(GLTFError) -> GLTFAccessor.Sparse? {
        guard let json = try accessor.object("sparse") else { return nil }
        let count = try json.requireInteger("count", in: 1...Int.max)
        guard count <= layout.count else { throw json.failure("count", "exceeds the accessor's \(layout.count)") }
        guard let indices = try json.object("indices") else { throw json.failure("indices", "is missing") }
        guard let values = try json.object("values") else { throw json.failure("values", "is missing") }
        let type = try componentType(indices)
        guard type == .uint8 || type == .uint16 || type == .uint32 else {
            throw indices.failure("componentType", "must be 5121, 5123 or 5125")
        }
        for part in [indices, values] {
            if let view = try part.index("bufferView", below: buffers.viewCount), !buffers.hasBytes(buffers[view: view]) { return nil }
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

}

extension GLTFComponentType {
    /// Scales integers to 0…1 or −1…1.
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

/// Elements in memory. Precondition: `bytes` contains `count` elements of `stride`.
private struct StridedElements {
    let bytes: UnsafeRawBufferPointer
    let stride: Int
    let layout: GLTFAccessor
    let count: Int

    func floats() -> [Float] {
        let width = layout.componentCount
        if stride == width * 4 {
            return [Float](unsafeUninitializedCapacity: count * width) { result, initialized in
                UnsafeMutableRawBufferPointer(result).copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<(count * width * 4)]))
                initialized = count * width
            }
        }
        return map(UInt32.self) { Float(bitPattern: $0) }
    }

    @inline(__always)
    func plain<T: FixedWidthInteger>(_ type: T.Type) -> [Float] { map(type) { Float($0) } }

    /// Maps signed values from −max…max to −1…1; the smallest value also maps to −1.
    @inline(__always)
    func normalized<T: FixedWidthInteger>(_ type: T.Type) -> [Float] { map(type) { max(Float($0) / Float(T.max), -1) } }

    @inline(__always)
    private func map<T: FixedWidthInteger>(_ type: T.Type, _ convert: (T) -> Float) -> [Float] {
        let (rows, columns, columnStride) = (layout.shape.rows, layout.shape.columns, layout.columnStride)
        return [Float](unsafeUninitializedCapacity: count * rows * columns) { result, initialized in
            var written = 0
            for element in 0..<count {
                for column in 0..<columns {
                    let start = element * stride + column * columnStride
                    for row in 0..<rows {
                        let value = bytes.loadUnaligned(fromByteOffset: start + row * MemoryLayout<T>.size, as: T.self)
                        result[written] = convert(T(littleEndian: value))
                        written += 1
                    }
                }
            }
            initialized = written
        }
    }
}
