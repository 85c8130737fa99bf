import VitrineMath

/// A damped spring that moves a value to a target.
///
/// Three parametrizations describe the same spring: by perception (`duration`, `bounce`), by physics (`mass`, `stiffness`, `damping`), and by
/// `response` and `dampingRatio`. The motion is the closed-form solution of m ẍ + c ẋ + k x = 0, so that its accuracy does not depend on the
/// step size.
///
/// ```swift
/// let spring = Spring(duration: 0.5, bounce: 0.3)
/// spring.stiffness                                  // 157.9
/// spring.damping                                    // 17.6
/// var (position, velocity): (Float, Float) = (0, 0)
/// spring.update(value: &position, velocity: &velocity, target: 1, deltaTime: 1 / 60)
/// ```
public struct Spring: Equatable, Hashable, Sendable {
    /// The mass in kilograms, above 0.
    public let mass: Double
    /// The stiffness in newtons per metre, above 0.
    public let stiffness: Double
    /// The damping in newton seconds per metre, at least 0.
    public let damping: Double

    /// Creates a spring from its physical parameters.
    ///
    /// - Precondition: `mass` and `stiffness` are above 0, `damping` is at least 0, all finite.
    public init(mass: Double = 1, stiffness: Double, damping: Double) {
        precondition(mass > 0 && stiffness > 0 && damping >= 0, "mass and stiffness must be above 0, damping at least 0")
        precondition(mass.isFinite && stiffness.isFinite && damping.isFinite, "mass, stiffness and damping must be finite")
        (self.mass, self.stiffness, self.damping) = (mass, stiffness, damping)
    }

    /// Creates a spring from its perceived duration and bounce.
    ///
    /// - Parameters:
    ///   - duration: The perceived duration in seconds: the period of the undamped spring. Clamped to at least 1 ms.
    ///   - bounce: 0 does not overshoot, values towards 1 oscillate longer, values towards −1 are overdamped. Clamped to −0.999…1.
    public init(duration: Double = 0.5, bounce: Double = 0) {
        let bounce = clamp(bounce, -0.999, 1)
        self.init(response: duration, dampingRatio: bounce >= 0 ? 1 - bounce : 1 / (1 + bounce))
    }

    /// Creates a spring from its response and damping ratio.
    ///
    /// - Parameters:
    ///   - response: The period of the undamped spring in seconds. Clamped to at least 1 ms.
    ///   - dampingRatio: 0 never settles, below 1 overshoots, 1 is critically damped, above 1 is overdamped. Clamped to at least 0.
    public init(response: Double, dampingRatio: Double) {
        let frequency = 2 * Double.pi / max(response, 1e-3)
        self.init(stiffness: frequency * frequency, damping: 2 * max(dampingRatio, 0) * frequency)
    }

    /// Creates the spring that, moving from 0 to 1 from rest, stays within `epsilon` of its target after `settlingDuration` seconds.
    ///
    /// - Precondition: `dampingRatio` is above 0: an undamped spring never settles.
    public init(settlingDuration: Double, dampingRatio: Double, epsilon: Double = 0.001) {
        precondition(dampingRatio > 0, "an undamped spring never settles")
        let frequency = Spring.settlingPhase(dampingRatio: dampingRatio, epsilon: epsilon) / max(settlingDuration, 1e-3)
        self.init(stiffness: frequency * frequency, damping: 2 * dampingRatio * frequency)
    }

    /// A spring without overshoot.
    public static let smooth = Spring(duration: 0.5, bounce: 0)
    /// A spring with a slight overshoot.
    public static let snappy = Spring(duration: 0.5, bounce: 0.15)
    /// A spring with a visible overshoot.
    public static let bouncy = Spring(duration: 0.5, bounce: 0.3)
}

extension Spring {
    /// The undamped frequency in radians per second.
    var naturalFrequency: Double { (stiffness / mass).squareRoot() }
    /// The period of the undamped spring in seconds.
    public var response: Double { 2 * .pi / naturalFrequency }
    /// The damping divided by the critical damping.
    public var dampingRatio: Double { damping / (2 * (mass * stiffness).squareRoot()) }
    /// The perceived duration in seconds; the same as `response`.
    public var duration: Double { response }
    /// The bounce: 1 − `dampingRatio` below critical damping, 1 / `dampingRatio` − 1 above it.
    public var bounce: Double { dampingRatio <= 1 ? 1 - dampingRatio : 1 / dampingRatio - 1 }

