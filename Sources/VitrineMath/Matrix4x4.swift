/// A 4×4 matrix in single precision.
public typealias Matrix4 = Matrix4x4<Float>
/// A 4×4 matrix in double precision.
package typealias Matrix4d = Matrix4x4<Double>

/// A 4×4 matrix, stored by columns; vectors are columns: `worldFromLocal * pointInLocal`.
@frozen public struct Matrix4x4<Scalar: RealScalar>: Equatable, Hashable, Sendable {
    /// The columns; `w` is the translation of an affine matrix.
    public var x, y, z, w: SIMD4<Scalar>

    /// Creates a matrix from its columns.
    @inlinable public init(_ x: SIMD4<Scalar>, _ y: SIMD4<Scalar>, _ z: SIMD4<Scalar>, _ w: SIMD4<Scalar>) {
        (self.x, self.y, self.z, self.w) = (x, y, z, w)
    }

    /// Creates an affine matrix from its linear part and a translation.
    @inlinable public init(_ linear: Matrix3x3<Scalar>, translation: SIMD3<Scalar> = SIMD3(repeating: 0)) {
        self.init(SIMD4(linear.x, 0), SIMD4(linear.y, 0), SIMD4(linear.z, 0), SIMD4(translation, 1))
    }

    /// Creates a translation.
    @inlinable public init(translation: SIMD3<Scalar>) { self.init(.identity, translation: translation) }
    /// Creates a scale along the three axes.
    @inlinable public init(scale: SIMD3<Scalar>) {
        self.init(SIMD4(scale.x, 0, 0, 0), SIMD4(0, scale.y, 0, 0), SIMD4(0, 0, scale.z, 0), SIMD4(0, 0, 0, 1))
    }

    /// The identity matrix.
    @inlinable public static var identity: Self { Self(.identity) }

    /// The translation of an affine matrix: the first three elements of the column `w`.
    @inlinable public var translation: SIMD3<Scalar> { w.xyz }
    /// The upper left 3×3 part.
    @inlinable public var linear: Matrix3x3<Scalar> { Matrix3x3(x.xyz, y.xyz, z.xyz) }

    /// Returns the matrix times a column vector.
    @inlinable public static func * (m: Self, v: SIMD4<Scalar>) -> SIMD4<Scalar> { m.x * v.x + m.y * v.y + (m.z * v.z + m.w * v.w) }
    /// Returns the matrix product, which applies `b` first, then `a`.
    @inlinable public static func * (a: Self, b: Self) -> Self { Self(a * b.x, a * b.y, a * b.z, a * b.w) }

    /// Transforms a point by an affine matrix (no division by w).
    @inlinable public func transform(point p: SIMD3<Scalar>) -> SIMD3<Scalar> { (x * p.x + y * p.y + (z * p.z + w)).xyz }
    /// Transforms a direction: ignores the translation; the length changes with the scale.
    @inlinable public func transform(direction d: SIMD3<Scalar>) -> SIMD3<Scalar> { (x * d.x + y * d.y + z * d.z).xyz }
    /// Transforms a point and divides by w, for projections.
    @inlinable public func project(_ p: SIMD3<Scalar>) -> SIMD3<Scalar> {
        let h = self * SIMD4(p, 1)
        return h.xyz / h.w
    }

    /// The matrix with rows and columns exchanged.
    @inlinable public var transpose: Self {
        Self(
            SIMD4(x.x, y.x, z.x, w.x), SIMD4(x.y, y.y, z.y, w.y),
            SIMD4(x.z, y.z, z.z, w.z), SIMD4(x.w, y.w, z.w, w.w))
    }

    /// The inverse of an affine matrix (last row 0, 0, 0, 1): cheaper and more exact than `inverse`.
    @inlinable public var affineInverse: Self {
        let inverse = linear.inverse
        return Self(inverse, translation: -(inverse * translation))
    }

    /// The determinant, which for an affine matrix equals that of `linear`.
    @inlinable public var determinant: Scalar {
        let (a, b, c, d) = minors
        return x.x * a - y.x * b + z.x * c - w.x * d
    }

    /// The 3×3 minors of the first row.
    @inlinable var minors: (Scalar, Scalar, Scalar, Scalar) {
        func det(_ a: SIMD4<Scalar>, _ b: SIMD4<Scalar>, _ c: SIMD4<Scalar>) -> Scalar {
            dot(SIMD3(a.y, a.z, a.w), cross(SIMD3(b.y, b.z, b.w), SIMD3(c.y, c.z, c.w)))
        }
        return (det(y, z, w), det(x, z, w), det(x, y, w), det(x, y, z))
    }

