import VitrineGeometry

/// Where a camera stands that looks at a point: `eye = target + distance · (sin az · cos el, sin el, cos az · cos el)`.
///
/// ```swift
/// let pose = OrbitPose(azimuth: .degrees(90), elevation: .zero, distance: 2)
/// pose.eye   // SIMD3(2, 0, 0): to the right, looking along −X
/// ```
public struct OrbitPose: Equatable, Sendable {
    /// About +Y, from +Z towards +X.
    public var azimuth: Angle
    /// Above the horizon.
    public var elevation: Angle
    /// Metres from the target, above 0.
    public var distance: Float
    /// What is looked at, world frame, metres.
    public var target: Vector3

    public init(
        azimuth: Angle = .zero, elevation: Angle = .zero, distance: Float = 1, target: Vector3 = Vector3(repeating: 0)
    ) {
        (self.azimuth, self.elevation, self.distance, self.target) = (azimuth, elevation, distance, target)
    }

    /// The pose in these directions from which `bounds` fills the picture: its sphere touches the nearer edges, with `margin` around it.
    ///
    /// - Parameters:
    ///   - fieldOfView: Vertical.
    ///   - aspectRatio: Width / height of the picture.
    ///   - margin: The part of the radius that is left free around it.
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

    /// The camera's place, world frame, metres.
    public var eye: Vector3 { target + distance * direction }

    /// The camera's rotation: its +X is right and its +Y up in the picture. Steady also straight above and below.
    public var orientation: Quaternion {
        Quaternion(angle: azimuth, axis: .up) * Quaternion(angle: -elevation, axis: .right)
    }

    /// The camera's pose.
    public var worldFromCamera: Matrix4 { Matrix4(Matrix3(orientation), translation: eye) }
}
