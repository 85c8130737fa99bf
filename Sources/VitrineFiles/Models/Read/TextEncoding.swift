/// Converts the text of a model file to UTF-8, which the readers of text formats require.
enum TextEncoding {
    enum Encoding: Equatable {
        /// UTF-8, with or without a byte order mark of three bytes.
        case utf8(hasMark: Bool)
        /// UTF-16; `mark` is the size of the byte order mark, 0 or 2 bytes.
        case utf16(isLittleEndian: Bool, mark: Int)
        case utf32
    }

    /// Detects the encoding by the first bytes. A text without a byte order mark is UTF-16 if every other of its first bytes is zero.
    static func encoding(of bytes: [UInt8]) -> Encoding {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8(hasMark: true) }
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return .utf32 }
        if bytes.starts(with: [0xFF, 0xFE]) { return .utf16(isLittleEndian: true, mark: 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return .utf16(isLittleEndian: false, mark: 2) }
        let head = bytes.prefix(32)
        guard head.count >= 8 else { return .utf8(hasMark: false) }
        func isASCII(_ byte: UInt8) -> Bool { byte == 0x09 || byte == 0x0A || byte == 0x0D || byte >= 0x20 && byte < 0x7F }
        let pairs = stride(from: 0, to: head.count - 1, by: 2)
        if pairs.allSatisfy({ isASCII(head[$0]) && head[$0 + 1] == 0 }) { return .utf16(isLittleEndian: true, mark: 0) }
        if pairs.allSatisfy({ isASCII(head[$0 + 1]) && head[$0] == 0 }) { return .utf16(isLittleEndian: false, mark: 0) }
        return .utf8(hasMark: false)
    }

    /// Returns the text as UTF-8 without a byte order mark. Invalid UTF-16 becomes U+FFFD, as in the standard library.
    ///
    /// - Throws: `ModelFileError` for UTF-32.
    static func utf8(_ bytes: [UInt8], file: String) throws(ModelFileError) -> [UInt8] {
        switch encoding(of: bytes) {
        case .utf8(let hasMark): return hasMark ? Array(bytes[3...]) : bytes
        case .utf16(let isLittleEndian, let mark): return transcoded(bytes, from: mark, isLittleEndian: isLittleEndian)
        case .utf32:
            throw ModelFileError(file: file, reason: .malformed("the text is UTF-32, which is not supported: save it as UTF-8"))
        }
    }

    private static func transcoded(_ bytes: [UInt8], from start: Int, isLittleEndian: Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count / 2 + 16)
        bytes.withUnsafeBufferPointer { bytes in
            let low = isLittleEndian ? 0 : 1
            let units = stride(from: start, to: bytes.count - 1, by: 2).lazy.map {
                UInt16(bytes[$0 + low]) | UInt16(bytes[$0 + 1 - low]) << 8
            }
            _ = transcode(units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: false) { result.append($0) }
        }
        return result
    }
}
