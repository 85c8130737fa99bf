import VitrineMath

/// The one buffer of a GLB, and the views and accessors into it.
struct GLBBuffer {
    private var writer = ByteWriter()
    private(set) var views: [JSONText] = []
    private(set) var accessors: [JSONText] = []

    var bytes: [UInt8] { writer.bytes }

    private enum Target: Int {
        case vertices = 34962
        case indices = 34963
    }

    /// A view over these bytes, at a multiple of 4.
    mutating func view(_ bytes: [UInt8]) -> Int {
        writer.pad(to: 4)
        let offset = writer.bytes.count
        writer.append(bytes)
        return view(from: offset, target: nil)
    }

    private mutating func view(from offset: Int, target: Target?) -> Int {
        var members: [(String, JSONText)] = [("buffer", .integer(0))]
        if offset > 0 { members.append(("byteOffset", .integer(offset))) }
        members.append(("byteLength", .integer(writer.bytes.count - offset)))
        if let target { members.append(("target", .integer(target.rawValue))) }
        views.append(.object(members))
        return views.count - 1
    }

    mutating func floats(_ values: [Float], shape: String, hasBounds: Bool = false) -> Int {
        writer.pad(to: 4)
        let offset = writer.bytes.count
        writer.append(floats: values)
        let width = Self.width(shape)
        var members: [(String, JSONText)] = [
            ("bufferView", .integer(view(from: offset, target: .vertices))), ("componentType", .integer(5126)),
            ("count", .integer(values.count / width)), ("type", .string(shape)),
        ]
        if hasBounds {
            var (lowest, highest) = (Array(values.prefix(width)), Array(values.prefix(width)))
            for (index, value) in values.enumerated() {
                lowest[index % width] = min(lowest[index % width], value)
                highest[index % width] = max(highest[index % width], value)
            }
            // As doubles, so that the text stands for exactly these floats.
            members.append(("min", .array(lowest.map { .double(Double($0)) })))
            members.append(("max", .array(highest.map { .double(Double($0)) })))
        }
        return accessor(members)
    }

    /// The largest number of each type is kept free: it restarts primitives.
    mutating func indices(_ indices: [UInt32], vertexCount: Int) -> Int {
        writer.pad(to: 4)
        let offset = writer.bytes.count
        let isShort = vertexCount <= 0xFFFF
        if isShort {
            writer.append(values: indices.map { UInt16($0) })
        } else {
            writer.append(values: indices)
        }
        return accessor([
            ("bufferView", .integer(view(from: offset, target: .indices))), ("componentType", .integer(isShort ? 5123 : 5125)),
            ("count", .integer(indices.count)), ("type", .string("SCALAR")),
        ])
    }

    private mutating func accessor(_ members: [(String, JSONText)]) -> Int {
        accessors.append(.object(members))
        return accessors.count - 1
    }

    private static func width(_ shape: String) -> Int { shape == "SCALAR" ? 1 : Int(shape.suffix(1)) ?? 1 }
}
