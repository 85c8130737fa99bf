/// Limits and escapes text from a file for use in a message.
///
/// Names in files may have any length and any characters. All readers use these functions for quoted text.
package enum MessageText {
    /// The largest number of characters of a quoted name. Longer names end in an ellipsis.
    package static let nameLimit = 80
    /// The largest number of characters of a position in a file.
    package static let locationLimit = 200
    /// The largest number of characters of a whole message.
    package static let messageLimit = 1000

    /// Returns a name from a file with at most `limit` characters and escaped control characters.
    package static func name(_ text: some StringProtocol, limit: Int = nameLimit) -> String {
        var (result, count) = (String.UnicodeScalarView(), 0)
        for scalar in text.unicodeScalars {
            guard count < limit else {
                result.append("…")
                break
            }
            append(scalar, to: &result)
            count += 1
        }
        return String(result)
    }

    /// Returns a whole message on one line with at most `limit` characters and escaped control characters.
    package static func message(_ text: String, limit: Int = messageLimit) -> String {
        var count = 0
        let isPlain = text.utf8.allSatisfy { byte in
            count += 1
            return byte >= 0x20 && byte < 0x7F && count <= limit
        }
        return isPlain ? text : name(text, limit: limit)
    }

    /// Returns a position in a file, such as a path or a pointer.
    package static func location(_ text: String) -> String { message(text, limit: locationLimit) }

    /// Appends a character. Escapes control characters, line breaks and characters that change the direction of the text as `\n` or `\u{85}`, and bytes
    /// of a file name that is not UTF-8 as `\xFF`.
    private static func append(_ scalar: Unicode.Scalar, to text: inout String.UnicodeScalarView) {
        switch scalar.value {
        case 0x09: text.append(contentsOf: "\\t".unicodeScalars)
        case 0x0A: text.append(contentsOf: "\\n".unicodeScalars)
        case 0x0D: text.append(contentsOf: "\\r".unicodeScalars)
        case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
            text.append(contentsOf: "\\u{\(hexadecimal(scalar.value))}".unicodeScalars)
        case FileNameText.firstEscape...FileNameText.lastEscape:
            text.append(contentsOf: "\\x\(hexadecimal(scalar.value & 0xFF))".unicodeScalars)
        default: text.append(scalar)
        }
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits: [Unicode.Scalar] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "A", "B", "C", "D", "E", "F"]
        var (result, rest): ([Unicode.Scalar], UInt32) = ([], value)
        while rest > 0 || result.count < 2 {
            result.append(digits[Int(rest & 15)])
            rest >>= 4
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: result.reversed())
        return String(text)
    }
}
