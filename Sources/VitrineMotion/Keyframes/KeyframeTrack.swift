/// Keyframes for one property of a value.
///
/// ```swift
/// struct Jump { var height = 0.0 }
/// let track = KeyframeTrack(\Jump.height) {
///     CubicKeyframe(20, duration: 0.2)
///     SpringKeyframe(0, spring: .bouncy)
/// }
/// ```
///
/// Embedded Swift has no key paths: there a track is given the two closures that read and write the property.
public struct KeyframeTrack<Root: Sendable>: Sendable {
    /// Of the motion from one value on.
    struct Motion: Sendable {
        let duration: Double
        let setValue: @Sendable (inout Root, Double) -> Void
        let setVelocity: @Sendable (inout Root, Double) -> Void
        let isAtRest: @Sendable (Double) -> Bool
    }

    /// From a value, and another one whose properties hold velocities.
    let motion: @Sendable (_ start: Root, _ velocity: Root?) -> Motion
    /// Makes the property zero.
    let clear: @Sendable (inout Root) -> Void

    /// - Parameters:
    ///   - get: Reads the property.
    ///   - set: Writes it.
    public init<Value: VectorArithmetic>(
        get: @escaping @Sendable (Root) -> Value, set: @escaping @Sendable (inout Root, Value) -> Void,
        @KeyframeBuilder<Value> content: () -> [Keyframe<Value>]
    ) {
        let keyframes = content()
        clear = { set(&$0, .zero) }
        motion = { start, velocity in
            let curve = KeyframeCurve(from: get(start), velocity: velocity.map(get) ?? .zero, through: keyframes)
            return Motion(
                duration: curve.duration,
                setValue: { set(&$0, curve.value(at: $1)) }, setVelocity: { set(&$0, curve.velocity(at: $1)) },
                isAtRest: { curve.isAtRest(at: $0) })
        }
    }
}

extension KeyframeTrack where Root: VectorArithmetic {
    /// For the value itself, where it is a number or a vector.
    public init(@KeyframeBuilder<Root> content: () -> [Keyframe<Root>]) {
        self.init(get: { $0 }, set: { $0 = $1 }, content: content)
    }
}

#if !hasFeature(Embedded)
    extension KeyframeTrack {
        /// For the property at `path`.
        public init<Value: VectorArithmetic>(
            _ path: WritableKeyPath<Root, Value> & Sendable, @KeyframeBuilder<Value> content: () -> [Keyframe<Value>]
        ) {
            self.init(get: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 }, content: content)
        }
    }
#endif

/// Lets tracks be written one below the other.
@resultBuilder public struct KeyframeTracksBuilder<Root: Sendable> {
    public static func buildExpression(_ track: KeyframeTrack<Root>) -> [KeyframeTrack<Root>] { [track] }
    public static func buildBlock(_ parts: [KeyframeTrack<Root>]...) -> [KeyframeTrack<Root>] { parts.flatMap { $0 } }
    public static func buildArray(_ parts: [[KeyframeTrack<Root>]]) -> [KeyframeTrack<Root>] { parts.flatMap { $0 } }
    public static func buildOptional(_ part: [KeyframeTrack<Root>]?) -> [KeyframeTrack<Root>] { part ?? [] }
    public static func buildEither(first part: [KeyframeTrack<Root>]) -> [KeyframeTrack<Root>] { part }
    public static func buildEither(second part: [KeyframeTrack<Root>]) -> [KeyframeTrack<Root>] { part }
}
