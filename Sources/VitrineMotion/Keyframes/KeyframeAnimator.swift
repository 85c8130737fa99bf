/// Runs keyframes each time something changes.
///
/// ```swift
/// var glow = KeyframeAnimator(initialValue: 0.0, trigger: isPressed) { _ in
///     KeyframeTrack { LinearKeyframe(1, duration: 0.4) }
/// }
/// glow.update(trigger: isPressed, at: time)      // in each frame, or when it changes
/// glow.value(at: time)
/// ```
///
/// A run that is interrupted goes over into the next one: it starts from what is shown, with its velocity. The times are passed in.
public struct KeyframeAnimator<Value: Sendable, Trigger: Equatable & Sendable>: Sendable {
    public private(set) var trigger: Trigger
    private var timeline: KeyframeTimeline<Value>
    private var start = 0.0
    /// Nothing has changed yet.
    private var isUntouched = true
    private let initialValue: Value
    private let keyframes: @Sendable (Trigger) -> [KeyframeTrack<Value>]

    /// - Parameter keyframes: Given the trigger that a run starts with.
    public init(
        initialValue: Value, trigger: Trigger,
        @KeyframeTracksBuilder<Value> keyframes: @escaping @Sendable (Trigger) -> [KeyframeTrack<Value>]
    ) {
        (self.initialValue, self.trigger, self.keyframes) = (initialValue, trigger, keyframes)
        timeline = KeyframeTimeline(initialValue: initialValue, velocity: nil, tracks: keyframes(trigger))
    }

    /// Starts a run if `trigger` is another one than before.
    public mutating func update(trigger: Trigger, at time: Double) {
        guard trigger != self.trigger else { return }
        self.trigger = trigger
        restart(at: time)
    }

    /// Starts a run from what is shown.
    public mutating func restart(at time: Double) {
        let (shown, tracks) = (value(at: time), keyframes(trigger))
        var velocity = shown
        // What had no track until now stands still.
        for track in tracks { track.clear(&velocity) }
        if !isUntouched { timeline.setVelocity(of: &velocity, time: time - start) }
        timeline = KeyframeTimeline(initialValue: shown, velocity: velocity, tracks: tracks)
        (start, isUntouched) = (time, false)
    }

    public func value(at time: Double) -> Value { isUntouched ? initialValue : timeline.value(time: time - start) }

    /// See `KeyframeTimeline.velocity(time:)`.
    public func velocity(at time: Double) -> Value { timeline.velocity(time: isUntouched ? -1 : time - start) }

    /// Whether nothing moves until the trigger changes.
    public func isAtRest(at time: Double) -> Bool { isUntouched || timeline.isAtRest(time: time - start) }
}
