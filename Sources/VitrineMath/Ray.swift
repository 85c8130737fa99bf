/// A half line. `direction` need not have length 1; distances along the ray are multiples of it.
public struct Ray: Equatable, Hashable, Sendable {
    public var origin, direction: Vector3

    @inlinable public init(origin: Vector3, direction: Vector3) { (self.origin, self.direction) = (origin, direction) }

    @inlinable public func point(at distance: Float) -> Vector3 { origin + direction * distance }

    /// The same ray in another frame; distances along it keep their meaning.
    @inlinable public func transformed(by matrix: Matrix4) -> Ray {
        Ray(origin: matrix.transform(point: origin), direction: matrix.transform(direction: direction))
    }

    /// The distances at which the ray enters and leaves `box`, entry not below 0; nil when it misses (slab test).
    @inlinable public func intersection(with box: BoundingBox) -> (near: Float, far: Float)? {
        let inverse = 1 / direction
        let a = (box.minimum - origin) * inverse
        let b = (box.maximum - origin) * inverse
        // A ray inside a slab's plane gives 0 · ∞ = NaN there; min and max that drop NaN leave that slab out.
        let low = pointwiseMin(a, b)
        let high = pointwiseMax(a, b)
        let near = max(max(low.x, low.y), max(low.z, 0))
        let far = min(min(high.x, high.y), high.z)
        return near <= far ? (near, far) : nil
    }

    /// Where the ray meets a triangle, from either side (Möller and Trumbore 1997).
    ///
    /// - Returns: The distance, and the barycentric weights of `b` and `c`; nil when it misses or the triangle has no area.
    @inlinable public func intersection(triangle a: Vector3, _ b: Vector3, _ c: Vector3) -> (distance: Float, u: Float, v: Float)? {
        let (e1, e2) = (b - a, c - a)
        let p = cross(direction, e2)
        let determinant = dot(e1, p)
        guard determinant != 0 else { return nil }
        let inverse = 1 / determinant
        let t = origin - a
        let u = dot(t, p) * inverse
        guard u >= 0, u <= 1 else { return nil }
        let q = cross(t, e1)
        let v = dot(direction, q) * inverse
        guard v >= 0, u + v <= 1 else { return nil }
        let distance = dot(e2, q) * inverse
        return distance >= 0 ? (distance, u, v) : nil
    }
}
