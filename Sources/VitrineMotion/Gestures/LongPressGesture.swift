import VitrineMath

/// A finger or button that is held still. It begins when it was long enough, which needs `update(at:)`: no event tells of it.
///
/// Once begun it may move, and ends when it is let go.
public struct LongPressGesture: Gesture {
    public struct Value: Equatable, Sendable {
        /// Points, y down.
        public var startLocation: Vector2
        public var location: Vector2
    }

    /// Seconds.
    public var minimumDuration: Double
    /// Points that it may move until then.
    public var maximumDistance: Float
    public var button: PointerButton

    private var contact: Int64?
    private var value = Value(startLocation: .zero, location: .zero)
    /// When it will have been long enough.
    private var due: Double?
    private var clock = GestureClock()
    public private(set) var isActive = false
    public var nextUpdate: Double? { due }

    public init(minimumDuration: Double = 0.5, maximumDistance: Float = 10, button: PointerButton = .left) {
        (self.minimumDuration, self.maximumDistance, self.button) = (minimumDuration, maximumDistance, button)
    }

    public mutating func handle(_ event: InputEvent) -> [GestureChange<Value>] {
        guard let contactEvent = event.contact(button: button) else { return update(at: event.time) }
        // What came due before the event began before it.
        let waited = update(at: event.time)
        switch contactEvent {
        case .down(let id, let position):
            guard contact == nil else { return waited }
            contact = id
            value = Value(startLocation: position, location: position)
            due = clock.time + max(minimumDuration, 0)
            return waited + update(at: clock.time)
        case .moved(let id, let position): return waited + (id == contact ? move(to: position) : [])
        case .up(let id, let position):
            guard id == contact else { return waited }
            if let position { value.location = position }
            return waited + letGo(.ended)
        case .cancelled(let id): return waited + (id == contact ? letGo(.cancelled) : [])
        case .allCancelled: return waited + letGo(.cancelled)
        }
    }

    public mutating func update(at time: Double) -> [GestureChange<Value>] {
        clock.advance(to: time)
        guard let due, clock.time >= due else { return [] }
        self.due = nil
        isActive = true
        return [GestureChange(phase: .began, value: value, time: due)]
    }

    public mutating func cancel(at time: Double) -> [GestureChange<Value>] {
        let waited = update(at: time)
        due = nil
        return waited + end(.cancelled)
    }

    private mutating func move(to position: Vector2) -> [GestureChange<Value>] {
        value.location = position
        if isActive { return [change(.changed)] }
        if distance(position, value.startLocation) > maximumDistance { due = nil }
        return []
    }

    private mutating func letGo(_ phase: GesturePhase) -> [GestureChange<Value>] {
        (contact, due) = (nil, nil)
        return end(phase)
    }

    private mutating func end(_ phase: GesturePhase) -> [GestureChange<Value>] {
        guard isActive else { return [] }
        isActive = false
        return [change(phase)]
    }

    private func change(_ phase: GesturePhase) -> GestureChange<Value> {
        GestureChange(phase: phase, value: value, time: clock.time)
    }
}
