import CCodecs
import VitrineGLTF
import VitrineScene

/// A KTX 2.0 container of a Basis Universal image: ETC1S in BasisLZ, or UASTC, uncompressed or with Zstandard.
///
/// Based on the "KTX File Format Specification, Version 2.0" (Khronos). Of several mip levels, only the largest is read; renderers compute the others.
struct KTX2File {
    enum Model { case etc1s, uastc }

    /// The meaning of the image's channels.
    enum Channels {
        /// Red, green, blue and optional alpha.
        case colour
        /// One component: red. Green and blue are 0.
        case one
        /// Red and green; green is stored in alpha; blue is 0.
        case two
    }

    static let signature: [UInt8] = [0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB, 0x0D, 0x0A, 0x1A, 0x0A]

    let bytes: [UInt8]
    let name: String
    let width, height: Int
    let model: Model
    let channels: Channels
    /// The supercompression: 0 for none, 1 for BasisLZ, 2 for Zstandard.
    let scheme: Int
    /// The range of the largest level.
    let level: Range<Int>
    let unpackedLength: Int
    /// The supercompression global data.
    let global: Range<Int>
    let levelCount: Int

    init(_ bytes: [UInt8], name: String) throws(ImageFileError) {
        (self.bytes, self.name) = (bytes, name)
        let reader = ByteReader<ImageFileError>(bytes, file: name)
        guard bytes.starts(with: Self.signature) else { throw reader.malformed("is not a KTX 2 file") }
        let format = try reader.uint32(12)
        guard format == 0 else {
            throw reader.unsupported("Vulkan format \(format) in KTX2: only Basis Universal (ETC1S and UASTC) is supported")
        }
        (width, height) = (try reader.uint32(20), max(1, try reader.uint32(24)))
        guard width > 0 else { throw reader.malformed("the width is 0") }
        let (depth, layers, faces) = (try reader.uint32(28), try reader.uint32(32), try reader.uint32(36))
        guard depth <= 1, layers <= 1, faces == 1 else { throw reader.unsupported("a cube map, an array or a volume in KTX2") }
        levelCount = max(1, try reader.uint32(40))
        guard levelCount <= 32 else { throw reader.malformed("\(levelCount) levels") }
        scheme = try reader.uint32(44)
        let descriptor = try reader.range(try reader.uint32(48), try reader.uint32(52), "the data format descriptor")
        (model, channels) = try Self.read(descriptor, reader)
        global = try reader.range(try reader.uint64(64), try reader.uint64(72), "the global data")
        level = try reader.range(try reader.uint64(80), try reader.uint64(88), "the image")
        unpackedLength = try reader.uint64(96)
        switch (model, scheme) {
        case (.etc1s, 1), (.uastc, 0), (.uastc, 2): break
        case (_, 3): throw reader.unsupported("KTX2 with zlib supercompression")
        default: throw reader.malformed("supercompression \(scheme) is not valid for the format of the image")
        }
    }

    private static func read(_ range: Range<Int>, _ reader: ByteReader<ImageFileError>) throws(ImageFileError) -> (Model, Channels) {
        let start = range.lowerBound + 4
        guard range.count >= 44 else { throw reader.malformed("the data format descriptor ends early") }
        let first = reader.bytes[start + 24 + 3] & 15
        switch reader.bytes[start + 8] {
        case 163: return (.etc1s, first == 0 ? .colour : range.count >= 60 ? .two : .one)
        case 166: return (.uastc, first == 4 ? .one : first == 5 ? .two : .colour)
        case let other: throw reader.unsupported("colour model \(other) in KTX2: only ETC1S and UASTC are supported")
        }
    }

    /// Returns the decompressed blocks of a UASTC image.
    func unpackedLevel() throws(ImageFileError) -> [UInt8] {
        let expected = (width + 3) / 4 * ((height + 3) / 4) * 16
        if scheme == 0 {
            guard level.count >= expected else {
                throw ImageFileError(file: name, reason: .truncated("\(level.count) bytes of \(expected)"), offset: level.lowerBound)
            }
            return Array(bytes[level.lowerBound..<level.lowerBound + expected])
        }
        guard unpackedLength == expected else {
            throw ImageFileError(file: name, reason: .malformed("a level has \(unpackedLength) bytes instead of \(expected)"), offset: 96)
        }
        var error = vitrine_codec_error()
        let unpacked = [UInt8](unsafeUninitializedCapacity: expected) { buffer, initialized in
            let done = bytes[level].withUnsafeBufferPointer { packed in
                packed.baseAddress.map { vitrine_zstd_decode($0, packed.count, buffer.baseAddress!, expected, &error) } ?? 0
            }
            initialized = done == 1 ? expected : 0
        }
        guard unpacked.count == expected else { throw ImageFileError(error, file: name) }
        return unpacked
    }
}

extension ByteReader where Failure == ImageFileError {
    func malformed(_ text: String) -> ImageFileError { ImageFileError(file: file, reason: .malformed(text)) }
    func unsupported(_ text: String) -> ImageFileError { ImageFileError(file: file, reason: .unsupported(text)) }

