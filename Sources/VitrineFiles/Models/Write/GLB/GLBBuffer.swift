import VitrineMath

/// The single buffer of a glTF file, with its views and accessors.
struct GLBBuffer {
    /// The use of a view's bytes.
    enum Use: Hashable {
        case vertices
        case indices(areTriangles: Bool)
        /// Matrices, keys of animations, images.
        case data

        var target: Int? {
            switch self {
            case .vertices: 34962
            case .indices: 34963
            case .data: nil
            }
        }
    }

    struct View {
        let bytes: [UInt8]
        let use: Use
        /// The size of an element in bytes; 0 for bytes without elements.
        let stride: Int
        /// Whether the bytes are floats in the exponential filter of meshoptimizer.
        var isFiltered = false
    }

    let compression: ModelWriteOptions.Compression
    private(set) var views: [View] = []
    private(set) var accessors: [JSONText] = []

    /// Whether equal accessors are written once: the known views by their bytes, the accessors by their JSON.
    private let sharesAccessors: Bool
    private var knownViews: [KnownView: Int] = [:]
    private var knownAccessors: [KnownAccessor: Int] = [:]

    private struct KnownView: Hashable {
        let bytes: [UInt8]
        let use: Use
        let stride: Int
        let isFiltered: Bool
    }

    private struct KnownAccessor: Hashable {
        let view, type, count: Int
        let shape: String
        let hasBounds: Bool
    }

    init(compression: ModelWriteOptions.Compression = .none, sharesAccessors: Bool = false) {
        (self.compression, self.sharesAccessors) = (compression, sharesAccessors)
    }

    /// Adds a view of bytes without elements.
    mutating func view(_ bytes: [UInt8]) -> Int { view(bytes, use: .data, stride: 0) }

    private mutating func view(_ bytes: [UInt8], use: Use, stride: Int, isFiltered: Bool = false) -> Int {
        let key = KnownView(bytes: bytes, use: use, stride: stride, isFiltered: isFiltered)
        if sharesAccessors, let known = knownViews[key] { return known }
        views.append(View(bytes: bytes, use: use, stride: stride, isFiltered: isFiltered))
        if sharesAccessors { knownViews[key] = views.count - 1 }
        return views.count - 1
    }

    /// Adds an accessor of floats.
    ///
    /// - Parameter bits: The precision of compressed vertices.
    mutating func floats(_ values: [Float], shape: String, hasBounds: Bool = false, use: Use = .vertices, bits: Int = 16) -> Int {
        if compression == .meshopt, use == .vertices { return filteredFloats(values, shape: shape, hasBounds: hasBounds, bits: bits) }
        var writer = ByteWriter(capacity: values.count * 4)
        writer.append(floats: values)
        let width = Self.width(shape)
        return accessor(
            view: view(writer.bytes, use: use, stride: width * 4), type: 5126, count: values.count / width, shape: shape,
            bounds: hasBounds ? Self.bounds(values, width: width) : nil)
    }

    private mutating func filteredFloats(_ values: [Float], shape: String, hasBounds: Bool, bits: Int) -> Int {
        let width = Self.width(shape)
        let (bytes, rounded) = MeshoptCodec.filtered(values, width: width, bits: bits)
        return accessor(
            view: view(bytes, use: .vertices, stride: width * 4, isFiltered: true), type: 5126, count: values.count / width, shape: shape,
            bounds: hasBounds ? Self.bounds(rounded, width: width) : nil)
    }

    /// Adds an accessor of zeros without bytes.
    mutating func zeros(count: Int, shape: String) -> Int {
        let zeros = [Float](repeating: 0, count: Self.width(shape))
        return accessor(view: nil, type: 5126, count: count, shape: shape, bounds: (zeros, zeros))
    }

    /// Adds four joints per vertex, as bytes if possible.
    mutating func joints(_ values: [Float]) -> Int {
        let isShort = values.contains { $0 > 255 }
        var writer = ByteWriter(capacity: values.count * (isShort ? 2 : 1))
        if isShort { writer.append(values: values.map { UInt16($0) }) } else { writer.append(values: values.map { UInt8($0) }) }
        return accessor(
            view: view(writer.bytes, use: .vertices, stride: isShort ? 8 : 4), type: isShort ? 5123 : 5121, count: values.count / 4,
            shape: "VEC4")
    }

    /// Adds four weights per vertex, as 16-bit fractions of 1.
    mutating func weights(_ values: [UInt16]) -> Int {
        var writer = ByteWriter(capacity: values.count * 2)
        writer.append(values: values)
        return accessor(
            view: view(writer.bytes, use: .vertices, stride: 8), type: 5123, count: values.count / 4, shape: "VEC4", isNormalized: true)
    }

    /// Adds signed 16-bit fractions of 1, an even number per vertex.
    mutating func fractions(_ values: [Int16], width: Int) -> Int {
        var writer = ByteWriter(capacity: values.count * 2)
        writer.append(values: values)
        return accessor(
            view: view(writer.bytes, use: .vertices, stride: width * 2), type: 5122, count: values.count / width, shape: "VEC\(width)",
            isNormalized: true)
    }

