import VitrineMath

/// What became of a gesture.
public enum GesturePhase: Equatable, Hashable, Sendable {
    case began, changed
    /// The hand let go: it was meant.
    case ended
    /// It was taken away (another window, the system, `cancel(at:)`): what it did should be undone.
    case cancelled
}

/// One step of a gesture.
public struct GestureChange<Value: Equatable & Sendable>: Equatable, Sendable {
    public var phase: GesturePhase
    public var value: Value
    /// Seconds on the events' clock.
    public var time: Double
}

/// Makes sense of events: a value that is fed with them and says what it recognized.
///
/// ```swift
/// var drag = DragGesture()
/// for event in events {
///     for change in drag.handle(event) { print(change.phase, change.value.translation) }
/// }
/// ```
///
/// It has no clock and no window. Each `began` is followed by exactly one `ended` or `cancelled`; between them comes any number of `changed`.
/// Taps come as a single `ended`. Places that aren't numbers are left out, and a time before that of the last event counts as that one.
public protocol Gesture: Equatable, Sendable {
    associatedtype Value: Equatable & Sendable
    mutating func handle(_ event: InputEvent) -> [GestureChange<Value>]
    /// Lets time pass without an event: some gestures wait. Call it at `nextUpdate`, or with each frame.
    mutating func update(at time: Double) -> [GestureChange<Value>]
    /// Ends without a result, because another gesture won. Fingers that are down are left alone until they are lifted.
    mutating func cancel(at time: Double) -> [GestureChange<Value>]
    /// Whether it has begun and not ended.
    var isActive: Bool { get }
    /// When `update(at:)` has something to say; nil: not before another event.
    var nextUpdate: Double? { get }
}

extension Gesture {
    public mutating func update(at time: Double) -> [GestureChange<Value>] { [] }
    public var nextUpdate: Double? { nil }
}

/// The time of events, made to never run backwards and always be a number.
struct GestureClock: Equatable, Sendable {
    private(set) var time = 0.0
    private var hasBegun = false

    mutating func advance(to newTime: Double) {
        guard newTime.isFinite else { return }
        time = hasBegun ? max(time, newTime) : newTime
        hasBegun = true
    }
}
