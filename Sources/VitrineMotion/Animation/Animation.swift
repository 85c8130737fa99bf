/// How a value gets from where it is to where it shall be.
///
/// ```swift
/// offset.animate(to: 100, with: .spring(.bouncy), at: time)
/// offset.animate(to: 0, with: .easeInOut(duration: 0.3), at: time)
/// ```
public enum Animation: Equatable, Hashable, Sendable {
    /// At once.
    case none
    /// Takes the velocity over that is there.
    case spring(Spring)
    /// A velocity that is there is added to the curve and dies out within the duration, seconds.
    case timing(UnitCurve, duration: Double)
    /// Runs out with the velocity that is there, whatever the target.
    case coast(Deceleration)

    /// See `Spring.init(duration:bounce:)`.
    public static func spring(duration: Double = 0.5, bounce: Double = 0) -> Animation {
        .spring(Spring(duration: duration, bounce: bounce))
    }
    /// See `Spring.init(settlingDuration:dampingRatio:epsilon:)`: the duration is that of the whole motion.
    public static func spring(settlingDuration: Double, dampingRatio: Double) -> Animation {
        .spring(Spring(settlingDuration: settlingDuration, dampingRatio: dampingRatio))
    }
    public static func linear(duration: Double) -> Animation { .timing(.linear, duration: duration) }
    public static func easeIn(duration: Double) -> Animation { .timing(.easeIn, duration: duration) }
    public static func easeOut(duration: Double) -> Animation { .timing(.easeOut, duration: duration) }
    public static func easeInOut(duration: Double) -> Animation { .timing(.easeInOut, duration: duration) }

    /// The same for a person who asked for less motion: nothing overshoots or runs out, and all is over soon.
    ///
    /// Springs become critically damped and feel at most 0.25 s long; curves take at most 0.2 s and overshoot no more; what would coast stops.
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
