/// A 3×3 matrix, stored by columns; vectors are columns: `matrix * vector`.
public struct Matrix3: Equatable, Hashable, Sendable {
    /// The columns: the images of the three axes.
    public var x, y, z: Vector3

    @inlinable public init(_ x: Vector3, _ y: Vector3, _ z: Vector3) { (self.x, self.y, self.z) = (x, y, z) }

    /// The matrix of a unit quaternion.
    @inlinable public init(_ q: Quaternion) {
        let v = q.vector
        let d = v + v
        let (xx, yy, zz) = (v.x * d.x, v.y * d.y, v.z * d.z)
        let (xy, xz, yz) = (v.x * d.y, v.x * d.z, v.y * d.z)
        let (wx, wy, wz) = (v.w * d.x, v.w * d.y, v.w * d.z)
        x = Vector3(1 - (yy + zz), xy + wz, xz - wy)
        y = Vector3(xy - wz, 1 - (xx + zz), yz + wx)
        z = Vector3(xz + wy, yz - wx, 1 - (xx + yy))
    }

    @inlinable public static var identity: Matrix3 { Matrix3(Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)) }

    @inlinable public var determinant: Float { dot(x, cross(y, z)) }
    @inlinable public var transpose: Matrix3 { Matrix3(Vector3(x.x, y.x, z.x), Vector3(x.y, y.y, z.y), Vector3(x.z, y.z, z.z)) }

    /// The cofactor matrix: what takes normals along where this takes points, up to a positive or negative factor (the determinant).
    @inlinable public var cofactor: Matrix3 { Matrix3(cross(y, z), cross(z, x), cross(x, y)) }

    /// A singular matrix gives a matrix that is not finite.
    @inlinable public var inverse: Matrix3 {
        let c = cofactor
        let d = 1 / dot(x, c.x)
        return Matrix3(c.x * d, c.y * d, c.z * d).transpose
    }

    @inlinable public static func * (m: Matrix3, v: Vector3) -> Vector3 { m.x * v.x + m.y * v.y + m.z * v.z }
    @inlinable public static func * (a: Matrix3, b: Matrix3) -> Matrix3 { Matrix3(a * b.x, a * b.y, a * b.z) }
}
