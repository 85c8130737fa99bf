/// Keyframe tracks that run in parallel, as a function of time.
///
/// ```swift
/// struct Jump { var height = 0.0, stretch = 1.0 }
/// let jump = KeyframeTimeline(initialValue: Jump()) {
///     KeyframeTrack(\.height) {
///         CubicKeyframe(40, duration: 0.25)
///         CubicKeyframe(0, duration: 0.2)
///     }
///     KeyframeTrack(\.stretch) {
///         LinearKeyframe(1.2, duration: 0.2, timingCurve: .easeOut)
///         SpringKeyframe(1, spring: .bouncy)
///     }
/// }
/// jump.value(time: 0.25).height        // 40
/// ```
///
/// If two tracks set the same property, the later one wins.
public struct KeyframeTimeline<Value: Sendable>: Sendable {
    private let initialValue: Value
    private let tracks: [KeyframeTrack<Value>.Motion]
    /// The time in seconds of the last keyframe of the longest track. A final spring continues after it.
    public let duration: Double

    /// Creates a timeline.
    public init(initialValue: Value, @KeyframeBuilder<KeyframeTrack<Value>> content: () -> [KeyframeTrack<Value>]) {
        self.init(initialValue: initialValue, velocity: nil, tracks: content())
    }

    /// Creates a timeline that continues a motion.
    ///
    /// - Parameter velocity: The velocities of the properties at the start, in units per second.
    init(initialValue: Value, velocity: Value?, tracks: [KeyframeTrack<Value>]) {
        self.initialValue = initialValue
        self.tracks = tracks.map { $0.motion(initialValue, velocity) }
        duration = self.tracks.reduce(0) { max($0, $1.duration) }
    }

    /// Returns the value at a time in seconds, which is clamped to the duration.
    public func value(time: Double) -> Value {
        var value = initialValue
        for track in tracks { track.setValue(&value, max(time, 0)) }
        return value
    }

    /// Returns the value at a fraction of the duration, 0…1.
    public func value(progress: Double) -> Value { value(time: progress * duration) }

    /// Returns the velocities in units per second of the properties that have tracks; other properties have their initial value.
    public func velocity(time: Double) -> Value {
        var velocity = initialValue
        setVelocity(of: &velocity, time: time)
        return velocity
    }

    func setVelocity(of value: inout Value, time: Double) {
        for track in tracks { track.setVelocity(&value, time) }
    }

    /// Whether the motion has ended.
    public func isAtRest(time: Double) -> Bool { tracks.allSatisfy { $0.isAtRest(time) } }
}
