import VitrineMath

/// A drag over a view that the program has taken over: see `SceneView.onDrag`.
public struct ViewDrag: Equatable, Sendable {
    public enum Phase: Equatable, Hashable, Sendable {
        case began, moved
        /// Let go, or taken away: another window came in front, a second finger came down.
        case ended
    }

    public var phase: Phase
    /// From where it began, points, y down.
    public var translation: Vector2
    /// Seconds on the window's clock.
    public var time: Double
}
