import VitrineMath
import VitrineVision

/// What a ray may hit.
public enum RayTarget: String, Equatable, Hashable, Sendable, CaseIterable {
    /// A found plane inside its outline.
    case existingPlaneGeometry
    /// A found plane without end.
    case existingPlaneInfinite
    /// A surface guessed around the ray from depth, or from tracked points where there is no depth.
    case estimatedPlane
}

/// Which surfaces a ray may hit.
public enum RayAlignment: String, Equatable, Hashable, Sendable, CaseIterable { case horizontal, vertical, any }

/// A ray in the world, and what it looks for.
@frozen public struct SurfaceRay: Equatable, Sendable {
    public var origin: Vector3d
    /// Needn't be a unit vector.
    public var direction: Vector3d
    public var target: RayTarget
    public var alignment: RayAlignment

    @inlinable public init(origin: Vector3d, direction: Vector3d, target: RayTarget = .estimatedPlane, alignment: RayAlignment = .any) {
        (self.origin, self.direction, self.target, self.alignment) = (origin, direction, target, alignment)
    }
}

/// Where a ray met a surface.
public struct SurfaceHit: Equatable, Sendable {
    /// Metres from the ray's origin.
    public let distance: Double
    /// The hit's frame: y is the surface's normal on the side that the ray came from.
    ///
    /// On a found plane seen from its own side the other axes are the plane's. On an estimated surface z points to the ray's origin where the
    /// surface is level, and down where it is upright, as a picture hangs.
    public let worldTransform: RigidTransform
    public let target: RayTarget
    /// Of the surface; nil where it is neither level nor upright.
    public let alignment: PlaneAlignment?
    /// The found plane that was hit.
    public let planeID: Int?

    public var position: Vector3d { worldTransform.translation }
}

/// A tracked point near a ray.
public struct PointHit: Equatable, Sendable {
    /// Metres from the ray's origin to the point.
    public let distance: Double
    /// Radians between the ray and the point.
    public let angle: Double
    public let position: Vector3d
    /// The tracker's name of the point.
    public let pointID: Int
}
