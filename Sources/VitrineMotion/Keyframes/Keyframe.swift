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
    /// The type of the animated property.
    associatedtype Value: VectorArithmetic
    /// The keyframes, in order of time.
    var keyframes: [Keyframe<Value>] { get }
}

/// Jumps to a value.
public struct MoveKeyframe<Value: VectorArithmetic>: KeyframeTrackContent {
    /// An array with this keyframe only.
    public let keyframes: [Keyframe<Value>]

    /// Creates a keyframe.
    public init(_ value: Value) { keyframes = [Keyframe(value: value, kind: .move)] }
}

/// Interpolates linearly to a value, with a timing curve.
public struct LinearKeyframe<Value: VectorArithmetic>: KeyframeTrackContent {
    /// An array with this keyframe only.
    public let keyframes: [Keyframe<Value>]

    /// Creates a keyframe.
    ///
    /// - Parameter duration: Seconds, clamped to at least 0.
    public init(_ value: Value, duration: Double, timingCurve: UnitCurve = .linear) {
        keyframes = [Keyframe(value: value, kind: .linear(timingCurve, duration: duration > 0 ? duration : 0))]
    }
}

/// Interpolates to a value with a cubic Hermite curve.
///
/// If a velocity (in units per second) is not given: between two cubic keyframes it is that of a non-uniform Catmull-Rom spline,
/// (next − previous) / (time between them). After a linear keyframe or a spring, it is their velocity at the end; before a linear keyframe, its
/// velocity at the start; before a spring, the mean velocity of this keyframe. Otherwise, at the ends and around a `MoveKeyframe`, it is 0.
public struct CubicKeyframe<Value: VectorArithmetic>: KeyframeTrackContent {
    /// An array with this keyframe only.
    public let keyframes: [Keyframe<Value>]

    /// Creates a keyframe.
    ///
    /// - Parameter duration: Seconds, clamped to at least 0.
    public init(_ value: Value, duration: Double, startVelocity: Value? = nil, endVelocity: Value? = nil) {
        let kind = Keyframe<Value>.Kind.cubic(
            duration: duration > 0 ? duration : 0, startVelocity: startVelocity, endVelocity: endVelocity)
        keyframes = [Keyframe(value: value, kind: kind)]
    }
}

/// Moves to a value with a spring, which continues with the current velocity.
public struct SpringKeyframe<Value: VectorArithmetic>: KeyframeTrackContent {
    /// An array with this keyframe only.
    public let keyframes: [Keyframe<Value>]

    /// Creates a keyframe.
    ///
    /// - Parameters:
    ///   - duration: The time in seconds after which the next keyframe starts from the spring's current value. If nil, the settling duration, or the
    ///     period of a spring without damping.
    ///   - startVelocity: The initial velocity in units per second; if nil, that of the previous motion.
    public init(_ value: Value, duration: Double? = nil, spring: Spring = Spring(), startVelocity: Value? = nil) {
        let settling = spring.settlingDuration.isFinite ? spring.settlingDuration : spring.response
        let seconds = duration ?? settling
        let kind = Keyframe<Value>.Kind.spring(spring, duration: seconds > 0 ? seconds : 0, startVelocity: startVelocity)
        keyframes = [Keyframe(value: value, kind: kind)]
    }
}

/// Builds lists of keyframes and of tracks, with support for `if`, `switch` and `for`.
@resultBuilder public struct KeyframeBuilder<Element> {
    /// Adds a keyframe.
    public static func buildExpression<Content: KeyframeTrackContent>(_ content: Content) -> [Element]
    where Element == Keyframe<Content.Value> { content.keyframes }
    /// Adds a track.
    public static func buildExpression(_ element: Element) -> [Element] { [element] }
    /// Joins the parts of a block.
    public static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap { $0 } }
    /// Joins the parts of a `for` loop.
    public static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap { $0 } }
    /// Adds the part of an `if` without `else`.
    public static func buildOptional(_ part: [Element]?) -> [Element] { part ?? [] }
    /// Adds the first part of an `if` with `else`, or of a `switch`.
    public static func buildEither(first part: [Element]) -> [Element] { part }
    /// Adds the second part of an `if` with `else`, or of a `switch`.
    public static func buildEither(second part: [Element]) -> [Element] { part }
}
