import VitrineMath

/// What a person means by touching a view. Distances and places are in points, y down. `OrbitController` takes most of them as they are.
public enum ViewGesture: Equatable, Sendable {
    /// Something holds the view: motion that still runs out stops under it.
    case dragBegan(OrbitController.Drag)
    case dragged(by: Vector2)
    case dragEnded
    case pinchBegan
    /// The fingers' distance changed by this factor.
    case pinched(by: Float, at: Vector2)
    case pinchEnded
    /// Notches of a wheel, positive away from the person.
    case scrolled(Float, at: Vector2)
    case tapped(at: Vector2)
    case doubleTapped(at: Vector2)
}
