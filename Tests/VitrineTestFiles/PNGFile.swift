/// Builds PNG files byte by byte with stored (uncompressed) deflate blocks, valid or invalid, as the test requires.
struct PNGFile {
    var width, height: UInt32
    var depth: UInt8 = 8
    /// 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA.
    var colourType: UInt8
    var isInterlaced = false
    /// The chunks between the header and the pixels.
    var chunks: [(type: String, data: [UInt8])] = []
    /// Scanlines as they lie in the file, each with its filter byte.
    var scanlines: [UInt8]

    var bytes: [UInt8] {
        let header = big(width) + big(height) + [depth, colourType, 0, 0, isInterlaced ? 1 : 0]
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
        for extra in chunks { file += chunk(extra.type, extra.data) }
        return file + chunk("IDAT", zlib(scanlines)) + chunk("IEND", [])
    }

    private func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return big(UInt32(data.count)) + body + big(crc(body))
    }

    /// The checksum of chunks (ISO 3309).
    private func crc(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
        }
        return ~sum
    }

    private func zlib(_ data: [UInt8]) -> [UInt8] {
        let (low, high) = (UInt8(data.count & 255), UInt8(data.count >> 8))
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in data { (a, b) = ((a + UInt32(byte)) % 65521, (b + a + UInt32(byte)) % 65521) }
        return [0x78, 0x01, 1, low, high, ~low, ~high] + data + big(b << 16 | a)
    }

    private func big(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { [UInt8]($0) } }
}
