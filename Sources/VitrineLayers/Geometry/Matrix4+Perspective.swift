import VitrineMath

extension Matrix4 {
    /// Creates the perspective of an eye at distance d in front of the origin and the plane z = 0: w = 1 − z/d (Core Animation's m34 = −1/d).
    ///
    /// - Parameter perspectiveDistance: d, above 0; other values give the identity, an eye at infinity.
    public init(perspectiveDistance distance: Float) {
        self = .identity
        if distance > 0, distance.isFinite { z.w = -1 / distance }
    }

    /// Creates a rotation by `angle` about `axis`: about +y, the right side moves away from the viewer.
    public init(rotation angle: Angle, axis: Vector3) { self.init(Matrix3(Quaternion(angle: angle, axis: axis))) }
}
