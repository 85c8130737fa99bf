/// Finds the EXIF data (a TIFF stream) in image files. Skips other data by their length, always forwards.
enum EXIFLocator {
    private static let prefix: [UInt8] = Array("Exif\0\0".utf8)

    /// Returns the first APP1 segment that begins with "Exif", before the first scan.
    static func inJPEG(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var offset = 2
        while offset + 4 <= bytes.count {
            guard bytes[offset] == 0xFF else { return nil }
            let marker = bytes[offset + 1]
            // Fill bytes, and markers without a length.
            if marker == 0xFF {
                offset += 1
                continue
            }
            if marker == 0x01 || (0xD0...0xD8).contains(marker) {
                offset += 2
                continue
            }
            if marker == 0xDA || marker == 0xD9 { return nil }
            let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
            guard length >= 2 else { return nil }
            let content = offset + 4..<min(offset + 2 + length, bytes.count)
            if marker == 0xE1, bytes[content].starts(with: prefix) { return bytes[content].dropFirst(prefix.count) }
            offset += 2 + length
        }
        return nil
    }

    /// Returns the chunk eXIf, before or after the image.
    static func inPNG(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var offset = 8
        while offset + 12 <= bytes.count {
            let length = (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
            let content = offset + 8
            guard length <= bytes.count - content else { return nil }
            if bytes[(offset + 4)..<content].elementsEqual("eXIf".utf8) { return tiff(bytes[content..<(content + length)]) }
            offset = content + length + 4
        }
        return nil
    }

    /// Returns the chunk EXIF of the extended container.
    static func inWebP(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var offset = 12
        while offset + 8 <= bytes.count {
            let length = (0..<4).reduce(0) { $0 | Int(bytes[offset + 4 + $1]) << (8 * $1) }
            let content = offset + 8
            guard length <= bytes.count - content else { return nil }
            if bytes[offset..<(offset + 4)].elementsEqual("EXIF".utf8) { return tiff(bytes[content..<(content + length)]) }
            offset = content + length + (length & 1)
        }
        return nil
    }

    /// Removes JPEG's prefix, which some writers include.
    static func tiff(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> { bytes.starts(with: prefix) ? bytes.dropFirst(prefix.count) : bytes }
}
