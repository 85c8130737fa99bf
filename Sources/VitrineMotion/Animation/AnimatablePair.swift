/// Two values that are animated together. Nest pairs for more values.
public struct AnimatablePair<First: VectorArithmetic, Second: VectorArithmetic>: VectorArithmetic {
    /// The first value.
    public var first: First
    /// The second value.
    public var second: Second

    /// Creates a pair.
    public init(_ first: First, _ second: Second) { (self.first, self.second) = (first, second) }

    /// Zero in both values.
    public static var zero: AnimatablePair { AnimatablePair(.zero, .zero) }
    /// Adds both values.
    public static func + (a: AnimatablePair, b: AnimatablePair) -> AnimatablePair {
        AnimatablePair(a.first + b.first, a.second + b.second)
    }
    /// Subtracts both values.
    public static func - (a: AnimatablePair, b: AnimatablePair) -> AnimatablePair {
        AnimatablePair(a.first - b.first, a.second - b.second)
    }
    /// Returns the pair with both values multiplied by `factor`.
    public func scaled(by factor: Double) -> AnimatablePair {
        AnimatablePair(first.scaled(by: factor), second.scaled(by: factor))
    }
    /// The sum of the squared lengths of both values.
    public var magnitudeSquared: Double { first.magnitudeSquared + second.magnitudeSquared }
}

extension AnimatablePair: Hashable where First: Hashable, Second: Hashable {}
