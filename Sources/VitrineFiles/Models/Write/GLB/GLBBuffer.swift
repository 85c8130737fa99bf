import VitrineMath

/// The one buffer of a glTF file, and the views and accessors into it.
struct GLBBuffer {
    /// What a view's bytes are for.
    enum Use: Equatable {
        case vertices
        case indices(areTriangles: Bool)
        /// Matrices, keys of animations, pictures.
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
        /// Bytes of an element; 0 for bytes without elements.
        let stride: Int
    }

    private(set) var views: [View] = []
    private(set) var accessors: [JSONText] = []

    /// A view over bytes without elements.
    mutating func view(_ bytes: [UInt8]) -> Int { view(bytes, use: .data, stride: 0) }

    private mutating func view(_ bytes: [UInt8], use: Use, stride: Int) -> Int {
        views.append(View(bytes: bytes, use: use, stride: stride))
        return views.count - 1
    }

    mutating func floats(_ values: [Float], shape: String, hasBounds: Bool = false, use: Use = .vertices) -> Int {
        var writer = ByteWriter(capacity: values.count * 4)
        writer.append(floats: values)
        let width = Self.width(shape)
        return accessor(
            view: view(writer.bytes, use: use, stride: width * 4), type: 5126, count: values.count / width, shape: shape,
            bounds: hasBounds ? Self.bounds(values, width: width) : nil)
    }

    /// Zeros without bytes.
    mutating func zeros(count: Int, shape: String) -> Int {
        let zeros = [Float](repeating: 0, count: Self.width(shape))
        return accessor(view: nil, type: 5126, count: count, shape: shape, bounds: (zeros, zeros))
    }

    /// Four joints a vertex: bytes where they suffice.
    mutating func joints(_ values: [Float]) -> Int {
        let isShort = values.contains { $0 > 255 }
        var writer = ByteWriter(capacity: values.count * (isShort ? 2 : 1))
        if isShort { writer.append(values: values.map { UInt16($0) }) } else { writer.append(values: values.map { UInt8($0) }) }
        return accessor(
            view: view(writer.bytes, use: .vertices, stride: isShort ? 8 : 4), type: isShort ? 5123 : 5121, count: values.count / 4,
            shape: "VEC4")
    }

    /// The largest number of each type is kept free: it restarts primitives.
    mutating func indices(_ indices: [UInt32], vertexCount: Int, areTriangles: Bool) -> Int {
        let isShort = vertexCount <= 0xFFFF
        var writer = ByteWriter(capacity: indices.count * (isShort ? 2 : 4))
        if isShort { writer.append(values: indices.map { UInt16($0) }) } else { writer.append(values: indices) }
        return accessor(
            view: view(writer.bytes, use: .indices(areTriangles: areTriangles), stride: isShort ? 2 : 4), type: isShort ? 5123 : 5125,
            count: indices.count, shape: "SCALAR")
    }

    /// - Parameter view: nil: all zeros, or given by an extension.
    mutating func accessor(
        view: Int?, type: Int, count: Int, shape: String, bounds: (lowest: [Float], highest: [Float])? = nil
    ) -> Int {
        var members: [(String, JSONText)] = view.map { [("bufferView", .integer($0))] } ?? []
        members += [("componentType", .integer(type)), ("count", .integer(count)), ("type", .string(shape))]
        if let bounds {
            // As doubles, so that the text stands for exactly these floats.
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

    /// The buffer, and the JSON of its views, each at a multiple of 4.
    func laidOut() -> (bytes: [UInt8], views: [JSONText]) {
        var writer = ByteWriter(capacity: views.reduce(0) { $0 + $1.bytes.count + 4 })
        var list: [JSONText] = []
        for view in views {
            writer.pad(to: 4)
            var members: [(String, JSONText)] = [("buffer", .integer(0))]
            if !writer.bytes.isEmpty { members.append(("byteOffset", .integer(writer.bytes.count))) }
            members.append(("byteLength", .integer(view.bytes.count)))
            if let target = view.use.target { members.append(("target", .integer(target))) }
            writer.append(view.bytes)
            list.append(.object(members))
        }
        return (writer.bytes, list)
    }
}
