import VitrineGLTF

extension USDTextLexer {
    /// One or three quotes of a kind; only three may go over lines.
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
            if byte == 0x0A, !isLong { throw failure("a string goes over the end of its line") }
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

    /// Between one or three `@`.
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
            guard bytes[offset] != 0x0A else { throw failure("the path of a file goes over the end of its line") }
            text.append(bytes[offset])
            advance(1)
        }
        throw failure("the path of a file does not end")
    }

    /// Between `<` and `>`.
    mutating func path() throws(ModelFileError) -> String {
        advance(1)
        let start = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: ">") {
            guard bytes[offset] != 0x0A else { throw failure("a path goes over the end of its line") }
            advance(1)
        }
        guard offset < bytes.count else { throw failure("a path does not end") }
        defer { advance(1) }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }
}
