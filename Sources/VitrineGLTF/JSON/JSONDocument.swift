/// A parsed JSON text. Values are stored in one array in the order of the text and refer to each other by index, so that a large document requires
/// a few arrays instead of a tree of objects.
package final class JSONDocument {
    package enum Kind: UInt8 {
        case null, no, yes, number
        /// A string whose bytes are those of the text.
        case string
        /// A string with escapes, whose decoded bytes are in `unescaped`.
        case escapedString
        case array, object
    }

    struct Value {
        var kind: Kind
        /// The offset of the value in `bytes`.
        var start: UInt32
        /// The first byte of a string or a number, or the first entry in `children` of an array or an object.
        var first: UInt32
        /// The number of bytes of a string or a number, of elements of an array, or of members of an object, each with a key and a value in
        /// `children`.
        var count: UInt32
        /// The array or object that contains the value; the root contains itself.
        var parent: UInt32
    }

    /// The name of the file, for errors.
    package let name: String
    /// The bytes of the file, or of the container of the text.
    package let bytes: [UInt8]
    let values: [Value]
    let children: [UInt32]
    let unescaped: [UInt8]

    init(name: String, bytes: [UInt8], values: [Value], children: [UInt32], unescaped: [UInt8]) {
        (self.name, self.bytes, self.values, self.children, self.unescaped) = (name, bytes, values, children, unescaped)
    }

    package var root: JSONValue { JSONValue(document: self, id: 0) }

    /// Returns the value's JSON pointer (RFC 6901).
    func pointer(to id: Int) -> String {
        var steps: [String] = []
        var child = id
        while child != 0 {
            let parent = Int(values[child].parent)
            steps.append(step(from: parent, to: child))
            child = parent
        }
        var pointer = ""
        for step in steps.reversed() { pointer += "/" + step }
        return pointer
    }

    private func step(from parent: Int, to child: Int) -> String {
        let (first, count) = (Int(values[parent].first), Int(values[parent].count))
        guard values[parent].kind == .object else {
            for position in 0..<count where Int(children[first + position]) == child { return "\(position)" }
            return "?"
        }
        for member in 0..<count where Int(children[first + 2 * member + 1]) == child {
            return JSONDocument.escapedStep(utf8(of: Int(children[first + 2 * member])))
        }
        return "?"
    }

    /// Escapes a step of a pointer: `~` as `~0` and `/` as `~1`.
    private static func escapedStep(_ utf8: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "~"): bytes += [byte, UInt8(ascii: "0")]
            case UInt8(ascii: "/"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "1")]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the bytes of a string with escapes resolved.
    func utf8(of id: Int) -> ArraySlice<UInt8> {
        let value = values[id]
        let range = Int(value.first)..<Int(value.first) + Int(value.count)
        return value.kind == .escapedString ? unescaped[range] : bytes[range]
    }

    /// Returns whether the string equals `key`, byte for byte.
    func isString(_ id: Int, equalTo key: StaticString) -> Bool {
        let value = values[id]
        guard Int(value.count) == key.utf8CodeUnitCount else { return false }
        let source = value.kind == .escapedString ? unescaped : bytes
        let first = Int(value.first)
        for index in 0..<key.utf8CodeUnitCount where source[first + index] != key.utf8Start[index] { return false }
        return true
    }
}
