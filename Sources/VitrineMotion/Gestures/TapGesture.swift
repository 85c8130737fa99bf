import VitrineMath

/// Recognizes a tap, or several taps in a row, with one finger or the mouse.
///
/// A tap has no duration: the gesture reports one `ended` with the last release, at the position where the last press started.
public struct TapGesture: Gesture {
    /// The number of taps in a row: 2 for a double tap. At least 1.
    public let count: Int
    /// The distance in points that a press may move; nil means 4 points with the mouse and 8 with a finger.
    public var maximumDistance: Float?
    /// The longest time in seconds from one release to the next press. Default 0.35.
    public var interval: Double
    /// The mouse button of the tap.
    public let button: PointerButton

    private var contacts = Contacts(limit: 10)
    private var taps = TapSequence()
    private var clock = GestureClock()
    /// Always false, because a tap has no duration.
    public var isActive: Bool { false }

    /// Creates a recognizer.
    public init(
        count: Int = 1, maximumDistance: Float? = nil, interval: Double = 0.35,
        button: PointerButton = .left
    ) {
        (self.count, self.maximumDistance, self.interval, self.button) = (max(count, 1), maximumDistance, interval, button)
    }

    /// Returns the tap that the event completes, if any.
    public mutating func handle(_ event: InputEvent) -> [GestureChange<PointerMotion>] {
        guard let contactEvent = event.contact(button: button) else { return [] }
        clock.advance(to: event.time)
        switch contactEvent {
        case .down(let id, let position): press(id, at: position)
        case .moved(let id, let position): if contacts.move(id, to: position) { taps.move(to: position) }
        case .up(let id, let position): return release(id, at: position)
        case .cancelled(let id): if contacts.remove(id) { taps.fail() }
        case .allCancelled:
            contacts.removeAll()
            taps.fail()
        }
        return []
    }

    /// Discards the taps so far. Returns no steps, because a tap never begins.
    public mutating func cancel(at time: Double) -> [GestureChange<PointerMotion>] {
        clock.advance(to: time)
        taps.fail()
        return []
    }

    private mutating func press(_ id: Int64, at position: Vector2) {
        guard contacts.add(id, at: position) else { return }
        // Two fingers at once are a different gesture.
        guard contacts.count == 1 else { return taps.fail() }
        let tolerance = maximumDistance ?? GestureTolerance.distance(ofContact: id)
        taps.press(at: position, time: clock.time, tolerance: tolerance, interval: interval)
    }

    private mutating func release(_ id: Int64, at position: Vector2?) -> [GestureChange<PointerMotion>] {
        let wasAlone = contacts.count == 1
        guard contacts.remove(id), wasAlone, let tap = taps.release(at: position, time: clock.time), tap.count >= count else { return [] }
        taps.fail()
        return [GestureChange(phase: .ended, value: PointerMotion(at: tap.position), time: clock.time)]
    }
}
