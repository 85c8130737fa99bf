/// A rotation and a translation in double precision.
public typealias RigidTransform = RigidTransform3<Double>

/// A rotation and a translation: `rotation * x + translation`. Names of instances state both frames: `cameraFromWorld`.
@frozen public struct RigidTransform3<Scalar: RealScalar>: Equatable, Hashable, Sendable {
    /// A rotation matrix: orthonormal columns, right-handed.
    public var rotation: Matrix3x3<Scalar>
    /// The translation, in the target frame.
    public var translation: SIMD3<Scalar>

    /// Creates a transform.
    /// - Parameters:
    ///   - rotation: A rotation matrix: orthonormal columns, right-handed.
    ///   - translation: The translation, in the target frame.
    @inlinable public init(rotation: Matrix3x3<Scalar>, translation: SIMD3<Scalar>) {
        (self.rotation, self.translation) = (rotation, translation)
    }

    /// The identity transform.
    @inlinable public static var identity: Self { Self(rotation: .identity, translation: .zero) }

    /// The inverse transform: `worldFromCamera` of `cameraFromWorld`.
    @inlinable public var inverse: Self {
        Self(rotation: rotation.transpose, translation: -(rotation.transpose * translation))
    }

    /// The same transform as a 4×4 matrix.
    @inlinable public var matrix: Matrix4x4<Scalar> { Matrix4x4(rotation, translation: translation) }

    /// Transforms a point.
    @inlinable public static func * (t: Self, x: SIMD3<Scalar>) -> SIMD3<Scalar> { t.rotation * x + t.translation }
    /// Returns the composition, which applies `b` first, then `a`.
    @inlinable public static func * (a: Self, b: Self) -> Self {
        Self(rotation: a.rotation * b.rotation, translation: a * b.translation)
    }
}
