import VitrineMath

/// Projects the lower half of a visible environment onto the ground, so that objects stand on it (`Environment.ground`).
///
/// The image was captured at a height h above the ground. It is projected from there onto the ground and onto a dome of radius R around the
/// viewpoint: a view ray that hits the ground at p within the dome samples the direction p − (center + h · up), any other ray the direction of
/// its far intersection with the dome. Ground and dome meet in a circle of radius √(R² − h²), without a step. (Projective texturing onto a disc
/// and a dome, as HDRI backdrops of game engines.) The light and the depth of the background are still infinitely far away: a lens blurs the
/// whole background equally.
public struct GroundProjection: Equatable, Sendable {
    /// The radius of the dome in metres, more than `cameraHeight`.
    public var radius: Float
    /// The height above the ground in metres at which the image was captured; more than 0. Default 1.6: eye level.
    public var cameraHeight: Float
    /// The point on the ground below the viewpoint of the image. Default: the origin.
    public var center: Vector3

    /// Creates a projection onto a dome of this radius.
    public init(radius: Float, cameraHeight: Float = 1.6, center: Vector3 = Vector3(0, 0, 0)) {
        (self.radius, self.cameraHeight, self.center) = (radius, cameraHeight, center)
    }

    /// Returns the direction in which a view ray samples the image.
    ///
    /// - Parameters:
    ///   - direction: The direction of the ray, of length 1.
    public func direction(ofRayFrom origin: Vector3, along direction: Vector3) -> Vector3 {
        let capture = center + Vector3(0, cameraHeight, 0)
        let height = origin.y - center.y
        if height > 0, direction.y < 0 {
            let point = origin + direction * (-height / direction.y)
            let across = point - center
            if across.x * across.x + across.z * across.z <= radius * radius - cameraHeight * cameraHeight {
                return normalize(point - capture)
            }
        }
        let offset = origin - capture
        let along = dot(offset, direction)
        let square = along * along - dot(offset, offset) + radius * radius
        let distance = square.squareRoot() - along
        guard square >= 0, distance > 0 else { return direction }
        return normalize(offset + direction * distance)
    }
}
