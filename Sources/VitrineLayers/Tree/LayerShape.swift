import VitrineMath
import VitrineScene

/// The outline of a layer, in its bounds.
public enum LayerShape: Equatable, Sendable {
    /// The bounds, with the layer's `cornerRadius`.
    case rectangle
    /// A rectangle whose shorter sides are half circles.
    case capsule
    case ellipse
    /// An outline in the layer's coordinates, y down; not bound to the bounds, which fills measure by all the same.
    case path(Path, rule: FillRule = .nonZero)
}
