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
/// Embedded Swift has no key paths: use `init(get:set:content:)` there.
public struct KeyframeTrack<Root: Sendable>: Sendable {
    /// The motion of the property from an initial value.
    struct Motion: Sendable {
        let duration: Double
        let setValue: @Sendable (inout Root, Double) -> Void
        let setVelocity: @Sendable (inout Root, Double) -> Void
        let isAtRest: @Sendable (Double) -> Bool
    }

    /// Returns the motion from a value; the properties of `velocity` are the initial velocities.
    let motion: @Sendable (_ start: Root, _ velocity: Root?) -> Motion
    /// Sets the property to zero.
    let clear: @Sendable (inout Root) -> Void

    /// Creates a track of the property that `get` reads.
    ///
    /// - Parameters:
    ///   - get: Reads the property.
    ///   - set: Writes it.
    public init<Value: VectorArithmetic>(
        get: @escaping @Sendable (Root) -> Value, set: @escaping @Sendable (inout Root, Value) -> Void,
        @KeyframeBuilder<Keyframe<Value>> content: () -> [Keyframe<Value>]
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
    /// Creates a track of the value itself, which is a number or a vector.
    public init(@KeyframeBuilder<Keyframe<Root>> content: () -> [Keyframe<Root>]) {
        self.init(get: { $0 }, set: { $0 = $1 }, content: content)
    }
}

#if !hasFeature(Embedded)
    extension KeyframeTrack {
        /// Creates a track of the property at `path`.
        public init<Value: VectorArithmetic>(
            _ path: WritableKeyPath<Root, Value> & Sendable, @KeyframeBuilder<Keyframe<Value>> content: () -> [Keyframe<Value>]
        ) {
            self.init(get: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 }, content: content)
        }
    }
#endif
