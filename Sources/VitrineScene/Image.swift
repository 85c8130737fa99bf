/// How an image's values are stored. All have four channels, red first; alpha is straight.
public enum PixelFormat: Sendable {
    /// 8-bit unsigned, 0…255 for 0…1.
    case rgba8
    /// 16-bit unsigned, little endian, 0…65535 for 0…1.
    case rgba16
    /// 32-bit float, little endian.
    case rgba32Float

    /// Bytes of one pixel.
    public var bytesPerPixel: Int {
        switch self {
        case .rgba8: 4
        case .rgba16: 8
        case .rgba32Float: 16
        }
    }
}

/// Why an image is invalid.
public enum ImageError: Error, Equatable, Sendable {
    /// A side is not positive, or width · height · bytes per pixel overflows.
    case invalidSize(width: Int, height: Int)
    /// `bytes` does not have the length that size and format require.
    case wrongByteCount(expected: Int, actual: Int)
}

/// An image in memory: rows from the top, tightly packed.
///
/// The user of an image decides its transfer function. Colour slots of a material read the
/// integer formats as sRGB, data slots (normal, roughness …) as linear; floats are linear Rec.709 everywhere.
public final class Image: Sendable {
    /// In pixels.
    public let width, height: Int
    /// How values are stored.
    public let format: PixelFormat
    /// `width * height * format.bytesPerPixel` bytes.
    public let bytes: [UInt8]
    /// Origin of the image, for messages.
    public let name: String

    /// Makes an image of bytes.
    ///
    /// - Throws: `ImageError` if size and bytes do not match.
    public init(width: Int, height: Int, format: PixelFormat, bytes: [UInt8], name: String = "") throws(ImageError) {
        let expected = try Image.byteCount(width: width, height: height, format: format)
        guard bytes.count == expected else { throw .wrongByteCount(expected: expected, actual: bytes.count) }
        (self.width, self.height, self.format, self.bytes, self.name) = (width, height, format, bytes, name)
    }

    /// The number of bytes that an image of this size takes.
    public static func byteCount(width: Int, height: Int, format: PixelFormat) throws(ImageError) -> Int {
        guard width > 0, height > 0, width <= 1 << 24, height <= 1 << 24 else { throw .invalidSize(width: width, height: height) }
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        let (bytes, overflow2) = pixels.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard !overflow, !overflow2 else { throw .invalidSize(width: width, height: height) }
        return bytes
    }
}
