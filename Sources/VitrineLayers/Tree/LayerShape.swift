import VitrineMath
import VitrineScene

/// The shape of a layer.
public enum LayerShape: Equatable, Sendable {
    /// The bounds, with the layer's `cornerRadius`.
    case rectangle
    /// A rectangle with semicircular ends.
    case capsule
    /// The ellipse that touches the four sides of the bounds.
    case ellipse
    /// A path in the layer's coordinates, y down. It may exceed the bounds, which define the layout of fills.
    case path(Path, rule: FillRule = .nonZero)
}
