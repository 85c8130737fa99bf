/// A type whose values can be animated: vectors, and curved spaces such as rotations.
///
/// The difference between two values is an *offset*, a vector. An animation takes the offset from the target to zero. For vectors, the offset
/// is the difference; for rotations, the rotation vector of the shortest rotation.
public protocol Animatable: Equatable, Sendable {
    /// The type of offsets and velocities.
    associatedtype Tangent: VectorArithmetic
    /// Returns the offset from `origin` to this value: `origin.moved(by: offset(from: origin)) == self`.
    func offset(from origin: Self) -> Tangent
    /// Returns this value moved by an offset.
    func moved(by offset: Tangent) -> Self
    /// Returns the velocity of `origin.moved(by: offset)` while `offset` changes at `rate`.
    static func velocity(rate: Tangent, at offset: Tangent) -> Tangent
    /// Returns the rate of the offset for a velocity: the inverse of `velocity(rate:at:)`.
    static func rate(velocity: Tangent, at offset: Tangent) -> Tangent
}

extension Animatable {
    /// Default implementation for vectors: returns the rate itself.
    public static func velocity(rate: Tangent, at offset: Tangent) -> Tangent { rate }
    /// Default implementation for vectors: returns the velocity itself.
    public static func rate(velocity: Tangent, at offset: Tangent) -> Tangent { velocity }
}