    /// Adds indices. The largest value of each type is not used, because it restarts primitives.
    mutating func indices(_ indices: [UInt32], vertexCount: Int, areTriangles: Bool) -> Int {
        let isShort = vertexCount <= 0xFFFF
        var writer = ByteWriter(capacity: indices.count * (isShort ? 2 : 4))
        if isShort { writer.append(values: indices.map { UInt16($0) }) } else { writer.append(values: indices) }
        return accessor(
            view: view(writer.bytes, use: .indices(areTriangles: areTriangles), stride: isShort ? 2 : 4), type: isShort ? 5123 : 5125,
            count: indices.count, shape: "SCALAR")
    }

    /// Adds an accessor.
    ///
    /// - Parameter view: The view; nil if all elements are zero or an extension contains them.
    mutating func accessor(
        view: Int?, type: Int, count: Int, shape: String, bounds: (lowest: [Float], highest: [Float])? = nil, isNormalized: Bool = false
    ) -> Int {
        // Without a view, the accessor belongs to an extension.
        let key = view.map { KnownAccessor(view: $0, type: type, count: count, shape: shape, hasBounds: bounds != nil) }
        if sharesAccessors, let key, let known = knownAccessors[key] { return known }
        if let key { knownAccessors[key] = accessors.count }
        var members: [(String, JSONText)] = view.map { [("bufferView", .integer($0))] } ?? []
        members += [("componentType", .integer(type)), ("count", .integer(count)), ("type", .string(shape))]
        if isNormalized { members.append(("normalized", .boolean(true))) }
        if let bounds {
            // As doubles, so that the text represents exactly these floats.
            members.append(("min", .array(bounds.lowest.map { .double(Double($0)) })))
            members.append(("max", .array(bounds.highest.map { .double(Double($0)) })))
        }
        accessors.append(.object(members))
        return accessors.count - 1
    }

    static func bounds(_ values: [Float], width: Int) -> (lowest: [Float], highest: [Float]) {
        var (lowest, highest) = (Array(values.prefix(width)), Array(values.prefix(width)))
        for (index, value) in values.enumerated() {
            lowest[index % width] = min(lowest[index % width], value)
            highest[index % width] = max(highest[index % width], value)
        }
        return (lowest, highest)
    }

    private static func width(_ shape: String) -> Int {
        switch shape {
        case "SCALAR": 1
        case "MAT4": 16
        default: Int(shape.suffix(1)) ?? 1
        }
    }

    // MARK: The bytes

    struct Layout {
        var bytes: [UInt8] = []
        var views: [JSONText] = []
        /// The decompressed size of compressed views: the length of a second buffer, which has no bytes.
        var unpackedLength = 0
    }

    /// Returns the buffer, and the JSON of its views, each at a multiple of 4.
    func laidOut() -> Layout {
        var writer = ByteWriter(capacity: views.reduce(0) { $0 + $1.bytes.count + 4 })
        var layout = Layout()
        for view in views {
            writer.pad(to: 4)
            let packed = compression == .meshopt ? view.packed() : nil
            let offset = packed == nil ? writer.bytes.count : layout.unpackedLength
            var members: [(String, JSONText)] = [("buffer", .integer(packed == nil ? 0 : 1))]
            if offset > 0 { members.append(("byteOffset", .integer(offset))) }
            members.append(("byteLength", .integer(view.bytes.count)))
            if let target = view.use.target { members.append(("target", .integer(target))) }
            if let packed {
                let json = view.json(packed, at: writer.bytes.count)
                members.append(("extensions", .object([("EXT_meshopt_compression", json)])))
                layout.unpackedLength += (view.bytes.count + 3) & ~3
            }
            writer.append(packed ?? view.bytes)
            layout.views.append(.object(members))
        }
        layout.bytes = writer.bytes
        return layout
    }
}

// MARK: meshopt

extension GLBBuffer.View {
    private var count: Int { stride > 0 ? bytes.count / stride : 0 }

    /// Compresses by meshoptimizer; returns nil if it has no mode for these bytes, or if it saves no space. Filtered data are always compressed.
    func packed() -> [UInt8]? {
        guard count > 0 else { return nil }
        let packed: [UInt8]
        switch use {
        case .indices(let areTriangles):
            let indices = self.indices
            packed =
                areTriangles && indices.count % 3 == 0 ? MeshoptCodec.encode(triangles: indices) : MeshoptCodec.encode(sequence: indices)
        case .vertices, .data:
            guard stride % 4 == 0, stride <= 256 else { return nil }
            packed = MeshoptCodec.encode(vertices: bytes, stride: stride)
        }
        return isFiltered || packed.count < bytes.count ? packed : nil
    }

    private var indices: [UInt32] {
        bytes.withUnsafeBytes { bytes in
            (0..<count).map { index in
                stride == 2
                    ? UInt32(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)))
                    : UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
            }
        }
    }

    fileprivate func json(_ packed: [UInt8], at offset: Int) -> JSONText {
        let mode =
            switch use {
            case .indices(let areTriangles): areTriangles && count % 3 == 0 ? "TRIANGLES" : "INDICES"
            case .vertices, .data: "ATTRIBUTES"
            }
        var members: [(String, JSONText)] = [("buffer", .integer(0))]
        if offset > 0 { members.append(("byteOffset", .integer(offset))) }
        members += [
            ("byteLength", .integer(packed.count)), ("byteStride", .integer(stride)), ("count", .integer(count)), ("mode", .string(mode)),
        ]
        if isFiltered { members.append(("filter", .string("EXPONENTIAL"))) }
        return .object(members)
    }
}
