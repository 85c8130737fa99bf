import VitrineMath

/// A drag's meaning, decided when it begins and kept until it ends.
public enum DragKind: Equatable, Hashable, Sendable {
    case orbit, pan
    /// Turns the light around the scene.
    case environment
}

/// What a person means by touching a view. Distances are in points, y down.
public enum ViewGesture: Equatable, Sendable {
    /// Something holds the view: motion that still runs out stops under it.
    case dragBegan(DragKind)
    case dragged(DragKind, by: Vector2)
    /// `velocity`: of the last moments, points a second; zero when the hand rested before it let go.
    case dragEnded(DragKind, velocity: Vector2)
    /// Nearer by `factor` (above 1) or farther (below), towards what lies under `at`. `isContinuous`: fingers hold it, nothing to smooth.
    case zoomed(factor: Float, at: Vector2, isContinuous: Bool)
    case tapped(at: Vector2)
    case doubleTapped(at: Vector2)
}
