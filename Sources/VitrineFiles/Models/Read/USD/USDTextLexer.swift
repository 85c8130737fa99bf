import VitrineGLTF

/// Splits USD's text form into tokens.
struct USDTextLexer {
    enum Token: Equatable {
        /// A name, with namespaces and a part after a dot: `xformOp:translate.timeSamples`.
        case name(String)
        case number(Double)
        case string(String)
        /// An asset path, written `@…@`.
        case asset(String)
        /// A path of the scene, written `<…>`.
        case path(String)
        /// A punctuation mark: one of `( ) [ ] { } = , ; :`, or a dot.
        case mark(UInt8)
        case end
    }

    let bytes: [UInt8]
    let file: String
    private(set) var offset: Int
    private(set) var line: Int

    init(_ bytes: [UInt8], file: String, offset: Int, line: Int) {
        (self.bytes, self.file, self.offset, self.line) = (bytes, file, offset, line)
    }

    func failure(_ reason: String) -> ModelFileError { ModelFileError(file: file, location: "\(line)", reason: .malformed(reason)) }

    /// Returns the next byte that is not a blank or in a comment, without consuming it; 0 at the end.
    mutating func peekByte() -> UInt8 {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0D: offset += 1
            case 0x0A: (offset, line) = (offset + 1, line + 1)
            case UInt8(ascii: "#"): while offset < bytes.count, bytes[offset] != 0x0A { offset += 1 }
            default: return bytes[offset]
            }
        }
        return 0
    }

    /// Skips bytes and counts lines.
    mutating func advance(_ count: Int) {
        for _ in 0..<count where offset < bytes.count {
            if bytes[offset] == 0x0A { line += 1 }
            offset += 1
        }
    }

    /// Consumes a mark if it is the next token.
    mutating func take(_ mark: Character) -> Bool {
        guard let code = mark.asciiValue, peekByte() == code else { return false }
        offset += 1
        return true
    }

    mutating func expect(_ mark: Character) throws(ModelFileError) {
        guard take(mark) else { throw failure("\"\(mark)\" expected, found \(found())") }
    }

    /// Returns the token at the position, for messages.
    private mutating func found() -> String {
        guard peekByte() != 0 else { return "the end" }
        let rest = bytes[offset...].prefix(20).prefix { $0 > 0x20 }
        return "\"\(String(decoding: rest, as: UTF8.self))\""
    }

    mutating func next() throws(ModelFileError) -> Token {
        let byte = peekByte()
        switch byte {
        case 0:
            guard offset >= bytes.count else { throw failure("a zero byte") }
            return .end
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string())
        case UInt8(ascii: "@"): return .asset(try asset())
        case UInt8(ascii: "<"): return .path(try path())
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"): return .number(try number())
        case UInt8(ascii: "."):
            if offset + 1 < bytes.count, Self.isDigit(bytes[offset + 1]) { return .number(try number()) }
            offset += 1
            return .mark(byte)
        case let byte where Self.isName(byte): return .name(name())
        default:
            offset += 1
            return .mark(byte)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// Returns whether the byte is a letter, digit, underscore or part of a non-ASCII character.
    static func isName(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == 0x5F || isDigit(byte) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
    }

    /// Parses parts separated by single colons, and by dots that a name follows.
    private mutating func name() -> String {
        let start = offset
        while offset < bytes.count {
            let byte = bytes[offset]
            if Self.isName(byte) {
                offset += 1
            } else if byte == UInt8(ascii: ":") || byte == UInt8(ascii: "."), offset + 1 < bytes.count, Self.isName(bytes[offset + 1]) {
                offset += 2
            } else {
                break
            }
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Parses a decimal number, or plus or minus infinity.
    mutating func number() throws(ModelFileError) -> Double {
        var isNegative = false
        if bytes[offset] == UInt8(ascii: "-") || bytes[offset] == UInt8(ascii: "+") {
            isNegative = bytes[offset] == UInt8(ascii: "-")
            offset += 1
        }
        if bytes[offset...].starts(with: "inf".utf8) {
            offset += 3
            return isNegative ? -.infinity : .infinity
        }
        var (mantissa, exponent, digits, isFraction) = (0.0, 0, 0, false)
        while offset < bytes.count {
            let byte = bytes[offset]
            if Self.isDigit(byte) {
                digits += 1
                if mantissa < 9e17 {
                    mantissa = mantissa * 10 + Double(byte - 0x30)
                    if isFraction { exponent -= 1 }
                } else if !isFraction {
                    exponent += 1
                }
            } else if byte == UInt8(ascii: "."), !isFraction {
                isFraction = true
            } else {
                break
            }
            offset += 1
        }
        guard digits > 0 else { throw failure("a number expected") }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") { exponent += try self.exponent() }
        let value = Self.scaled(mantissa, by: max(-400, min(400, exponent)))
        return isNegative ? -value : value
    }

    private mutating func exponent() throws(ModelFileError) -> Int {
        offset += 1
        var isNegative = false
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "-") || bytes[offset] == UInt8(ascii: "+") {
            isNegative = bytes[offset] == UInt8(ascii: "-")
            offset += 1
        }
        var (value, digits) = (0, 0)
        while offset < bytes.count, Self.isDigit(bytes[offset]) {
            value = min(value * 10 + Int(bytes[offset] - 0x30), 10_000)
            (offset, digits) = (offset + 1, digits + 1)
        }
        guard digits > 0 else { throw failure("the exponent of a number has no digits") }
        return isNegative ? -value : value
    }

    private static let powers: [Double] = (0...22).map { (0..<$0).reduce(1.0) { power, _ in power * 10 } }

    private static func scaled(_ mantissa: Double, by exponent: Int) -> Double {
        var (value, rest) = (mantissa, abs(exponent))
        while rest > 0, value != 0 {
            let step = min(rest, 22)
            value = exponent < 0 ? value / powers[step] : value * powers[step]
            rest -= step
        }
        return value
    }
}

extension USDTextLexer {
    /// Parses a string in one or three quotes; only strings in three quotes may span lines.
    mutating func string() throws(ModelFileError) -> String {
        let quote = bytes[offset]
        let isLong = bytes[offset...].starts(with: [quote, quote, quote])
        advance(isLong ? 3 : 1)
        var text: [UInt8] = []
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == quote, !isLong || bytes[offset...].starts(with: [quote, quote, quote]) {
                advance(isLong ? 3 : 1)
                return String(decoding: text, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                advance(1)
                try escape(into: &text)
                continue
            }
            if byte == 0x0A, !isLong { throw failure("a string does not end in its line") }
            text.append(byte)
            advance(1)
        }
        throw failure("a string does not end")
    }

    private mutating func escape(into text: inout [UInt8]) throws(ModelFileError) {
        guard offset < bytes.count else { throw failure("a string does not end") }
        let byte = bytes[offset]
        advance(1)
        switch byte {
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "x"):
            var value: UInt8?
            while offset < bytes.count, let digit = Character(UnicodeScalar(bytes[offset])).hexDigitValue, (value ?? 0) < 16 {
                value = (value ?? 0) * 16 + UInt8(digit)
                advance(1)
            }
            text.append(value ?? byte)
        default: text.append(byte)
        }
    }

    /// Parses a path between one or three `@`.
    mutating func asset() throws(ModelFileError) -> String {
        let isLong = bytes[offset...].starts(with: "@@@".utf8)
        advance(isLong ? 3 : 1)
        var text: [UInt8] = []
        while offset < bytes.count {
            if isLong, bytes[offset...].starts(with: "\\@@@".utf8) {
                text += "@@@".utf8
                advance(4)
                continue
            }
            if bytes[offset] == UInt8(ascii: "@"), !isLong || bytes[offset...].starts(with: "@@@".utf8) {
                advance(isLong ? 3 : 1)
                // The path itself may end with one or two.
                while isLong, offset < bytes.count, bytes[offset] == UInt8(ascii: "@") {
                    text.append(bytes[offset])
                    advance(1)
                }
                return FileNameText.text(text)
            }
            guard bytes[offset] != 0x0A else { throw failure("the path of a file does not end in its line") }
            text.append(bytes[offset])
            advance(1)
        }
        throw failure("the path of a file does not end")
    }

    /// Parses a path between `<` and `>`.
    mutating func path() throws(ModelFileError) -> String {
        advance(1)
        let start = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: ">") {
            guard bytes[offset] != 0x0A else { throw failure("a path does not end in its line") }
            advance(1)
        }
        guard offset < bytes.count else { throw failure("a path does not end") }
        defer { advance(1) }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }
}
