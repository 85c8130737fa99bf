/// Translation, rotation and scale: `matrix = T · R · S`.
public struct Transform: Equatable, Hashable, Sendable {
    /// Metres in the parent's frame.
    public var translation: Vector3
    public var rotation: Quaternion
    public var scale: Vector3

    @inlinable public init(
        translation: Vector3 = Vector3(repeating: 0), rotation: Quaternion = .identity, scale: Vector3 = Vector3(repeating: 1)
    ) {
        (self.translation, self.rotation, self.scale) = (translation, rotation, scale)
    }

    /// The nearest translation, rotation and scale to an affine matrix; shear is lost. A mirroring matrix gives a negative x scale.
    public init(_ matrix: Matrix4) {
        let m = matrix.linear
        var scale = Vector3(length(m.x), length(m.y), length(m.z))
        if m.determinant < 0 { scale.x = -scale.x }
        // Gram–Schmidt, so that a little shear or a zero scale still leaves a rotation.
        var x = normalize(m.x) * (scale.x < 0 ? -1 : 1)
        if x == Vector3(repeating: 0) { x = anyPerpendicular(normalize(m.y) == Vector3(repeating: 0) ? Vector3(0, 1, 0) : normalize(m.y)) }
        var y = normalize(m.y - dot(m.y, x) * x)
        if y == Vector3(repeating: 0) { y = anyPerpendicular(x) }
        self.init(translation: matrix.translation, rotation: Quaternion(Matrix3(x, y, cross(x, y))).normalized, scale: scale)
    }

    @inlinable public static var identity: Transform { Transform() }

    @inlinable public var matrix: Matrix4 {
        let r = Matrix3(rotation)
        return Matrix4(Matrix3(r.x * scale.x, r.y * scale.y, r.z * scale.z), translation: translation)
    }
}
