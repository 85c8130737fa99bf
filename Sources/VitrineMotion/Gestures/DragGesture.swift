import VitrineMath

/// Recognizes a drag of one finger or the mouse, from press to release. A second finger is ignored.
public struct DragGesture: Gesture {
    /// Positions are in points, y down.
    public struct Value: Equatable, Sendable {
        /// The position of the press.
        public var startLocation: Vector2
        /// The current position.
        public var location: Vector2
        /// Points per second, averaged over about 0.05 s; 0 after the pointer has been still that long.
        public var velocity: Vector2

        /// The way from the press to the current location.
        public var translation: Vector2 { location - startLocation }
        /// The location where the drag would come to rest if it decelerated as scrolling pages do (`Deceleration.normal`).
        public var predictedEndLocation: Vector2 { Deceleration.normal.projectedEnd(of: location, velocity: velocity) }
        /// The way from the press to `predictedEndLocation`.
        public var predictedEndTranslation: Vector2 { predictedEndLocation - startLocation }
    }

    /// The distance in points from which on a press is a drag; 0: from the press on; nil: beyond `GestureTolerance`.
    public var minimumDistance: Float?
    /// The mouse button that drags.
    public let button: PointerButton

    private var contact: Int64?
    private var value = Value(startLocation: .zero, location: .zero, velocity: .zero)
    private var tracker = VelocityTracker(startingAt: 0)
    private var clock = GestureClock()
    /// Whether the gesture has begun and not ended.
    public private(set) var isActive = false

    /// Creates a recognizer.
    public init(minimumDistance: Float? = nil, button: PointerButton = .left) {
        (self.minimumDistance, self.button) = (minimumDistance, button)
    }

    public mutating func handle(_ event: InputEvent) -> [GestureChange<Value>] {
        guard let contactEvent = event.contact(button: button) else { return [] }
        clock.advance(to: event.time)
        switch contactEvent {
        case .down(let id, let position): return press(id, at: position)
        case .moved(let id, let position): return id == contact ? move(to: position) : []
        case .up(let id, let position): return id == contact ? release(at: position) : []
        case .cancelled(let id): return id == contact ? end(.cancelled) : []
        case .allCancelled: return end(.cancelled)
        }
    }

    public mutating func cancel(at time: Double) -> [GestureChange<Value>] {
        clock.advance(to: time)
        return end(.cancelled)
    }

    private mutating func press(_ id: Int64, at position: Vector2) -> [GestureChange<Value>] {
        guard contact == nil else { return [] }
        contact = id
        value = Value(startLocation: position, location: position, velocity: .zero)
        tracker = VelocityTracker(startingAt: clock.time)
        return minimumDistance.map { $0 <= 0 } ?? false ? begin() : []
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
        return GestureTolerance.isDrag(length(value.translation), minimum: minimumDistance, contact: contact ?? 0) ? begin() : []
    }

    private mutating func release(at position: Vector2?) -> [GestureChange<Value>] {
        if let position, position != value.location {
            tracker.move(by: position - value.location, at: clock.time)
            value.location = position
        }
        value.velocity = tracker.velocity(releasedAt: clock.time)
        return end(.ended)
    }

    private mutating func end(_ phase: GesturePhase) -> [GestureChange<Value>] {
        contact = nil
        guard isActive else { return [] }
        isActive = false
        return [change(phase)]
    }

    private func change(_ phase: GesturePhase) -> GestureChange<Value> {
        GestureChange(phase: phase, value: value, time: clock.time)
    }
}
