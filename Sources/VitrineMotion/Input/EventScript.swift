/// A script of input events in order of time, for tests and headless playback.
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
    /// The events in order of time.
    public let events: [InputEvent]
    private var taken = 0

    /// Creates a script.
    ///
    /// - Parameter events: The events in any order; events with the same time keep their order.
    public init(_ events: [InputEvent]) {
        let isSorted = zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time }
        // `sort` does not keep the order of equal elements.
        let order = isSorted ? Array(events.indices) : events.indices.sorted { (events[$0].time, $0) < (events[$1].time, $1) }
        self.events = order.map { events[$0] }
    }

    /// The time of the last event in seconds.
    public var duration: Double { events.last?.time ?? 0 }

    /// Returns the events up to `time` that no earlier call has returned.
    public mutating func take(through time: Double) -> ArraySlice<InputEvent> {
        let first = taken
        while taken < events.count, events[taken].time <= time { taken += 1 }
        return events[first..<taken]
    }

    /// Restarts the script.
    public mutating func rewind() { taken = 0 }
}
