import VitrineMath

/// A mass on a spring with a damper: how a value comes to rest at a target.
///
/// Three ways to say the same thing: what it feels like (`duration`, `bounce`), what it is made of (`mass`, `stiffness`, `damping`), or
/// how an engineer writes it (`response`, `dampingRatio`). The motion is the closed solution of m ẍ + c ẋ + k x = 0, so a step of one
/// second is as exact as sixty of a sixtieth.
///
/// ```swift
/// let spring = Spring(duration: 0.5, bounce: 0.3)
/// spring.stiffness                                  // 157.9
/// spring.damping                                    // 17.6
/// var (position, velocity): (Float, Float) = (0, 0)
/// spring.update(value: &position, velocity: &velocity, target: 1, deltaTime: 1 / 60)
/// ```
public struct Spring: Equatable, Hashable, Sendable {
    /// Kilograms, above 0.
    public let mass: Double
    /// Newtons a metre, above 0.
    public let stiffness: Double
    /// Newton seconds a metre, not below 0.
    public let damping: Double

    /// - Precondition: `mass` and `stiffness` are above 0, `damping` is not below 0, all finite.
    public init(mass: Double = 1, stiffness: Double, damping: Double) {
        precondition(mass > 0 && stiffness > 0 && damping >= 0, "a spring needs mass and stiffness above 0 and damping not below 0")
        precondition(mass.isFinite && stiffness.isFinite && damping.isFinite, "a spring's numbers must be finite")
        (self.mass, self.stiffness, self.damping) = (mass, stiffness, damping)
    }

    /// - Parameters:
    ///   - duration: The perceived length, seconds: the period of the same spring without damping. At least a millisecond is taken.
    ///   - bounce: 0 does not overshoot, towards 1 swings ever longer, towards −1 creeps. Held between −0.999 and 1.
    public init(duration: Double = 0.5, bounce: Double = 0) {
        let bounce = clamp(bounce, -0.999, 1)
        self.init(response: duration, dampingRatio: bounce >= 0 ? 1 - bounce : 1 / (1 + bounce))
    }

    /// - Parameters:
    ///   - response: The period of the same spring without damping, seconds. At least a millisecond is taken.
    ///   - dampingRatio: 0 never rests, below 1 overshoots, 1 is the fastest that doesn't, above 1 creeps. Not below 0.
    public init(response: Double, dampingRatio: Double) {
        let frequency = 2 * Double.pi / max(response, 1e-3)
        self.init(stiffness: frequency * frequency, damping: 2 * max(dampingRatio, 0) * frequency)
    }

    /// The spring that has settled, from 0 to 1 and starting at rest, to within `epsilon` after `settlingDuration` seconds.
    ///
    /// - Precondition: `dampingRatio` is above 0: an undamped spring never settles.
    public init(settlingDuration: Double, dampingRatio: Double, epsilon: Double = 0.001) {
        precondition(dampingRatio > 0, "an undamped spring never settles")
        let frequency = Spring.settlingPhase(dampingRatio: dampingRatio, epsilon: epsilon) / max(settlingDuration, 1e-3)
        self.init(stiffness: frequency * frequency, damping: 2 * dampingRatio * frequency)
    }

    /// No overshoot.
    public static let smooth = Spring(duration: 0.5, bounce: 0)
    /// A trace of overshoot.
    public static let snappy = Spring(duration: 0.5, bounce: 0.15)
    /// Overshoot that is seen.
    public static let bouncy = Spring(duration: 0.5, bounce: 0.3)
}

extension Spring {
    /// Radians a second, without damping.
    var naturalFrequency: Double { (stiffness / mass).squareRoot() }
    /// The period of the same spring without damping, seconds.
    public var response: Double { 2 * .pi / naturalFrequency }
    public var dampingRatio: Double { damping / (2 * (mass * stiffness).squareRoot()) }
    /// The perceived length, seconds; the same as `response`.
    public var duration: Double { response }
    public var bounce: Double { dampingRatio <= 1 ? 1 - dampingRatio : 1 / dampingRatio - 1 }

    /// Seconds until a motion from 0 to 1, starting at rest, stays within 0.001 of its target (of its envelope, where it swings).
    /// Infinite without damping.
    public var settlingDuration: Double {
        damping > 0 ? Spring.settlingPhase(dampingRatio: dampingRatio, epsilon: 0.001) / naturalFrequency : .infinity
    }

    /// The settling time of a spring with natural frequency 1. All springs of one damping ratio are this one, run faster or slower.
    static func settlingPhase(dampingRatio: Double, epsilon: Double) -> Double {
        let epsilon = clamp(epsilon, 1e-12, 0.999)
        if dampingRatio < 0.999_9 {
            // The envelope e^{−ζt} / √(1 − ζ²).
            let amplitude = 1 / (1 - dampingRatio * dampingRatio).squareRoot()
            let envelope = log(amplitude / epsilon) / dampingRatio
            guard dampingRatio > 0.9 else { return envelope }
            // Close to critical the envelope lies far above the motion, which is that of a critical spring.
            return min(envelope, settlingPhase(dampingRatio: 1, epsilon: epsilon))
        }
        // From rest the motion falls steadily: halve the interval that holds the answer.
        let unit = Spring(stiffness: 1, damping: 2 * dampingRatio)
        var (low, high) = (0.0, 1.0)
        while unit.propagator(after: high).valueFromValue > epsilon { high *= 2 }
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if unit.propagator(after: middle).valueFromValue > epsilon { low = middle } else { high = middle }
        }
        return high
    }
}
