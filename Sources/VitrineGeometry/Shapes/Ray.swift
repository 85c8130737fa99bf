/// A half line in single precision.
public typealias Ray = Ray3<Float>

/// A half line. `direction` need not have length 1; distances along the ray are multiples of its length.
@frozen public struct Ray3<Scalar: RealScalar>: Equatable, Hashable, Sendable {
    /// The point where the ray starts, and its direction, of any length above 0.
    public var origin, direction: SIMD3<Scalar>

    /// Creates a ray.
    /// - Parameters:
    ///   - origin: The point where the ray starts.
    ///   - direction: The direction, of any length above 0, which is the unit of distances along the ray.
    @inlinable public init(origin: SIMD3<Scalar>, direction: SIMD3<Scalar>) { (self.origin, self.direction) = (origin, direction) }

    /// Returns the point at a distance, in multiples of `direction`.
    @inlinable public func point(at distance: Scalar) -> SIMD3<Scalar> { origin + direction * distance }

    /// Returns the ray in another frame; distances along the ray do not change.
    @inlinable public func transformed(by matrix: Matrix4x4<Scalar>) -> Self {
        Self(origin: matrix.transform(point: origin), direction: matrix.transform(direction: direction))
    }

    /// Returns the distance at which the ray intersects a plane, from either side; nil if it is parallel to the plane or the plane is behind it.
    @inlinable public func intersection(with plane: Plane3<Scalar>) -> Scalar? {
        let along = dot(plane.normal, direction)
        let distance = (plane.offset - dot(plane.normal, origin)) / along
        return along != 0 && distance >= 0 && distance.isFinite ? distance : nil
    }
}

extension Ray3<Float> {
    /// Returns the distances at which the ray enters and leaves `box`, with an entry of at least 0; nil if the ray misses the box, the box is empty,
    /// or a coordinate of the ray is NaN. Conservative: rounding never makes the ray miss a box that it intersects (slab test; Ize 2013).
    @inlinable public func intersection(with box: BoundingBox) -> (near: Float, far: Float)? {
        guard !box.isEmpty, !(origin + direction).sum().isNaN else { return nil }
        let inverse = 1 / direction
        let a = (box.minimum - origin) * inverse
        let b = (box.maximum - origin) * inverse
        let isOrdered = a .<= b
        var low = b.replacing(with: a, where: isOrdered)
        var high = a.replacing(with: b, where: isOrdered)
        // A ray inside a slab's plane gives 0 · ∞ = NaN: it never leaves that slab.
        let isInPlane = (a .!= a) .| (b .!= b)
        low.replace(with: -.infinity, where: isInPlane)
        high.replace(with: .infinity, where: isInPlane)
        let near = max(max(low.x, low.y), max(low.z, 0))
        let far = min(min(high.x, high.y), high.z) * (1 + 4 * Float.ulpOfOne)
        return near <= far ? (near, far) : nil
    }

    /// Returns the intersection with a triangle, from either side. Watertight: a ray through a shared edge or corner of triangles hits at least one
    /// of them (Woop, Benthin and Wald 2013).
    ///
    /// - Returns: The distance, and the barycentric weights of `b` and `c`; nil if the ray misses, the triangle has no area as seen along the ray, or a
    ///   coordinate is NaN.
    @inlinable public func intersection(triangle a: Vector3, _ b: Vector3, _ c: Vector3) -> (distance: Float, u: Float, v: Float)? {
        ShearedRay(self).intersection(Vector4(a.x, b.x, c.x, 0), Vector4(a.y, b.y, c.y, 0), Vector4(a.z, b.z, c.z, 0))
    }
}
