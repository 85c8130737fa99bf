import VitrineMath

/// The phase of a gesture.
public enum GesturePhase: Equatable, Hashable, Sendable {
    case began, changed
    /// The user released the pointer.
    case ended
    /// The window lost the focus, the system took the touch, or the program called `cancel(at:)`. Undo what the gesture did.
    case cancelled
}

/// One step of a gesture: its phase, value and time.
public struct GestureChange<Value: Equatable & Sendable>: Equatable, Sendable {
    /// The phase of the gesture.
    public var phase: GesturePhase
    /// The value of the gesture at this step.
    public var value: Value
    /// Seconds on the clock of the events.
    public var time: Double
}

/// A gesture recognizer: a value that takes input events and returns gesture steps.
///
/// ```swift
/// var drag = DragGesture()
/// for event in events {
///     for change in drag.handle(event) { print(change.phase, change.value.translation) }
/// }
/// ```
///
/// Each `began` is followed by exactly one `ended` or `cancelled`, with any number of `changed` between them. Taps report a single `ended`.
/// Events with positions that are not finite are ignored; a time before that of the last event counts as that time.
public protocol Gesture: Equatable, Sendable {
    associatedtype Value: Equatable & Sendable
    /// Returns the steps that the event completes, in order.
    mutating func handle(_ event: InputEvent) -> [GestureChange<Value>]
    /// Returns the steps that the passing of time completes. Call it at `nextUpdate`, or with each frame.
    mutating func update(at time: Double) -> [GestureChange<Value>]
    /// Cancels the gesture, for example because another one was recognized. Ignores fingers that are down until they are lifted.
    mutating func cancel(at time: Double) -> [GestureChange<Value>]
    /// Whether the gesture has begun and not ended.
    var isActive: Bool { get }
    /// The time when to call `update(at:)`; nil: not before the next event.
    var nextUpdate: Double? { get }
}

extension Gesture {
    public mutating func update(at time: Double) -> [GestureChange<Value>] { [] }
    public var nextUpdate: Double? { nil }
}

/// The time of events, which is always finite and never runs backwards.
struct GestureClock: Equatable, Sendable {
    private(set) var time = 0.0
    private var hasBegun = false

    mutating func advance(to newTime: Double) {
        guard newTime.isFinite else { return }
        time = hasBegun ? max(time, newTime) : newTime
        hasBegun = true
    }
}
