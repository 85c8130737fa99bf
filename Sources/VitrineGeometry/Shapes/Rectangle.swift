/// An axis-aligned rectangle in the plane; x points to the right.
///
/// In the coordinates of layers and windows, y points down, and `origin` is the upper left corner.
public struct Rectangle: Equatable, Hashable, Sendable {
    /// The corner with the smallest coordinates.
    public var origin: Vector2
    /// The width and height, at least 0.
    public var size: Vector2

    /// Creates a rectangle from its corner and size.
    public init(origin: Vector2 = Vector2(0, 0), size: Vector2) { (self.origin, self.size) = (origin, size) }

    /// Creates a rectangle from the coordinates of its corner and its size.
    public init(x: Float, y: Float, width: Float, height: Float) {
        self.init(origin: Vector2(x, y), size: Vector2(width, height))
    }

    /// An empty rectangle at the origin.
    public static let zero = Rectangle(x: 0, y: 0, width: 0, height: 0)

    /// The corner with the smallest coordinates: `origin`.
    public var minimum: Vector2 { origin }
    /// The corner with the greatest coordinates.
    public var maximum: Vector2 { origin + size }
    /// The centre of the rectangle.
    public var center: Vector2 { origin + size / 2 }
    /// Whether the area is 0.
    public var isEmpty: Bool { !(size.x > 0 && size.y > 0) }

    /// Returns whether a point is inside. The edges through `origin` belong to the rectangle, the opposite ones do not.
    public func contains(_ point: Vector2) -> Bool {
        point.x >= minimum.x && point.y >= minimum.y && point.x < maximum.x && point.y < maximum.y
    }

    /// Returns the point of the rectangle nearest to `point`.
    public func clamped(_ point: Vector2) -> Vector2 { point.clamped(lowerBound: minimum, upperBound: maximum) }

    /// Returns the rectangle with each edge moved inwards by a distance, or outwards if it is negative. The result is never smaller than the centre.
    public func inset(by distance: Float) -> Rectangle {
        let newSize = (size - Vector2(repeating: 2 * distance)).clamped(lowerBound: .zero, upperBound: Vector2(repeating: .infinity))
        return Rectangle(origin: center - newSize / 2, size: newSize)
    }

    /// Returns the common area of both rectangles; empty if they do not overlap.
    public func intersection(_ other: Rectangle) -> Rectangle {
        let low = pointwiseMax(minimum, other.minimum)
        let high = pointwiseMax(pointwiseMin(maximum, other.maximum), low)
        return Rectangle(origin: low, size: high - low)
    }

    /// Returns the smallest rectangle that contains both; ignores an empty one.
    public func union(_ other: Rectangle) -> Rectangle {
        if isEmpty { return other }
        if other.isEmpty { return self }
        let low = pointwiseMin(minimum, other.minimum)
        return Rectangle(origin: low, size: pointwiseMax(maximum, other.maximum) - low)
    }
}
