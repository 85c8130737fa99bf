/// The binary container (glTF 2.0 specification, section 4): a header and chunks, the first JSON, the optional second the binary buffer.
struct GLBContainer {
    /// Byte ranges in the file.
    let json: Range<Int>
    let binary: Range<Int>?
    let warnings: [GLTFWarning]

    static func matches(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x67, 0x6C, 0x54, 0x46]) }

    private static let jsonType: UInt32 = 0x4E4F_534A
    private static let binaryType: UInt32 = 0x004E_4942

    init(_ bytes: [UInt8], name: String) throws(GLTFError) {
        func failure(_ offset: Int, _ text: String) -> GLTFError {
            GLTFError(file: name, location: .byte(offset), reason: .malformed("GLB: \(text)"))
        }
        guard bytes.count >= 12 else { throw failure(bytes.count, "the file ends inside the header") }
        let reader = ByteReader<GLTFError>(bytes, file: name)
        let version = try reader.number(UInt32.self, at: 4)
        guard version == 2 else {
            throw GLTFError(file: name, location: .byte(4), reason: .unsupportedVersion("\(version) of the container"))
        }
        let length = try reader.number(UInt32.self, at: 8)
        guard length >= 12 else { throw failure(8, "the length \(length) is less than that of the header") }
        guard length <= bytes.count else { throw failure(8, "the header declares \(length) bytes, but the file has \(bytes.count)") }

        var (json, binary): (Range<Int>?, Range<Int>?) = (nil, nil)
        var warnings: [GLTFWarning] = []
        let end = Int(length)
        if end < bytes.count { warnings.append(GLTFWarning(message: "GLB: \(bytes.count - end) bytes after the end were ignored")) }
        var (offset, number) = (12, 0)
        while offset < end {
            guard end - offset >= 8 else { throw failure(offset, "the file ends inside a chunk's header") }
            let (size, type) = (try reader.number(UInt32.self, at: offset), try reader.number(UInt32.self, at: offset + 4))
            guard size <= end - offset - 8 else {
                throw failure(offset, "a chunk of \(size) bytes, but only \(end - offset - 8) remain")
            }
            let content = offset + 8..<offset + 8 + Int(size)
            var next = content.upperBound
            if size % 4 != 0 {
                warnings.append(GLTFWarning(location: "byte \(offset)", message: "GLB: the chunk's length \(size) is not a multiple of 4"))
                next = try GLBContainer.chunkStart(after: content.upperBound, end: end, reader)
            }
            guard number > 0 || type == GLBContainer.jsonType else { throw failure(offset + 4, "the first chunk must be JSON") }
            switch type {
            case GLBContainer.jsonType:
                guard json == nil else { throw failure(offset + 4, "a second JSON chunk") }
                guard size > 0 else { throw failure(offset, "the JSON chunk is empty") }
                json = content
            case GLBContainer.binaryType:
                guard binary == nil else { throw failure(offset + 4, "a second binary chunk") }
                guard number == 1 else { throw failure(offset + 4, "the binary chunk must be the second") }
                binary = content
            default:
                warnings.append(GLTFWarning(message: "GLB: a chunk of unknown type at byte \(offset) was ignored"))
            }
            (offset, number) = (next, number + 1)
        }
        guard let json else { throw failure(12, "there is no JSON chunk") }
        (self.json, self.binary, self.warnings) = (json, binary, warnings)
    }

    /// Returns the start of the chunk after one of odd length: directly after it, or at the next multiple of 4 if the writer padded the chunk without
    /// counting the padding. Returns `end` if only padding follows.
    private static func chunkStart(after exact: Int, end: Int, _ reader: ByteReader<GLTFError>) throws(GLTFError) -> Int {
        let aligned = (exact + 3) & ~3
        func isChunk(_ offset: Int) throws(GLTFError) -> Bool {
            guard end - offset >= 8 else { return false }
            let (size, type) = (try reader.number(UInt32.self, at: offset), try reader.number(UInt32.self, at: offset + 4))
            return (type == jsonType || type == binaryType) && size <= end - offset - 8
        }
        if try isChunk(exact) { return exact }
        if try isChunk(aligned) { return aligned }
        return aligned >= end ? end : exact
    }
}
