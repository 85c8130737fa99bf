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
        // Axes such that the ray runs most along z; then shear it onto z.
        let size = direction.magnitudes
        let z = size.x > size.y ? (size.x > size.z ? 0 : 2) : (size.y > size.z ? 1 : 2)
        var (x, y) = ((z + 1) % 3, (z + 2) % 3)
        if direction[z] < 0 { swap(&x, &y) }
        let scale = 1 / direction[z]
        let (shearX, shearY) = (direction[x] * scale, direction[y] * scale)
        let (p, q, r) = (a - origin, b - origin, c - origin)
        let (px, py) = (p[x] - shearX * p[z], p[y] - shearY * p[z])
        let (qx, qy) = (q[x] - shearX * q[z], q[y] - shearY * q[z])
        let (rx, ry) = (r[x] - shearX * r[z], r[y] - shearY * r[z])
        // On which side of each edge the ray passes; both triangles of an edge come to the same result.
        var (wa, wb, wc) = (rx * qy - ry * qx, px * ry - py * rx, qx * py - qy * px)
        if wa == 0 || wb == 0 || wc == 0 {
            wa = Float(Double(rx) * Double(qy) - Double(ry) * Double(qx))
            wb = Float(Double(px) * Double(ry) - Double(py) * Double(rx))
            wc = Float(Double(qx) * Double(py) - Double(qy) * Double(px))
        }
        let isInside = (wa >= 0 && wb >= 0 && wc >= 0) || (wa <= 0 && wb <= 0 && wc <= 0)
        let determinant = wa + wb + wc
        guard isInside, determinant != 0 else { return nil }
        let distance = (wa * p[z] + wb * q[z] + wc * r[z]) * scale / determinant
        return distance >= 0 && distance.isFinite ? (distance, wb / determinant, wc / determinant) : nil
    }
}
