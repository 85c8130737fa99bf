import VitrineGeometry

/// Recognizes a press of a control by a finger or the mouse, and reports its position inside the control.
///
/// ```swift
/// var press = PressGesture(bounds: Rectangle(x: 100, y: 40, width: 200, height: 60))
/// for change in press.handle(event) where change.phase == .began { tick() }
/// press.state                    // .dragging(location)
/// ```
///
/// The press must begin inside the control, and continues when the pointer leaves it.
public struct PressGesture: Gesture {
    /// Whether a control is pressed, and where.
    public enum State: Equatable, Hashable, Sendable {
        case inactive
        /// The position in points, clamped to the control.
        case dragging(Vector2)
    }

    /// The state of a press.
    public struct Value: Equatable, Sendable {
        /// The position in points, clamped to the control.
        public var location: Vector2
        /// `location` in fractions of the control's width and height, 0…1.
        public var unitLocation: Vector2
        /// Whether the pointer itself is inside the control.
        public var isInside: Bool
    }

    /// The control's rectangle in points, y down. An empty rectangle is never pressed.
    public var bounds: Rectangle
    private var drag: DragGesture
    private var location = Vector2(0, 0)
    /// Whether the control is pressed.
    public var isActive: Bool { drag.isActive }

    /// Creates a recognizer for a control.
    public init(bounds: Rectangle, button: PointerButton = .left) {
        self.bounds = bounds
        drag = DragGesture(minimumDistance: 0, button: button)
    }

    /// Whether the control is pressed, and where.
    public var state: State { isActive ? .dragging(bounds.clamped(location)) : .inactive }

    public mutating func handle(_ event: InputEvent) -> [GestureChange<Value>] {
        if case .down(_, let position)? = event.contact(button: drag.button), !isActive, !bounds.contains(position) { return [] }
        return pass(drag.handle(event))
    }

    public mutating func cancel(at time: Double) -> [GestureChange<Value>] { pass(drag.cancel(at: time)) }

    private mutating func pass(_ changes: [GestureChange<DragGesture.Value>]) -> [GestureChange<Value>] {
        changes.map { change in
            location = change.value.location
            let held = bounds.clamped(location)
            let size = pointwiseMax(bounds.size, Vector2(repeating: 1e-6))
            let value = Value(location: held, unitLocation: (held - bounds.origin) / size, isInside: bounds.contains(location))
            return GestureChange(phase: change.phase, value: value, time: change.time)
        }
    }
}
