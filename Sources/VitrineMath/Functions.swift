import CVitrineBuiltins

// The elementary functions that the core uses: the C library's on a host, the page's in a browser.

/// The sine of an angle in radians.
@inlinable public func sin(_ x: Float) -> Float { vitrine_sinf(x) }
/// The cosine of an angle in radians.
@inlinable public func cos(_ x: Float) -> Float { vitrine_cosf(x) }
/// The tangent of an angle in radians.
@inlinable public func tan(_ x: Float) -> Float { vitrine_tanf(x) }
/// The arcsine in radians, −π/2…π/2; NaN outside −1…1.
@inlinable public func asin(_ x: Float) -> Float { vitrine_asinf(x) }
/// The arccosine in radians, 0…π; NaN outside −1…1.
@inlinable public func acos(_ x: Float) -> Float { vitrine_acosf(x) }
/// The angle of the vector (x, y) in radians, −π…π.
@inlinable public func atan2(_ y: Float, _ x: Float) -> Float { vitrine_atan2f(y, x) }
/// e to the power of x.
@inlinable public func exp(_ x: Float) -> Float { vitrine_expf(x) }
/// 2 to the power of x.
@inlinable public func exp2(_ x: Float) -> Float { vitrine_exp2f(x) }
/// The natural logarithm; NaN below 0.
@inlinable public func log(_ x: Float) -> Float { vitrine_logf(x) }
/// The logarithm to base 2; NaN below 0.
@inlinable public func log2(_ x: Float) -> Float { vitrine_log2f(x) }
/// x to the power of y.
@inlinable public func pow(_ x: Float, _ y: Float) -> Float { vitrine_powf(x, y) }

/// The sine of an angle in radians.
@inlinable public func sin(_ x: Double) -> Double { vitrine_sin(x) }
/// The cosine of an angle in radians.
@inlinable public func cos(_ x: Double) -> Double { vitrine_cos(x) }
/// The tangent of an angle in radians.
@inlinable public func tan(_ x: Double) -> Double { vitrine_tan(x) }
/// The arcsine in radians, −π/2…π/2; NaN outside −1…1.
@inlinable public func asin(_ x: Double) -> Double { vitrine_asin(x) }
/// The arccosine in radians, 0…π; NaN outside −1…1.
@inlinable public func acos(_ x: Double) -> Double { vitrine_acos(x) }
/// The angle of the vector (x, y) in radians, −π…π.
@inlinable public func atan2(_ y: Double, _ x: Double) -> Double { vitrine_atan2(y, x) }
/// e to the power of x.
@inlinable public func exp(_ x: Double) -> Double { vitrine_exp(x) }
/// The natural logarithm; NaN below 0.
@inlinable public func log(_ x: Double) -> Double { vitrine_log(x) }
/// x to the power of y.
@inlinable public func pow(_ x: Double, _ y: Double) -> Double { vitrine_pow(x, y) }

/// `value` held between `low` and `high`.
@inlinable public func clamp<T: Comparable>(_ value: T, _ low: T, _ high: T) -> T { min(max(value, low), high) }

/// The point `t` of the way from `a` to `b`; `t` is not clamped.
@inlinable public func mix<T: FloatingPoint>(_ a: T, _ b: T, _ t: T) -> T { a + (b - a) * t }

/// The vector `t` of the way from `a` to `b`; `t` is not clamped.
@inlinable public func mix<V: SIMD>(_ a: V, _ b: V, _ t: V.Scalar) -> V where V.Scalar: FloatingPoint { a + (b - a) * t }

/// The Hermite step: 0 below `low`, 1 above `high`, smooth between.
@inlinable public func smoothstep<T: FloatingPoint>(_ low: T, _ high: T, _ x: T) -> T {
    let t = clamp((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)
}
