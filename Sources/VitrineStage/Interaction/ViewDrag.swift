import VitrineMath
import VitrineMotion

/// A drag over a view, handled by the program in place of the camera. See `SceneView.onDrag`.
public struct ViewDrag: Equatable, Sendable {
    /// `began` when the button or finger went down, `changed` when the pointer moved, `ended` when the user released it, the window lost the
    /// focus, or a second finger came down. Never `cancelled`.
    public var phase: GesturePhase
    /// The translation since the start of the drag, in points, y down.
    public var translation: Vector2
    /// The time in seconds on the window's clock.
    public var time: Double

    package init(phase: GesturePhase, translation: Vector2, time: Double) {
        (self.phase, self.translation, self.time) = (phase, translation, time)
    }
}
