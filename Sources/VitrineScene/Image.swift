import VitrineMath

/// The storage format of pixels. All have four channels, red first; alpha is straight.
public enum PixelFormat: Sendable {
    /// 8-bit unsigned integers; 0…255 stands for 0…1.
    case rgba8
    /// 16-bit unsigned little-endian integers; 0…65535 stands for 0…1.
    case rgba16
    /// 32-bit little-endian floating-point numbers.
    case rgba32Float

    /// The size of one pixel in bytes.
    public var bytesPerPixel: Int {
        switch self {
        case .rgba8: 4
        case .rgba16: 8
        case .rgba32Float: 16
        }
    }
}

/// The reason why an image is invalid.
public enum ImageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A side is not positive, or width · height · bytes per pixel overflows.
    case invalidSize(width: Int, height: Int)
    /// `bytes` does not have the length that size and format require.
    case wrongByteCount(expected: Int, actual: Int)
    /// The number of faces of a cube map is not 6.
    case wrongFaceCount(Int)
    /// A face of a cube map is not square, or differs from the first one in size or pixel format.
    case unequalFace(name: String, width: Int, height: Int)

    public var description: String {
        switch self {
        case .invalidSize(let width, let height): "an image of \(width) × \(height) pixels is not possible"
        case .wrongByteCount(let expected, let actual): "an image needs \(expected) bytes, not \(actual)"
        case .wrongFaceCount(let count): "\(count) images, a cube has 6 faces"
        case .unequalFace(let name, let width, let height):
            "\(name): a face of \(width) × \(height), not square or unlike the first in size or kind of numbers"
        }
    }
}

/// An image in memory: rows from the top, tightly packed.
///
/// The use of an image determines its transfer function. Colour slots of a material read the integer formats as sRGB, data slots (normal,
/// roughness …) as linear; floating-point numbers are always linear Rec. 709.
public final class Image: Sendable {
    /// The size in pixels.
    public let width, height: Int
    /// The storage format of the pixels.
    public let format: PixelFormat
    /// The pixels: `width * height * format.bytesPerPixel` bytes.
    public let bytes: [UInt8]
    /// The source of the image, for messages.
    public let name: String

    /// Creates an image from bytes.
    ///
    /// - Throws: `ImageError` if size and bytes do not match.
    public init(width: Int, height: Int, format: PixelFormat, bytes: [UInt8], name: String = "") throws(ImageError) {
        let expected = try Image.byteCount(width: width, height: height, format: format)
        guard bytes.count == expected else { throw .wrongByteCount(expected: expected, actual: bytes.count) }
        (self.width, self.height, self.format, self.bytes, self.name) = (width, height, format, bytes, name)
    }

    /// Returns the number of bytes of an image of this size.
    public static func byteCount(width: Int, height: Int, format: PixelFormat) throws(ImageError) -> Int {
        guard width > 0, height > 0, width <= 1 << 24, height <= 1 << 24 else { throw .invalidSize(width: width, height: height) }
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        let (bytes, overflow2) = pixels.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard !overflow, !overflow2 else { throw .invalidSize(width: width, height: height) }
        return bytes
    }
}

extension Image {
    /// Creates an image from a function of position.
    ///
    /// ```swift
    /// let dusk = Image.painted(width: 512, height: 256) { u, v in mix(Vector3(0.1, 0.1, 0.3), Vector3(0.9, 0.4, 0.2), v) }
    /// ```
    ///
    /// - Parameters:
    ///   - width, height: The size in pixels, clamped to 1…16,384.
    ///   - paint: Maps the centre of a pixel in texture coordinates (u 0…1 from the left, v 0…1 from the top) to red, green and blue as the image
    ///     stores them (sRGB-encoded for colours). They are clamped to 0…1; NaN becomes 0.
    /// - Returns: An opaque image with 8 bits per channel.
    public static func painted(width: Int, height: Int, name: String = "", _ paint: (_ u: Float, _ v: Float) -> Vector3) -> Image {
        let (width, height) = (clamp(width, 1, 16_384), clamp(height, 1, 16_384))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 4)
        for row in 0..<height {
            let v = (Float(row) + 0.5) / Float(height)
            for column in 0..<width {
                let color = paint((Float(column) + 0.5) / Float(width), v)
                for channel in 0..<3 { bytes.append(color[channel] > 0 ? UInt8((min(color[channel], 1) * 255).rounded()) : 0) }
                bytes.append(255)
            }
        }
        do {
            return try Image(width: width, height: height, format: .rgba8, bytes: bytes, name: name)
        } catch {
            preconditionFailure("four bytes for each pixel")
        }
    }
}
