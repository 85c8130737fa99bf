import VitrineGeometry

/// The pose of a camera that orbits a target: `eye = target + distance · (sin az · cos el, sin el, cos az · cos el)`.
///
/// ```swift
/// let pose = OrbitPose(azimuth: .degrees(90), elevation: .zero, distance: 2)
/// pose.eye   // SIMD3(2, 0, 0): to the right, looking along −X
/// ```
public struct OrbitPose: Equatable, Sendable {
    /// The angle about +Y, from +Z towards +X.
    public var azimuth: Angle
    /// The angle above the horizon.
    public var elevation: Angle
    /// The distance from the target in metres, above 0.
    public var distance: Float
    /// The point at the centre of the view, world frame, metres.
    public var target: Vector3

    /// Creates a pose.
    public init(
        azimuth: Angle = .zero, elevation: Angle = .zero, distance: Float = 1, target: Vector3 = Vector3(repeating: 0)
    ) {
        (self.azimuth, self.elevation, self.distance, self.target) = (azimuth, elevation, distance, target)
    }

    /// Creates the pose in this direction from which the bounding sphere of `bounds` fills the view.
    ///
    /// - Parameters:
    ///   - fieldOfView: The vertical field of view.
    ///   - aspectRatio: Width divided by height of the view.
    ///   - margin: The free margin around the sphere, in fractions of its radius.
    public init(
        fitting bounds: BoundingBox, azimuth: Angle = .degrees(30), elevation: Angle = .degrees(15), fieldOfView: Angle,
        aspectRatio: Float, margin: Float = 0.05
    ) {
        let half = fieldOfView.radians / 2
        let halfAcross = atan2(tan(half) * aspectRatio, 1)
        let isUsable = !bounds.isEmpty && bounds.center.isFinite && bounds.radius.isFinite
        let radius = isUsable && bounds.radius > 0 ? bounds.radius : 1
        let distance = radius * (1 + margin) / max(sin(min(half, halfAcross)), 1e-3)
        self.init(
            azimuth: azimuth, elevation: elevation, distance: distance, target: isUsable ? bounds.center : Vector3(repeating: 0))
    }

    /// The unit vector from the target to the eye.
    public var direction: Vector3 {
        let (sinAzimuth, cosAzimuth) = (sin(azimuth.radians), cos(azimuth.radians))
        let (sinElevation, cosElevation) = (sin(elevation.radians), cos(elevation.radians))
        return Vector3(sinAzimuth * cosElevation, sinElevation, cosAzimuth * cosElevation)
    }

    /// The camera's position, world frame, metres.
    public var eye: Vector3 { target + distance * direction }

    /// The camera's rotation: +X is right and +Y is up in the view. Continuous also straight above and below the target.
    public var orientation: Quaternion {
        Quaternion(angle: azimuth, axis: .up) * Quaternion(angle: -elevation, axis: .right)
    }

    /// The camera's pose.
    public var worldFromCamera: Matrix4 { Matrix4(Matrix3(orientation), translation: eye) }
}
