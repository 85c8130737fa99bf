/// The way in which a value moves to its target.
///
/// ```swift
/// offset.animate(to: 100, with: .spring(.bouncy), at: time)
/// offset.animate(to: 0, with: .easeInOut(duration: 0.3), at: time)
/// ```
public enum Animation: Equatable, Hashable, Sendable {
    /// Jumps to the target.
    case none
    /// A spring that continues with the current velocity.
    case spring(Spring)
    /// A timing curve over a duration in seconds. The current velocity is added and decays within the duration.
    case timing(UnitCurve, duration: Double)
    /// Decelerates from the current velocity. Ignores the target.
    case coast(Deceleration)

    /// Returns a spring animation, as `Spring.init(duration:bounce:)` defines it.
    public static func spring(duration: Double = 0.5, bounce: Double = 0) -> Animation {
        .spring(Spring(duration: duration, bounce: bounce))
    }
    /// Returns a spring animation, as `Spring.init(settlingDuration:dampingRatio:epsilon:)` defines it.
    public static func spring(settlingDuration: Double, dampingRatio: Double) -> Animation {
        .spring(Spring(settlingDuration: settlingDuration, dampingRatio: dampingRatio))
    }
    /// A timing curve over `duration` seconds; see `UnitCurve`.
    public static func linear(duration: Double) -> Animation { .timing(.linear, duration: duration) }
    /// A timing curve over `duration` seconds; see `UnitCurve`.
    public static func easeIn(duration: Double) -> Animation { .timing(.easeIn, duration: duration) }
    /// A timing curve over `duration` seconds; see `UnitCurve`.
    public static func easeOut(duration: Double) -> Animation { .timing(.easeOut, duration: duration) }
    /// A timing curve over `duration` seconds; see `UnitCurve`.
    public static func easeInOut(duration: Double) -> Animation { .timing(.easeInOut, duration: duration) }

    /// The animation for users who prefer reduced motion.
    ///
    /// Springs become critically damped with a perceived duration of at most 0.25 s; curves take at most 0.2 s and do not overshoot; coasting
    /// stops at once.
    public var reduced: Animation {
        switch self {
        case .none, .coast: .none
        case .spring(let spring): .spring(Spring(response: min(spring.response, 0.25), dampingRatio: 1))
        case .timing(let curve, let duration): .timing(curve.overshoots ? .easeInOut : curve, duration: min(duration, 0.2))
        }
    }
}

extension UnitCurve {
    var overshoots: Bool {
        if case .bezier(_, let y1, _, let y2) = self { !(0...1).contains(y1) || !(0...1).contains(y2) } else { false }
    }
}
