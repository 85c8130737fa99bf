import VitrineMath

extension Spring {
    /// How displacement from the target and velocity at one time make those at a later time: the motion is linear in both.
    struct Propagator {
        var valueFromValue, valueFromVelocity, velocityFromValue, velocityFromVelocity: Double
    }

    /// The closed solution after `time` seconds, in the three regimes.
    func propagator(after time: Double) -> Propagator {
        let frequency = naturalFrequency
        let ratio = dampingRatio
        let decay = ratio * frequency
        let discriminant = ratio * ratio - 1
        // e^{−ζωt} times the (hyperbolic) cosine, and times the sine over its frequency.
        var (cosine, sine): (Double, Double)
        if abs(discriminant) < 1e-8 {
            let e = exp(-decay * time)
            (cosine, sine) = (e, e * time)
        } else if discriminant < 0 {
            let damped = frequency * (-discriminant).squareRoot()
            let e = exp(-decay * time)
            (cosine, sine) = (e * cos(damped * time), e * sin(damped * time) / damped)
        } else {
            // Both roots as exponentials that only fall: the hyperbolic functions would overflow. The slow root by Vieta, since the
            // difference would cancel.
            let root = discriminant.squareRoot()
            let slow = exp(-frequency / (ratio + root) * time)
            let fast = exp(-frequency * (ratio + root) * time)
            (cosine, sine) = ((slow + fast) / 2, (slow - fast) / (2 * frequency * root))
        }
        return Propagator(
            valueFromValue: cosine + decay * sine, valueFromVelocity: sine,
            velocityFromValue: -frequency * frequency * sine, velocityFromVelocity: cosine - decay * sine)
    }

    /// The value `time` seconds after starting at 0 towards `target`.
    public func value<V: VectorArithmetic>(target: V, initialVelocity: V = .zero, time: Double) -> V {
        let p = propagator(after: max(time, 0))
        return target - target.scaled(by: p.valueFromValue) + initialVelocity.scaled(by: p.valueFromVelocity)
    }

    /// The velocity, units a second, `time` seconds after starting at 0 towards `target`.
    public func velocity<V: VectorArithmetic>(target: V, initialVelocity: V = .zero, time: Double) -> V {
        let p = propagator(after: max(time, 0))
        return initialVelocity.scaled(by: p.velocityFromVelocity) - target.scaled(by: p.velocityFromValue)
    }

    /// The value `time` seconds after starting at `start` towards `target`.
    public func value<V: VectorArithmetic>(from start: V, to target: V, initialVelocity: V = .zero, time: Double) -> V {
        start + value(target: target - start, initialVelocity: initialVelocity, time: time)
    }

    /// The force on the mass, newtons: −k (position − target) − c velocity.
    public func force<V: VectorArithmetic>(target: V, position: V, velocity: V) -> V {
        (target - position).scaled(by: stiffness) - velocity.scaled(by: damping)
    }

    /// Moves `value` and `velocity` on by `deltaTime` seconds towards `target`, exactly, whatever the step.
    public func update<V: VectorArithmetic>(value: inout V, velocity: inout V, target: V, deltaTime: Double) {
        let p = propagator(after: max(deltaTime, 0))
        let displacement = value - target
        value = target + displacement.scaled(by: p.valueFromValue) + velocity.scaled(by: p.valueFromVelocity)
        velocity = displacement.scaled(by: p.velocityFromValue) + velocity.scaled(by: p.velocityFromVelocity)
    }
}
