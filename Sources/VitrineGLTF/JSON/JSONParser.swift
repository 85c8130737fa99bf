/// Parses JSON (RFC 8259) from untrusted bytes: strict grammar, strict UTF-8, no recursion.
///
/// A byte order mark, comments, trailing commas and text after the document are errors, as are two members of one object with the same
/// name (glTF requires unique names).
package struct JSONParser {
    private let name: String
    private let bytes: [UInt8]
    private let start: Int
    private let end: Int
    private let limits: GLTFLimits
    private var position: Int

    private var values: [JSONDocument.Value] = []
    private var children: [UInt32] = []
    private var unescaped: [UInt8] = []
    /// The children of the arrays and objects that are still open.
    private var pending: [UInt32] = []
    private var open: [Container] = []

    /// An array or object whose end has not been parsed yet.
    private struct Container {
        let id: UInt32
        let firstPending: Int
        let isObject: Bool
    }

    /// The largest end of the text: positions are stored in 32 bits.
    private static let endLimit = 1 << 30

    private init(_ bytes: [UInt8], range: Range<Int>, name: String, limits: GLTFLimits) {
        (self.bytes, self.name, self.limits) = (bytes, name, limits)
        (start, end, position) = (range.lowerBound, range.upperBound, range.lowerBound)
    }

    /// Parses a JSON text.
    ///
    /// - Parameters:
    ///   - range: The range of the text in `bytes`; lines are numbered from its start.
    ///   - name: The name of the file, for errors.
    package static func parse(_ bytes: [UInt8], range: Range<Int>, name: String, limits: GLTFLimits) throws(GLTFError) -> JSONDocument {
        var parser = JSONParser(bytes, range: range, name: name, limits: limits)
        guard range.upperBound <= endLimit else { throw parser.limitFailure("the JSON text ends after byte \(endLimit)") }
        try parser.parseDocument()
        return JSONDocument(name: name, bytes: bytes, values: parser.values, children: parser.children, unescaped: parser.unescaped)
    }

    private mutating func parseDocument() throws(GLTFError) {
        if bytes[start..<end].starts(with: [0xEF, 0xBB, 0xBF]) { throw failure("starts with a byte order mark") }
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

    /// Parses a string, number or word, or opens an array or object.
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

    /// Rejects two members with the same name, whose meaning RFC 8259 does not define.
    private func checkNames(_ container: Container) throws(GLTFError) {
        var keys: [Int] = []
        for index in stride(from: container.firstPending, to: pending.count, by: 2) { keys.append(Int(pending[index])) }
        guard keys.count > 1 else { return }
        if keys.count > 16 { keys.sort { utf8(of: $0).lexicographicallyPrecedes(utf8(of: $1)) } }
        for index in 1..<keys.count {
            // In sorted order, equal names are adjacent. A few names are compared pairwise.
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

    private var peek: UInt8? { position < end ? bytes[position] : nil }

    private mutating func skipWhitespace() {
        while position < end, bytes[position] == 0x20 || bytes[position] == 0x0A || bytes[position] == 0x0D || bytes[position] == 0x09 {
            position += 1
        }
    }

    // MARK: Failures

    private func failure(_ text: String, at offset: Int? = nil) -> GLTFError {
        GLTFError(file: name, location: location(of: offset ?? position), reason: .malformed("JSON: \(text)"))
    }

    private func limitFailure(_ text: String) -> GLTFError { GLTFError(file: name, location: location(of: position), reason: .limit(text)) }

    private func location(of offset: Int) -> GLTFError.Location {
        var (line, lineStart) = (1, start)
        for index in start..<min(offset, end) where bytes[index] == 0x0A { (line, lineStart) = (line + 1, index + 1) }
        return .line(line, column: min(offset, end) - lineStart + 1)
    }
}

extension JSONParser {
    // MARK: Numbers

    /// Skips a number by the grammar of RFC 8259.
    private mutating func skipNumber() throws(GLTFError) {
        if peek == UInt8(ascii: "-") { position += 1 }
        if peek == UInt8(ascii: "0") {
            position += 1
            if let byte = peek, isDigit(byte) { throw failure("a number may not start with 0") }
        } else {
            try skipDigits()
        }
        if peek == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(GLTFError) {
        guard let byte = peek, isDigit(byte) else { throw failure("expected a digit") }
        while let byte = peek, isDigit(byte) { position += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    // MARK: Strings

    /// Parses a string; the next byte is its opening quotation mark.
    ///
    /// - Returns: The range of its bytes in `bytes`, or in `unescaped` if it has escapes.
    private mutating func readString() throws(GLTFError) -> (range: Range<Int>, isEscaped: Bool) {
        position += 1
        let first = position
        while let byte = peek {
            if byte == UInt8(ascii: "\"") {
                position += 1
                return (first..<position - 1, false)
            }
            if byte == UInt8(ascii: "\\") { return (try readEscapedString(from: first), true) }
            try skipCharacter(byte)
        }
        throw failure("the text ends inside a string")
    }

    private mutating func readEscapedString(from first: Int) throws(GLTFError) -> Range<Int> {
        let firstUnescaped = unescaped.count
        unescaped.append(contentsOf: bytes[first..<position])
        while let byte = peek {
            if byte == UInt8(ascii: "\"") {
                position += 1
                return firstUnescaped..<unescaped.count
            }
            if byte == UInt8(ascii: "\\") {
                try readEscape()
            } else {
                let start = position
                try skipCharacter(byte)
                unescaped.append(contentsOf: bytes[start..<position])
            }
        }
        throw failure("the text ends inside a string")
    }

    /// Skips one character: a byte of ASCII, or a well-formed UTF-8 sequence (Unicode, table 3-7).
    private mutating func skipCharacter(_ byte: UInt8) throws(GLTFError) {
        guard byte >= 0x20 else { throw failure("a control character in a string") }
        if byte < 0x80 {
            position += 1
            return
        }
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch byte {
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xE1...0xEF: (3, 0x80...0xBF)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: (0, 0...0)
            }
        guard length > 0, end - position >= length, second.contains(bytes[position + 1]) else { throw failure("not UTF-8") }
        for index in 2..<max(length, 2) where bytes[position + index] & 0xC0 != 0x80 { throw failure("not UTF-8") }
        position += length
    }

    private mutating func readEscape() throws(GLTFError) {
        let escape = position
        position += 1
        guard let byte = peek else { throw failure("the text ends inside a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(byte)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"): appendUTF8(try readEscapedScalar(from: escape))
        default: throw failure("unknown escape", at: escape)
        }
    }

    /// Parses the scalar of `\uXXXX`, or of two that form a surrogate pair.
    private mutating func readEscapedScalar(from escape: Int) throws(GLTFError) -> UInt32 {
        let unit = try readHexadecimal()
        guard unit & 0xF800 == 0xD800 else { return unit }
        guard unit < 0xDC00, end - position >= 2, bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u") else {
            throw failure("half of a surrogate pair", at: escape)
        }
        position += 2
        let low = try readHexadecimal()
        guard low & 0xFC00 == 0xDC00 else { throw failure("half of a surrogate pair", at: escape) }
        return 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    }

    private mutating func readHexadecimal() throws(GLTFError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = hexadecimalDigit(byte) else { throw failure("expected four hexadecimal digits") }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private mutating func appendUTF8(_ scalar: UInt32) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | (scalar >> shift) & 0x3F) }
        switch scalar {
        case 0..<0x80: unescaped.append(UInt8(scalar))
        case 0x80..<0x800: unescaped += [UInt8(0xC0 | scalar >> 6), tail(0)]
        case 0x800..<0x10000: unescaped += [UInt8(0xE0 | scalar >> 12), tail(6), tail(0)]
        default: unescaped += [UInt8(0xF0 | scalar >> 18), tail(12), tail(6), tail(0)]
        }
    }
}

/// Returns the value of a digit, 0…15, or nil.
func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
