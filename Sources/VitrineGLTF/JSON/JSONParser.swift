/// Parses JSON (RFC 8259) from bytes that are not trusted: strict grammar, strict UTF-8, no recursion.
///
/// A byte order mark, comments, trailing commas and text after the document are errors, as are two members of one object with the same
/// name (glTF asks for unique names).
struct JSONParser {
    private let name: String
    let bytes: [UInt8]
    private let start: Int
    let end: Int
    private let limits: GLTFLimits
    var position: Int

    private var values: [JSONDocument.Value] = []
    private var children: [UInt32] = []
    var unescaped: [UInt8] = []
    /// Children of the arrays and objects that are still open.
    private var pending: [UInt32] = []
    private var open: [Container] = []

    /// An array or object whose end has not come yet.
    private struct Container {
        let id: UInt32
        let firstPending: Int
        let isObject: Bool
    }

    /// Positions are kept in 32 bits.
    private static let endLimit = 1 << 30

    private init(_ bytes: [UInt8], range: Range<Int>, name: String, limits: GLTFLimits) {
        (self.bytes, self.name, self.limits) = (bytes, name, limits)
        (start, end, position) = (range.lowerBound, range.upperBound, range.lowerBound)
    }

    /// - Parameters:
    ///   - range: The text's bytes in `bytes`; lines are counted from its start.
    ///   - name: The file's name, for errors.
    static func parse(_ bytes: [UInt8], range: Range<Int>, name: String, limits: GLTFLimits) throws(GLTFError) -> JSONDocument {
        var parser = JSONParser(bytes, range: range, name: name, limits: limits)
        guard range.upperBound <= endLimit else { throw parser.limitFailure("the JSON text ends behind byte \(endLimit)") }
        try parser.parseDocument()
        return JSONDocument(name: name, bytes: bytes, values: parser.values, children: parser.children, unescaped: parser.unescaped)
    }

    private mutating func parseDocument() throws(GLTFError) {
        if bytes[start..<end].starts(with: [0xEF, 0xBB, 0xBF]) { throw failure("starts with a byte order mark, which glTF forbids") }
        skipWhitespace()
        try beginValue()
        while let container = open.last {
            skipWhitespace()
            if container.isObject { try continueObject(container) } else { try continueArray(container) }
        }
        skipWhitespace()
        guard position == end else { throw failure("text after the end of the document") }
    }

    // MARK: Structure

    private mutating func continueArray(_ container: Container) throws(GLTFError) {
        guard let byte = peek else { throw failure("the text ends inside an array") }
        if byte == UInt8(ascii: "]") { return close(container) }
        if pending.count > container.firstPending {
            guard byte == UInt8(ascii: ",") else { throw failure("expected ',' or ']'") }
            position += 1
            skipWhitespace()
        }
        try beginValue()
    }

    private mutating func continueObject(_ container: Container) throws(GLTFError) {
        guard let byte = peek else { throw failure("the text ends inside an object") }
        if byte == UInt8(ascii: "}") {
            try checkNames(container)
            return close(container)
        }
        if pending.count > container.firstPending {
            guard byte == UInt8(ascii: ",") else { throw failure("expected ',' or '}'") }
            position += 1
            skipWhitespace()
        }
        guard peek == UInt8(ascii: "\"") else { throw failure("expected a member's name in quotation marks") }
        try beginValue()
        skipWhitespace()
        guard peek == UInt8(ascii: ":") else { throw failure("expected ':' after a member's name") }
        position += 1
        skipWhitespace()
        try beginValue()
    }

    private mutating func close(_ container: Container) {
        let added = pending.count - container.firstPending
        values[Int(container.id)].first = UInt32(children.count)
        values[Int(container.id)].count = UInt32(container.isObject ? added / 2 : added)
        children.append(contentsOf: pending[container.firstPending...])
        pending.removeLast(added)
        open.removeLast()
        position += 1
    }

