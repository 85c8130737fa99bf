/// What can be on its way from one value to another: vectors, and what is curved, as rotations.
///
/// The way between two values is an *offset*, a vector: what moves is the offset from the goal, which a spring or a curve takes to zero.
/// For vectors the offset is the difference, and nothing else is to be done. For rotations it is the rotation vector of the shortest turn.
public protocol Animatable: Equatable, Sendable {
    associatedtype Tangent: VectorArithmetic
    /// What takes `origin` here: `origin.moved(by: offset(from: origin)) == self`.
    func offset(from origin: Self) -> Tangent
    /// `self`, `offset` away.
    func moved(by offset: Tangent) -> Self
    /// The velocity of `origin.moved(by: offset)` while `offset` changes at `rate`.
    static func velocity(rate: Tangent, at offset: Tangent) -> Tangent
    /// The inverse: how fast the offset changes at a velocity.
    static func rate(velocity: Tangent, at offset: Tangent) -> Tangent
}

extension Animatable {
    public static func velocity(rate: Tangent, at offset: Tangent) -> Tangent { rate }
    public static func rate(velocity: Tangent, at offset: Tangent) -> Tangent { velocity }
}
