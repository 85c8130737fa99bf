import VitrineMotion

/// Keys that the user presses before a window shows its first frame: kept in order and delivered with it.
///
/// Pointer events are dropped: they refer to a frame that does not exist yet.
@MainActor
struct EarlyKeys {
    private var events: [InputEvent] = []

    /// The largest number of keys kept.
    static let capacity = 64

    /// Offers a key to the content, and keeps it if the content does not handle it now.
    mutating func add(_ event: InputEvent, _ content: any WindowContent) {
        switch event.kind {
        case .keyPressed(_, isRepeat: false), .keyReleased: break
        default: return
        }
        if !content.handleWhilePreparing(event), events.count < Self.capacity { events.append(event) }
    }

    /// Removes and returns them, with the time at which they take effect.
    mutating func take(at time: Double) -> [InputEvent] {
        defer { events = [] }
        return events.map { InputEvent($0.kind, modifiers: $0.modifiers, time: time) }
    }
}
