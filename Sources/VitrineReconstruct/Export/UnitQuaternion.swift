import VitrineVision

/// A rotation in double precision, as files write it.
struct UnitQuaternion: Equatable {
    var w, x, y, z: Double

    init(w: Double, x: Double, y: Double, z: Double) { (self.w, self.x, self.y, self.z) = (w, x, y, z) }

    /// Of a rotation matrix; w ≥ 0. From the largest of the four squares, so that nothing cancels (Shepperd, 1978).
    init(_ m: Matrix3d) {
        let squares = [m.trace, m.x.x, m.y.y, m.z.z]
        let largest = squares.indices.reduce(0) { squares[$1] > squares[$0] ? $1 : $0 }
        let root = (1 + 2 * squares[largest] - m.trace).squareRoot()
        let s = 0.5 / root
        switch largest {
        case 0: self.init(w: root / 2, x: (m.y.z - m.z.y) * s, y: (m.z.x - m.x.z) * s, z: (m.x.y - m.y.x) * s)
        case 1: self.init(w: (m.y.z - m.z.y) * s, x: root / 2, y: (m.x.y + m.y.x) * s, z: (m.z.x + m.x.z) * s)
        case 2: self.init(w: (m.z.x - m.x.z) * s, x: (m.x.y + m.y.x) * s, y: root / 2, z: (m.y.z + m.z.y) * s)
        default: self.init(w: (m.x.y - m.y.x) * s, x: (m.z.x + m.x.z) * s, y: (m.y.z + m.z.y) * s, z: root / 2)
        }
        if w < 0 { (w, x, y, z) = (-w, -x, -y, -z) }
    }

    /// The matrix; nil for a quaternion too near to zero. It need not have length 1.
    var matrix: Matrix3d? {
        let length = (w * w + x * x + y * y + z * z).squareRoot()
        guard length.isFinite, length > 1e-6 else { return nil }
        let (a, b, c, d) = (w / length, x / length, y / length, z / length)
        return Matrix3d(
            rows: Vector3d(1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)),
            Vector3d(2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)),
            Vector3d(2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)))
    }
}
