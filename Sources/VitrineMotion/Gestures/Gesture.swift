import VitrineMath

/// The phase of a gesture.
public enum GesturePhase: Equatable, Hashable, Sendable {
    /// The gesture was recognized.
    case began
    /// The pointer moved, or a finger was added.
    case changed
    /// The user released the pointer.
    case ended
    /// The window lost the focus, the system took over the touch, or the program called `cancel(at:)`. Undo the effects of the gesture.
    case cancelled
}

/// A change of a gesture: its phase, value and time.
public struct GestureChange<Value: Equatable & Sendable>: Equatable, Sendable {
    /// The phase of the gesture.
    public var phase: GesturePhase
    /// The value of the gesture at this step.
    public var value: Value
    /// The time in seconds on the clock of the events.
    public var time: Double
}

/// The motion of the pointer of a gesture: the mouse, a finger, or the mean position of several fingers.
///
/// Positions are in points, y down.
public struct PointerMotion: Equatable, Sendable {
    /// The position of the press.
    public var startLocation: Vector2
    /// The current position; of a tap, the position where its last press started.
    public var location: Vector2
    /// Points per second, averaged over about 0.05 s; 0 after the pointer has been still that long.
    public var velocity: Vector2
    /// The number of fingers; 1 for the mouse.
    public var touchCount: Int

    init(at location: Vector2, touchCount: Int = 1) {
        (startLocation, self.location, velocity, self.touchCount) = (location, location, .zero, touchCount)
    }

    /// The vector from the press to the current location.
    public var translation: Vector2 { location - startLocation }
    /// The location where the pointer would come to rest if it decelerated as scrolling pages do (`Deceleration.normal`).
    public var predictedEndLocation: Vector2 { Deceleration.normal.projectedEnd(of: location, velocity: velocity) }
    /// The vector from the press to `predictedEndLocation`.
    public var predictedEndTranslation: Vector2 { predictedEndLocation - startLocation }
}

/// The motion of two fingers relative to each other.
public struct TwoFingerMotion: Equatable, Sendable {
    /// The distance of the fingers divided by their distance when both were down.
    public var scale: Float
    /// The rotation since both fingers were down, clockwise on the screen. Counts whole turns.
    public var rotation: Angle
    /// The mean position of the fingers, in points, y down.
    public var location: Vector2
    /// The change of `scale` per second.
    public var scaleVelocity: Float
    /// The change of `rotation` per second.
    public var rotationVelocity: Angle
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
    /// The value of a step: `PointerMotion`, `TwoFingerMotion` or a custom type.
    associatedtype Value: Equatable & Sendable
    /// Returns the steps that the event completes, in order.
    mutating func handle(_ event: InputEvent) -> [GestureChange<Value>]
    /// Returns the steps that occur as time passes. Call it at `nextUpdate`, or with each frame.
    mutating func update(at time: Double) -> [GestureChange<Value>]
    /// Cancels the gesture, for example because another one was recognized. Ignores fingers that are down until they are lifted.
    mutating func cancel(at time: Double) -> [GestureChange<Value>]
    /// Whether the gesture has begun and not ended.
    var isActive: Bool { get }
    /// The time at which to call `update(at:)`; nil if the next event comes first.
    var nextUpdate: Double? { get }
}

extension Gesture {
    /// The default for gestures that do not depend on time: no steps.
    public mutating func update(at time: Double) -> [GestureChange<Value>] { [] }
    /// The default for gestures that do not depend on time: nil.
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
