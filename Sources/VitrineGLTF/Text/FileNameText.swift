/// Converts file names to text and back, byte for byte.
///
/// The file systems of Linux store names as bytes in any encoding. A name in UTF-8 is unchanged. Each byte that is not part of valid UTF-8 becomes
/// one character of a private-use range, U+10FF80…U+10FFFF, and these characters themselves are escaped byte by byte, so that every name has one
/// text, from which the name can be restored. Python does the same with lone surrogates, which a `String` cannot contain.
package enum FileNameText {
    /// The character that represents the byte 0x80.
    static let firstEscape: UInt32 = 0x10FF80
    /// The character that represents the byte 0xFF.
    static let lastEscape: UInt32 = 0x10FFFF

    /// Returns the text of a name.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        let bytes = Array(bytes)
        var result = String.UnicodeScalarView()
        var position = 0
        while position < bytes.count {
            if let (scalar, length) = scalar(bytes, at: position), !(firstEscape...lastEscape).contains(scalar.value) {
                result.append(scalar)
                position += length
            } else {
                result.append(Unicode.Scalar(0x10FF00 | UInt32(bytes[position])) ?? "?")
                position += 1
            }
        }
        return String(result)
    }

    /// Returns the bytes of a name, without a zero at the end.
    package static func bytes(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if (firstEscape...lastEscape).contains(scalar.value) {
                result.append(UInt8(scalar.value & 0xFF))
            } else {
                result.append(contentsOf: UTF8.encode(scalar)?.map { $0 } ?? [])
            }
        }
        return result
    }

    /// Returns the character of valid UTF-8 (RFC 3629) that starts at a byte.
    private static func scalar(_ bytes: [UInt8], at start: Int) -> (Unicode.Scalar, length: Int)? {
        let first = bytes[start]
        let (length, least, value): (Int, UInt32, UInt32)
        switch first {
        case 0..<0x80: return (Unicode.Scalar(first), 1)
        case 0xC2..<0xE0: (length, least, value) = (2, 0x80, UInt32(first & 0x1F))
        case 0xE0..<0xF0: (length, least, value) = (3, 0x800, UInt32(first & 0x0F))
        case 0xF0..<0xF5: (length, least, value) = (4, 0x10000, UInt32(first & 0x07))
        default: return nil
        }
        guard bytes.count - start >= length else { return nil }
        var code = value
        for offset in 1..<length {
            let byte = bytes[start + offset]
            guard byte & 0xC0 == 0x80 else { return nil }
            code = code << 6 | UInt32(byte & 0x3F)
        }
        guard code >= least, let scalar = Unicode.Scalar(code) else { return nil }
        return (scalar, length)
    }
}
