/// An oriented plane: the points x with `dot(normal, x) == offset`.
@frozen public struct Plane3<Scalar: RealScalar>: Equatable, Hashable, Sendable {
    /// A unit vector.
    public var normal: SIMD3<Scalar>
    /// The signed distance of the plane from the origin along `normal`.
    public var offset: Scalar

    /// Creates the plane of the points x with `dot(normal, x) == offset`.
    ///
    /// - Parameter normal: A unit vector.
    @inlinable public init(normal: SIMD3<Scalar>, offset: Scalar) { (self.normal, self.offset) = (normal, offset) }

    /// Creates the plane through a point.
    /// - Parameter normal: A unit vector.
    @inlinable public init(normal: SIMD3<Scalar>, through point: SIMD3<Scalar>) { self.init(normal: normal, offset: dot(normal, point)) }

    /// Returns the distance of a point from the plane, positive on the side to which `normal` points.
    @inlinable public func signedDistance(to point: SIMD3<Scalar>) -> Scalar { dot(normal, point) - offset }

    /// Returns the point of the plane nearest to `point`.
    @inlinable public func projection(of point: SIMD3<Scalar>) -> SIMD3<Scalar> { point - normal * signedDistance(to: point) }

    /// Returns the plane in another frame.
    @inlinable package func transformed(by transform: RigidTransform3<Scalar>) -> Self {
        let newNormal = transform.rotation * normal
        return Self(normal: newNormal, offset: offset + dot(newNormal, transform.translation))
    }

    /// Returns the plane after a transform of the world.
    package func moved(by newWorldFromWorld: SimilarityTransform3<Scalar>) -> Self {
        let newNormal = newWorldFromWorld.rotation * normal
        return Self(normal: newNormal, offset: offset * newWorldFromWorld.scale + dot(newNormal, newWorldFromWorld.translation))
    }
}
