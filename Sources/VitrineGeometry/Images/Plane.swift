/// One channel of an image, or other values in rows and columns: luma, a mask, depth in metres.
///
/// Rows start at the top and have no padding.
///
/// ```swift
/// var mask = Plane<UInt8>(width: 640, height: 480, repeating: 0)
/// mask[320, 240] = 255
/// ```
public struct Plane<Value: Sendable>: Sendable {
    /// The size in pixels.
    public let width, height: Int
    /// The values, row by row from the top: the value of column x and row y is at `y * width + x`.
    public var values: [Value]

    /// Creates a plane with the same value in every pixel.
    @inlinable public init(width: Int, height: Int, repeating value: Value) {
        (self.width, self.height) = (width, height)
        values = Array(repeating: value, count: width * height)
    }

    /// Creates a plane from its values, row by row from the top.
    /// - Precondition: `values` has `width * height` elements.
    @inlinable public init(width: Int, height: Int, values: [Value]) {
        precondition(values.count == width * height)
        (self.width, self.height, self.values) = (width, height, values)
    }

    /// The value of column `x` and row `y`.
    @inlinable public subscript(x: Int, y: Int) -> Value {
        get { values[y * width + x] }
        set { values[y * width + x] = newValue }
    }
}

extension Plane: Equatable where Value: Equatable {}
