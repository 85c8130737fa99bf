/// An axis-aligned rectangle in the plane, x to the right.
///
/// In the points of layers and windows y grows downwards, and `origin` is the upper left corner.
public struct Rectangle: Equatable, Hashable, Sendable {
    /// The corner with the smallest coordinates.
    public var origin: Vector2
    /// Width and height, not below 0.
    public var size: Vector2

    /// Creates a rectangle from its corner and size.
    public init(origin: Vector2 = Vector2(0, 0), size: Vector2) { (self.origin, self.size) = (origin, size) }

    /// Creates a rectangle from the coordinates of its corner and its size.
    public init(x: Float, y: Float, width: Float, height: Float) {
        self.init(origin: Vector2(x, y), size: Vector2(width, height))
    }

    /// At the origin, without area.
    public static let zero = Rectangle(x: 0, y: 0, width: 0, height: 0)

    /// The corner with the smallest coordinates: `origin`.
    public var minimum: Vector2 { origin }
    /// The corner with the greatest coordinates.
    public var maximum: Vector2 { origin + size }
    /// The middle.
    public var center: Vector2 { origin + size / 2 }
    /// Whether the area is 0.
    public var isEmpty: Bool { !(size.x > 0 && size.y > 0) }

    /// Whether a point is inside. The edges through `origin` belong to the rectangle, the opposite ones don't.
    public func contains(_ point: Vector2) -> Bool {
        point.x >= minimum.x && point.y >= minimum.y && point.x < maximum.x && point.y < maximum.y
    }

    /// The point of the rectangle nearest to `point`.
    public func clamped(_ point: Vector2) -> Vector2 { point.clamped(lowerBound: minimum, upperBound: maximum) }

    /// Moves each edge inwards by a distance, or outwards if it is negative. The result is never smaller than the centre.
    public func inset(by distance: Float) -> Rectangle {
        let newSize = (size - Vector2(repeating: 2 * distance)).clamped(lowerBound: .zero, upperBound: Vector2(repeating: .infinity))
        return Rectangle(origin: center - newSize / 2, size: newSize)
    }

    /// The area that both cover; without area if they don't overlap.
    public func intersection(_ other: Rectangle) -> Rectangle {
        let low = pointwiseMax(minimum, other.minimum)
        let high = pointwiseMax(pointwiseMin(maximum, other.maximum), low)
        return Rectangle(origin: low, size: high - low)
    }

    /// The smallest rectangle that covers both; an empty one counts for nothing.
    public func union(_ other: Rectangle) -> Rectangle {
        if isEmpty { return other }
        if other.isEmpty { return self }
        let low = pointwiseMin(minimum, other.minimum)
        return Rectangle(origin: low, size: pointwiseMax(maximum, other.maximum) - low)
    }
}
