/// Translation, rotation and scale: `matrix = T · R · S`.
public struct Transform: Equatable, Hashable, Sendable {
    /// The translation in metres, in the parent's frame.
    public var translation: Vector3
    /// The rotation as a unit quaternion, applied after the scale.
    public var rotation: Quaternion
    /// The scale along the local axes, applied first; negative factors mirror.
    public var scale: Vector3

    /// Creates a transform, by default the identity.
    @inlinable public init(
        translation: Vector3 = Vector3(repeating: 0), rotation: Quaternion = .identity, scale: Vector3 = Vector3(repeating: 1)
    ) {
        (self.translation, self.rotation, self.scale) = (translation, rotation, scale)
    }

    /// Creates the transform nearest to an affine matrix, without its shear. A mirroring matrix gives a negative x scale.
    public init(_ matrix: Matrix4) {
        let m = matrix.linear
        var scale = Vector3(length(m.x), length(m.y), length(m.z))
        if m.determinant < 0 { scale.x = -scale.x }
        // Gram–Schmidt. The direction of an axis with scale 0 follows from the others.
        let zero = Vector3(repeating: 0)
        var x = normalize(m.x) * (scale.x < 0 ? -1 : 1)
        if x == zero { x = normalize(cross(m.y, m.z)) }
        if x == zero { x = anyPerpendicular(m.y != zero ? normalize(m.y) : m.z != zero ? normalize(m.z) : .up) }
        var y = normalize(m.y - dot(m.y, x) * x)
        if y == zero { y = normalize(cross(m.z, x)) }
        if y == zero { y = anyPerpendicular(x) }
        self.init(translation: matrix.translation, rotation: Quaternion(Matrix3(x, y, cross(x, y))).normalized, scale: scale)
    }

    /// The identity transform: no translation, no rotation, scale 1.
    @inlinable public static var identity: Transform { Transform() }

    /// The matrix of the transform, from local to parent coordinates.
    @inlinable public var matrix: Matrix4 {
        let r = Matrix3(rotation)
        return Matrix4(Matrix3(r.x * scale.x, r.y * scale.y, r.z * scale.z), translation: translation)
    }
}
