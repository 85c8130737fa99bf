/// A rotation, a uniform scale and a translation in double precision.
package typealias SimilarityTransform = SimilarityTransform3<Double>

/// A rotation, a uniform scale and a translation: `scale * (rotation * x) + translation`.
package struct SimilarityTransform3<Scalar: RealScalar>: Equatable, Hashable, Sendable {
    /// The scale, greater than 0.
    package var scale: Scalar
    /// A rotation matrix: orthonormal columns, right-handed.
    package var rotation: Matrix3x3<Scalar>
    /// The translation, in the target frame and its unit.
    package var translation: SIMD3<Scalar>

    /// Creates a transform.
    /// - Parameters:
    ///   - scale: The scale, greater than 0.
    ///   - rotation: A rotation matrix: orthonormal columns, right-handed.
    ///   - translation: The translation, in the target frame and its unit.
    @inlinable package init(scale: Scalar, rotation: Matrix3x3<Scalar>, translation: SIMD3<Scalar>) {
        (self.scale, self.rotation, self.translation) = (scale, rotation, translation)
    }

    /// The identity transform.
    @inlinable package static var identity: Self { Self(scale: 1, rotation: .identity, translation: .zero) }

    /// The inverse transform.
    @inlinable package var inverse: Self {
        Self(scale: 1 / scale, rotation: rotation.transpose, translation: -(rotation.transpose * translation) / scale)
    }

    /// Transforms a point.
    @inlinable package static func * (t: Self, x: SIMD3<Scalar>) -> SIMD3<Scalar> { t.rotation * x * t.scale + t.translation }

    /// Returns the pose of a camera after this transform is applied to the world: the new `cameraFromWorld`, in the new world's unit.
    @inlinable package func moved(_ cameraFromWorld: RigidTransform3<Scalar>) -> RigidTransform3<Scalar> {
        let newRotation = cameraFromWorld.rotation * rotation.transpose
        return RigidTransform3(rotation: newRotation, translation: cameraFromWorld.translation * scale - newRotation * translation)
    }
}
