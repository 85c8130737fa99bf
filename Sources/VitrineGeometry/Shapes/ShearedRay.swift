/// A ray prepared for intersection with many triangles: the values that depend only on the ray are computed once.
///
/// The axes are permuted so that the ray's direction is largest along z, and space is sheared so that the ray runs along z. The test is then
/// two-dimensional, and the triangles on both sides of a shared edge get the same result for it: watertight (Woop, Benthin and Wald 2013).
@usableFromInline package struct ShearedRay: Sendable {
    /// The axes (0, 1, 2) that are permuted to x, y and z.
    @usableFromInline let xAxis, yAxis, zAxis: Int
    @usableFromInline let originX, originY, originZ: Float
    @usableFromInline let shearX, shearY, scale: Float

    @inlinable package init(_ ray: Ray) {
        let (origin, direction) = (ray.origin, ray.direction)
        let size = direction.magnitudes
        let z = size.x > size.y ? (size.x > size.z ? 0 : 2) : (size.y > size.z ? 1 : 2)
        var (x, y) = ((z + 1) % 3, (z + 2) % 3)
        if direction[z] < 0 { swap(&x, &y) }
        (xAxis, yAxis, zAxis) = (x, y, z)
        (originX, originY, originZ) = (origin[x], origin[y], origin[z])
        scale = 1 / direction[z]
        (shearX, shearY) = (direction[x] * scale, direction[y] * scale)
    }

    /// Returns the intersection with a triangle, from either side.
    ///
    /// - Parameters:
    ///   - x: The x coordinates of the three corners; w is ignored.
    ///   - y: Their y coordinates.
    ///   - z: Their z coordinates.
    /// - Returns: The same bits as `Ray.intersection(triangle:_:_:)`.
    @inlinable package func intersection(_ x: Vector4, _ y: Vector4, _ z: Vector4) -> (distance: Float, u: Float, v: Float)? {
        withUnsafeTemporaryAllocation(of: Vector4.self, capacity: 3) { corners in
            (corners[0], corners[1], corners[2]) = (x, y, z)
            return intersection(UnsafeBufferPointer(corners), at: 0)
        }
    }

    /// Returns the intersection with one of many triangles: its corners' x, y and z coordinates are the elements `first`, `first + 1` and `first + 2`.
    @inlinable package func intersection(_ corners: UnsafeBufferPointer<Vector4>, at first: Int) -> (distance: Float, u: Float, v: Float)? {
        // Each vector contains one coordinate of all corners.
        let z = corners[first + zAxis] - originZ
        let x = (corners[first + xAxis] - originX) - shearX * z
        let y = (corners[first + yAxis] - originY) - shearY * z
        // The side of each edge on which the ray passes; the triangles on both sides of an edge get the same result.
        let (nextX, nextY) = (Vector4(x.z, x.x, x.y, 0), Vector4(y.z, y.x, y.y, 0))
        let (lastX, lastY) = (Vector4(x.y, x.z, x.x, 0), Vector4(y.y, y.z, y.x, 0))
        let sides = nextX * lastY - nextY * lastX
        var (a, b, c) = (sides.x, sides.y, sides.z)
        if a == 0 || b == 0 || c == 0 {
            a = Float(Double(x.z) * Double(y.y) - Double(y.z) * Double(x.y))
            b = Float(Double(x.x) * Double(y.z) - Double(y.x) * Double(x.z))
            c = Float(Double(x.y) * Double(y.x) - Double(y.y) * Double(x.x))
        }
        guard (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0) else { return nil }
        let determinant = a + b + c
        guard determinant != 0 else { return nil }
        let distance = (a * z.x + b * z.y + c * z.z) * scale / determinant
        return distance >= 0 && distance.isFinite ? (distance, b / determinant, c / determinant) : nil
    }
}
