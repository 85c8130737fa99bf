import VitrineMath

/// Recognizes a finger or mouse button that stays down without moving.
///
/// The gesture begins after `minimumDuration`. No event occurs at that time: call `update(at:)` at `nextUpdate`. After the gesture has begun, the
/// press may move; the gesture ends with the release. The velocity of its steps is 0.
public struct LongPressGesture: Gesture {
    /// The time in seconds that the press must last. Default 0.5.
    public var minimumDuration: Double
    /// The distance in points that the press may move before the gesture begins; nil means 4 points with the mouse and 8 with a finger.
    public var maximumDistance: Float?
    /// The mouse button of the press.
    public let button: PointerButton

    private var contact: Int64?
    private var value = PointerMotion(at: .zero)
    /// The time at which the press becomes a long press.
    private var due: Double?
    private var clock = GestureClock()
    /// Whether the gesture has begun and not ended.
    public private(set) var isActive = false
    /// The time at which the current press becomes a long press; nil without a press.
    public var nextUpdate: Double? { due }

    /// Creates a recognizer.
    public init(minimumDuration: Double = 0.5, maximumDistance: Float? = nil, button: PointerButton = .left) {
        (self.minimumDuration, self.maximumDistance, self.button) = (minimumDuration, maximumDistance, button)
    }

    /// Returns the steps that the event completes; if the press became a long press before the event, the first step is `began`.
    public mutating func handle(_ event: InputEvent) -> [GestureChange<PointerMotion>] {
        guard let contactEvent = event.contact(button: button) else { return update(at: event.time) }
        // A press that became a long press before the event began earlier.
        let waited = update(at: event.time)
        switch contactEvent {
        case .down(let id, let position):
            guard contact == nil else { return waited }
            contact = id
            value = PointerMotion(at: position)
            due = clock.time + max(minimumDuration, 0)
            return waited + update(at: clock.time)
        case .moved(let id, let position): return waited + (id == contact ? move(to: position) : [])
        case .up(let id, let position):
            guard id == contact else { return waited }
            if let position { value.location = position }
            return waited + release(.ended)
        case .cancelled(let id): return waited + (id == contact ? release(.cancelled) : [])
        case .allCancelled: return waited + release(.cancelled)
        }
    }

    /// Returns `began` if the press is a long press at this time.
    public mutating func update(at time: Double) -> [GestureChange<PointerMotion>] {
        clock.advance(to: time)
        guard let due, clock.time >= due else { return [] }
        self.due = nil
        isActive = true
        return [GestureChange(phase: .began, value: value, time: due)]
    }

    /// Cancels the press. Fingers that are down are ignored until they are lifted.
    public mutating func cancel(at time: Double) -> [GestureChange<PointerMotion>] {
        let waited = update(at: time)
        due = nil
        return waited + end(.cancelled)
    }

    private mutating func move(to position: Vector2) -> [GestureChange<PointerMotion>] {
        value.location = position
        if isActive { return [change(.changed)] }
        let tolerance = maximumDistance ?? GestureTolerance.distance(ofContact: contact ?? 0)
        if distance(position, value.startLocation) > tolerance { due = nil }
        return []
    }

    private mutating func release(_ phase: GesturePhase) -> [GestureChange<PointerMotion>] {
        (contact, due) = (nil, nil)
        return end(phase)
    }

    private mutating func end(_ phase: GesturePhase) -> [GestureChange<PointerMotion>] {
        guard isActive else { return [] }
        isActive = false
        return [change(phase)]
    }

    private func change(_ phase: GesturePhase) -> GestureChange<PointerMotion> {
        GestureChange(phase: phase, value: value, time: clock.time)
    }
}
