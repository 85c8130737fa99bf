import VitrineGeometry

/// A finger or the mouse on a control: it counts from the touch on, and its place is held inside the control.
///
/// ```swift
/// var press = PressGesture(bounds: Rectangle(x: 100, y: 40, width: 200, height: 60))
/// for change in press.handle(event) where change.phase == .began { tick() }
/// press.state                    // .dragging(location)
/// ```
///
/// It begins inside the control only, and goes on outside.
public struct PressGesture: Gesture {
    public enum State: Equatable, Hashable, Sendable {
        case inactive
        /// In points, inside the control.
        case dragging(Vector2)
    }

    public struct Value: Equatable, Sendable {
        /// In points, inside the control.
        public var location: Vector2
        /// The same as shares of width and height, 0…1.
        public var unitLocation: Vector2
        /// Whether the finger itself is inside: whether letting go there means it.
        public var isInside: Bool
    }

    /// Where the control is, points, y down. Without area nothing presses it.
    public var bounds: Rectangle
    private var drag: DragGesture
    private var location = Vector2(0, 0)
    public var isActive: Bool { drag.isActive }

    public init(bounds: Rectangle, button: PointerButton = .left) {
        self.bounds = bounds
        drag = DragGesture(minimumDistance: 0, button: button)
    }

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
