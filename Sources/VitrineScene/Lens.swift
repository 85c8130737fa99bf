import VitrineMath

/// A thin lens in focus at one distance (`Camera.lens`): nearer and farther points appear as discs.
///
/// The focal length follows from the camera's field of view and the sensor, the aperture from the focal length and the f-number. Sizes are
/// physical: a lens of 50 mm at f/5.6 blurs the background of a card at arm's length, but hardly that of a building. f-numbers below those of
/// real lenses are allowed.
public struct Lens: Equatable, Sendable {
    /// The distance of the plane in focus along the view axis in metres; more than 0. Default 2.5.
    public var focusDistance: Float
    /// The focal length divided by the diameter of the aperture, 0.001…1000; smaller numbers blur more. Default 5.6.
    public var fNumber: Float
    /// The height of the sensor in millimetres, more than 0. Default 24.
    public var sensorHeight: Float

    /// Creates a lens; see the properties for units.
    public init(focusDistance: Float = 2.5, fNumber: Float = 5.6, sensorHeight: Float = 24) {
        (self.focusDistance, self.fNumber, self.sensorHeight) = (focusDistance, fNumber, sensorHeight)
    }

    /// Returns the focal length in millimetres for a vertical field of view.
    public func focalLength(fieldOfView: Angle) -> Float { sensorHeight / (2 * tan(fieldOfView.radians / 2)) }

    /// Returns the diameter of the aperture in metres.
    public func apertureDiameter(fieldOfView: Angle) -> Float { focalLength(fieldOfView: fieldOfView) / fNumber / 1000 }

    /// Returns the diameter of a point's circle of confusion, as a fraction of the image's height.
    ///
    /// A · |z − s| / (2 · z · s · tan(fov / 2)) for an aperture A, a point at depth z and a focus at s: the circle in which rays from the rim of the
    /// aperture to the point intersect the plane in focus. The field of view is that of the plane in focus and, unlike that of a real lens, does
    /// not change with the focus.
    ///
    /// - Parameter distance: The depth of the point in metres; may be infinite.
    public func blur(atDistance distance: Float, fieldOfView: Angle) -> Float {
        let atInfinity = apertureDiameter(fieldOfView: fieldOfView) / (2 * focusDistance * tan(fieldOfView.radians / 2))
        return atInfinity * abs(1 - focusDistance / distance)
    }
}
