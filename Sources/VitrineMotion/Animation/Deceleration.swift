import VitrineMath

/// How fast what was thrown slows down: its velocity falls by the same factor in each millisecond.
///
/// The path is x + v τ (1 − e^{−t/τ}); the end lies v τ away.
public struct Deceleration: Equatable, Hashable, Sendable {
    /// Seconds in which the velocity falls to 1/e.
    public let timeConstant: Double

    /// - Parameter timeConstant: At least a millisecond is taken.
    public init(timeConstant: Double) { self.timeConstant = timeConstant > 1e-3 ? timeConstant : 1e-3 }

    /// - Parameter ratePerMillisecond: What is left of the velocity after a millisecond, above 0 and below 1, as `UIScrollView` counts.
    public init(ratePerMillisecond rate: Double) {
        self.init(timeConstant: -0.001 / log(clamp(rate, 1e-9, 1 - 1e-9)))
    }

    /// 0.998 a millisecond, as pages scroll: a time constant of 0.4995 s.
    public static let normal = Deceleration(ratePerMillisecond: 0.998)
    /// 0.99 a millisecond: a time constant of 0.0995 s.
    public static let fast = Deceleration(ratePerMillisecond: 0.99)

    /// Where a motion ends that is at `value` with `velocity`, units a second.
    public func projectedEnd<V: VectorArithmetic>(of value: V, velocity: V) -> V { value + velocity.scaled(by: timeConstant) }

    public func value<V: VectorArithmetic>(from value: V, velocity: V, after time: Double) -> V {
        MotionPath.coast(from: value, velocity: velocity, timeConstant: timeConstant).value(after: time)
    }

    public func velocity<V: VectorArithmetic>(from velocity: V, after time: Double) -> V {
        velocity.scaled(by: exp(-max(time, 0) / timeConstant))
    }

    /// Seconds until a motion passes `edge`; nil: it ends before.
    public func time(from value: Double, velocity: Double, reaching edge: Double) -> Double? {
        guard velocity != 0, edge != value else { return edge == value ? 0 : nil }
        let left = 1 - (edge - value) / (velocity * timeConstant)
        guard left > 0, left <= 1 else { return nil }
        return -timeConstant * log(left)
    }
}
