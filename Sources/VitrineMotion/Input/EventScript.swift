/// What a person does, written down: events in the order of their times, so that a program does in a test what it does under a hand.
///
/// ```swift
/// var script = try EventScript(contentsOf: url)          // JSON: see docs/guide/gestures.md
/// for frame in 0..<90 {
///     let time = Double(frame) / 30
///     for event in script.take(through: time) { view.handle(event) }
///     draw(at: time)
/// }
/// ```
public struct EventScript: Equatable, Sendable {
    /// In the order of their times.
    public let events: [InputEvent]
    private var taken = 0

    /// - Parameter events: Sorted by their times here; events of one time keep their order.
    public init(_ events: [InputEvent]) {
        let isSorted = zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time }
        // The library's sort may change the order of equals.
        let order = isSorted ? Array(events.indices) : events.indices.sorted { (events[$0].time, $0) < (events[$1].time, $1) }
        self.events = order.map { events[$0] }
    }

    /// Seconds of the last event.
    public var duration: Double { events.last?.time ?? 0 }

    /// The events that haven't been taken and lie not after `time`.
    public mutating func take(through time: Double) -> ArraySlice<InputEvent> {
        let first = taken
        while taken < events.count, events[taken].time <= time { taken += 1 }
        return events[first..<taken]
    }

    /// Goes back to the start.
    public mutating func rewind() { taken = 0 }
}
