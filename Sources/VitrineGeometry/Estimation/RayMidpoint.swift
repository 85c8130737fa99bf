/// The point with the least sum of squared distances to a set of rays, accumulated ray by ray: midpoint triangulation.
@usableFromInline package struct RayMidpoint: Sendable {
    /// The normal equations: `matrix` * point = `right`.
    @usableFromInline package var matrix = Matrix3d.zero
    @usableFromInline package var right = Vector3d.zero

    @inlinable package init() {}

    /// Adds a ray.
    /// - Parameter direction: A unit vector.
    @inlinable package mutating func add(origin: Vector3d, direction d: Vector3d) {
        // The projection across the ray.
        let across = Matrix3d.identity - Matrix3d.outer(d, d)
        matrix = matrix + across
        right += across * origin
    }

    /// The point; nil if the rays are parallel.
    @inlinable package var point: Vector3d? {
        guard matrix.determinant > 1e-9 else { return nil }
        let point = matrix.inverse * right
        return point.isFinite ? point : nil
    }
}
