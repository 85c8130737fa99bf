/// One channel of an image: rows from the top, tightly packed.
public struct Plane<Value: Sendable>: Sendable {
    /// In pixels.
    public let width, height: Int
    /// `width * height` values.
    public var values: [Value]

    @inlinable public init(width: Int, height: Int, repeating value: Value) {
        (self.width, self.height) = (width, height)
        values = Array(repeating: value, count: width * height)
    }

    /// - Precondition: `values` has `width * height` elements.
    @inlinable public init(width: Int, height: Int, values: [Value]) {
        precondition(values.count == width * height)
        (self.width, self.height, self.values) = (width, height, values)
    }

    @inlinable public subscript(x: Int, y: Int) -> Value {
        get { values[y * width + x] }
        set { values[y * width + x] = newValue }
    }
}

extension Plane: Equatable where Value: Equatable {}

/// sRGB-encoded brightness, 0…1.
public typealias GrayPlane = Plane<Float>
/// A mask: 0 for background, other values for the object.
public typealias MaskPlane = Plane<UInt8>

/// A colour image: sRGB-encoded, three bytes per pixel, rows from the top.
public struct ColorPlane: Sendable, Equatable {
    public let width, height: Int
    /// `width * height * 3` bytes: red, green, blue.
    public var values: [UInt8]

    /// - Precondition: `values` has `width * height * 3` elements.
    public init(width: Int, height: Int, values: [UInt8]) {
        precondition(values.count == width * height * 3)
        (self.width, self.height, self.values) = (width, height, values)
    }

    /// Rec.709 luma of the encoded values.
    public var gray: GrayPlane {
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
