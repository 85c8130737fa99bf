import VitrineMath

/// Recognizes a pan: up to five fingers that move together, or the mouse. It follows their mean position; adding or lifting a finger causes no
/// jump.
public struct PanGesture: Gesture {
    /// The state of a pan.
    public struct Value: Equatable, Sendable {
        /// The way since the press, in points, y down.
        public var translation: Vector2
        /// The mean position of the fingers.
        public var location: Vector2
        /// Points per second; see `DragGesture.Value.velocity`.
        public var velocity: Vector2
        /// The number of fingers; 1 for the mouse.
        public var touchCount: Int
    }

    /// The distance in points from which on a press is a pan; 0: from the press on; nil: beyond `GestureTolerance`.
    public var minimumDistance: Float?
    /// The number of fingers required, 1…5.
    public var minimumTouches: Int
    /// The mouse button that pans.
    public let button: PointerButton

    private var contacts = Contacts(limit: 5)
    private var value = Value(translation: .zero, location: .zero, velocity: .zero, touchCount: 0)
    private var tracker = VelocityTracker(startingAt: 0)
    private var clock = GestureClock()
    private var isCancelled = false
    /// Whether the gesture has begun and not ended.
    public private(set) var isActive = false

    /// Creates a recognizer.
    public init(minimumDistance: Float? = nil, minimumTouches: Int = 1, button: PointerButton = .left) {
        (self.minimumDistance, self.minimumTouches, self.button) = (minimumDistance, max(minimumTouches, 1), button)
    }

    public mutating func handle(_ event: InputEvent) -> [GestureChange<Value>] {
        guard let contactEvent = event.contact(button: button) else { return [] }
        clock.advance(to: event.time)
        switch contactEvent {
        case .down(let id, let position): return press(id, at: position)
        case .moved(let id, let position): return contacts.move(id, to: position) ? move() : []
        case .up(let id, let position): return lift(id, at: position)
        case .cancelled(let id):
            guard contacts.remove(id) else { return [] }
            return stop(.cancelled)
        case .allCancelled:
            contacts.removeAll()
            return stop(.cancelled)
        }
    }

    public mutating func cancel(at time: Double) -> [GestureChange<Value>] {
        clock.advance(to: time)
        return stop(.cancelled)
    }

    private mutating func press(_ id: Int64, at position: Vector2) -> [GestureChange<Value>] {
        guard contacts.add(id, at: position) else { return [] }
        if contacts.count == 1 { isCancelled = false }
        if !isActive {
            value.translation = .zero
            tracker = VelocityTracker(startingAt: clock.time)
        }
        (value.location, value.touchCount) = (contacts.center, contacts.count)
        let beginsAtPress = minimumDistance.map { $0 <= 0 } ?? false
        return beginsAtPress && !isActive && mayBegin ? begin() : []
    }

    private var mayBegin: Bool { contacts.count >= minimumTouches && !isCancelled }

    private mutating func begin() -> [GestureChange<Value>] {
        isActive = true
        return [change(.began)]
    }

    private mutating func move() -> [GestureChange<Value>] {
        let step = contacts.center - value.location
        value.location = contacts.center
        guard isActive || mayBegin else { return [] }
        value.translation += step
        tracker.move(by: step, at: clock.time)
        value.velocity = tracker.velocity(releasedAt: clock.time)
        if isActive { return [change(.changed)] }
        return GestureTolerance.isDrag(length(value.translation), minimum: minimumDistance, contact: contacts.first ?? 0) ? begin() : []
    }

    private mutating func lift(_ id: Int64, at position: Vector2?) -> [GestureChange<Value>] {
        let moved = position.map { contacts.move(id, to: $0) } ?? false
        let last = moved && contacts.center != value.location ? move() : []
        guard contacts.remove(id) else { return [] }
        // The mean position jumps here; the translation does not.
        if contacts.count > 0 { (value.location, value.touchCount) = (contacts.center, contacts.count) }
        return last + (contacts.count < minimumTouches ? stop(.ended) : [])
    }

    private mutating func stop(_ phase: GesturePhase) -> [GestureChange<Value>] {
        isCancelled = contacts.count > 0
        guard isActive else { return [] }
        isActive = false
        value.velocity = phase == .ended ? tracker.velocity(releasedAt: clock.time) : .zero
        return [change(phase)]
    }

    private func change(_ phase: GesturePhase) -> GestureChange<Value> {
        GestureChange(phase: phase, value: value, time: clock.time)
    }
}
