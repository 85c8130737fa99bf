import VitrineGPU
import VitrineMath
import VitrineScene

/// An image to render into without a window.
///
/// ```swift
/// let renderer = try Renderer()
/// let target = try OffscreenTarget(renderer, width: 640, height: 480)
/// try renderer.render(scene, from: .framing(scene.bounds, aspectRatio: 4 / 3), to: target)
/// let image = try target.image()
/// ```
public final class OffscreenTarget {
    /// The kind of values in the image.
    public enum Content: Sendable {
        /// sRGB-encoded, for display.
        case display
        /// Linear radiance times exposure, not tone mapped, in half precision.
        case radiance
    }

    /// The size of the target in pixels.
    public let width, height: Int
    /// The kind of values in the image.
    public let content: Content
    /// The render target of `Renderer.render`.
    package let view: GPUTextureView
    private let texture: GPUTexture

    /// Creates a target for a renderer.
    ///
    /// - Parameters:
    ///   - width: Pixels, 1 up to the GPU's limit.
    ///   - height: Pixels, 1 up to the GPU's limit.
    /// - Throws: `RenderError.invalidOption` if the size is out of range, `.device` if there is not enough memory.
    public convenience init(_ renderer: Renderer, width: Int, height: Int, content: Content = .display) throws(RenderError) {
        try self.init(renderer.device, width: width, height: height, content: content)
    }

    package init(_ device: GPUDevice, width: Int, height: Int, content: Content = .display) throws(RenderError) {
        let limit = device.limits.maxTextureDimension2D
        guard width > 0, height > 0, width <= limit, height <= limit else {
            throw .invalidOption(name: "size", reason: "\(width) × \(height) must lie between 1 × 1 and \(limit) × \(limit)")
        }
        (self.width, self.height, self.content) = (width, height, content)
        let made = try attempting("making an offscreen target") { () throws(GPUError) in
            let texture = try device.makeTexture(
                GPUTextureDescriptor(
                    "picture", size: GPUExtent(width, height), format: content == .display ? .rgba8Unorm : .rgba16Float,
                    usage: [.renderAttachment, .copySource]))
            return (texture, try texture.makeView())
        }
        (texture, view) = made
    }

    /// Waits for the GPU and returns a copy of the image: `.rgba8` for `.display`, `.rgba32Float` for `.radiance`, with straight alpha.
    public func image() throws(RenderError) -> Image {
        let bytes = try attempting("reading an offscreen target") { () throws(GPUError) in try texture.read() }
        let format: PixelFormat = content == .display ? .rgba8 : .rgba32Float
        let straight = content == .display ? Self.straightDisplay(bytes) : Self.straightRadiance(bytes)
        do throws(ImageError) {
            return try Image(width: width, height: height, format: format, bytes: straight, name: "picture")
        } catch {
            throw .invalidOption(name: "size", reason: "\(width) × \(height) does not fit memory")
        }
    }

    /// Divides colours by alpha: as encoded, as they were multiplied.
    private static func straightDisplay(_ premultiplied: [UInt8]) -> [UInt8] {
        var bytes = premultiplied
        bytes.withUnsafeMutableBufferPointer { bytes in
            for pixel in stride(from: 0, to: bytes.count, by: 4) where bytes[pixel + 3] != 255 {
                let alpha = Int(bytes[pixel + 3])
                for channel in pixel..<pixel + 3 {
                    bytes[channel] = alpha > 0 ? UInt8(min((Int(bytes[channel]) * 255 + alpha / 2) / alpha, 255)) : 0
                }
            }
        }
        return bytes
    }

    private static func straightRadiance(_ halves: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(halves.count * 2)
        for pixel in stride(from: 0, to: halves.count, by: 8) {
            func channel(_ index: Int) -> Float {
                floatFromHalf(UInt16(halves[pixel + 2 * index]) | UInt16(halves[pixel + 2 * index + 1]) << 8)
            }
            let alpha = channel(3)
            for index in 0..<4 {
                let value = index == 3 ? alpha : (alpha > 0 ? channel(index) / alpha : 0)
                let bits = value.bitPattern
                for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(shift))) }
            }
        }
        return bytes
    }
}

/// The value of a half-precision number.
func floatFromHalf(_ half: UInt16) -> Float {
    let sign = UInt32(half & 0x8000) << 16
    let exponent = UInt32(half >> 10) & 31
    let mantissa = UInt32(half & 0x3FF)
    if exponent == 31 { return Float(bitPattern: sign | 0x7F80_0000 | mantissa << 13) }
    if exponent == 0 {
        let magnitude = Float(mantissa) / 16_777_216
        return sign == 0 ? magnitude : -magnitude
    }
    return Float(bitPattern: sign | (exponent + 112) << 23 | mantissa << 13)
}
