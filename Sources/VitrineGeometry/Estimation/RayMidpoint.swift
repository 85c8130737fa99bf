/// Midpoint triangulation: accumulates rays and computes the point with the least sum of squared distances to them.
@usableFromInline package struct RayMidpoint: Sendable {
    /// The normal equations: `matrix` * point = `right`.
    @usableFromInline package var matrix = Matrix3d.zero
    @usableFromInline package var right = Vector3d.zero

    @inlinable package init() {}

    /// Adds a ray.
    /// - Parameters:
    ///   - direction: The direction of the ray, a unit vector.
    ///   - weight: The weight of the squared distance to the ray.
    /// - Returns: The weighted projection of the origin onto the plane perpendicular to the ray.
    @discardableResult @inlinable package mutating func add(origin: Vector3d, direction d: Vector3d, weight: Double = 1) -> Vector3d {
        // The projection onto the plane perpendicular to the ray.
        let across = (Matrix3d.identity - Matrix3d.outer(d, d)) * weight
        let offset = across * origin
        matrix = matrix + across
        right += offset
        return offset
    }

    /// Rotates all rays about the origin of the coordinate system.
    @inlinable package mutating func rotate(by rotation: Matrix3d) {
        matrix = rotation * matrix * rotation.transpose
        right = rotation * right
    }

    /// The point; nil if the rays are parallel.
    @inlinable package var point: Vector3d? { point(minimumDeterminant: 1e-9) }

    /// Returns the point; nil if the determinant of `matrix` is not greater than a limit.
    @inlinable package func point(minimumDeterminant: Double) -> Vector3d? {
        guard matrix.determinant > minimumDeterminant else { return nil }
        let point = matrix.inverse * right
        return point.isFinite ? point : nil
    }
}
