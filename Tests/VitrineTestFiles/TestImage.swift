import VitrineScene

/// Small images with known content.
enum TestImage {
    /// Evenly distributed random channels from a fixed seed; floats between 2⁻⁸ and 2⁸.
    static func noise(width: Int, height: Int, format: PixelFormat, opaque: Bool) throws -> Image {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state >> 16
        }
        var bytes: [UInt8] = []
        for _ in 0..<(width * height) {
            for channel in 0..<4 {
                let isOne = channel == 3 && opaque
                switch format {
                case .rgba8: bytes.append(isOne ? 255 : UInt8(truncatingIfNeeded: next()))
                case .rgba16: append(isOne ? 65535 : UInt16(truncatingIfNeeded: next()), to: &bytes)
                case .rgba32Float:
                    let value = Float(next() & 0xFFFF) / 256 + 1 / 256
                    append((isOne ? 1 : channel == 3 ? value / 257 : value).bitPattern, to: &bytes)
                }
            }
        }
        return try Image(width: width, height: height, format: format, bytes: bytes, name: "noise")
    }

    private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

extension Image {
    /// A float image's channels.
    var floats: [Float] { bytes.withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) } }
}
