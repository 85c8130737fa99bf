import VitrineMath

/// A value that moves, and can be sent elsewhere at any moment: what is shown is where the next motion begins, with its velocity.
///
/// It owns no clock: times are seconds on any clock that doesn't run backwards, and the value is a function of the time. Asking for it does
/// not change it, and the frame rate doesn't change the path.
///
/// ```swift
/// var x = Animated(0.0)
/// x.animate(to: 100, with: .spring(.bouncy), at: 0)
/// x.animate(to: 0, with: .easeInOut(duration: 0.4), at: 0.1)      // interrupted: no jump of place or speed
/// x.value(at: 0.3)
/// x.isAtRest(at: 0.5)                                             // true: nothing left to draw
/// ```
///
/// A rotation is animated the same way: `Animated(Quaternion.identity)`; its velocity is an angular velocity, radians a second. More values
/// at once are a pair (`AnimatablePair`).
public struct Animated<Value: Animatable>: Equatable, Sendable {
    /// Where it is going, or stays.
    public private(set) var target: Value
    /// What offsets are counted from.
    private var origin: Value
    private var motion: Motion
    /// When the motion began.
    private var start = 0.0

    private enum Motion: Equatable, Sendable {
        case path(MotionPath<Value.Tangent>)
        case keyframes(KeyframeCurve<Value.Tangent>)
    }

    /// At rest.
    public init(_ value: Value) {
        (target, origin) = (value, value)
        motion = .path(.still(.zero))
    }

    public func value(at time: Double) -> Value {
        isAtRest(at: time) ? target : origin.moved(by: offset(at: time))
    }

    /// Units a second.
    public func velocity(at time: Double) -> Value.Tangent {
        guard !isAtRest(at: time) else { return .zero }
        let rate =
            switch motion {
            case .path(let path): path.velocity(after: time - start)
            case .keyframes(let curve): curve.velocity(at: time - start)
            }
        return Value.velocity(rate: rate, at: offset(at: time))
    }

    /// Whether it stays where it is from now on. It is exactly at its target then.
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

    // MARK: Moving

    /// Is there, at rest, at once.
    public mutating func set(_ value: Value) { self = Animated(value) }

    /// Stops where it is.
    public mutating func stop(at time: Double) { set(value(at: time)) }

    /// Goes to `target` from where it is, with the velocity that it has.
    public mutating func animate(to target: Value, with animation: Animation = .spring(.smooth), at time: Double) {
        animate(to: target, with: animation, velocity: velocity(at: time), at: time)
    }

    /// Goes to `target` from where it is, with this velocity, units a second: that of the hand that let go.
    ///
    /// For a velocity as a share of the way that is left, in UIKit's sense, see `relativeVelocity(_:to:at:)`.
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

    /// The velocity that would cover `share` of the way to `target` in a second: what UIKit calls an initial velocity.
    public func relativeVelocity(_ share: Double, to target: Value, at time: Double) -> Value.Tangent {
        let offset = value(at: time).offset(from: target)
        return Value.velocity(rate: offset.scaled(by: -share), at: offset)
    }
}

extension Animated where Value: VectorArithmetic, Value.Tangent == Value {
    /// Runs through keyframes, from where it is and with the velocity that it has; the last one is the target.
    public mutating func animate(at time: Double, @KeyframeBuilder<Value> along keyframes: () -> [Keyframe<Value>]) {
        let curve = KeyframeCurve(from: value(at: time), velocity: velocity(at: time), through: keyframes())
        (target, origin, start) = (curve.end, .zero, time)
        motion = .keyframes(curve)
    }
}
