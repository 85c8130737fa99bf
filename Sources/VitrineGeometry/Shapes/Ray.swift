/// A half line in single precision.
public typealias Ray = Ray3<Float>

/// A half line. `direction` need not have length 1; distances along the ray are multiples of it.
@frozen public struct Ray3<Scalar: RealScalar>: Equatable, Hashable, Sendable {
    /// The point where the ray starts, and its direction, of any length above 0.
    public var origin, direction: SIMD3<Scalar>

    /// Creates a ray.
    /// - Parameters:
    ///   - origin: The point where the ray starts.
    ///   - direction: Of any length above 0: the unit of distances along the ray.
    @inlinable public init(origin: SIMD3<Scalar>, direction: SIMD3<Scalar>) { (self.origin, self.direction) = (origin, direction) }

    /// The point at a distance, in multiples of `direction`.
    @inlinable public func point(at distance: Scalar) -> SIMD3<Scalar> { origin + direction * distance }

    /// The same ray in another frame; distances along it keep their meaning.
    @inlinable public func transformed(by matrix: Matrix4x4<Scalar>) -> Self {
        Self(origin: matrix.transform(point: origin), direction: matrix.transform(direction: direction))
    }

    /// The distance at which the ray meets a plane, from either side; nil if it runs parallel to the plane or the plane lies behind it.
    @inlinable public func intersection(with plane: Plane3<Scalar>) -> Scalar? {
        let along = dot(plane.normal, direction)
        let distance = (plane.offset - dot(plane.normal, origin)) / along
        return along != 0 && distance >= 0 && distance.isFinite ? distance : nil
    }
}

extension Ray3<Float> {
    /// The distances at which the ray enters and leaves `box`, entry not below 0; nil if the ray misses the box, the box is empty, or a
    /// coordinate of the ray is NaN. Conservative: rounding never makes the ray miss a box that it meets (slab test; Ize 2013).
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
    /// - Returns: The distance, and the barycentric weights of `b` and `c`; nil if the ray misses, the triangle has no area as seen along the ray, or a
    ///   coordinate is NaN.
    @inlinable public func intersection(triangle a: Vector3, _ b: Vector3, _ c: Vector3) -> (distance: Float, u: Float, v: Float)? {
        ShearedRay(self).intersection(Vector4(a.x, b.x, c.x, 0), Vector4(a.y, b.y, c.y, 0), Vector4(a.z, b.z, c.z, 0))
    }
}
