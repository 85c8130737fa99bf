import VitrineMath
import VitrineVision

/// A surface around a ray that no plane has been made of.
struct GuessedSurface: Equatable, Sendable {
    /// Metres from the ray's origin.
    let distance: Double
    /// Where the ray meets it: y is the normal on the side that the ray came from. z points to the ray's origin where the surface is level, and
    /// down where it is upright, as a picture hangs.
    let worldTransform: RigidTransform
    /// nil where it is neither level nor upright.
    let alignment: PlaneAlignment?
}

/// A tracked point near a ray.
struct PointHit: Equatable, Sendable {
    /// Metres from the ray's origin to the point.
    let distance: Double
    /// Radians between the ray and the point.
    let angle: Double
    let position: Vector3d
    /// The tracker's name of the point.
    let pointID: Int
}
