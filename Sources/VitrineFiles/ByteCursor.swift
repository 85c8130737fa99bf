/// Reads little-endian values from bytes that may end anywhere; every failure names the byte.
struct ByteCursor {
    let bytes: [UInt8]
    let name: String
    private(set) var offset = 0

    init(_ bytes: [UInt8], name: String, offset: Int = 0) { (self.bytes, self.name, self.offset) = (bytes, name, offset) }

    var remaining: Int { bytes.count - offset }

    func failure(_ reason: ImageFileError.Reason) -> ImageFileError { ImageFileError(file: name, reason: reason, offset: offset) }

    private func need(_ count: Int) throws(ImageFileError) {
        guard count >= 0, count <= remaining else { throw failure(.truncated("the header does not end")) }
    }

    mutating func skip(_ count: Int) throws(ImageFileError) {
        try need(count)
        offset += count
    }

    mutating func uint8() throws(ImageFileError) -> UInt8 {
        try need(1)
        offset += 1
        return bytes[offset - 1]
    }

    mutating func uint32() throws(ImageFileError) -> UInt32 {
        try need(4)
        offset += 4
        return (1...4).reduce(0) { $0 << 8 | UInt32(bytes[offset - $1]) }
    }

    mutating func int32() throws(ImageFileError) -> Int32 { Int32(bitPattern: try uint32()) }

    mutating func float() throws(ImageFileError) -> Float { Float(bitPattern: try uint32()) }

    /// Text up to its zero byte, which is skipped.
    mutating func zeroTerminatedText(limit: Int) throws(ImageFileError) -> String {
        let end = min(bytes.count, offset + limit + 1)
        guard let zero = bytes[offset..<end].firstIndex(of: 0) else {
            throw failure(end == bytes.count ? .truncated("the header does not end") : .malformed("a name of over \(limit) bytes"))
        }
        defer { offset = zero + 1 }
        return String(decoding: bytes[offset..<zero], as: UTF8.self)
    }
}
