import VitrineMath
import VitrineVision

/// Validates transforms from apps, files and trackers.
enum TransformCheck {
    /// Throws unless a transform is finite, affine and invertible.
    static func requireInvertible(_ transform: Matrix4) throws(ARError) {
        guard transform.x.isFinite, transform.y.isFinite, transform.z.isFinite, transform.w.isFinite else {
            throw ARError(.invalidValue, "the transform is not finite: \(transform)")
        }
        guard Vector4(transform.x.w, transform.y.w, transform.z.w, transform.w.w) == Vector4(0, 0, 0, 1) else {
            throw ARError(.invalidValue, "the transform's last row is not 0, 0, 0, 1: \(transform)")
        }
        guard transform.linear.determinant.isNormal else { throw ARError(.invalidValue, "the transform has no volume: \(transform)") }
    }

    /// Converts a rigid transform to double precision with an exactly orthonormal rotation; throws if it is not rigid.
    static func rigid(_ transform: Matrix4) throws(ARError) -> RigidTransform {
        try requireInvertible(transform)
        let m = transform.linear
        let rotation = Matrix3d(Vector3d(m.x), Vector3d(m.y), Vector3d(m.z))
        guard isRotation(rotation, tolerance: 1e-3) else {
            throw ARError(.invalidValue, "the transform is not rigid: it scales, shears or mirrors: \(transform)")
        }
        return RigidTransform(rotation: orthonormal(rotation), translation: Vector3d(transform.translation))
    }

    static func isRotation(_ m: Matrix3d, tolerance: Double) -> Bool {
        let p = m.transpose * m
        let error = [p.x - Vector3d(1, 0, 0), p.y - Vector3d(0, 1, 0), p.z - Vector3d(0, 0, 1)].map(length).max() ?? 0
        // Written so that NaN fails.
        return error <= tolerance && m.determinant > 0
    }

    /// Whether a tracker's pose is finite and rigid.
    static func isPose(_ pose: RigidTransform) -> Bool { pose.translation.isFinite && isRotation(pose.rotation, tolerance: 1e-3) }

    private static func orthonormal(_ m: Matrix3d) -> Matrix3d {
        let x = normalize(m.x)
        let y = normalize(m.y - x * dot(m.y, x))
        return Matrix3d(x, y, cross(x, y))
    }
}
