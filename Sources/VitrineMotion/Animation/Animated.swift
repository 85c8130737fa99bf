import VitrineMath

/// An animated value. A new animation may start at any time: it continues from the current value and velocity.
///
/// Times are seconds on any clock that does not run backwards. The value is a function of the time: reading it does not change it, and the
/// frame rate does not change the path.
///
/// ```swift
/// var x = Animated(0.0)
/// x.animate(to: 100, with: .spring(.bouncy), at: 0)
/// x.animate(to: 0, with: .easeInOut(duration: 0.4), at: 0.1)      // interrupts without a jump of value or velocity
/// x.value(at: 0.3)
/// x.isAtRest(at: 0.5)                                             // true
/// ```
///
/// Rotations are animated the same way: `Animated(Quaternion.identity)`, with an angular velocity in radians per second. `AnimatablePair`
/// animates several values together.
public struct Animated<Value: Animatable>: Equatable, Sendable {
    /// The value at the end of the animation.
    public private(set) var target: Value
    /// The origin of offsets.
    private var origin: Value
    private var motion: Motion
    /// The start time of the motion.
    private var start = 0.0

    private enum Motion: Equatable, Sendable {
        case path(MotionPath<Value.Tangent>)
        case keyframes(KeyframeCurve<Value.Tangent>)
    }

    /// Creates a value at rest.
    public init(_ value: Value) {
        (target, origin) = (value, value)
        motion = .path(.still(.zero))
    }

    /// Returns the value at a time.
    public func value(at time: Double) -> Value {
        isAtRest(at: time) ? target : origin.moved(by: offset(at: time))
    }

    /// Returns the velocity at a time, in units per second.
    public func velocity(at time: Double) -> Value.Tangent {
        guard !isAtRest(at: time) else { return .zero }
        let rate =
            switch motion {
            case .path(let path): path.velocity(after: time - start)
            case .keyframes(let curve): curve.velocity(at: time - start)
            }
        return Value.velocity(rate: rate, at: offset(at: time))
    }

    /// Whether the motion has ended. The value is then exactly the target.
    public func isAtRest(at time: Double) -> Bool {
        switch motion {
        case .path(let path): path.isAtRest(after: time - start)
        case .keyframes(let curve): curve.isAtRest(at: time - start)
        }
    }

    private func offset(at time: Double) -> Value.Tangent {
        switch motion {
        case .path(let path): path.value(after: time - start)
        case .keyframes(let curve): curve.value(at: time - start)
        }
    }

    // MARK: Animating

    /// Sets the value, at rest.
    public mutating func set(_ value: Value) { self = Animated(value) }

    /// Stops at the current value.
    public mutating func stop(at time: Double) { set(value(at: time)) }

    /// Animates to `target` from the current value and velocity.
    public mutating func animate(to target: Value, with animation: Animation = .spring(.smooth), at time: Double) {
        animate(to: target, with: animation, velocity: velocity(at: time), at: time)
    }

    /// Animates to `target` from the current value with this velocity in units per second, for example that of a released drag.
    ///
    /// For a velocity relative to the remaining distance, as UIKit defines it, see `relativeVelocity(_:to:at:)`.
    public mutating func animate(to target: Value, with animation: Animation, velocity: Value.Tangent, at time: Double) {
        let shown = value(at: time)
        let offset = shown.offset(from: target)
        let rate = Value.rate(velocity: velocity, at: offset)
        (self.target, origin, start) = (target, target, time)
        switch animation {
        case .none: motion = .path(.still(.zero))
        case .spring(let spring):
            let isThere = offset == .zero && rate == .zero
            motion = .path(isThere ? .still(.zero) : .spring(from: offset, to: .zero, velocity: rate, spring: spring))
        case .timing(let curve, let duration):
            motion = .path(.eased(from: offset, to: .zero, curve: curve, duration: duration, takingOver: rate))
        case .coast(let deceleration): coast(from: shown, velocity: velocity, deceleration)
        }
    }

    private mutating func coast(from value: Value, velocity: Value.Tangent, _ deceleration: Deceleration) {
        origin = value
        target = value.moved(by: velocity.scaled(by: deceleration.timeConstant))
        motion = .path(.coast(from: .zero, velocity: velocity, timeConstant: deceleration.timeConstant))
    }

    /// Returns the velocity that covers the fraction `share` of the distance to `target` in a second: UIKit's initial spring velocity.
    public func relativeVelocity(_ share: Double, to target: Value, at time: Double) -> Value.Tangent {
        let offset = value(at: time).offset(from: target)
        return Value.velocity(rate: offset.scaled(by: -share), at: offset)
    }
}

extension Animated where Value: VectorArithmetic, Value.Tangent == Value {
    /// Animates through keyframes from the current value and velocity; the last keyframe is the target.
    public mutating func animate(at time: Double, @KeyframeBuilder<Keyframe<Value>> along keyframes: () -> [Keyframe<Value>]) {
        let curve = KeyframeCurve(from: value(at: time), velocity: velocity(at: time), through: keyframes())
        (target, origin, start) = (curve.end, .zero, time)
        motion = .keyframes(curve)
    }
}