    /// The inverse, computed from cofactors. The inverse of a singular matrix is not finite.
    @inlinable public var inverse: Self {
        let s0 = x.x * y.y - x.y * y.x
        let s1 = x.x * y.z - x.z * y.x
        let s2 = x.x * y.w - x.w * y.x
        let s3 = x.y * y.z - x.z * y.y
        let s4 = x.y * y.w - x.w * y.y
        let s5 = x.z * y.w - x.w * y.z
        let c5 = z.z * w.w - z.w * w.z
        let c4 = z.y * w.w - z.w * w.y
        let c3 = z.y * w.z - z.z * w.y
        let c2 = z.x * w.w - z.w * w.x
        let c1 = z.x * w.z - z.z * w.x
        let c0 = z.x * w.y - z.y * w.x
        var d: Scalar = s0 * c5 - s1 * c4
        d += s2 * c3 + s3 * c2
        d += s5 * c0 - s4 * c1
        let i = 1 / d
        let c0x = (y.y * c5 - y.z * c4 + y.w * c3) * i
        let c0y = (x.z * c4 - x.y * c5 - x.w * c3) * i
        let c0z = (w.y * s5 - w.z * s4 + w.w * s3) * i
        let c0w = (z.z * s4 - z.y * s5 - z.w * s3) * i
        let c1x = (y.z * c2 - y.x * c5 - y.w * c1) * i
        let c1y = (x.x * c5 - x.z * c2 + x.w * c1) * i
        let c1z = (w.z * s2 - w.x * s5 - w.w * s1) * i
        let c1w = (z.x * s5 - z.z * s2 + z.w * s1) * i
        let c2x = (y.x * c4 - y.y * c2 + y.w * c0) * i
        let c2y = (x.y * c2 - x.x * c4 - x.w * c0) * i
        let c2z = (w.x * s4 - w.y * s2 + w.w * s0) * i
        let c2w = (z.y * s2 - z.x * s4 - z.w * s0) * i
        let c3x = (y.y * c1 - y.x * c3 - y.z * c0) * i
        let c3y = (x.x * c3 - x.y * c1 + x.z * c0) * i
        let c3z = (w.y * s1 - w.x * s3 - w.z * s0) * i
        let c3w = (z.x * s3 - z.y * s1 + z.z * s0) * i
        return Self(
            SIMD4(c0x, c0y, c0z, c0w), SIMD4(c1x, c1y, c1z, c1w),
            SIMD4(c2x, c2y, c2z, c2w), SIMD4(c3x, c3y, c3z, c3w))
    }
}

extension Matrix4 {
    /// Returns the pose `worldFromCamera` of a camera at `eye` whose −Z axis points at `target`.
    ///
    /// If the view direction is parallel to `up`, an arbitrary perpendicular direction replaces `up`.
    public static func lookAt(eye: Vector3, target: Vector3, up: Vector3 = .up) -> Matrix4 {
        var back = normalize(eye - target)
        if back == Vector3(repeating: 0) { back = Vector3(0, 0, 1) }
        var right = normalize(cross(up, back))
        if right == Vector3(repeating: 0) { right = anyPerpendicular(back) }
        return Matrix4(Matrix3(right, cross(back, right), back), translation: eye)
    }

    /// Returns a perspective projection to WebGPU's clip space (x, y in −w…w with y up, depth 0 at `near` and 1 at `far`).
    ///
    /// `far` may be infinite. For a reversed depth buffer, swap the values of `near` and `far`.
    public static func perspective(fieldOfViewY: Angle, aspectRatio: Float, near: Float, far: Float) -> Matrix4 {
        let f = 1 / tan(fieldOfViewY.radians / 2)
        let (a, b): (Float, Float)
        if far == .infinity {
            (a, b) = (-1, -near)
        } else if near == .infinity {
            (a, b) = (0, far)
        } else {
            (a, b) = (far / (near - far), near * far / (near - far))
        }
        return Matrix4(Vector4(f / aspectRatio, 0, 0, 0), Vector4(0, f, 0, 0), Vector4(0, 0, a, -1), Vector4(0, 0, b, 0))
    }

    /// Returns an orthographic projection of a box of `width` × `height` around the view axis to WebGPU's clip space. For reversed depth, swap the
    /// values of `near` and `far`.
    public static func orthographic(width: Float, height: Float, near: Float, far: Float) -> Matrix4 {
        let d = 1 / (near - far)
        return Matrix4(Vector4(2 / width, 0, 0, 0), Vector4(0, 2 / height, 0, 0), Vector4(0, 0, d, 0), Vector4(0, 0, near * d, 1))
    }
}

extension Matrix4 {
    /// Returns whether every element differs from the other's by at most `tolerance`, relative to the greater of 1 and the column's length.
    public func isClose(to other: Matrix4, tolerance: Float = 1e-5) -> Bool {
        func close(_ a: Vector4, _ b: Vector4) -> Bool { length(a - b) <= tolerance * max(1, length(b)) }
        return close(x, other.x) && close(y, other.y) && close(z, other.z) && close(w, other.w)
    }
}
