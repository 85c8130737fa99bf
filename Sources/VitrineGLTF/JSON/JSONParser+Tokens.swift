extension JSONParser {
    // MARK: Numbers

    /// Moves behind a number of RFC 8259's grammar.
    mutating func skipNumber() throws(GLTFError) {
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

    /// Reads a string whose opening quotation mark is next.
    ///
    /// - Returns: Its bytes in `bytes`, or in `unescaped` where it had escapes.
    mutating func readString() throws(GLTFError) -> (range: Range<Int>, isEscaped: Bool) {
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

    /// Moves behind one character: a byte of ASCII, or a well-formed UTF-8 sequence (Unicode, table 3-7).
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

    /// The scalar of `\uXXXX`, or of two that form a surrogate pair.
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

/// 0…15, or nil.
func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
