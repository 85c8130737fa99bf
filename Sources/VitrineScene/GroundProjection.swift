import VitrineMath

/// Puts the lower half of a visible environment on the ground, so that what stands there stands in the picture (`Environment.ground`).
///
/// The picture was taken at a height h over the ground. It is thrown from there onto the ground and onto a dome of radius R around the
/// place where it was taken: a ray of sight that meets the ground at p within the dome shows what lies in the direction p − (center + h · up), any
/// other what lies in the direction of its far crossing with the dome. The two meet in a circle of radius √(R² − h²), without a step.
/// (Projective texturing onto a disc and a dome, as the HDRI backdrops of game engines do it.) Light is still taken from infinitely far,
/// and so is the depth of what is seen: a lens blurs all of it alike.
public struct GroundProjection: Equatable, Sendable {
    /// Metres, more than `cameraHeight`.
    public var radius: Float
    /// Metres over the ground at which the picture was taken; more than 0. Default 1.6: by a person who stands.
    public var cameraHeight: Float
    /// The point of the ground below the place where the picture was taken. Default the origin.
    public var center: Vector3

    public init(radius: Float, cameraHeight: Float = 1.6, center: Vector3 = Vector3(0, 0, 0)) {
        (self.radius, self.cameraHeight, self.center) = (radius, cameraHeight, center)
    }

    /// In which direction the picture is looked up for a ray of sight.
    ///
    /// - Parameters:
    ///   - direction: unit length.
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
