/// A half line. `direction` need not have length 1; distances along the ray are multiples of it.
public struct Ray: Equatable, Hashable, Sendable {
    public var origin, direction: Vector3

    @inlinable public init(origin: Vector3, direction: Vector3) { (self.origin, self.direction) = (origin, direction) }

    @inlinable public func point(at distance: Float) -> Vector3 { origin + direction * distance }

    /// The same ray in another frame; distances along it keep their meaning.
    @inlinable public func transformed(by matrix: Matrix4) -> Ray {
        Ray(origin: matrix.transform(point: origin), direction: matrix.transform(direction: direction))
    }

    /// The distances at which the ray enters and leaves `box`, entry not below 0; nil when it misses, when the box is empty, or when the
    /// ray holds NaN. Errs on the side of meeting: a box is never missed by rounding (slab test; Ize 2013).
    @inlinable public func intersection(with box: BoundingBox) -> (near: Float, far: Float)? {
        guard !box.isEmpty, !(origin + direction).sum().isNaN else { return nil }
        let inverse = 1 / direction
        let a = (box.minimum - origin) * inverse
        let b = (box.maximum - origin) * inverse
        let isOrdered = a .<= b
        var low = b.replacing(with: a, where: isOrdered)
        var high = a.replacing(with: b, where: isOrdered)
        // A ray that runs inside a slab's own plane gives 0 · ∞ = NaN: it never leaves that slab.
        let isInPlane = (a .!= a) .| (b .!= b)
        low.replace(with: -.infinity, where: isInPlane)
        high.replace(with: .infinity, where: isInPlane)
        let near = max(max(low.x, low.y), max(low.z, 0))
        let far = min(min(high.x, high.y), high.z) * (1 + 4 * Float.ulpOfOne)
        return near <= far ? (near, far) : nil
    }

    /// Where the ray meets a triangle, from either side. Watertight: a ray through an edge or a corner that triangles share meets at
    /// least one of them (Woop, Benthin and Wald 2013).
    ///
    /// - Returns: The distance, and the barycentric weights of `b` and `c`; nil when it misses, the triangle has no area as seen along
    ///   the ray, or a number is NaN.
    @inlinable public func intersection(triangle a: Vector3, _ b: Vector3, _ c: Vector3) -> (distance: Float, u: Float, v: Float)? {
        ShearedRay(self).intersection(Vector4(a.x, b.x, c.x, 0), Vector4(a.y, b.y, c.y, 0), Vector4(a.z, b.z, c.z, 0))
    }
}
