/// A vector with two single-precision components.
public typealias Vector2 = SIMD2<Float>
/// A vector with three single-precision components. Takes 16 bytes in memory, so vertex data uses packed floats instead.
public typealias Vector3 = SIMD3<Float>
/// A vector with four single-precision components.
public typealias Vector4 = SIMD4<Float>

/// A vector with two double-precision components.
public typealias Vector2d = SIMD2<Double>
/// A vector with three double-precision components. Takes 32 bytes in memory.
public typealias Vector3d = SIMD3<Double>
/// A vector with four double-precision components.
public typealias Vector4d = SIMD4<Double>

/// Returns the dot product.
@inlinable public func dot<V: SIMD>(_ a: V, _ b: V) -> V.Scalar where V.Scalar: FloatingPoint { (a * b).sum() }

/// Returns the right-handed cross product: `cross(x, y) == z`.
@inlinable public func cross<T>(_ a: SIMD3<T>, _ b: SIMD3<T>) -> SIMD3<T> where T: FloatingPoint {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

/// Returns the Euclidean length. Infinite if the square of a component overflows.
@inlinable public func length<V: SIMD>(_ v: V) -> V.Scalar where V.Scalar: FloatingPoint { dot(v, v).squareRoot() }
/// Returns the squared length, which is cheaper than `length`, for comparisons.
@inlinable public func lengthSquared<V: SIMD>(_ v: V) -> V.Scalar where V.Scalar: FloatingPoint { dot(v, v) }
/// Returns the distance between two points.
@inlinable public func distance<V: SIMD>(_ a: V, _ b: V) -> V.Scalar where V.Scalar: FloatingPoint { length(a - b) }

/// Returns `v` scaled to length 1, also if the square of its length overflows or underflows. Returns zero, not NaN, for a vector whose length
/// is 0 or not finite.
@inlinable public func normalize<V: SIMD>(_ v: V) -> V where V.Scalar: FloatingPoint {
    let squared = dot(v, v)
    // For shorter vectors, the squares lose precision by underflow.
    let enough = V.Scalar.leastNormalMagnitude / V.Scalar.ulpOfOne
    if squared >= enough, squared.isFinite { return v / squared.squareRoot() }
    return normalizeExtreme(v, squared)
}

/// Implements `normalize` for squared lengths outside the range of the scalar and for vectors without a direction.
@usableFromInline func normalizeExtreme<V: SIMD>(_ v: V, _ squared: V.Scalar) -> V where V.Scalar: FloatingPoint {
    let largest = max(v.max(), -v.min())
    guard !squared.isNaN, largest > 0, largest.isFinite else { return V(repeating: 0) }
    let scaled = v / largest
    return scaled / dot(scaled, scaled).squareRoot()
}

/// Returns `incident` mirrored at the plane with the unit normal `normal`.
@inlinable public func reflect<T: RealScalar>(_ incident: SIMD3<T>, _ normal: SIMD3<T>) -> SIMD3<T> {
    incident - 2 * dot(incident, normal) * normal
}

/// Returns an arbitrary unit vector perpendicular to the unit vector `v`.
@inlinable public func anyPerpendicular<T: RealScalar>(_ v: SIMD3<T>) -> SIMD3<T> {
    let axis: SIMD3<T> = abs(v.x) < 0.57735 ? SIMD3(1, 0, 0) : SIMD3(0, 1, 0)
    return normalize(cross(v, axis))
}

/// Returns the angle between two vectors in radians, 0…π; 0 if one of them is zero.
package func angle(between a: Vector3, _ b: Vector3) -> Float {
    let (u, v) = (normalize(a), normalize(b))
    return u == Vector3(repeating: 0) || v == Vector3(repeating: 0) ? 0 : acos(clamp(dot(u, v), -1, 1))
}

extension SIMD3 where Scalar == Float {
    /// The direction +X.
    @inlinable public static var right: Self { Self(1, 0, 0) }
    /// The direction +Y.
    @inlinable public static var up: Self { Self(0, 1, 0) }
    /// The direction −Z, in which cameras look.
    @inlinable public static var forward: Self { Self(0, 0, -1) }
}

extension SIMD4 {
    /// Appends a fourth component: 1 for points, 0 for directions.
    @inlinable public init(_ xyz: SIMD3<Scalar>, _ w: Scalar) { self.init(xyz.x, xyz.y, xyz.z, w) }
    /// The first three components.
    @inlinable public var xyz: SIMD3<Scalar> { SIMD3(x, y, z) }
}

extension SIMD3 where Scalar: FloatingPoint {
    /// The absolute value of each component.
    @inlinable public var magnitudes: Self { self.replacing(with: -self, where: self .< 0) }
}

extension SIMD where Scalar: FloatingPoint {
    /// Whether no component is infinite or NaN.
    @inlinable public var isFinite: Bool {
        for index in 0..<scalarCount where !self[index].isFinite { return false }
        return true
    }
}
