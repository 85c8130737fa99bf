/// An axis-aligned box, including its surface. In the empty box, the neutral element of `union`, `minimum` is above `maximum`.
public struct BoundingBox: Equatable, Hashable, Sendable {
    /// The corners with the smallest and the greatest coordinates.
    public var minimum, maximum: Vector3

    /// Creates a box from its corners; empty if a coordinate of `minimum` is above that of `maximum`.
    @inlinable public init(minimum: Vector3, maximum: Vector3) { (self.minimum, self.maximum) = (minimum, maximum) }

    /// The empty box, the initial value of a union over points.
    @inlinable public static var empty: BoundingBox {
        BoundingBox(minimum: Vector3(repeating: .infinity), maximum: Vector3(repeating: -.infinity))
    }

    /// Whether the box contains no point. A box of size 0 contains one.
    @inlinable public var isEmpty: Bool { minimum.x > maximum.x || minimum.y > maximum.y || minimum.z > maximum.z }
    /// The centre; the origin for the empty box.
    @inlinable public var center: Vector3 { isEmpty ? Vector3(repeating: 0) : minimum / 2 + maximum / 2 }
    /// The lengths of the edges; 0 for the empty box.
    @inlinable public var size: Vector3 { isEmpty ? Vector3(repeating: 0) : maximum - minimum }
    /// The radius of the smallest sphere around `center` that contains the box.
    @inlinable public var radius: Float { length(size) / 2 }

    /// Includes a point; ignores coordinates that are NaN.
    @inlinable public mutating func formUnion(_ point: Vector3) {
        minimum = pointwiseMin(minimum, point)
        maximum = pointwiseMax(maximum, point)
    }

    /// Includes another box.
    @inlinable public mutating func formUnion(_ other: BoundingBox) {
        minimum = pointwiseMin(minimum, other.minimum)
        maximum = pointwiseMax(maximum, other.maximum)
    }

    /// Returns the smallest box that contains both boxes.
    @inlinable public func union(_ other: BoundingBox) -> BoundingBox {
        var box = self
        box.formUnion(other)
        return box
    }

    /// Returns whether a point is inside or on the surface.
    @inlinable public func contains(_ point: Vector3) -> Bool {
        all(point .>= minimum) && all(point .<= maximum)
    }

    /// Returns the axis-aligned bounding box of this box transformed by an affine matrix (Arvo 1990).
    @inlinable public func transformed(by matrix: Matrix4) -> BoundingBox {
        guard !isEmpty else { return self }
        let center = matrix.transform(point: self.center)
        let half = size / 2
        let m = matrix.linear
        let extent = m.x.magnitudes * half.x + m.y.magnitudes * half.y + m.z.magnitudes * half.z
        return BoundingBox(minimum: center - extent, maximum: center + extent)
    }
}
