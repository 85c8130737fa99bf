/// A 3×3 matrix in single precision.
public typealias Matrix3 = Matrix3x3<Float>
/// A 3×3 matrix in double precision.
public typealias Matrix3d = Matrix3x3<Double>

/// A 3×3 matrix, stored by columns; vectors are columns: `matrix * vector`.
@frozen public struct Matrix3x3<Scalar: RealScalar>: Equatable, Hashable, Sendable {
    /// The columns: the images of the three axes.
    public var x, y, z: SIMD3<Scalar>

    /// Creates a matrix from its columns.
    @inlinable public init(_ x: SIMD3<Scalar>, _ y: SIMD3<Scalar>, _ z: SIMD3<Scalar>) { (self.x, self.y, self.z) = (x, y, z) }

    /// Creates a matrix from its rows, the order of calibration files.
    @inlinable public init(rows a: SIMD3<Scalar>, _ b: SIMD3<Scalar>, _ c: SIMD3<Scalar>) {
        self.init(SIMD3(a.x, b.x, c.x), SIMD3(a.y, b.y, c.y), SIMD3(a.z, b.z, c.z))
    }

    /// The rotation matrix of a quaternion of length 1.
    @inlinable public init(_ quaternion: UnitQuaternion<Scalar>) {
        let v = quaternion.vector
        let d = v + v
        let (xx, yy, zz) = (v.x * d.x, v.y * d.y, v.z * d.z)
        let (xy, xz, yz) = (v.x * d.y, v.x * d.z, v.y * d.z)
        let (wx, wy, wz) = (v.w * d.x, v.w * d.y, v.w * d.z)
        x = SIMD3(1 - (yy + zz), xy + wz, xz - wy)
        y = SIMD3(xy - wz, 1 - (xx + zz), yz + wx)
        z = SIMD3(xz + wy, yz - wx, 1 - (xx + yy))
    }

    /// The identity matrix.
    @inlinable public static var identity: Self { Self(SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)) }
    /// The matrix whose elements are 0.
    @inlinable public static var zero: Self { Self(.zero, .zero, .zero) }

    /// The determinant: the factor by which the matrix changes volumes; negative if it mirrors.
    @inlinable public var determinant: Scalar { dot(x, cross(y, z)) }
    /// The sum of the diagonal elements.
    @inlinable public var trace: Scalar { x.x + y.y + z.z }
    /// The matrix with rows and columns exchanged: the inverse of a rotation matrix.
    @inlinable public var transpose: Self { Self(SIMD3(x.x, y.x, z.x), SIMD3(x.y, y.y, z.y), SIMD3(x.z, y.z, z.z)) }

    /// The cofactor matrix. It maps normals where this matrix maps points, up to the factor `determinant`.
    @inlinable public var cofactor: Self { Self(cross(y, z), cross(z, x), cross(x, y)) }

    /// The inverse. The inverse of a singular matrix is not finite.
    @inlinable public var inverse: Self {
        let c = cofactor
        let d = 1 / dot(x, c.x)
        return Self(c.x * d, c.y * d, c.z * d).transpose
    }

    /// Returns the matrix times a column vector.
    @inlinable public static func * (m: Self, v: SIMD3<Scalar>) -> SIMD3<Scalar> { m.x * v.x + m.y * v.y + m.z * v.z }
    /// Returns the matrix product, which applies `b` first, then `a`.
    @inlinable public static func * (a: Self, b: Self) -> Self { Self(a * b.x, a * b.y, a * b.z) }
    /// Returns the matrix with every element multiplied by a number.
    @inlinable public static func * (m: Self, s: Scalar) -> Self { Self(m.x * s, m.y * s, m.z * s) }
    /// Returns the sum, element by element.
    @inlinable public static func + (a: Self, b: Self) -> Self { Self(a.x + b.x, a.y + b.y, a.z + b.z) }
    /// Returns the difference, element by element.
    @inlinable public static func - (a: Self, b: Self) -> Self { Self(a.x - b.x, a.y - b.y, a.z - b.z) }
}

extension Matrix3x3 {
    /// Returns the matrix of the cross product: `skew(a) * b == cross(a, b)`.
    @inlinable package static func skew(_ a: SIMD3<Scalar>) -> Self {
        Self(rows: SIMD3(0, -a.z, a.y), SIMD3(a.z, 0, -a.x), SIMD3(-a.y, a.x, 0))
    }

    /// Returns the outer product a bᵀ.
    @inlinable package static func outer(_ a: SIMD3<Scalar>, _ b: SIMD3<Scalar>) -> Self { Self(a * b.x, a * b.y, a * b.z) }

    /// Returns the diagonal matrix with the given elements.
    @inlinable package static func diagonal(_ elements: SIMD3<Scalar>) -> Self {
        Self(SIMD3(elements.x, 0, 0), SIMD3(0, elements.y, 0), SIMD3(0, 0, elements.z))
    }

    /// Returns the rotation about `vector`'s direction by its length in radians (Rodrigues' formula): the exponential map of SO(3).
    @inlinable package static func rotation(_ vector: SIMD3<Scalar>) -> Self {
        let angle = length(vector)
        let k = skew(vector)
        // For smaller angles, sin(angle) / angle rounds to 1.
        guard angle > 1e-8 else { return identity + k }
        let half = Scalar.sine(angle / 2) / angle
        return identity + k * (Scalar.sine(angle) / angle) + k * k * (2 * half * half)
    }

    /// The rotation vector of a rotation matrix: its axis times its angle in radians, 0…π. The inverse of `rotation(_:)`.
    @inlinable package var rotationVector: SIMD3<Scalar> {
        let q = quaternion
        let axis = SIMD3(q.x, q.y, q.z)
        let sine = length(axis)
        // For smaller sines, the angle rounds to twice the sine.
        return sine < 1e-9 ? axis * 2 : axis * (2 * Scalar.arcTangent(y: sine, x: q.w) / sine)
    }

    /// The unit quaternion (x, y, z, w) of a rotation matrix, w ≥ 0.
    @inlinable package var quaternion: SIMD4<Scalar> { UnitQuaternion(nearest: self).vector }

    /// The rotation of a quaternion (x, y, z, w) of any length except 0.
    @inlinable package init(quaternion q: SIMD4<Scalar>) {
        let scale = 2 / (q * q).sum()
        let (x, y, z, w) = (q.x, q.y, q.z, q.w)
        let (xx, yy, zz) = (x * x, y * y, z * z)
        let (xy, xz, yz) = (x * y, x * z, y * z)
        let (xw, yw, zw) = (x * w, y * w, z * w)
        self.init(
            rows: SIMD3(1 - scale * (yy + zz), scale * (xy - zw), scale * (xz + yw)),
            SIMD3(scale * (xy + zw), 1 - scale * (xx + zz), scale * (yz - xw)),
            SIMD3(scale * (xz - yw), scale * (yz + xw), 1 - scale * (xx + yy)))
    }

    /// The rotation matrix nearest to this one, which removes rounding errors (Gram–Schmidt on the first two columns).
    @inlinable package var orthonormalized: Self {
        let first = normalize(x)
        let second = normalize(y - first * dot(first, y))
        return Self(first, second, cross(first, second))
    }
}
