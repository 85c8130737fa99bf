import VitrineMath

/// Rotations: the offset is a rotation vector (axis times angle, radians, about fixed axes), the velocity an angular velocity.
///
/// While the axis changes, the rate of the rotation vector and the angular velocity are not the same; the matrices between them are those of
/// Chirikjian, "Stochastic Models, Information Theory, and Lie Groups 2", 2012, 10.86.
extension Quaternion: Animatable {
    /// The logarithm of the shorter turn from `origin` to here: at most π long.
    public func offset(from origin: Quaternion) -> Vector3 {
        let turn = self * origin.inverse
        let shorter = turn.real < 0 ? Quaternion(vector: -turn.vector) : turn
        let sine = length(shorter.imaginary)
        // Twice the sine is the angle where both are small.
        guard sine > 1e-6 else { return 2 * shorter.imaginary }
        return shorter.imaginary * (2 * atan2(sine, shorter.real) / sine)
    }

    public func moved(by offset: Vector3) -> Quaternion {
        (Quaternion(rotationVector: offset) * self).normalized
    }

    /// A turn about the direction of `rotationVector` by as many radians as it is long.
    public init(rotationVector: Vector3) {
        let angle = length(rotationVector)
        // sin(θ/2)/θ, also where θ is nothing.
        let share = angle > 1e-4 ? sin(angle / 2) / angle : 0.5 - angle * angle / 48
        self.init(vector: Vector4(rotationVector * share, cos(angle / 2)))
    }

    public static func velocity(rate: Vector3, at offset: Vector3) -> Vector3 {
        let square = dot(offset, offset)
        let angle = square.squareRoot()
        let isSmall = angle < 0.05
        let a = isSmall ? 0.5 - square / 24 : (1 - cos(angle)) / square
        let b = isSmall ? 1 / 6 - square / 120 : (angle - sin(angle)) / (square * angle)
        let across = cross(offset, rate)
        return rate + a * across + b * cross(offset, across)
    }

    public static func rate(velocity: Vector3, at offset: Vector3) -> Vector3 {
        let square = dot(offset, offset)
        let angle = square.squareRoot()
        let b = angle < 0.05 ? 1 / 12 + square / 720 : 1 / square - cos(angle / 2) / (2 * angle * sin(angle / 2))
        let across = cross(offset, velocity)
        return velocity - 0.5 * across + b * cross(offset, across)
    }
}
