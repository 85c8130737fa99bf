import VitrineMath

/// Recognizes a drag: one finger or the mouse, or with `touches` several fingers that move together.
///
/// ```swift
/// var drag = DragGesture()                      // one finger; others are ignored
/// var pan = DragGesture(touches: 1...5)         // the mean position of up to five fingers
/// ```
///
/// With several fingers, adding or lifting one moves `startLocation` together with `location`: the translation does not jump.
public struct DragGesture: Gesture {
    /// The distance in points beyond which a press is a drag. 0 starts the drag with the press; nil means 4 points with the mouse and 8 with a finger.
    public var minimumDistance: Float?
    /// The number of fingers: the drag begins with the lower bound; fingers beyond the upper bound are ignored until they are lifted.
    public let touches: ClosedRange<Int>
    /// The mouse button of the drag.
    public let button: PointerButton

    private var contacts: Contacts
    private var value = PointerMotion(at: .zero)
    private var tracker = VelocityTracker(startingAt: 0)
    private var clock = GestureClock()
    private var isCancelled = false
    /// Whether the gesture has begun and not ended.
    public private(set) var isActive = false

    /// Creates a recognizer.
    ///
    /// - Parameter touches: The number of fingers, at least 1. Default: one.
    public init(minimumDistance: Float? = nil, touches: ClosedRange<Int> = 1...1, button: PointerButton = .left) {
        (self.minimumDistance, self.button) = (minimumDistance, button)
        self.touches = max(touches.lowerBound, 1)...max(touches.upperBound, 1)
        contacts = Contacts(limit: self.touches.upperBound)
    }

    /// Returns the step of the drag that the event completes, if any.
    public mutating func handle(_ event: InputEvent) -> [GestureChange<PointerMotion>] {
        guard let contactEvent = event.contact(button: button) else { return [] }
        clock.advance(to: event.time)
        switch contactEvent {
        case .down(let id, let position): return press(id, at: position)
        case .moved(let id, let position): return contacts.move(id, to: position) ? move() : []
        case .up(let id, let position): return lift(id, at: position)
        case .cancelled(let id): return contacts.remove(id) ? stop(.cancelled) : []
        case .allCancelled:
            contacts.removeAll()
            return stop(.cancelled)
        }
    }

    /// Cancels the drag. Fingers that are down are ignored until they are lifted.
    public mutating func cancel(at time: Double) -> [GestureChange<PointerMotion>] {
        clock.advance(to: time)
        return stop(.cancelled)
    }

    private mutating func press(_ id: Int64, at position: Vector2) -> [GestureChange<PointerMotion>] {
        guard contacts.add(id, at: position) else { return [] }
        if contacts.count == 1 { isCancelled = false }
        if isActive {
            recenter()
        } else {
            value = PointerMotion(at: contacts.center, touchCount: contacts.count)
            tracker = VelocityTracker(startingAt: clock.time)
        }
        let beginsAtPress = minimumDistance.map { $0 <= 0 } ?? false
        return beginsAtPress && !isActive && mayBegin ? begin() : []
    }

    private var mayBegin: Bool { contacts.count >= touches.lowerBound && !isCancelled }

    private mutating func begin() -> [GestureChange<PointerMotion>] {
        isActive = true
        return [change(.began)]
    }

    private mutating func move() -> [GestureChange<PointerMotion>] {
        guard isActive || mayBegin else {
            recenter()
            return []
        }
        advance()
        if isActive { return [change(.changed)] }
        return GestureTolerance.isDrag(length(value.translation), minimum: minimumDistance, contact: contacts.first ?? 0) ? begin() : []
    }

    /// Adds the movement of the fingers to the drag.
    private mutating func advance() {
        tracker.move(by: contacts.center - value.location, at: clock.time)
        value.location = contacts.center
        value.velocity = tracker.velocity(releasedAt: clock.time)
    }

    /// Sets the location to the mean position of the fingers without changing the translation.
    private mutating func recenter() {
        value.startLocation += contacts.center - value.location
        (value.location, value.touchCount) = (contacts.center, contacts.count)
    }

    private mutating func lift(_ id: Int64, at position: Vector2?) -> [GestureChange<PointerMotion>] {
        if let position, contacts.move(id, to: position), contacts.center != value.location, isActive || mayBegin { advance() }
        guard contacts.remove(id) else { return [] }
        guard contacts.count < touches.lowerBound else {
            recenter()
            return []
        }
        let changes = stop(.ended)
        if contacts.count > 0 { recenter() }
        return changes
    }

    private mutating func stop(_ phase: GesturePhase) -> [GestureChange<PointerMotion>] {
        isCancelled = contacts.count > 0
        guard isActive else { return [] }
        isActive = false
        value.velocity = phase == .ended ? tracker.velocity(releasedAt: clock.time) : .zero
        return [change(phase)]
    }

    private func change(_ phase: GesturePhase) -> GestureChange<PointerMotion> {
        GestureChange(phase: phase, value: value, time: clock.time)
    }
}
