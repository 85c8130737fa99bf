import VitrineMath
import VitrineVision

extension SurfaceBuilder {
    /// Makes the mesh of `points`.
    ///
    /// - Parameters:
    ///   - points: World frame; normals outward. Only the positions and normals are necessary: `spacings`, `confidences` and the views may be empty.
    ///   - cameras: By `PhotoView.photo`, which is what the points' views refer to; nil for photos without a pose. Empty: points are not
    ///     filtered by visibility.
    ///   - bounds: Points outside are not used, and the mesh is cut there. nil: everything.
    ///   - supportPlane: What the object stands on. nil: nothing is known.
    ///   - progress: Called with 0…1, rising.
    ///   - isCancelled: Asked several times a second.
    /// - Throws: `SurfaceError`.
    public func build(
        points: OrientedPoints, cameras: [PosedCamera?] = [], bounds: OrientedBox? = nil, supportPlane: SupportPlane? = nil,
        parallel: Parallel = Parallel(), progress: (Double) -> Void = { _ in }, isCancelled: () -> Bool = { false }
    ) throws(SurfaceError) -> SurfaceResult {
        try options.validate()
        var statistics = SurfaceStatistics()
        var warnings: [SurfaceWarning] = []
        let usable = try UsablePoints(points, bounds: bounds, statistics: &statistics)
        progress(0.05)

        let depth = depth(for: usable, &warnings)
        let samples = PoissonSamples(
            points: points, weights: usable.weights, indices: usable.indices, depth: depth, padding: Self.padding)
        let parameters = PoissonReconstruction.Parameters(depth: depth, screening: options.screening, pointsPerCell: options.pointsPerCell)
        let reconstruction = try PoissonReconstruction(
            samples: samples, parameters: parameters, parallel: parallel, progress: { progress(0.05 + 0.55 * $0) }, isCancelled: isCancelled
        )
        statistics.depth = depth
        statistics.cellSize = samples.scale / Float(1 << depth)
        statistics.cells = reconstruction.octree.levels.reduce(0) { $0 + $1.cellCount }
        var contour = DualContour(reconstruction)
        try contour.run(isCancelled: isCancelled)
        progress(0.7)

        let full = contour.mesh
        guard !full.triangles.isEmpty else { throw .emptySurface }
        let reduced = reduce(full, &statistics, &warnings)
        progress(1)
        return SurfaceResult(mesh: reduced, fullMesh: full, statistics: statistics, warnings: warnings)
    }

    /// The octree's cube is larger than the points' box by this factor: room for the surface to close outside.
    static let padding: Float = 1.25

    /// The level whose cells are `cellSize` spacings wide, within the limit.
    private func depth(for usable: UsablePoints, _ warnings: inout [SurfaceWarning]) -> Int {
        let wanted = log2(usable.extent * Self.padding / (usable.medianSpacing * options.cellSize))
        // Half a level coarser than asked is nearer than half a level finer.
        let depth = Int(max(2, min(20, wanted.rounded())))
        if depth > options.maximumDepth { warnings.append(.resolutionLimited) }
        return min(depth, options.maximumDepth)
    }

    private func reduce(_ mesh: TriangleMesh, _ statistics: inout SurfaceStatistics, _ warnings: inout [SurfaceWarning]) -> TriangleMesh {
        guard let maximum = options.maximumTriangles else { return mesh }
        let reduced = mesh.reduced(to: maximum - 1)
        statistics.reductionError = reduced.error
        if !reduced.isTopologyKept { warnings.append(.topologySimplified) }
        return reduced.mesh
    }
}
