import VitrineMath

/// One press, or several quick ones at one place, each let go before it moves.
///
/// It has no length: what comes is a single `ended`, with the last release.
public struct TapGesture: Gesture {
    public struct Value: Equatable, Sendable {
        /// Of the last press, points, y down.
        public var location: Vector2
    }

    /// 2: a double tap.
    public var count: Int
    /// Points that a press may move, and that presses may lie apart.
    public var maximumDistance: Float
    /// Seconds from one release to the next press.
    public var interval: Double
    public var button: PointerButton

    private struct Tap: Equatable, Sendable {
        var place: Vector2
        var time: Double
    }

    private var contacts = Contacts(limit: 10)
    private var start = Vector2(0, 0)
    private var taps = 0
    private var lastTap: Tap?
    private var hasFailed = false
    private var clock = GestureClock()
    public var isActive: Bool { false }

    public init(count: Int = 1, maximumDistance: Float = 10, interval: Double = 0.35, button: PointerButton = .left) {
        (self.count, self.maximumDistance, self.interval, self.button) = (max(count, 1), maximumDistance, interval, button)
    }

    public mutating func handle(_ event: InputEvent) -> [GestureChange<Value>] {
        guard let contactEvent = event.contact(button: button) else { return [] }
        clock.advance(to: event.time)
        switch contactEvent {
        case .down(let id, let position): press(id, at: position)
        case .moved(let id, let position):
            if contacts.move(id, to: position), distance(position, start) > maximumDistance { fail() }
        case .up(let id, let position): return lift(id, at: position)
        case .cancelled(let id): if contacts.remove(id) { fail() }
        case .allCancelled:
            contacts.removeAll()
            fail()
        }
        return []
    }

    public mutating func cancel(at time: Double) -> [GestureChange<Value>] {
        clock.advance(to: time)
        fail()
        return []
    }

    private mutating func press(_ id: Int64, at position: Vector2) {
        guard contacts.add(id, at: position) else { return }
        // Two fingers at once are something else.
        guard contacts.count == 1 else { return fail() }
        hasFailed = false
        start = position
        if let last = lastTap, clock.time - last.time > interval || distance(position, last.place) > maximumDistance { taps = 0 }
    }

    private mutating func lift(_ id: Int64, at position: Vector2?) -> [GestureChange<Value>] {
        let wasOne = contacts.count == 1
        guard contacts.remove(id), wasOne, !hasFailed else { return [] }
        if let position, distance(position, start) > maximumDistance {
            fail()
            return []
        }
        taps += 1
        lastTap = Tap(place: start, time: clock.time)
        guard taps >= count else { return [] }
        taps = 0
        return [GestureChange(phase: .ended, value: Value(location: start), time: clock.time)]
    }

    /// Nothing comes of it until all fingers are lifted.
    private mutating func fail() {
        hasFailed = true
        taps = 0
    }
}
