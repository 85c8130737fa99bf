/// The time at which content must be drawn again without an event.
public enum FrameDemand: Equatable, Sendable {
    /// The next frame is drawn after an event or `Window.requestFrame()`. Until then the window sleeps and uses no processor time.
    case none
    /// The next frame is drawn with the next refresh of the display, because something moves.
    case next
    /// The next frame is drawn after this many seconds.
    case after(Double)

    /// Returns the earlier of two demands, for contents that are drawn together.
    package func earlier(_ other: FrameDemand) -> FrameDemand {
        switch (self, other) {
        case (.next, _), (_, .next): .next
        case (.none, let demand), (let demand, .none): demand
        case (.after(let a), .after(let b)): .after(min(a, b))
        }
    }
}
