/// Numbers of text files.
enum NumberText {
    /// Whether a byte may stand in a decimal number.
    static func isPart(_ byte: UInt8) -> Bool {
        (byte >= 0x30 && byte <= 0x39) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E")
    }

    /// The nearest number to a decimal text, infinite where it is too large; nil for any other text.
    static func double(_ bytes: ArraySlice<UInt8>) -> Double? {
        guard !bytes.isEmpty, bytes.count <= 64, bytes.allSatisfy(isPart) else { return nil }
        return Double(String(decoding: bytes, as: UTF8.self))
    }

    /// A whole number, as time stamps in nanoseconds are; nil for any other text.
    static func integer(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard !bytes.isEmpty, bytes.count <= 20 else { return nil }
        return Int64(String(decoding: bytes, as: UTF8.self))
    }
}
