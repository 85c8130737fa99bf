/// A rotation as a unit quaternion in single precision.
public typealias Quaternion = UnitQuaternion<Float>
/// A rotation as a unit quaternion in double precision.
package typealias Quaterniond = UnitQuaternion<Double>

/// A rotation as a unit quaternion, `x i + y j + z k + w`.
///
/// `(a * b).rotate(v) == a.rotate(b.rotate(v))`: the product applies the right factor first, as with matrices. Rotations are
/// counter-clockwise when the axis points at the viewer (right-handed).
@frozen public struct UnitQuaternion<Scalar: RealScalar>: Equatable, Hashable, Sendable {
    /// The components x, y, z (imaginary) and w (real).
    public var vector: SIMD4<Scalar>

    /// Creates a quaternion from (x, y, z, w), which must have length 1; see `normalized`.
    @inlinable public init(vector: SIMD4<Scalar>) { self.vector = vector }
    /// Creates a quaternion from its components, which must have length 1; see `normalized`.
    @inlinable public init(x: Scalar, y: Scalar, z: Scalar, w: Scalar) { vector = SIMD4(x, y, z, w) }

    /// The rotation whose matrix is the orthonormal `matrix` (Shepperd's method).
    @inlinable public init(_ matrix: Matrix3x3<Scalar>) {
        let m = matrix
        let trace = m.x.x + m.y.y + m.z.z
        if trace > 0 {
            let s = (trace + 1).squareRoot() * 2
            self.init(x: (m.y.z - m.z.y) / s, y: (m.z.x - m.x.z) / s, z: (m.x.y - m.y.x) / s, w: s / 4)
        } else if m.x.x > m.y.y, m.x.x > m.z.z {
            let s = (1 + m.x.x - m.y.y - m.z.z).squareRoot() * 2
            self.init(x: s / 4, y: (m.y.x + m.x.y) / s, z: (m.z.x + m.x.z) / s, w: (m.y.z - m.z.y) / s)
        } else if m.y.y > m.z.z {
            let s = (1 + m.y.y - m.x.x - m.z.z).squareRoot() * 2
            self.init(x: (m.y.x + m.x.y) / s, y: s / 4, z: (m.z.y + m.y.z) / s, w: (m.z.x - m.x.z) / s)
        } else {
            let s = (1 + m.z.z - m.x.x - m.y.y).squareRoot() * 2
            self.init(x: (m.z.x + m.x.z) / s, y: (m.z.y + m.y.z) / s, z: s / 4, w: (m.x.y - m.y.x) / s)
        }
    }

    /// The identity rotation, (0, 0, 0, 1).
    @inlinable public static var identity: Self { Self(x: 0, y: 0, z: 0, w: 1) }

    /// The components x, y and z: the axis times the sine of half the angle.
    @inlinable public var imaginary: SIMD3<Scalar> { vector.xyz }
    /// The component w: the cosine of half the angle.
    @inlinable public var real: Scalar { vector.w }
    /// The quaternion with negated imaginary part: the opposite rotation.
    @inlinable public var conjugate: Self { Self(vector: SIMD4(-imaginary, real)) }
    /// The opposite rotation; equal to `conjugate`, since the length is 1.
    @inlinable public var inverse: Self { conjugate }

    /// The quaternion scaled to length 1; the identity for the zero quaternion.
    @inlinable public var normalized: Self {
        let unit = normalize(vector)
        return unit == SIMD4(repeating: 0) ? .identity : Self(vector: unit)
    }

    /// Returns the Hamilton product, which applies the rotation `b` first, then `a`.
    @inlinable public static func * (a: Self, b: Self) -> Self {
        let (u, v) = (a.imaginary, b.imaginary)
        return Self(vector: SIMD4(a.real * v + b.real * u + cross(u, v), a.real * b.real - dot(u, v)))
    }

    /// Rotates a vector.
    @inlinable public func rotate(_ vector: SIMD3<Scalar>) -> SIMD3<Scalar> {
        let t = 2 * cross(imaginary, vector)
        return vector + real * t + cross(imaginary, t)
    }