    func uint16(_ offset: Int) throws(ImageFileError) -> Int { Int(try number(UInt16.self, at: offset)) }
    func uint32(_ offset: Int) throws(ImageFileError) -> Int { Int(try number(UInt32.self, at: offset)) }
    func uint64(_ offset: Int) throws(ImageFileError) -> Int { Int(min(try number(UInt64.self, at: offset), 1 << 62)) }

    /// Returns a range of the file, checked against its size.
    func range(_ offset: Int, _ count: Int, _ what: String) throws(ImageFileError) -> Range<Int> {
        guard offset <= bytes.count, count <= bytes.count - offset else {
            throw ImageFileError(file: file, reason: .truncated("\(what): \(count) bytes at \(offset)"), offset: bytes.count)
        }
        return offset..<offset + count
    }
}

/// Decodes KTX2 images, as KHR_texture_basisu uses them, to eight bits per channel.
extension ImageFile {
    static func headerOfKTX2(_ bytes: [UInt8], name: String) throws(ImageFileError) -> Header {
        let file = try KTX2File(bytes, name: name)
        return Header(kind: .ktx2, width: file.width, height: file.height, format: .rgba8)
    }

    static func decodeKTX2(_ bytes: [UInt8], header: Header, name: String) throws(ImageFileError) -> Image {
        let file = try KTX2File(bytes, name: name)
        var pixels =
            switch file.model {
            case .etc1s: try pixelsOfETC1S(file)
            case .uastc: try pixelsOfUASTC(file)
            }
        if file.channels != .colour {
            for pixel in stride(from: 0, to: pixels.count, by: 4) {
                pixels[pixel + 1] = file.channels == .two ? pixels[pixel + 3] : 0
                (pixels[pixel + 2], pixels[pixel + 3]) = (0, 255)
            }
        }
        return try image(header, bytes: pixels, name: name)
    }

    /// Decodes colour from the first slice; the green of the second slice, if there is one, is alpha.
    private static func pixelsOfETC1S(_ file: KTX2File) throws(ImageFileError) -> [UInt8] {
        let codebooks = try BasisLZ(file)
        let (width, columns, rows) = (file.width, (file.width + 3) / 4, (file.height + 3) / 4)
        guard columns * rows / 64 <= file.bytes.count else {
            throw ImageFileError(
                file: file.name, reason: .malformed("\(file.bytes.count) bytes are too few for \(file.width) × \(file.height) pixels"))
        }
        guard let colour = ETC1SBlocks(codebooks, slice: file.bytes[codebooks.first], columns: columns, rows: rows) else {
            throw ImageFileError(file: file.name, reason: .malformed("the colour slice is invalid"), offset: codebooks.first.lowerBound)
        }
        var pixels = [UInt8](repeating: 255, count: width * file.height * 4)
        pixels.withUnsafeMutableBufferPointer { pixels in
            colour.forEachPixel(width: width, height: file.height) { x, y, red, green, blue in
                let offset = (y * width + x) * 4
                (pixels[offset], pixels[offset + 1], pixels[offset + 2]) = (red, green, blue)
            }
        }
        guard let second = codebooks.second else { return pixels }
        guard let alpha = ETC1SBlocks(codebooks, slice: file.bytes[second], columns: columns, rows: rows) else {
            throw ImageFileError(file: file.name, reason: .malformed("the alpha slice is invalid"), offset: second.lowerBound)
        }
        pixels.withUnsafeMutableBufferPointer { pixels in
            alpha.forEachPixel(width: width, height: file.height) { x, y, _, green, _ in pixels[(y * width + x) * 4 + 3] = green }
        }
        return pixels
    }

    private static func pixelsOfUASTC(_ file: KTX2File) throws(ImageFileError) -> [UInt8] {
        let blocks = try file.unpackedLevel()
        let (width, height, columns) = (file.width, file.height, (file.width + 3) / 4)
        var broken: Int?
        let pixels = [UInt8](unsafeUninitializedCapacity: width * height * 4) { pixels, initialized in
            blocks.withUnsafeBufferPointer { blocks in
                for number in 0..<blocks.count / 16 {
                    guard let block = UASTCBlock(UnsafeBufferPointer(rebasing: blocks[number * 16..<number * 16 + 16])) else {
                        broken = broken ?? number
                        return
                    }
                    let (left, top) = (number % columns * 4, number / columns * 4)
                    for y in 0..<min(4, height - top) {
                        for x in 0..<min(4, width - left) {
                            for channel in 0..<4 {
                                pixels[((top + y) * width + left + x) * 4 + channel] = block.pixels[(y * 4 + x) * 4 + channel]
                            }
                        }
                    }
                }
                initialized = width * height * 4
            }
        }
        if let broken {
            throw ImageFileError(file: file.name, reason: .malformed("block \(broken) has no UASTC mode"), row: broken / columns * 4)
        }
        return pixels
    }
}
