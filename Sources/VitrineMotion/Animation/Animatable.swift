import VitrineMath

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

/// Two values that move as one; pairs of pairs make more.
public struct AnimatablePair<First: VectorArithmetic, Second: VectorArithmetic>: VectorArithmetic {
    public var first: First
    public var second: Second

    public init(_ first: First, _ second: Second) { (self.first, self.second) = (first, second) }

    public static var zero: AnimatablePair { AnimatablePair(.zero, .zero) }
    public static func + (a: AnimatablePair, b: AnimatablePair) -> AnimatablePair {
        AnimatablePair(a.first + b.first, a.second + b.second)
    }
    public static func - (a: AnimatablePair, b: AnimatablePair) -> AnimatablePair {
        AnimatablePair(a.first - b.first, a.second - b.second)
    }
    public func scaled(by factor: Double) -> AnimatablePair {
        AnimatablePair(first.scaled(by: factor), second.scaled(by: factor))
    }
    public var magnitudeSquared: Double { first.magnitudeSquared + second.magnitudeSquared }
}

extension AnimatablePair: Hashable where First: Hashable, Second: Hashable {}

/// Colours go over into each other as light does: linear and premultiplied, so that what is clear has no colour to give.
extension Color: Animatable {
    public func offset(from origin: Color) -> Vector4 { premultiplied - origin.premultiplied }

    public func moved(by offset: Vector4) -> Color {
        if offset == Vector4(repeating: 0) { return self }
        let light = premultiplied + offset
        let alpha = max(light.w, 0)
        return Color(linear: Vector4(alpha > 1e-6 ? light.xyz / alpha : linear.xyz, alpha))
    }
}
