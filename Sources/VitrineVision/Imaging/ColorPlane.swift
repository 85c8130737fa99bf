/// sRGB-encoded brightness, 0…1.
package typealias GrayPlane = Plane<Float>
/// A mask: 0 for background, other values for the object.
package typealias MaskPlane = Plane<UInt8>

/// A colour image: sRGB-encoded, three bytes per pixel, rows from the top.
package struct ColorPlane: Sendable, Equatable {
    /// The size of the image in pixels.
    package let width, height: Int
    /// The pixels, `width * height * 3` bytes: red, green, blue.
    package var values: [UInt8]

    /// Creates an image from its pixels.
    ///
    /// - Precondition: `values` has `width * height * 3` elements.
    package init(width: Int, height: Int, values: [UInt8]) {
        precondition(values.count == width * height * 3)
        (self.width, self.height, self.values) = (width, height, values)
    }

    /// Rec.709 luma of the encoded values.
    package var gray: GrayPlane {
        var result = GrayPlane(width: width, height: height, repeating: 0)
        values.withUnsafeBufferPointer { source in
            result.values.withUnsafeMutableBufferPointer { target in
                for pixel in 0..<target.count {
                    let (r, g, b) = (Float(source[3 * pixel]), Float(source[3 * pixel + 1]), Float(source[3 * pixel + 2]))
                    target[pixel] = (0.2126 * r + 0.7152 * g + 0.0722 * b) * (1 / 255)
                }
            }
        }
        return result
    }
}
