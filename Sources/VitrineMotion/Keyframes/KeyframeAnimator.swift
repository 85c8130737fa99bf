/// Runs keyframes each time a trigger changes.
///
/// ```swift
/// var glow = KeyframeAnimator(initialValue: 0.0, trigger: isPressed) { _ in
///     KeyframeTrack { LinearKeyframe(1, duration: 0.4) }
/// }
/// glow.update(trigger: isPressed, at: time)      // in each frame, or when it changes
/// glow.value(at: time)
/// ```
///
/// A run that interrupts another one starts from its current value and velocity. Times are in seconds.
public struct KeyframeAnimator<Value: Sendable, Trigger: Equatable & Sendable>: Sendable {
    /// The trigger of the last run.
    public private(set) var trigger: Trigger
    private var timeline: KeyframeTimeline<Value>
    private var start = 0.0
    /// Whether no run has started yet.
    private var isUntouched = true
    private let initialValue: Value
    private let keyframes: @Sendable (Trigger) -> [KeyframeTrack<Value>]

    /// Creates an animator that shows `initialValue` until the trigger first changes.
    ///
    /// - Parameter keyframes: Returns the tracks of a run for its trigger.
    public init(
        initialValue: Value, trigger: Trigger,
        @KeyframeBuilder<KeyframeTrack<Value>> keyframes: @escaping @Sendable (Trigger) -> [KeyframeTrack<Value>]
    ) {
        (self.initialValue, self.trigger, self.keyframes) = (initialValue, trigger, keyframes)
        timeline = KeyframeTimeline(initialValue: initialValue, velocity: nil, tracks: keyframes(trigger))
    }

    /// Starts a run if `trigger` has changed.
    public mutating func update(trigger: Trigger, at time: Double) {
        guard trigger != self.trigger else { return }
        self.trigger = trigger
        restart(at: time)
    }

    /// Starts a run from the current value and velocity.
    public mutating func restart(at time: Double) {
        let (shown, tracks) = (value(at: time), keyframes(trigger))
        var velocity = shown
        // Properties that had no track have velocity 0.
        for track in tracks { track.clear(&velocity) }
        if !isUntouched { timeline.setVelocity(of: &velocity, time: time - start) }
        timeline = KeyframeTimeline(initialValue: shown, velocity: velocity, tracks: tracks)
        (start, isUntouched) = (time, false)
    }

    /// Returns the value at a time.
    public func value(at time: Double) -> Value { isUntouched ? initialValue : timeline.value(time: time - start) }

    /// Returns the velocity at a time, as `KeyframeTimeline.velocity(time:)` defines it.
    public func velocity(at time: Double) -> Value { timeline.velocity(time: isUntouched ? -1 : time - start) }

    /// Whether the value stays constant until the trigger changes.
    public func isAtRest(at time: Double) -> Bool { isUntouched || timeline.isAtRest(time: time - start) }
}
