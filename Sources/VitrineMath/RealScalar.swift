import CVitrineBuiltins

/// The scalar of generic vectors, matrices, quaternions and transforms: `Float` or `Double`.
///
/// Generic types of this module and of VitrineGeometry use the same formulas in both precisions.
public protocol RealScalar: BinaryFloatingPoint, SIMDScalar, Sendable
where SIMD2Storage: Sendable, SIMD4Storage: Sendable, SIMD8Storage: Sendable {
    /// Returns the sine of an angle in radians.
    static func sine(_ angle: Self) -> Self
    /// Returns the cosine of an angle in radians.
    static func cosine(_ angle: Self) -> Self
    /// Returns the angle of the vector (x, y) in radians, −π…π.
    static func arcTangent(y: Self, x: Self) -> Self
}

extension Float: RealScalar {
    /// Returns the sine of an angle in radians.
    @inlinable public static func sine(_ angle: Float) -> Float { vitrine_sinf(angle) }
    /// Returns the cosine of an angle in radians.
    @inlinable public static func cosine(_ angle: Float) -> Float { vitrine_cosf(angle) }
    /// Returns the angle of the vector (x, y) in radians, −π…π.
    @inlinable public static func arcTangent(y: Float, x: Float) -> Float { vitrine_atan2f(y, x) }
}

extension Double: RealScalar {
    /// Returns the sine of an angle in radians.
    @inlinable public static func sine(_ angle: Double) -> Double { vitrine_sin(angle) }
    /// Returns the cosine of an angle in radians.
    @inlinable public static func cosine(_ angle: Double) -> Double { vitrine_cos(angle) }
    /// Returns the angle of the vector (x, y) in radians, −π…π.
    @inlinable public static func arcTangent(y: Double, x: Double) -> Double { vitrine_atan2(y, x) }
}
