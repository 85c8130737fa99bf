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
        var usable = try usablePoints(points, cameras, bounds, supportPlane, parallel, &statistics)
        if isCancelled() { throw .cancelled }
        let depth = depth(for: usable, &warnings)
        if options.closesBase, let supportPlane { addContact(to: &usable, supportPlane, depth: depth) }
        progress(0.1)

        let samples = PoissonSamples(usable, depth: depth, padding: Self.padding)
        let parameters = PoissonReconstruction.Parameters(depth: depth, screening: options.screening, pointsPerCell: options.pointsPerCell)
        let reconstruction = try PoissonReconstruction(
            samples: samples, parameters: parameters, parallel: parallel, progress: { progress(0.1 + 0.5 * $0) }, isCancelled: isCancelled
        )
        statistics.depth = depth
        statistics.cellSize = samples.scale / Float(1 << depth)
        statistics.cells = reconstruction.octree.levels.reduce(0) { $0 + $1.cellCount }
        var contour = DualContour(reconstruction, floor: options.closesBase ? supportPlane : nil)
        try contour.run(isCancelled: isCancelled)
        progress(0.7)

        let full = try tidy(contour.mesh.repaired(), reconstruction, &statistics, &warnings)
        progress(0.85)
        let reduced = reduce(full, &statistics, &warnings)
        progress(1)
        if isCancelled() { throw .cancelled }
        return SurfaceResult(mesh: reduced, fullMesh: full, statistics: statistics, warnings: warnings)
    }

    /// The octree's cube is larger than the points' box by this factor: room for the surface to close outside.
    static let padding: Float = 1.25

    /// The points without those that can't be used, outliers, and what belongs to the support.
    private func usablePoints(
        _ cloud: OrientedPoints, _ cameras: [PosedCamera?], _ bounds: OrientedBox?, _ plane: SupportPlane?, _ parallel: Parallel,
        _ statistics: inout SurfaceStatistics
    ) throws(SurfaceError) -> SurfacePoints {
        statistics.inputPoints = cloud.count
        var points = try SurfacePoints(cloud, bounds: bounds)
        if options.closesBase, let plane {
            let (spacing, positions, normals) = (points.medianSpacing, points.positions, points.normals)
            // What lies in the plane and faces up is the table.
            try points.keep {
                let height = plane.height(of: positions[$0])
                return height > spacing && (height > 4 * spacing || dot(normals[$0], plane.normal) < 0.7)
            }
        }
        statistics.unusablePoints = cloud.count - points.count
        guard options.filtersPoints else { return points }
        var count = points.count
        var ignored: [SurfaceWarning] = []
        try points.dropOutliers(depth: max(1, depth(for: points, &ignored) - 2), padding: Self.padding)
        statistics.outlierPoints = count - points.count
        count = points.count
        try points.dropFloating(cloud, cameras: cameras, parallel: parallel)
        statistics.floatingPoints = count - points.count
        return points
    }

    /// Adds points where the object must touch its support.
    private func addContact(to points: inout SurfacePoints, _ plane: SupportPlane, depth: Int) {
        let cell = points.extent * Self.padding / Float(1 << depth)
        let footprint = ContactFootprint(points, plane: plane, cell: cell)
        for position in footprint.positions {
            points.append(position, footprint.normal, weight: 0.5, spacing: footprint.step, source: -1)
        }
    }

    /// The level whose cells are `cellSize` spacings wide, within the limit.
    private func depth(for usable: SurfacePoints, _ warnings: inout [SurfaceWarning]) -> Int {
        let wanted = log2(usable.extent * Self.padding / (usable.medianSpacing * options.cellSize))
        // Half a level coarser than asked is nearer than half a level finer.
        let depth = Int(max(2, min(20, wanted.rounded())))
        if depth > options.maximumDepth { warnings.append(.resolutionLimited) }
        return min(depth, options.maximumDepth)
    }

    /// Without what no points support and without debris.
    private func tidy(
        _ mesh: TriangleMesh, _ reconstruction: PoissonReconstruction, _ statistics: inout SurfaceStatistics,
        _ warnings: inout [SurfaceWarning]
    ) throws(SurfaceError) -> TriangleMesh {
        let reaches = (0..<reconstruction.reach.count).map { reconstruction.reach[$0] }.sorted()
        // Samples eight times sparser than most support nothing.
        let support = SampleSupport(reconstruction, coarsest: reaches[reaches.count / 2] - 3)
        let isSupported = mesh.positions.map { !options.trimsUnsupported || support.isNear($0) }
        let trimmer = SurfaceTrimmer(maximumHole: options.maximumHole, minimumShare: options.minimumComponentShare)
        let outcome = trimmer.trim(mesh, isSupported: isSupported)
        statistics.trimmedTriangles = outcome.trimmedTriangles
        statistics.closedHoles = outcome.closedHoles
        statistics.removedPieces = outcome.removedPieces
        guard !outcome.mesh.triangles.isEmpty else { throw .emptySurface }
        statistics.openHoles = MeshAdjacency(outcome.mesh).boundaryLoops(outcome.mesh).count
        if statistics.openHoles > 0 { warnings.append(.openHoles(statistics.openHoles)) }
        return outcome.mesh
    }

    private func reduce(_ mesh: TriangleMesh, _ statistics: inout SurfaceStatistics, _ warnings: inout [SurfaceWarning]) -> TriangleMesh {
        guard let maximum = options.maximumTriangles else { return mesh }
        var target = maximum - 1
        while true {
            let reduced = mesh.reduced(to: target)
            statistics.reductionError = reduced.error
            // What the reduction pinches off is debris as well.
            let result = SurfaceTrimmer.withoutDebris(reduced.mesh.repaired(), minimumShare: min(1e-3, options.minimumComponentShare)).0
            if result.triangles.count < maximum {
                if !reduced.isTopologyKept { warnings.append(.topologySimplified) }
                return result
            }
            // The repair added a few.
            target -= max(2, result.triangles.count - maximum + 1)
        }
    }
}
