/// Functions of rotations that estimators use.
package enum Rotations {
    /// Returns the right Jacobian J of the exponential map: rotation(v + δ) ≈ rotation(v) rotation(J δ).
    package static func rightJacobian(_ vector: Vector3d) -> Matrix3d {
        let squared = lengthSquared(vector)
        let k = Matrix3d.skew(vector)
        guard squared > 1e-10 else { return .identity - k * 0.5 }
        let angle = squared.squareRoot()
        return .identity - k * ((1 - cos(angle)) / squared) + k * k * ((angle - sin(angle)) / (squared * angle))
    }

    /// Returns the rotation by the smallest angle that takes one unit vector to another.
    package static func shortest(from: Vector3d, to: Vector3d) -> Matrix3d {
        let axis = cross(from, to)
        let (sine, cosine) = (length(axis), dot(from, to))
        guard sine < 1e-9 else { return .rotation(axis * (atan2(sine, cosine) / sine)) }
        guard cosine < 0 else { return .identity }
        let other = abs(from.x) < 0.5 ? Vector3d(1, 0, 0) : Vector3d(0, 1, 0)
        return .rotation(normalize(cross(from, other)) * Double.pi)
    }

    /// Returns the rotation about +Y that is nearest to the rotation between two orientations: the difference of their headings.
    package static func heading(from: Matrix3d, to: Matrix3d) -> Matrix3d {
        let difference = to * from.transpose
        return Matrix3d.rotation(Vector3d(0, atan2(difference.z.x - difference.x.z, difference.x.x + difference.z.z), 0))
    }
}
