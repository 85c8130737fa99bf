import VitrineMath

extension Matrix4 {
    /// Seen by an eye `distance` in front of the plane z = 0 and the origin: w = 1 − z/d (Core Animation's m34 = −1/d).
    ///
    /// - Parameter perspectiveDistance: More than 0; anything else gives the identity, an eye infinitely far away.
    public init(perspectiveDistance distance: Float) {
        self = .identity
        if distance > 0, distance.isFinite { z.w = -1 / distance }
    }

    /// A turn by `angle` about `axis`: about +y, what is on the right goes away from the viewer.
    public init(rotation angle: Angle, axis: Vector3) { self.init(Matrix3(Quaternion(angle: angle, axis: axis))) }
}
