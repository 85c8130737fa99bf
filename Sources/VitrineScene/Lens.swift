import VitrineMath

/// A lens that is in focus at one distance (`Camera.lens`): nearer and farther points appear as discs.
///
/// The camera's field of view and the sensor give the focal length; that and the f-number give the aperture. Sizes are real: a lens of
/// 50 mm at f/5.6 blurs behind a card held in the hand, but hardly behind a building. f-numbers below those of real lenses are allowed.
public struct Lens: Equatable, Sendable {
    /// Metres along the view's axis to the plane in focus; more than 0. Default 2.5.
    public var focusDistance: Float
    /// Focal length over the diameter of the aperture, 0.001…1000; smaller blurs more. Default 5.6.
    public var fNumber: Float
    /// Millimetres, more than 0. Default 24.
    public var sensorHeight: Float

    /// Makes a lens; see the properties for units.
    public init(focusDistance: Float = 2.5, fNumber: Float = 5.6, sensorHeight: Float = 24) {
        (self.focusDistance, self.fNumber, self.sensorHeight) = (focusDistance, fNumber, sensorHeight)
    }

    /// Focal length in millimetres for a vertical field of view.
    public func focalLength(fieldOfView: Angle) -> Float { sensorHeight / (2 * tan(fieldOfView.radians / 2)) }

    /// Metres.
    public func apertureDiameter(fieldOfView: Angle) -> Float { focalLength(fieldOfView: fieldOfView) / fNumber / 1000 }

    /// Diameter of a point's disc (circle of confusion), as a share of the image's height.
    ///
    /// A · |z − s| / (2 · z · s · tan(fov / 2)) for an aperture A, a point z ahead of the camera and a focus at s: rays from the aperture's
    /// rim to the point, where they cross the plane in focus. The field of view is that of the plane in focus: it does not change with
    /// the focus, as it does a little in a real lens.
    ///
    /// - Parameter distance: metres ahead of the camera; may be infinite.
    public func blur(atDistance distance: Float, fieldOfView: Angle) -> Float {
        let atInfinity = apertureDiameter(fieldOfView: fieldOfView) / (2 * focusDistance * tan(fieldOfView.radians / 2))
        return atInfinity * abs(1 - focusDistance / distance)
    }
}
