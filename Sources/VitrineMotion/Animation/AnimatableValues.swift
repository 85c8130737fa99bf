import VitrineMath

/// The offset of rotations is a rotation vector (axis times angle in radians, about fixed axes), the velocity an angular velocity.
///
/// While the axis changes, the rate of the rotation vector differs from the angular velocity; the Jacobians between them are those of
/// Chirikjian, "Stochastic Models, Information Theory, and Lie Groups 2", 2012, 10.86.
extension Quaternion: Animatable {
    /// Returns the rotation vector of the shorter rotation from `origin` to this one; its length is at most π.
    public func offset(from origin: Quaternion) -> Vector3 {
        let turn = self * origin.inverse
        let shorter = turn.real < 0 ? Quaternion(vector: -turn.vector) : turn
        let sine = length(shorter.imaginary)
        // For small angles, the angle is twice the sine.
        guard sine > 1e-6 else { return 2 * shorter.imaginary }
        return shorter.imaginary * (2 * atan2(sine, shorter.real) / sine)
    }

    /// Returns this rotation followed by the rotation of the rotation vector `offset`.
    public func moved(by offset: Vector3) -> Quaternion {
        (Quaternion(rotationVector: offset) * self).normalized
    }

    /// Creates the rotation about the direction of `rotationVector` by its length in radians.
    public init(rotationVector: Vector3) {
        let angle = length(rotationVector)
        // sin(θ/2)/θ, by its series for small θ.
        let share = angle > 1e-4 ? sin(angle / 2) / angle : 0.5 - angle * angle / 48
        self.init(vector: Vector4(rotationVector * share, cos(angle / 2)))
    }

    /// Returns the angular velocity in radians per second, while the rotation vector `offset` changes at `rate`.
    public static func velocity(rate: Vector3, at offset: Vector3) -> Vector3 {
        let square = dot(offset, offset)
        let angle = square.squareRoot()
        let isSmall = angle < 0.05
        let a = isSmall ? 0.5 - square / 24 : (1 - cos(angle)) / square
        let b = isSmall ? 1 / 6 - square / 120 : (angle - sin(angle)) / (square * angle)
        let across = cross(offset, rate)
        return rate + a * across + b * cross(offset, across)
    }

    /// Returns the rate of the rotation vector `offset` at this angular velocity.
    public static func rate(velocity: Vector3, at offset: Vector3) -> Vector3 {
        let square = dot(offset, offset)
        let angle = square.squareRoot()
        let b = angle < 0.05 ? 1 / 12 + square / 720 : 1 / square - cos(angle / 2) / (2 * angle * sin(angle / 2))
        let across = cross(offset, velocity)
        return velocity - 0.5 * across + b * cross(offset, across)
    }
}

/// Colours are animated as light: linear and premultiplied, so that transparent colours contribute no colour.
extension Color: Animatable {
    /// Returns the difference of the premultiplied linear components.
    public func offset(from origin: Color) -> Vector4 { premultiplied - origin.premultiplied }

    /// Returns the colour whose premultiplied linear components differ by `offset`; negative alpha becomes 0.
    public func moved(by offset: Vector4) -> Color {
        if offset == Vector4(repeating: 0) { return self }
        let light = premultiplied + offset
        let alpha = max(light.w, 0)
        return Color(linear: Vector4(alpha > 1e-6 ? light.xyz / alpha : linear.xyz, alpha))
    }
}
