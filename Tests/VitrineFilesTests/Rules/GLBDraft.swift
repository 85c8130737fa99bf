import Foundation

/// A parsed GLB, to plant errors in it.
struct GLBDraft {
    private var json: Any
    var binary: [UInt8]

    init(_ file: [UInt8]) throws {
        let chunks = GLBChunks(file)
        json = try JSONSerialization.jsonObject(with: Data(chunks.json))
        binary = Array(chunks.binary)
    }

    var root: JSONNode { JSONNode(json) }

    /// Sets the value at a path such as "accessors/3/count"; nil removes the member.
    mutating func set(_ path: String, _ value: Any?) {
        json = Self.edited(json, path.split(separator: "/").map { String($0) }[...], value)
    }

    private static func edited(_ tree: Any, _ path: ArraySlice<String>, _ value: Any?) -> Any {
        guard let step = path.first else { return value ?? tree }
        let rest = path.dropFirst()
        if var list = tree as? [Any], let index = Int(step) {
            guard list.indices.contains(index) else { return list + [value ?? 0] }
            list[index] = edited(list[index], rest, value)
            return list
        }
        var members = tree as? [String: Any] ?? [:]
        if rest.isEmpty { members[step] = value } else { members[step] = edited(members[step] ?? [String: Any](), rest, value) }
        return members
    }

    func integer(_ path: String) -> Int {
        path.split(separator: "/").reduce(root) { node, step in
            Int(step).map { node.elements.indices.contains($0) ? node.elements[$0] : JSONNode(nil) } ?? node[String(step)]
        }.integer ?? 0
    }

    /// The offset of the bytes of the accessor at a path.
    func start(ofAccessorAt path: String) -> Int {
        let accessor = integer(path)
        let view = integer("accessors/\(accessor)/bufferView")
        return integer("bufferViews/\(view)/byteOffset") + integer("accessors/\(accessor)/byteOffset")
    }

    /// Overwrites one number of the accessor at a path.
    mutating func setFloat(_ path: String, _ index: Int, _ value: Float) {
        let start = start(ofAccessorAt: path) + 4 * index
        for byte in 0..<4 { binary[start + byte] = UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32(byte))) }
    }

    func bytes(padding: UInt8 = 0x20) throws -> [UInt8] {
        var text = [UInt8](try JSONSerialization.data(withJSONObject: json))
        while text.count % 4 != 0 { text.append(padding) }
        let total = 12 + 8 + text.count + 8 + binary.count
        return Array("glTF".utf8) + Self.word(2) + Self.word(total) + Self.word(text.count) + Array("JSON".utf8) + text
            + Self.word(binary.count) + Array("BIN\0".utf8) + binary
    }

    private static func word(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
}
