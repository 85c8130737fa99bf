/// A keyframe of a track: `MoveKeyframe`, `LinearKeyframe`, `CubicKeyframe` or `SpringKeyframe`.
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

/// The content of a keyframe track.
public protocol KeyframeTrackContent<Value> {
    associatedtype Value: VectorArithmetic
    var keyframes: [Keyframe<Value>] { get }
}

/// Jumps to a value.
public struct MoveKeyframe<Value: VectorArithmetic>: KeyframeTrackContent {
    public let keyframes: [Keyframe<Value>]

    /// Creates a keyframe.
    public init(_ value: Value) { keyframes = [Keyframe(value: value, kind: .move)] }
}

/// Interpolates linearly to a value, with a timing curve.
public struct LinearKeyframe<Value: VectorArithmetic>: KeyframeTrackContent {
    public let keyframes: [Keyframe<Value>]

    /// - Parameter duration: Seconds, clamped to at least 0.
    public init(_ value: Value, duration: Double, timingCurve: UnitCurve = .linear) {
        keyframes = [Keyframe(value: value, kind: .linear(timingCurve, duration: duration > 0 ? duration : 0))]
    }
}

/// Interpolates to a value with a cubic Hermite curve.
///
/// Velocities that are not given, in units per second: between two cubic keyframes, that of a non-uniform Catmull-Rom spline,
/// (next − previous) / (time between them). After a linear keyframe or a spring, their velocity at the end; before a linear keyframe, its
/// velocity at the start; before a spring, the mean velocity of this keyframe. Otherwise, at the ends and around a `MoveKeyframe`, 0.
public struct CubicKeyframe<Value: VectorArithmetic>: KeyframeTrackContent {
    public let keyframes: [Keyframe<Value>]

    /// - Parameter duration: Seconds, clamped to at least 0.
    public init(_ value: Value, duration: Double, startVelocity: Value? = nil, endVelocity: Value? = nil) {
        let kind = Keyframe<Value>.Kind.cubic(
            duration: duration > 0 ? duration : 0, startVelocity: startVelocity, endVelocity: endVelocity)
        keyframes = [Keyframe(value: value, kind: kind)]
    }
}

/// Moves to a value with a spring, which continues with the current velocity.
public struct SpringKeyframe<Value: VectorArithmetic>: KeyframeTrackContent {
    public let keyframes: [Keyframe<Value>]

    /// - Parameters:
    ///   - duration: Seconds until the next keyframe starts from the spring's value at that time; nil: the settling duration, or the period of a
    ///     spring without damping.
    ///   - startVelocity: Units per second; nil: that of the motion before.
    public init(_ value: Value, duration: Double? = nil, spring: Spring = Spring(), startVelocity: Value? = nil) {
        let settling = spring.settlingDuration.isFinite ? spring.settlingDuration : spring.response
        let seconds = duration ?? settling
        let kind = Keyframe<Value>.Kind.spring(spring, duration: seconds > 0 ? seconds : 0, startVelocity: startVelocity)
        keyframes = [Keyframe(value: value, kind: kind)]
    }
}

/// Builds the keyframes of a track.
@resultBuilder public struct KeyframeBuilder<Value: VectorArithmetic> {
    public static func buildExpression<Content: KeyframeTrackContent>(_ content: Content) -> [Keyframe<Value>]
    where Content.Value == Value { content.keyframes }
    public static func buildBlock(_ parts: [Keyframe<Value>]...) -> [Keyframe<Value>] { parts.flatMap { $0 } }
    public static func buildArray(_ parts: [[Keyframe<Value>]]) -> [Keyframe<Value>] { parts.flatMap { $0 } }
    public static func buildOptional(_ part: [Keyframe<Value>]?) -> [Keyframe<Value>] { part ?? [] }
    public static func buildEither(first part: [Keyframe<Value>]) -> [Keyframe<Value>] { part }
    public static func buildEither(second part: [Keyframe<Value>]) -> [Keyframe<Value>] { part }
}
