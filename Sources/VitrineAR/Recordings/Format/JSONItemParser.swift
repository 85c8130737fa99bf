/// Parses one JSON value (RFC 8259) from bytes that are not trusted. The caller bounds their number; depth is bounded here.
struct JSONItemParser {
    /// A syntax error and its byte position, starting at 1.
    struct Failure: Error, Equatable {
        let reason: String
        let column: Int
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private static let depthLimit = 8

    static func parse(_ bytes: ArraySlice<UInt8>) throws(Failure) -> JSONItem {
        var parser = JSONItemParser(bytes)
        let item = try parser.value(depth: 0)
        parser.skipBlanks()
        guard parser.position == bytes.endIndex else { throw parser.failure("something follows the value") }
        return item
    }

    private init(_ bytes: ArraySlice<UInt8>) { (self.bytes, position) = (bytes, bytes.startIndex) }

    private func failure(_ reason: String) -> Failure { Failure(reason: reason, column: position - bytes.startIndex + 1) }

    private var peek: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    /// Takes `byte` if it is the next that is not blank.
    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard peek == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(Failure) -> JSONItem {
        guard depth < Self.depthLimit else { throw failure("values are nested too deep") }
        skipBlanks()
        guard let byte = peek else { throw failure("the text ends early") }
        switch byte {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try list(depth)
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object(_ depth: Int) throws(Failure) -> JSONItem {
        position += 1
        var members: [JSONItem.Member] = []
        if take("}") { return .members(members) }
        repeat {
            skipBlanks()
            guard peek == UInt8(ascii: "\"") else { throw failure("expected a name in quotes") }
            let name = try string()
            guard take(":") else { throw failure("expected ':'") }
            members.append(JSONItem.Member(name: name, value: try value(depth: depth + 1)))
        } while take(",")
        guard take("}") else { throw failure("expected ',' or '}'") }
        return .members(members)
    }

    private mutating func list(_ depth: Int) throws(Failure) -> JSONItem {
        position += 1
        var items: [JSONItem] = []
        if take("]") { return .list(items) }
        repeat { items.append(try value(depth: depth + 1)) } while take(",")
        guard take("]") else { throw failure("expected ',' or ']'") }
        return .list(items)
    }

    private mutating func word(_ word: String, _ item: JSONItem) throws(Failure) -> JSONItem {
        guard bytes[position...].starts(with: word.utf8) else { throw failure("expected a value") }
        position += word.utf8.count
        return item
    }

    private mutating func number() throws(Failure) -> Double {
        let start = position
        while let byte = peek, NumberText.isPart(byte) { position += 1 }
        guard start < position else { throw failure("expected a value") }
        guard let value = NumberText.double(bytes[start..<position]) else {
            position = start
            throw failure("no number")
        }
        guard value.isFinite else {
            position = start
            throw failure("a number that is too large")
        }
        return value
    }

    private mutating func string() throws(Failure) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw failure("a text that is not UTF-8") }
                return string
            case UInt8(ascii: "\\"): text += try escape()
            case 0..<0x20: throw failure("a control character in a text")
            default: text.append(byte)
            }
        }
        throw failure("a text without an end")
    }

    private mutating func escape() throws(Failure) -> [UInt8] {
        guard let byte = peek else { throw failure("a text without an end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "u"):
            let first = try hexadecimal()
            guard first & 0xFC00 == 0xD800 else { return try utf8(first) }
            guard bytes[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else { throw failure("half a surrogate pair") }
            position += 2
            let second = try hexadecimal()
            guard second & 0xFC00 == 0xDC00 else { throw failure("half a surrogate pair") }
            return try utf8(0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF))
        default: throw failure("an invalid escape")
        }
    }

    private func utf8(_ value: UInt32) throws(Failure) -> [UInt8] {
        guard let scalar = Unicode.Scalar(value) else { throw failure("half a surrogate pair") }
        return Array(String(scalar).utf8)
    }

    private mutating func hexadecimal() throws(Failure) -> UInt32 {
        guard bytes.endIndex - position >= 4 else { throw failure("a text without an end") }
        let digits = String(decoding: bytes[position..<position + 4], as: UTF8.self)
        guard digits.utf8.count == 4, !digits.hasPrefix("+"), !digits.hasPrefix("-"), let value = UInt32(digits, radix: 16) else {
            throw failure("\\u without four hexadecimal digits")
        }
        position += 4
        return value
    }
}
