import VitrineVision

/// What `SurfaceBuilder` makes.
package struct SurfaceResult: Sendable {
    /// Reduced to the wanted number of triangles.
    package var mesh: TriangleMesh
    /// Before the reduction: what normals and displacement are baked from.
    package var fullMesh: TriangleMesh
    package var statistics: SurfaceStatistics
    package var warnings: [SurfaceWarning]
}

/// How the surface came about: for reports.
package struct SurfaceStatistics: Equatable, Sendable {
    package var inputPoints = 0
    /// Not finite, without a normal, outside the bounds, or part of the support.
    package var unusablePoints = 0
    /// Whose normal points away from the photo they come from.
    package var turnedPoints = 0
    /// With too few neighbours.
    package var outlierPoints = 0
    /// In front of surfaces that other photos observe.
    package var floatingPoints = 0
    /// The finest level of the octree, and its cells' size in the world's unit.
    package var depth = 0
    package var cellSize: Float = 0
    /// Octree cells over all levels.
    package var cells = 0
    package var trimmedTriangles = 0
    package var removedPieces = 0
    package var closedHoles = 0
    /// Boundary loops that stay open.
    package var openHoles = 0
    /// The distance by which the reduction moved the surface, as the reduction estimates it. World unit.
    package var reductionError: Float = 0

    package init() {}
}

/// What a person should know about a surface that was made all the same.
package enum SurfaceWarning: Equatable, Sendable {
    /// The reduction had to give up the topology (handles, separate pieces) to keep below the cap.
    case topologySimplified
    /// Holes larger than the limit were left open.
    case openHoles(Int)
    /// The points call for finer cells than `maximumDepth` allows.
    case resolutionLimited
}
