import VitrineVision

/// What `SurfaceBuilder` makes.
public struct SurfaceResult: Sendable {
    /// Reduced to the wanted number of triangles.
    public var mesh: TriangleMesh
    /// Before the reduction: what normals and displacement are baked from.
    public var fullMesh: TriangleMesh
    public var statistics: SurfaceStatistics
    public var warnings: [SurfaceWarning]
}

/// How the surface came about: for reports.
public struct SurfaceStatistics: Equatable, Sendable {
    public var inputPoints = 0
    /// Not finite, without a normal, outside the bounds, or part of the support.
    public var unusablePoints = 0
    /// Whose normal points away from the photo they come from.
    public var turnedPoints = 0
    /// With too few neighbours.
    public var outlierPoints = 0
    /// In front of what other photos see.
    public var floatingPoints = 0
    /// The finest level of the octree, and its cells' size in the world's unit.
    public var depth = 0
    public var cellSize: Float = 0
    /// Octree cells over all levels.
    public var cells = 0
    public var trimmedTriangles = 0
    public var removedPieces = 0
    public var closedHoles = 0
    /// Boundary loops that stay open.
    public var openHoles = 0
    /// The distance by which the reduction moved the surface, as the reduction estimates it. World unit.
    public var reductionError: Float = 0

    public init() {}
}

/// What a person should know about a surface that was made all the same.
public enum SurfaceWarning: Equatable, Sendable {
    /// The reduction had to give up the topology (handles, separate pieces) to keep below the cap.
    case topologySimplified
    /// Holes larger than the limit were left open.
    case openHoles(Int)
    /// The points call for finer cells than `maximumDepth` allows.
    case resolutionLimited
}
