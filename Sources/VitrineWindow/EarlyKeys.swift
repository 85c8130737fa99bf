import VitrineMotion

/// Keys that the user presses before a window shows its first frame; they are stored in order and delivered with that frame.
///
/// Pointer events are dropped, because they refer to a frame that does not exist yet.
@MainActor
struct EarlyKeys {
    private var events: [InputEvent] = []

    /// The largest number of stored keys.
    static let capacity = 64

    /// Passes a key to the content, and stores it if the content does not handle it now.
    mutating func add(_ event: InputEvent, _ content: any WindowContent) {
        switch event.kind {
        case .keyPressed(_, isRepeat: false), .keyReleased: break
        default: return
        }
        if !content.handleWhilePreparing(event), events.count < Self.capacity { events.append(event) }
    }

    /// Removes and returns the keys, with the time at which they take effect.
    mutating func take(at time: Double) -> [InputEvent] {
        defer { events = [] }
        return events.map { InputEvent($0.kind, modifiers: $0.modifiers, time: time) }
    }
}
