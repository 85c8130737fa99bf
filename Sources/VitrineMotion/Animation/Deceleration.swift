import VitrineMath

/// Exponential deceleration of a released motion: x + v τ (1 − e^{−t/τ}), which ends at a distance of v τ.
public struct Deceleration: Equatable, Hashable, Sendable {
    /// The time constant τ: the time in seconds in which the velocity decreases to 1/e.
    public let timeConstant: Double

    /// Creates a deceleration with a time constant.
    ///
    /// - Parameter timeConstant: Seconds, clamped to at least 1 ms.
    public init(timeConstant: Double) { self.timeConstant = timeConstant > 1e-3 ? timeConstant : 1e-3 }

    /// Creates a deceleration with a rate per millisecond.
    ///
    /// - Parameter rate: The factor on the velocity per millisecond, between 0 and 1, as `UIScrollView` defines it.
    public init(ratePerMillisecond rate: Double) {
        self.init(timeConstant: -0.001 / log(clamp(rate, 1e-9, 1 - 1e-9)))
    }

    /// 0.998 per millisecond, as in scrolling pages: a time constant of 0.4995 s.
    public static let normal = Deceleration(ratePerMillisecond: 0.998)
    /// A fast deceleration: the rate 0.99 per millisecond, a time constant of 0.0995 s.
    public static let fast = Deceleration(ratePerMillisecond: 0.99)

    /// Returns the end of a motion that starts at `value` with `velocity`, in units per second.
    public func projectedEnd<V: VectorArithmetic>(of value: V, velocity: V) -> V { value + velocity.scaled(by: timeConstant) }

    /// Returns the value `time` seconds after the start.
    public func value<V: VectorArithmetic>(from value: V, velocity: V, after time: Double) -> V {
        MotionPath.coast(from: value, velocity: velocity, timeConstant: timeConstant).value(after: time)
    }

    /// Returns the velocity `time` seconds after the start.
    public func velocity<V: VectorArithmetic>(from velocity: V, after time: Double) -> V {
        velocity.scaled(by: exp(-max(time, 0) / timeConstant))
    }

    /// Returns the seconds until the motion reaches `edge`; nil if it ends before.
    public func time(from value: Double, velocity: Double, reaching edge: Double) -> Double? {
        guard velocity != 0, edge != value else { return edge == value ? 0 : nil }
        let left = 1 - (edge - value) / (velocity * timeConstant)
        guard left > 0, left <= 1 else { return nil }
        return -timeConstant * log(left)
    }
}
