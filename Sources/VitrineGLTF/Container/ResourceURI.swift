/// The target of a `uri` of a buffer or an image.
enum ResourceURI {
    /// Bytes in the URI itself, with the media type and its parameters.
    case data([UInt8], mediaType: String)
    /// A file in the folder of the model or below: a relative path without percent escapes.
    case relative(String)

    /// - Parameter allowsOutsidePaths: Whether to accept absolute paths and paths that leave the folder of the model.
    /// - Returns: A reason if the URI is malformed or not allowed.
    static func parse(_ uri: ArraySlice<UInt8>, allowsOutsidePaths: Bool = false) -> Result {
        if let scheme = scheme(of: uri) {
            guard scheme == "data" else {
                return .refused("the scheme \(MessageText.name(scheme)): is not allowed: use a path relative to the model, or data:")
            }
            return data(uri.dropFirst(5))
        }
        guard let path = percentDecoded(uri) else { return .refused("an invalid percent escape") }
        if let reason = invalidity(to: path, allowsOutsidePaths: allowsOutsidePaths) { return .refused(reason) }
        return .parsed(.relative(FileNameText.text(path)))
    }

    enum Result {
        case parsed(ResourceURI)
        case refused(String)
    }

    /// Returns the lower-case scheme (RFC 3986, section 3.1), or nil for a relative reference.
    private static func scheme(of uri: ArraySlice<UInt8>) -> String? {
        guard let colon = uri.firstIndex(of: UInt8(ascii: ":")), colon > uri.startIndex else { return nil }
        var lower: [UInt8] = []
        for byte in uri[..<colon] {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): lower.append(byte + 32)
            case UInt8(ascii: "a")...UInt8(ascii: "z"): lower.append(byte)
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                if lower.isEmpty { return nil }
                lower.append(byte)
            default: return nil
            }
        }
        return String(decoding: lower, as: UTF8.self)
    }

    /// Returns the reason why a path is not allowed; nil if it is.
    private static func invalidity(to path: [UInt8], allowsOutsidePaths: Bool) -> String? {
        if path.isEmpty { return "an empty path" }
        if path.contains(0) { return "a zero byte in the path" }
        if allowsOutsidePaths { return nil }
        if path[0] == UInt8(ascii: "/") || path[0] == UInt8(ascii: "\\") {
            return "an absolute path is not allowed: use a path relative to the model"
        }
        let steps = path.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
        if steps.contains(where: { $0.elementsEqual([UInt8(ascii: "."), UInt8(ascii: ".")]) }) {
            return "a path that leaves the folder of the model is not allowed"
        }
        return nil
    }

    private static func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var position = text.startIndex
        while position < text.endIndex {
            guard text[position] == UInt8(ascii: "%") else {
                result.append(text[position])
                position += 1
                continue
            }
            guard text.endIndex - position >= 3, let high = hexadecimalDigit(text[position + 1]),
                let low = hexadecimalDigit(text[position + 2])
            else { return nil }
            result.append(high << 4 | low)
            position += 3
        }
        return result
    }

    // MARK: data: (RFC 2397)

    /// Decodes a data URI.
    ///
    /// - Parameter rest: The text after `data:`.
    private static func data(_ rest: ArraySlice<UInt8>) -> Result {
        guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else { return .refused("a data URI without a comma") }
        let content = rest[(comma + 1)...]
        let marker: [UInt8] = [0x3B, 0x62, 0x61, 0x73, 0x65, 0x36, 0x34]  // ";base64"
        let isBase64 = rest[..<comma].count >= marker.count && rest[..<comma].suffix(marker.count).elementsEqual(marker)
        let mediaType = String(decoding: rest[..<comma].dropLast(isBase64 ? marker.count : 0), as: UTF8.self)
        guard isBase64 else {
            guard let bytes = percentDecoded(content) else { return .refused("an invalid percent escape") }
            return .parsed(.data(bytes, mediaType: mediaType))
        }
        guard let bytes = base64Decoded(content) else { return .refused("invalid base64") }
        return .parsed(.data(bytes, mediaType: mediaType))
    }

    /// Decodes base64 (RFC 4648, section 4); padding may be missing.
    static func base64Decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var content = text
        var padding = 0
        while content.last == UInt8(ascii: "="), padding < 2 {
            content.removeLast()
            padding += 1
        }
        guard content.count % 4 != 1, padding == 0 || (content.count + padding) % 4 == 0 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(content.count / 4 * 3 + 2)
        var (bits, width): (UInt32, Int) = (0, 0)
        for byte in content {
            guard let value = base64Digit(byte) else { return nil }
            bits = bits << 6 | UInt32(value)
            width += 6
            if width >= 8 {
                width -= 8
                result.append(UInt8(truncatingIfNeeded: bits >> UInt32(width)))
            }
        }
        return result
    }

    private static func base64Digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
