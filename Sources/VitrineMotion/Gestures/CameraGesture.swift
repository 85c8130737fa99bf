import VitrineMath

/// A step of a gesture that moves the camera of a view. Distances and positions are in points, y down.
///
/// `OrbitController` has a method for most of the cases.
package enum CameraGesture: Equatable, Sendable {
    /// A button or finger went down: stops the current motion.
    case dragBegan(OrbitController.Drag)
    case dragged(by: Vector2)
    case dragEnded
    case pinchBegan
    /// The distance of the fingers changed by this factor.
    case pinched(by: Float, at: Vector2)
    case pinchEnded
    /// Notches of a wheel, positive away from the user.
    case scrolled(Float, at: Vector2)
    /// The position is where the press started.
    case tapped(at: Vector2)
    case doubleTapped(at: Vector2)
}
