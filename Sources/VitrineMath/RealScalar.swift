import CVitrineBuiltins

/// A scalar that vectors, matrices, quaternions and transforms are generic over: `Float` or `Double`.
///
/// The types of this module and of VitrineGeometry that take a `Scalar` compute the same formulas in either precision.
public protocol RealScalar: BinaryFloatingPoint, SIMDScalar, Sendable
where SIMD2Storage: Sendable, SIMD4Storage: Sendable, SIMD8Storage: Sendable {
    /// The sine of an angle in radians.
    static func sine(_ angle: Self) -> Self
    /// The cosine of an angle in radians.
    static func cosine(_ angle: Self) -> Self
    /// The angle of the vector (x, y) in radians, −π…π.
    static func arcTangent(y: Self, x: Self) -> Self
}

extension Float: RealScalar {
    /// The sine of an angle in radians.
    @inlinable public static func sine(_ angle: Float) -> Float { vitrine_sinf(angle) }
    /// The cosine of an angle in radians.
    @inlinable public static func cosine(_ angle: Float) -> Float { vitrine_cosf(angle) }
    /// The angle of the vector (x, y) in radians, −π…π.
    @inlinable public static func arcTangent(y: Float, x: Float) -> Float { vitrine_atan2f(y, x) }
}

extension Double: RealScalar {
    /// The sine of an angle in radians.
    @inlinable public static func sine(_ angle: Double) -> Double { vitrine_sin(angle) }
    /// The cosine of an angle in radians.
    @inlinable public static func cosine(_ angle: Double) -> Double { vitrine_cos(angle) }
    /// The angle of the vector (x, y) in radians, −π…π.
    @inlinable public static func arcTangent(y: Double, x: Double) -> Double { vitrine_atan2(y, x) }
}
