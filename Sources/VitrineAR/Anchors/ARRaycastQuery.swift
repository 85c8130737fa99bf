import VitrineMath

/// A ray and the surfaces that it may hit.
public struct ARRaycastQuery: Equatable, Sendable {
    /// The kind of surfaces to hit.
    public enum Target: String, Equatable, Sendable, CaseIterable {
        /// Detected planes inside their outlines.
        case existingPlaneGeometry
        /// Detected planes, infinitely extended.
        case existingPlaneInfinite
        /// The mesh of the scene; without a mesh, surfaces estimated from depth or from the feature points around the ray.
        case estimatedPlane
    }

    /// The alignment of the surfaces to hit.
    public enum TargetAlignment: String, Equatable, Sendable, CaseIterable {
        /// Surfaces with a vertical normal.
        case horizontal
        /// Surfaces with a horizontal normal.
        case vertical
        /// Surfaces of any alignment, slanted ones included.
        case any
    }

    /// The origin in the session's world, in metres.
    public let origin: Vector3
    /// The direction in the session's world, of any length.
    public let direction: Vector3
    /// The kind of surfaces to hit.
    public let target: Target
    /// The alignment of the surfaces to hit.
    public let targetAlignment: TargetAlignment

    /// Creates a query.
    public init(origin: Vector3, direction: Vector3, allowing target: Target, alignment: TargetAlignment) {
        (self.origin, self.direction, self.target, self.targetAlignment) = (origin, direction, target, alignment)
    }
}