    /// Reads a whole string, number or word, or opens an array or object.
    private mutating func beginValue() throws(GLTFError) {
        guard let byte = peek else { throw failure("the text ends where a value is expected") }
        guard values.count < limits.jsonValues else { throw limitFailure("more than \(limits.jsonValues) JSON values") }
        let id = UInt32(values.count)
        let parent = open.last?.id ?? 0
        values.append(JSONDocument.Value(kind: .null, start: UInt32(position), first: UInt32(position), count: 0, parent: parent))
        if !open.isEmpty { pending.append(id) }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): try openContainer(id, isObject: byte == UInt8(ascii: "{"))
        case UInt8(ascii: "\""): try setString(id)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try skipNumber()
            values[Int(id)].kind = .number
            values[Int(id)].count = UInt32(position) - values[Int(id)].first
        case UInt8(ascii: "t"): try setWord(id, "true", .yes)
        case UInt8(ascii: "f"): try setWord(id, "false", .no)
        case UInt8(ascii: "n"): try setWord(id, "null", .null)
        default: throw failure("expected a value")
        }
    }

    private mutating func openContainer(_ id: UInt32, isObject: Bool) throws(GLTFError) {
        guard open.count < limits.jsonDepth else { throw limitFailure("JSON nested deeper than \(limits.jsonDepth)") }
        values[Int(id)].kind = isObject ? .object : .array
        open.append(Container(id: id, firstPending: pending.count, isObject: isObject))
        position += 1
    }

    private mutating func setString(_ id: UInt32) throws(GLTFError) {
        let (range, isEscaped) = try readString()
        values[Int(id)].kind = isEscaped ? .escapedString : .string
        values[Int(id)].first = UInt32(range.lowerBound)
        values[Int(id)].count = UInt32(range.count)
    }

    private mutating func setWord(_ id: UInt32, _ word: StaticString, _ kind: JSONDocument.Kind) throws(GLTFError) {
        let length = word.utf8CodeUnitCount
        guard end - position >= length else { throw failure("expected a value") }
        for index in 0..<length where bytes[position + index] != word.utf8Start[index] { throw failure("expected a value") }
        position += length
        values[Int(id)].kind = kind
    }

    /// Two members with one name have no defined reading.
    private func checkNames(_ container: Container) throws(GLTFError) {
        var keys: [Int] = []
        for index in stride(from: container.firstPending, to: pending.count, by: 2) { keys.append(Int(pending[index])) }
        guard keys.count > 1 else { return }
        if keys.count > 16 { keys.sort { utf8(of: $0).lexicographicallyPrecedes(utf8(of: $1)) } }
        for index in 1..<keys.count {
            // Sorted, equal names are neighbours; a few are compared each with each.
            let others = keys.count > 16 ? keys[(index - 1)..<index] : keys[..<index]
            for other in others where utf8(of: other).elementsEqual(utf8(of: keys[index])) {
                throw failure("an object has two members with this name", at: Int(values[max(other, keys[index])].start))
            }
        }
    }

    private func utf8(of id: Int) -> ArraySlice<UInt8> {
        let range = Int(values[id].first)..<Int(values[id].first) + Int(values[id].count)
        return values[id].kind == .escapedString ? unescaped[range] : bytes[range]
    }

    // MARK: Bytes

    var peek: UInt8? { position < end ? bytes[position] : nil }

    private mutating func skipWhitespace() {
        while position < end, bytes[position] == 0x20 || bytes[position] == 0x0A || bytes[position] == 0x0D || bytes[position] == 0x09 {
            position += 1
        }
    }

    // MARK: Failures

    func failure(_ text: String, at offset: Int? = nil) -> GLTFError {
        GLTFError(file: name, place: place(of: offset ?? position), reason: .malformed("JSON: \(text)"))
    }

    private func limitFailure(_ text: String) -> GLTFError { GLTFError(file: name, place: place(of: position), reason: .limit(text)) }

    private func place(of offset: Int) -> GLTFError.Place {
        var (line, lineStart) = (1, start)
        for index in start..<min(offset, end) where bytes[index] == 0x0A { (line, lineStart) = (line + 1, index + 1) }
        return .line(line, column: min(offset, end) - lineStart + 1)
    }
}
