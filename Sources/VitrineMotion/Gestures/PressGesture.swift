import VitrineGeometry

/// Recognizes a press of a control by a finger or the mouse, and reports its position inside the control.
///
/// ```swift
/// var press = PressGesture(bounds: Rectangle(x: 100, y: 40, width: 200, height: 60))
/// for change in press.handle(event) where change.phase == .began { tick() }
/// press.location                 // the position inside the control; nil if it is not pressed
/// ```
///
/// The press must begin inside the control; it continues when the pointer leaves the control.
public struct PressGesture: Gesture {
    /// The control's rectangle in points, y down. An empty rectangle is never pressed.
    public var bounds: Rectangle
    private var drag: DragGesture
    /// The position of the current or last press.
    private var pointer: Vector2?
    /// Whether the control is pressed.
    public var isActive: Bool { drag.isActive }

    /// Creates a recognizer for a control.
    public init(bounds: Rectangle, button: PointerButton = .left) {
        self.bounds = bounds
        drag = DragGesture(minimumDistance: 0, button: button)
    }

    /// The position of the pointer in points, clamped to the control; nil if the control is not pressed.
    public var location: Vector2? { isActive ? pointer.map(bounds.clamped) : nil }
    /// The location in fractions of the control's width and height, 0…1.
    public var unitLocation: Vector2? {
        location.map { ($0 - bounds.origin) / pointwiseMax(bounds.size, Vector2(repeating: 1e-6)) }
    }
    /// Whether the pointer of the current or last press is inside the control: buttons act only on a release inside.
    public var isPointerInside: Bool { pointer.map(bounds.contains) ?? false }

    /// Returns the step of the press that the event completes, if any; its location is clamped to the control.
    public mutating func handle(_ event: InputEvent) -> [GestureChange<PointerMotion>] {
        if case .down(_, let position)? = event.contact(button: drag.button), !isActive, !bounds.contains(position) { return [] }
        return pass(drag.handle(event))
    }

    /// Cancels the press. Fingers that are down are ignored until they are lifted.
    public mutating func cancel(at time: Double) -> [GestureChange<PointerMotion>] { pass(drag.cancel(at: time)) }

    private mutating func pass(_ changes: [GestureChange<PointerMotion>]) -> [GestureChange<PointerMotion>] {
        changes.map { change in
            pointer = change.value.location
            var clamped = change
            clamped.value.location = bounds.clamped(change.value.location)
            return clamped
        }
    }
}
