import VitrineMath

/// One finger or the mouse, from pressing to letting go. A second finger is ignored.
public struct DragGesture: Gesture {
    /// Places are points, y down, as events have them.
    public struct Value: Equatable, Sendable {
        /// Where it was pressed.
        public var startLocation: Vector2
        public var location: Vector2
        /// Points a second, averaged over about 0.05 s; 0 once the hand holds still.
        public var velocity: Vector2

        /// From where it was pressed.
        public var translation: Vector2 { location - startLocation }
        /// Where it would come to rest if it ran out as pages do (`Deceleration.normal`).
        public var predictedEndLocation: Vector2 { Deceleration.normal.projectedEnd(of: location, velocity: velocity) }
        public var predictedEndTranslation: Vector2 { predictedEndLocation - startLocation }
    }

    /// Points that a press must move to be a drag; 0: pressing is enough.
    public var minimumDistance: Float
    /// Of a mouse.
    public var button: PointerButton

    private var contact: Int64?
    private var value = Value(startLocation: .zero, location: .zero, velocity: .zero)
    private var tracker = VelocityTracker(startingAt: 0)
    private var clock = GestureClock()
    public private(set) var isActive = false

    public init(minimumDistance: Float = 10, button: PointerButton = .left) {
        (self.minimumDistance, self.button) = (minimumDistance, button)
    }

    public mutating func handle(_ event: InputEvent) -> [GestureChange<Value>] {
        guard let contactEvent = event.contact(button: button) else { return [] }
        clock.advance(to: event.time)
        switch contactEvent {
        case .down(let id, let position): return press(id, at: position)
        case .moved(let id, let position): return id == contact ? move(to: position) : []
        case .up(let id, let position): return id == contact ? release(at: position) : []
        case .cancelled(let id): return id == contact ? letGo(.cancelled) : []
        case .allCancelled: return letGo(.cancelled)
        }
    }

    public mutating func cancel(at time: Double) -> [GestureChange<Value>] {
        clock.advance(to: time)
        return letGo(.cancelled)
    }

    private mutating func press(_ id: Int64, at position: Vector2) -> [GestureChange<Value>] {
        guard contact == nil else { return [] }
        contact = id
        value = Value(startLocation: position, location: position, velocity: .zero)
        tracker = VelocityTracker(startingAt: clock.time)
        return minimumDistance > 0 ? [] : begin()
    }

    private mutating func begin() -> [GestureChange<Value>] {
        isActive = true
        return [change(.began)]
    }

    private mutating func move(to position: Vector2) -> [GestureChange<Value>] {
        tracker.move(by: position - value.location, at: clock.time)
        value.location = position
        value.velocity = tracker.velocity(releasedAt: clock.time)
        if isActive { return [change(.changed)] }
        return length(value.translation) >= minimumDistance ? begin() : []
    }

    private mutating func release(at position: Vector2?) -> [GestureChange<Value>] {
        if let position, position != value.location {
            tracker.move(by: position - value.location, at: clock.time)
            value.location = position
        }
        value.velocity = tracker.velocity(releasedAt: clock.time)
        return letGo(.ended)
    }

    private mutating func letGo(_ phase: GesturePhase) -> [GestureChange<Value>] {
        contact = nil
        guard isActive else { return [] }
        isActive = false
        return [change(phase)]
    }

    private func change(_ phase: GesturePhase) -> GestureChange<Value> {
        GestureChange(phase: phase, value: value, time: clock.time)
    }
}