    /// Creates the rotation nearest to `matrix`, whose columns may have any length. The real part is not negative.
    ///
    /// Divides by the largest component, which preserves the precision of all (Shepperd 1978).
    @inlinable public init(nearest matrix: Matrix3x3<Scalar>) {
        let (a, b, c) = (matrix.x.x, matrix.y.y, matrix.z.z)
        let (x, y, z) = (matrix.y.z - matrix.z.y, matrix.z.x - matrix.x.z, matrix.x.y - matrix.y.x)
        let q: SIMD4<Scalar>
        if a + b + c > 0 {
            q = SIMD4(x, y, z, 1 + a + b + c)
        } else if a >= b, a >= c {
            q = SIMD4(1 + a - b - c, matrix.y.x + matrix.x.y, matrix.z.x + matrix.x.z, x)
        } else if b >= c {
            q = SIMD4(matrix.y.x + matrix.x.y, 1 + b - a - c, matrix.z.y + matrix.y.z, y)
        } else {
            q = SIMD4(matrix.z.x + matrix.x.z, matrix.z.y + matrix.y.z, 1 + c - a - b, z)
        }
        self.init(vector: q / ((q * q).sum().squareRoot() * (q.w < 0 ? -1 : 1)))
    }
}

extension UnitQuaternion<Float> {
    /// Creates a rotation by `angle` about `axis`, which need not have length 1. An axis of length 0 gives the identity.
    @inlinable public init(angle: Angle, axis: Vector3) {
        let unit = normalize(axis)
        let half = angle.radians / 2
        vector = unit == Vector3(repeating: 0) ? Vector4(0, 0, 0, 1) : Vector4(unit * sin(half), cos(half))
    }

    /// Creates the rotation by the smallest angle that takes the direction `from` to the direction `to`.
    public init(from: Vector3, to: Vector3) {
        let a = normalize(from)
        let b = normalize(to)
        let axis = cross(a, b)
        if length(axis) < 1e-6 {
            self = dot(a, b) < 0 ? Quaternion(angle: .radians(.pi), axis: anyPerpendicular(a)) : .identity
        } else {
            // The chord lengths are twice the sine and the cosine of half the angle, which is exact for nearly opposite directions too.
            self = Quaternion(vector: Vector4(normalize(axis) * distance(a, b), length(a + b))).normalized
        }
    }

    /// Creates a rotation about x, then y, then z of the fixed axes (`roll` about z, `yaw` about y, `pitch` about x), in radians.
    public init(eulerAngles: Vector3) {
        let x = Quaternion(angle: .radians(eulerAngles.x), axis: Vector3(1, 0, 0))
        let y = Quaternion(angle: .radians(eulerAngles.y), axis: Vector3(0, 1, 0))
        let z = Quaternion(angle: .radians(eulerAngles.z), axis: Vector3(0, 0, 1))
        self = z * y * x
    }

    /// The angle of the rotation, 0…π.
    public var angle: Angle { .radians(2 * atan2(length(imaginary), abs(real))) }

    /// The inverse of `init(eulerAngles:)`; y is in −π/2…π/2.
    public var eulerAngles: Vector3 {
        let q = vector
        // Half the difference and half the sum of x and z follow from one pair of components each. This is precise near the poles too, where the
        // sine of y is not (Bernardes and Viollet 2022).
        let (north, south) = (Vector2(q.w - q.y, q.x + q.z), Vector2(q.w + q.y, q.x - q.z))
        let (northLength, southLength) = (length(north), length(south))
        let y = .pi / 2 - 2 * atan2(northLength, southLength)
        var halfSum = atan2(north.y, north.x)
        var halfDifference = atan2(south.y, south.x)
        // At the poles x and z rotate about the same axis: z gets the whole rotation.
        if northLength < 1e-6 * southLength { halfSum = -halfDifference }
        if southLength < 1e-6 * northLength { halfDifference = -halfSum }
        return Vector3(wrapped(halfSum + halfDifference), y, wrapped(halfSum - halfDifference))
    }

    /// Returns the same angle in −π…π; `angle` is at most one turn outside.
    private func wrapped(_ angle: Float) -> Float {
        if angle > .pi { return angle - 2 * .pi }
        return angle < -.pi ? angle + 2 * .pi : angle
    }

    /// Returns the rotation at the fraction `t` of the shorter arc from this one to `other`, at constant angular speed.
    public func slerp(to other: Quaternion, _ t: Float) -> Quaternion {
        var cosine = dot(vector, other.vector)
        let target = cosine < 0 ? -other.vector : other.vector
        cosine = abs(cosine)
        // For nearly equal rotations, interpolates linearly to avoid dividing by a small sine.
        guard cosine < 0.9995 else { return Quaternion(vector: mix(vector, target, t)).normalized }
        let angle = acos(cosine)
        return Quaternion(vector: (vector * sin((1 - t) * angle) + target * sin(t * angle)) / sin(angle))
    }
}
