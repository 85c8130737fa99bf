import VitrineVision

/// The output of `SurfaceBuilder`.
package struct SurfaceResult: Sendable {
    /// The mesh within the limit of triangles.
    package var mesh: TriangleMesh
    /// The mesh before the reduction, from which normals and displacement are baked.
    package var fullMesh: TriangleMesh
    package var statistics: SurfaceStatistics
    package var warnings: [SurfaceWarning]
}

/// Statistics of the reconstruction, for reports.
package struct SurfaceStatistics: Equatable, Sendable {
    package var inputPoints = 0
    /// The number of points that are not finite, without a normal, outside the bounds, or part of the support.
    package var unusablePoints = 0
    /// The number of points whose normal points away from their photo.
    package var turnedPoints = 0
    /// The number of points with too few neighbours.
    package var outlierPoints = 0
    /// The number of points in front of surfaces that other photos observe.
    package var floatingPoints = 0
    /// The finest level of the octree, and its cells' size in the world's unit.
    package var depth = 0
    package var cellSize: Float = 0
    /// The number of octree cells on all levels.
    package var cells = 0
    package var trimmedTriangles = 0
    package var removedPieces = 0
    package var closedHoles = 0
    /// The number of boundary loops that stay open.
    package var openHoles = 0
    /// The distance by which the reduction moved the surface, as the reduction estimates it. World unit.
    package var reductionError: Float = 0

    package init() {}
}

/// A problem of a surface that could be reconstructed.
package enum SurfaceWarning: Equatable, Sendable {
    /// The reduction changed the topology (handles, separate pieces) to keep within the limit.
    case topologySimplified
    /// Holes larger than the limit were left open.
    case openHoles(Int)
    /// The points need finer cells than `maximumDepth` allows.
    case resolutionLimited
}
