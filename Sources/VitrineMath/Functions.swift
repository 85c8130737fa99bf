import CVitrineBuiltins

// The elementary functions of the core: those of the C library, or in web pages those of JavaScript.

/// Returns the sine of an angle in radians.
@inlinable public func sin(_ x: Float) -> Float { vitrine_sinf(x) }
/// Returns the cosine of an angle in radians.
@inlinable public func cos(_ x: Float) -> Float { vitrine_cosf(x) }
/// Returns the tangent of an angle in radians.
@inlinable public func tan(_ x: Float) -> Float { vitrine_tanf(x) }
/// Returns the arcsine in radians, −π/2…π/2; NaN outside −1…1.
@inlinable public func asin(_ x: Float) -> Float { vitrine_asinf(x) }
/// Returns the arccosine in radians, 0…π; NaN outside −1…1.
@inlinable public func acos(_ x: Float) -> Float { vitrine_acosf(x) }
/// Returns the angle of the vector (x, y) in radians, −π…π.
@inlinable public func atan2(_ y: Float, _ x: Float) -> Float { vitrine_atan2f(y, x) }
/// Returns e to the power of x.
@inlinable public func exp(_ x: Float) -> Float { vitrine_expf(x) }
/// Returns 2 to the power of x.
@inlinable public func exp2(_ x: Float) -> Float { vitrine_exp2f(x) }
/// Returns the natural logarithm; NaN below 0.
@inlinable public func log(_ x: Float) -> Float { vitrine_logf(x) }
/// Returns the logarithm to base 2; NaN below 0.
@inlinable public func log2(_ x: Float) -> Float { vitrine_log2f(x) }
/// Returns x to the power of y.
@inlinable public func pow(_ x: Float, _ y: Float) -> Float { vitrine_powf(x, y) }

/// Returns the sine of an angle in radians.
@inlinable public func sin(_ x: Double) -> Double { vitrine_sin(x) }
/// Returns the cosine of an angle in radians.
@inlinable public func cos(_ x: Double) -> Double { vitrine_cos(x) }
/// Returns the tangent of an angle in radians.
@inlinable public func tan(_ x: Double) -> Double { vitrine_tan(x) }
/// Returns the arcsine in radians, −π/2…π/2; NaN outside −1…1.
@inlinable public func asin(_ x: Double) -> Double { vitrine_asin(x) }
/// Returns the arccosine in radians, 0…π; NaN outside −1…1.
@inlinable public func acos(_ x: Double) -> Double { vitrine_acos(x) }
/// Returns the angle of the vector (x, y) in radians, −π…π.
@inlinable public func atan2(_ y: Double, _ x: Double) -> Double { vitrine_atan2(y, x) }
/// Returns e to the power of x.
@inlinable public func exp(_ x: Double) -> Double { vitrine_exp(x) }
/// Returns the natural logarithm; NaN below 0.
@inlinable public func log(_ x: Double) -> Double { vitrine_log(x) }
/// Returns x to the power of y.
@inlinable public func pow(_ x: Double, _ y: Double) -> Double { vitrine_pow(x, y) }

/// Returns `value` limited to the range from `low` to `high`.
@inlinable public func clamp<T: Comparable>(_ value: T, _ low: T, _ high: T) -> T { min(max(value, low), high) }

/// Interpolates linearly: `a` at `t` = 0, `b` at `t` = 1. `t` is not clamped.
@inlinable public func mix<T: FloatingPoint>(_ a: T, _ b: T, _ t: T) -> T { a + (b - a) * t }

/// Interpolates linearly: `a` at `t` = 0, `b` at `t` = 1. `t` is not clamped.
@inlinable public func mix<V: SIMD>(_ a: V, _ b: V, _ t: V.Scalar) -> V where V.Scalar: FloatingPoint { a + (b - a) * t }

/// Interpolates smoothly with the Hermite polynomial: 0 below `low`, 1 above `high`.
@inlinable public func smoothstep<T: FloatingPoint>(_ low: T, _ high: T, _ x: T) -> T {
    let t = clamp((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)
}
