import VitrineMath

/// A drag over a view, handled by the program in place of the camera. See `SceneView.onDrag`.
public struct ViewDrag: Equatable, Sendable {
    /// The phase of a drag.
    public enum Phase: Equatable, Hashable, Sendable {
        /// The button or finger went down.
        case began
        /// The pointer moved.
        case moved
        /// The user released the pointer, the window lost the focus, or a second finger came down.
        case ended
    }

    /// The phase of the drag.
    public var phase: Phase
    /// The way since the start of the drag, in points, y down.
    public var translation: Vector2
    /// Seconds on the window's clock.
    public var time: Double

    package init(phase: Phase, translation: Vector2, time: Double) {
        (self.phase, self.translation, self.time) = (phase, translation, time)
    }
}
