import VitrineMath

/// A ray, and what it may meet.
public struct ARRaycastQuery: Equatable, Sendable {
    public enum Target: String, Equatable, Sendable, CaseIterable {
        /// Planes that were found, inside their outlines.
        case existingPlaneGeometry
        /// Planes that were found, and what lies in line with them without end.
        case existingPlaneInfinite
        /// Surfaces that are guessed from the feature points around the ray.
        case estimatedPlane
    }

    public enum TargetAlignment: String, Equatable, Sendable, CaseIterable {
        case horizontal, vertical, any
    }

    /// In the session's world, in metres.
    public let origin: Vector3
    /// Need not have length 1.
    public let direction: Vector3
    public let target: Target
    public let targetAlignment: TargetAlignment

    public init(origin: Vector3, direction: Vector3, allowing target: Target, alignment: TargetAlignment) {
        (self.origin, self.direction, self.target, self.targetAlignment) = (origin, direction, target, alignment)
    }
}
