/// Makes EXIF data and puts them into image files.
struct EXIFFile {
    enum Value {
        case text(String)
        case short(UInt16)
        case long(UInt32)
        case rational(UInt32, UInt32)
    }

    var isLittleEndian = true
    /// The values by tag, in ascending order.
    var main: [(tag: UInt16, value: Value)] = []
    var details: [(tag: UInt16, value: Value)] = []

    /// Returns EXIF data as a phone writes it.
    static func phone(littleEndian: Bool = true) -> EXIFFile {
        EXIFFile(
            isLittleEndian: littleEndian,
            main: [(0x010F, .text("Fruit")), (0x0110, .text("Phone 12 ")), (0x0112, .short(6)), (0x0132, .text("2001:01:01 00:00:00"))],
            details: [
                (0x829A, .rational(1, 120)), (0x829D, .rational(16, 10)), (0x8827, .short(64)), (0x9003, .text("2024:05:31 14:03:09")),
                (0x9011, .text("+02:00")), (0x920A, .rational(425, 100)), (0x9291, .text("25")), (0xA002, .long(4032)),
                (0xA003, .long(3024)),
                (0xA405, .short(26)), (0xA434, .text("a lens")),
            ])
    }

    /// The TIFF stream.
    var stream: [UInt8] {
        var bytes = Array((isLittleEndian ? "II" : "MM").utf8) + word(42 as UInt16) + word(8 as UInt32)
        let pointer: [(tag: UInt16, value: Value)] = details.isEmpty ? [] : [(0x8769, .long(0))]
        // The second directory lies behind the first and its values: known once the first has been laid out.
        let first = directory(main + pointer, at: 8)
        let second = 8 + first.count
        bytes += details.isEmpty ? first : directory(main + [(0x8769, .long(UInt32(second)))], at: 8)
        return details.isEmpty ? bytes : bytes + directory(details, at: second)
    }

    /// A JPEG with the stream in an APP1 segment behind its first marker.
    func inJPEG(_ jpeg: [UInt8]) -> [UInt8] {
        let content = Array("Exif\0\0".utf8) + stream
        let length = content.count + 2
        var bytes = Array(jpeg[..<2])
        bytes += [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)]
        return bytes + content + jpeg[2...]
    }

    /// A PNG with a chunk eXIf before its last one; the chunk's checksum is left 0.
    func inPNG(_ png: [UInt8]) -> [UInt8] {
        var bytes = Array(png.dropLast(12))
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: stream.count >> (24 - 8 * $0)) }
        bytes += Array("eXIf".utf8) + stream
        return bytes + [0, 0, 0, 0] + png.suffix(12)
    }

    /// A WebP with a chunk EXIF at its end.
    func inWebP(_ webP: [UInt8]) -> [UInt8] {
        func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        var chunk = Array("EXIF".utf8) + little(stream.count) + stream
        if chunk.count % 2 == 1 { chunk.append(0) }
        var bytes = Array(webP[..<4])
        bytes += little(webP.count - 8 + chunk.count)
        return bytes + webP[8...] + chunk
    }

    private func directory(_ entries: [(tag: UInt16, value: Value)], at offset: Int) -> [UInt8] {
        var table = word(UInt16(entries.count))
        var values: [UInt8] = []
        let valuesAt = offset + 2 + 12 * entries.count + 4
        for (tag, value) in entries {
            let (type, count, bytes): (UInt16, Int, [UInt8]) =
                switch value {
                case .text(let text): (2, text.utf8.count + 1, Array(text.utf8) + [0])
                case .short(let number): (3, 1, word(number))
                case .long(let number): (4, 1, word(number))
                case .rational(let above, let below): (5, 1, word(above) + word(below))
                }
            table += word(tag) + word(type) + word(UInt32(count))
            if bytes.count <= 4 {
                table += bytes + Array(repeating: 0, count: 4 - bytes.count)
            } else {
                table += word(UInt32(valuesAt + values.count))
                values += bytes
            }
        }
        return table + word(0 as UInt32) + values
    }

    private func word(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: isLittleEndian ? value.littleEndian : value.bigEndian) { Array($0) }
    }
}
