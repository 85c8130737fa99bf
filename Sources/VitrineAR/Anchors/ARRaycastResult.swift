import VitrineMath

/// A hit of a ray cast.
public struct ARRaycastResult: Equatable, Sendable {
    /// The hit in the session's world: y is the surface's normal on the side of the ray's origin.
    public let worldTransform: Matrix4
    /// The kind of surface that was hit.
    public let target: ARRaycastQuery.Target
    /// The alignment of the surface; `.any` for a slanted one.
    public let targetAlignment: ARRaycastQuery.TargetAlignment
    /// The plane or the mesh that was hit; nil for another estimated surface.
    public let anchor: ARAnchor?
    /// The distance in metres from the ray's origin.
    public let distance: Float

    /// Creates a hit.
    public init(
        worldTransform: Matrix4, target: ARRaycastQuery.Target, targetAlignment: ARRaycastQuery.TargetAlignment, anchor: ARAnchor? = nil,
        distance: Float
    ) {
        (self.worldTransform, self.target, self.targetAlignment) = (worldTransform, target, targetAlignment)
        (self.anchor, self.distance) = (anchor, distance)
    }
}
