import VitrineMath
import VitrineVision

extension Matrix3d {
    /// The rotation that a quaternion (x, y, z, w) stands for; its length doesn't matter, as long as there is one.
    public init(quaternion q: SIMD4<Double>) {
        let scale = 2 / (q * q).sum()
        let (x, y, z, w) = (q.x, q.y, q.z, q.w)
        self.init(
            rows: Vector3d(1 - scale * (y * y + z * z), scale * (x * y - z * w), scale * (x * z + y * w)),
            Vector3d(scale * (x * y + z * w), 1 - scale * (x * x + z * z), scale * (y * z - x * w)),
            Vector3d(scale * (x * z - y * w), scale * (y * z + x * w), 1 - scale * (x * x + y * y)))
    }

    /// A rotation's unit quaternion (x, y, z, w), w not negative. Divides by the largest component, so that none is lost.
    public var quaternion: SIMD4<Double> {
        let (a, b, c) = (x.x, y.y, z.z)
        let q: SIMD4<Double>
        if a + b + c > 0 {
            q = SIMD4(y.z - z.y, z.x - x.z, x.y - y.x, 1 + a + b + c)
        } else if a >= b, a >= c {
            q = SIMD4(1 + a - b - c, y.x + x.y, z.x + x.z, y.z - z.y)
        } else if b >= c {
            q = SIMD4(y.x + x.y, 1 + b - a - c, z.y + y.z, z.x - x.z)
        } else {
            q = SIMD4(z.x + x.z, z.y + y.z, 1 + c - a - b, x.y - y.x)
        }
        return q / ((q * q).sum().squareRoot() * (q.w < 0 ? -1 : 1))
    }

    /// A rotation's axis times its angle in radians, 0…π: what `Matrix3d.rotation` was given.
    public var rotationVector: Vector3d {
        let q = quaternion
        let axis = Vector3d(q.x, q.y, q.z)
        let sine = length(axis)
        // Below, the angle is twice the sine to the last digit.
        return sine < 1e-9 ? axis * 2 : axis * (2 * atan2(sine, q.w) / sine)
    }
}