    /// The time in seconds until a motion from 0 to 1, starting at rest, stays within 0.001 of its target. For oscillating springs, the envelope is
    /// used. Infinite without damping.
    public var settlingDuration: Double {
        damping > 0 ? Spring.settlingPhase(dampingRatio: dampingRatio, epsilon: 0.001) / naturalFrequency : .infinity
    }

    /// Returns the settling time of a spring with natural frequency 1; dividing it by the frequency gives that of other springs.
    static func settlingPhase(dampingRatio: Double, epsilon: Double) -> Double {
        let epsilon = clamp(epsilon, 1e-12, 0.999)
        if dampingRatio < 0.999_9 {
            // The envelope e^{−ζt} / √(1 − ζ²).
            let amplitude = 1 / (1 - dampingRatio * dampingRatio).squareRoot()
            let envelope = log(amplitude / epsilon) / dampingRatio
            guard dampingRatio > 0.9 else { return envelope }
            // Near critical damping, the envelope is far above the motion, which is nearly that of a critically damped spring.
            return min(envelope, settlingPhase(dampingRatio: 1, epsilon: epsilon))
        }
        // From rest, the displacement decreases monotonically, so bisection finds the time.
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

// MARK: - Motion

extension Spring {
    /// The linear map from displacement and velocity at one time to those at a later time.
    struct Propagator {
        var valueFromValue, valueFromVelocity, velocityFromValue, velocityFromVelocity: Double
    }

    /// Returns the closed-form solution after `time` seconds: underdamped, critically damped or overdamped.
    func propagator(after time: Double) -> Propagator {
        let frequency = naturalFrequency
        let ratio = dampingRatio
        let decay = ratio * frequency
        let discriminant = ratio * ratio - 1
        // e^{−ζωt} times the (hyperbolic) cosine, and times the sine divided by its frequency.
        var (cosine, sine): (Double, Double)
        if abs(discriminant) < 1e-8 {
            let e = exp(-decay * time)
            (cosine, sine) = (e, e * time)
        } else if discriminant < 0 {
            let damped = frequency * (-discriminant).squareRoot()
            let e = exp(-decay * time)
            (cosine, sine) = (e * cos(damped * time), e * sin(damped * time) / damped)
        } else {
            // Uses the decaying exponentials of both roots, because hyperbolic functions would overflow. Computes the slow root by Vieta's formula,
            // because the difference would lose precision.
            let root = discriminant.squareRoot()
            let slow = exp(-frequency / (ratio + root) * time)
            let fast = exp(-frequency * (ratio + root) * time)
            (cosine, sine) = ((slow + fast) / 2, (slow - fast) / (2 * frequency * root))
        }
        return Propagator(
            valueFromValue: cosine + decay * sine, valueFromVelocity: sine,
            velocityFromValue: -frequency * frequency * sine, velocityFromVelocity: cosine - decay * sine)
    }

    /// Returns the value `time` seconds after a start at 0, moving to `target`.
    public func value<V: VectorArithmetic>(target: V, initialVelocity: V = .zero, time: Double) -> V {
        let p = propagator(after: max(time, 0))
        return target - target.scaled(by: p.valueFromValue) + initialVelocity.scaled(by: p.valueFromVelocity)
    }

    /// Returns the velocity in units per second, `time` seconds after a start at 0, moving to `target`.
    public func velocity<V: VectorArithmetic>(target: V, initialVelocity: V = .zero, time: Double) -> V {
        let p = propagator(after: max(time, 0))
        return initialVelocity.scaled(by: p.velocityFromVelocity) - target.scaled(by: p.velocityFromValue)
    }

    /// Returns the value `time` seconds after a start at `start`, moving to `target`.
    public func value<V: VectorArithmetic>(from start: V, to target: V, initialVelocity: V = .zero, time: Double) -> V {
        start + value(target: target - start, initialVelocity: initialVelocity, time: time)
    }

    /// Returns the force on the mass in newtons: −k (position − target) − c velocity.
    public func force<V: VectorArithmetic>(target: V, position: V, velocity: V) -> V {
        (target - position).scaled(by: stiffness) - velocity.scaled(by: damping)
    }

    /// Advances `value` and `velocity` by `deltaTime` seconds towards `target`; exact for every step size.
    public func update<V: VectorArithmetic>(value: inout V, velocity: inout V, target: V, deltaTime: Double) {
        let p = propagator(after: max(deltaTime, 0))
        let displacement = value - target
        value = target + displacement.scaled(by: p.valueFromValue) + velocity.scaled(by: p.valueFromVelocity)
        velocity = displacement.scaled(by: p.velocityFromValue) + velocity.scaled(by: p.velocityFromVelocity)
    }
}
