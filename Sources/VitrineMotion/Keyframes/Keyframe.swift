/// A place on the way of a track, and how to get there. Made by `MoveKeyframe`, `LinearKeyframe`, `CubicKeyframe` and `SpringKeyframe`.
public struct Keyframe<Value: VectorArithmetic>: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        case move
        case linear(UnitCurve, duration: Double)
        case cubic(duration: Double, startVelocity: Value?, endVelocity: Value?)
        case spring(Spring, duration: Double, startVelocity: Value?)
    }

    let value: Value
    let kind: Kind
}

/// What a track is made of.
public protocol KeyframeTrackContent<Value> {
    associatedtype Value: VectorArithmetic
    var keyframes: [Keyframe<Value>] { get }
}

/// Is there at once.
public struct MoveKeyframe<Value: VectorArithmetic>: KeyframeTrackContent {
    public let keyframes: [Keyframe<Value>]

    public init(_ value: Value) { keyframes = [Keyframe(value: value, kind: .move)] }
}

/// Goes there in a straight line, spread over the time by a curve.
public struct LinearKeyframe<Value: VectorArithmetic>: KeyframeTrackContent {
    public let keyframes: [Keyframe<Value>]

    /// - Parameter duration: Seconds; below 0 is taken as 0.
    public init(_ value: Value, duration: Double, timingCurve: UnitCurve = .linear) {
        keyframes = [Keyframe(value: value, kind: .linear(timingCurve, duration: duration > 0 ? duration : 0))]
    }
}

/// Goes there on a cubic curve.
///
/// Velocities that aren't given (units a second): between two cubic keyframes that of a Catmull-Rom spline with uneven times,
/// (next − previous) / (their times apart). After a linear keyframe or a spring, the velocity that those end with; before a linear one,
/// the velocity that it begins with; before a spring, the mean one of its own way. Else, at the ends and around a `MoveKeyframe`, 0.
public struct CubicKeyframe<Value: VectorArithmetic>: KeyframeTrackContent {
    public let keyframes: [Keyframe<Value>]

    /// - Parameter duration: Seconds; below 0 is taken as 0.
    public init(_ value: Value, duration: Double, startVelocity: Value? = nil, endVelocity: Value? = nil) {
        let kind = Keyframe<Value>.Kind.cubic(
            duration: duration > 0 ? duration : 0, startVelocity: startVelocity, endVelocity: endVelocity)
        keyframes = [Keyframe(value: value, kind: kind)]
    }
}

/// Is drawn there by a spring, which takes over the velocity that is there.
public struct SpringKeyframe<Value: VectorArithmetic>: KeyframeTrackContent {
    public let keyframes: [Keyframe<Value>]

    /// - Parameters:
    ///   - duration: Seconds until the next keyframe begins, from where the spring then is; nil: its settling duration (of a spring without
    ///     damping, which has none: its period).
    ///   - startVelocity: Units a second; nil: that of the motion before.
    public init(_ value: Value, duration: Double? = nil, spring: Spring = Spring(), startVelocity: Value? = nil) {
        let settling = spring.settlingDuration.isFinite ? spring.settlingDuration : spring.response
        let seconds = duration ?? settling
        let kind = Keyframe<Value>.Kind.spring(spring, duration: seconds > 0 ? seconds : 0, startVelocity: startVelocity)
        keyframes = [Keyframe(value: value, kind: kind)]
    }
}

/// Lets keyframes be written one below the other.
@resultBuilder public struct KeyframeBuilder<Value: VectorArithmetic> {
    public static func buildExpression<Content: KeyframeTrackContent>(_ content: Content) -> [Keyframe<Value>]
    where Content.Value == Value { content.keyframes }
    public static func buildBlock(_ parts: [Keyframe<Value>]...) -> [Keyframe<Value>] { parts.flatMap { $0 } }
    public static func buildArray(_ parts: [[Keyframe<Value>]]) -> [Keyframe<Value>] { parts.flatMap { $0 } }
    public static func buildOptional(_ part: [Keyframe<Value>]?) -> [Keyframe<Value>] { part ?? [] }
    public static func buildEither(first part: [Keyframe<Value>]) -> [Keyframe<Value>] { part }
    public static func buildEither(second part: [Keyframe<Value>]) -> [Keyframe<Value>] { part }
}
