import VitrineMath
import VitrineVision

/// Makes a closed, tidy triangle mesh of a point cloud.
///
/// The points are filtered (outliers, points that float in front of surfaces that other photos observe), connected by screened Poisson reconstruction
/// (Kazhdan & Hoppe 2013), trimmed where no photo supports the surface, closed where holes are small or underneath, freed of debris, and
/// reduced to the wanted number of triangles. The same input gives the same bytes, on any number of threads.
///
/// ```swift
/// let builder = SurfaceBuilder(options: .init(maximumTriangles: 50_000))
/// let result = try builder.build(points: cloud, cameras: cameras, supportPlane: ground)
/// result.mesh.triangles.count   // below 50,000
/// ```
package struct SurfaceBuilder: Sendable {
    package var options: Options

    package init(options: Options = Options()) { self.options = options }
}

extension SurfaceBuilder {
    /// How the surface is made.
    package struct Options: Equatable, Sendable {
        /// The mesh has fewer triangles than this. nil: as many as the reconstruction gives. At least 16. Default nil.
        package var maximumTriangles: Int?
        /// The finest cell of the reconstruction, in multiples of the points' median spacing; coarser where
        /// `maximumTriangles` can't show it. 0.5…16. Default 1.5.
        package var cellSize: Float = 1.5
        /// The finest cell is no smaller than the cloud's longest side divided by 2 to this power. 4…12. Default 10.
        package var maximumDepth: Int = 10
        /// How strongly the surface is drawn to the points rather than to their normals (the α of Kazhdan & Hoppe 2013). 0…64. Default 4.
        package var screening: Float = 4
        /// Cells are refined until about so many points fall in one. 0.5…20. Default 1.5.
        package var pointsPerCell: Float = 1.5
        /// Drops points that have too few neighbours, or that lie in front of a surface that several other photos observe. Default true.
        package var filtersPoints: Bool = true
        /// Drops surface that no points support. Default true: false leaves Poisson's closed balloon.
        package var trimsUnsupported: Bool = true
        /// An unsupported part stays, closing a hole, if its area is at most this share of the whole supported area. 0 keeps none, infinity
        /// all. Default 0.2.
        package var maximumHole: Float = 0.2
        /// Cuts the surface straight at the bounds, where some are given; else it ends about where the points within end. Default true.
        package var cutsAtBounds: Bool = true
        /// Smooths the outline of an open surface: removes bays and spits narrower than about this share of its longest side. For walls and
        /// reliefs; it would remove thin parts of an object. 0…0.2. Default 0: the outline is smoothed by a few triangles only.
        package var outlineRadius: Float = 0
        /// Closes the object's underside flat on the support plane, where one is given. Default true.
        package var closesBase: Bool = true
        /// Pieces with a smaller share of the largest piece's area are debris. 1 keeps the largest piece only. 0…1. Default 0.05.
        package var minimumComponentShare: Float = 0.05
        /// Steps of Taubin's smoothing (1995) before the reduction: takes out ripples, not shape. 0…100. Default 0.
        package var smoothingIterations: Int = 0

        package init() {}

        package init(maximumTriangles: Int?) { self.maximumTriangles = maximumTriangles }

        /// - Throws: `SurfaceError.invalidOption` with the field's name.
        package func validate() throws(SurfaceError) {
            func check(_ holds: Bool, _ field: String) throws(SurfaceError) { if !holds { throw .invalidOption(field) } }
            try check(maximumTriangles.map { $0 >= 16 } ?? true, "maximumTriangles")
            try check(cellSize >= 0.5 && cellSize <= 16, "cellSize")
            try check((4...12).contains(maximumDepth), "maximumDepth")
            try check(screening >= 0 && screening <= 64, "screening")
            try check(pointsPerCell >= 0.5 && pointsPerCell <= 20, "pointsPerCell")
            try check(maximumHole >= 0, "maximumHole")
            try check(outlineRadius >= 0 && outlineRadius <= 0.2, "outlineRadius")
            try check(minimumComponentShare >= 0 && minimumComponentShare <= 1, "minimumComponentShare")
            try check((0...100).contains(smoothingIterations), "smoothingIterations")
        }
    }
}

extension SurfaceBuilder {
    /// Makes the mesh of `points`.
    ///
    /// - Parameters:
    ///   - points: World frame; normals outward. Only the positions and normals are necessary: `spacings`, `confidences` and the views may be empty.
    ///   - cameras: By `PhotoView.photo`, which is what the points' views refer to; nil for photos without a pose. Empty: points are not
    ///     filtered by visibility.
    ///   - bounds: Points outside are not used, and the mesh is cut there. nil: everything.
    ///   - supportPlane: What the object stands on. nil: nothing is known.
    /// - Throws: `SurfaceError`.
    package func build(
        points: OrientedPoints, cameras: [PosedCamera?] = [], bounds: OrientedBox? = nil, supportPlane: Plane3<Float>? = nil,
        in context: StageContext = StageContext()
    ) throws(SurfaceError) -> SurfaceResult {
        try options.validate()
        var statistics = SurfaceStatistics()
        var warnings: [SurfaceWarning] = []
        // With a margin, so that the surface is whole where the bounds cut it.
        let margin = options.cutsAtBounds ? 0.05 : 0
        var usable = try SurfacePoints(points, bounds: bounds.map { $0.grown(by: margin * $0.longestSide) })
        let floor = options.closesBase ? supportPlane.map { usable.refined($0) } : nil
        if let floor { try usable.dropSupport(floor) }
        statistics.inputPoints = points.count
        statistics.unusablePoints = points.count - usable.count
        if options.filtersPoints { try filter(&usable, points, cameras, context.parallel, &statistics) }
        if context.isCancelled { throw .cancelled }
        let lattice = lattice(for: usable, &warnings)
        if let floor { addContact(to: &usable, floor, cell: lattice.cell) }
        context.report(0.1)

        let samples = PoissonSamples(usable, depth: lattice.depth, edge: lattice.edge)
        let parameters = PoissonReconstruction.Parameters(
            depth: lattice.depth, screening: options.screening, pointsPerCell: options.pointsPerCell)
        let reconstruction = try PoissonReconstruction(
            samples: samples, parameters: parameters, in: context.part(from: 0.1, to: 0.6))
        statistics.depth = lattice.depth
        statistics.cellSize = lattice.cell
        statistics.cells = reconstruction.octree.levels.reduce(0) { $0 + $1.cellCount }
        var contour = DualContour(reconstruction, floor: floor)
        try contour.run(in: context)
        context.report(0.7)

        let full = try tidy(
            contour.mesh.repaired(), reconstruction, floor: floor, bounds: bounds, context.parallel, &statistics, &warnings)
        context.report(0.85)
        let reduced = try reduce(full, &statistics, &warnings)
        context.report(1)
        if context.isCancelled { throw .cancelled }
        return SurfaceResult(mesh: reduced, fullMesh: full, statistics: statistics, warnings: warnings)
    }

    /// The octree's cube: `depth` halvings of its edge give the finest cell.
    struct Lattice {
        var depth: Int
        var edge: Float
        var cell: Float { edge / Float(1 << depth) }
        /// The cube is larger than the points' box by at least this factor: room for the surface to close outside.
        static let padding: Float = 1.2
    }

    /// Cells `cellSize` spacings wide, if that takes no more levels than allowed.
    private func lattice(for points: SurfacePoints, _ warnings: inout [SurfaceWarning]) -> Lattice {
        let smallest = points.extent * Lattice.padding
        var cell = points.medianSpacing * options.cellSize
        if let maximum = options.maximumTriangles {
            // Cells give about two triangles each; the box's area stands in for the object's. Eight times as many as wanted show all that the
            // reduced mesh can.
            let size = points.bounds.size
            let area = 2 * (size.x * size.y + size.y * size.z + size.z * size.x)
            cell = max(cell, (2 * area / (8 * Float(maximum))).squareRoot())
        }
        let depth = max(2, min(30, Int(log2(smallest / cell).rounded(.up))))
        if depth > options.maximumDepth {
            warnings.append(.resolutionLimited)
            return Lattice(depth: options.maximumDepth, edge: smallest)
        }
        return Lattice(depth: depth, edge: max(smallest, cell * Float(1 << depth)))
    }

    private func filter(
        _ points: inout SurfacePoints, _ cloud: OrientedPoints, _ cameras: [PosedCamera?], _ parallel: Parallel,
        _ statistics: inout SurfaceStatistics
    ) throws(SurfaceError) {
        var count = points.count
        try points.dropTurnedAway(cloud, cameras: cameras)
        statistics.turnedPoints = count - points.count
        count = points.count
        var ignored: [SurfaceWarning] = []
        let lattice = lattice(for: points, &ignored)
        // Cells four times as wide as the finest hold enough points to count.
        try points.dropOutliers(depth: max(1, lattice.depth - 2), edge: lattice.edge)
        statistics.outlierPoints = count - points.count
        count = points.count
        try points.dropFloating(cloud, cameras: cameras, parallel: parallel)
        statistics.floatingPoints = count - points.count
    }

    /// Adds points where the object must touch its support.
    private func addContact(to points: inout SurfacePoints, _ plane: Plane3<Float>, cell: Float) {
        let footprint = ContactFootprint(points, plane: plane, cell: cell)
        for position in footprint.positions {
            points.append(position, footprint.normal, weight: 0.5, spacing: footprint.step, source: -1)
        }
    }

    /// Without what no points support and without debris.
    private func tidy(
        _ mesh: TriangleMesh, _ reconstruction: PoissonReconstruction, floor: Plane3<Float>?, bounds: OrientedBox?, _ parallel: Parallel,
        _ statistics: inout SurfaceStatistics,
        _ warnings: inout [SurfaceWarning]
    ) throws(SurfaceError) -> TriangleMesh {
        // The base stays, and flat.
        let sliver = 0.01 * statistics.cellSize
        func isOnFloor(_ point: Vector3) -> Bool { floor.map { abs($0.signedDistance(to: point)) < sliver } ?? false }
        let reaches = (0..<reconstruction.reach.count).map { reconstruction.reach[$0] }.sorted()
        // Samples eight times sparser than most support nothing.
        let support = SampleSupport(reconstruction, coarsest: reaches[reaches.count / 2] - 3)
        let isSupported = zip(mesh.positions, mesh.vertexNormals()).map { point, normal in
            !options.trimsUnsupported || support.holds(point, facing: normal) || isOnFloor(point)
        }
        let trimmer = SurfaceTrimmer(
            maximumHole: options.maximumHole, minimumShare: options.minimumComponentShare,
            outlineRadius: options.outlineRadius * mesh.bounds.size.max())
        let outcome = trimmer.trim(mesh, isSupported: isSupported)
        statistics.trimmedTriangles = outcome.trimmedTriangles
        statistics.closedHoles = outcome.closedHoles
        statistics.removedPieces = outcome.removedPieces
        guard !outcome.mesh.triangles.isEmpty else { throw .emptySurface }
        var mesh = outcome.mesh.smoothed(iterations: options.smoothingIterations, parallel: parallel, isFixed: isOnFloor)
        if options.cutsAtBounds, let bounds { mesh = try cut(mesh, at: bounds, floor: floor, &statistics) }
        statistics.openHoles = MeshAdjacency(mesh).boundaryLoops(mesh).count
        if statistics.openHoles > 0 { warnings.append(.openHoles(statistics.openHoles)) }
        return mesh
    }

    /// Cut straight at the bounds, but for where it stands; without the pieces of other things that only reach in.
    private func cut(
        _ mesh: TriangleMesh, at bounds: OrientedBox, floor: Plane3<Float>?, _ statistics: inout SurfaceStatistics
    ) throws(SurfaceError) -> TriangleMesh {
        let sides = bounds.sides.filter { side in floor.map { dot(Vector3(side.normal), $0.normal) > -0.9 } ?? true }
        let cut = sides.reduce(mesh) { $0.clipped(normal: $1.normal, offset: $1.offset) }
        let (kept, count) = SurfaceTrimmer.withoutDebris(cut.repaired(), minimumShare: options.minimumComponentShare)
        statistics.removedPieces += count
        guard !kept.triangles.isEmpty else { throw .emptySurface }
        return kept
    }
}

extension SurfaceBuilder {
    /// The mesh with fewer triangles than wanted at most, whole: where so few can't show all pieces, the smallest ones go.
    func reduce(
        _ mesh: TriangleMesh, _ statistics: inout SurfaceStatistics, _ warnings: inout [SurfaceWarning]
    ) throws(SurfaceError) -> TriangleMesh {
        guard let maximum = options.maximumTriangles else { return mesh }
        // A piece that shows something takes some triangles.
        var pieces = max(1, maximum / 64)
        while true {
            let (source, dropped) = SurfaceTrimmer.largestPieces(of: mesh, count: pieces)
            if let found = reduced(source, below: maximum) {
                statistics.reductionError = found.error
                statistics.removedPieces += dropped
                if dropped > 0 || !found.isTopologyKept { warnings.append(.topologySimplified) }
                return found.mesh
            }
            guard pieces > 1 else { throw .emptySurface }
            pieces /= 2
        }
    }

    /// nil where nothing is left with so few triangles.
    private func reduced(_ mesh: TriangleMesh, below maximum: Int) -> (mesh: TriangleMesh, error: Float, isTopologyKept: Bool)? {
        var target = maximum - 1
        while target >= 4 {
            let reduced = mesh.reduced(to: target)
            // What the reduction pinches off is debris as well.
            let result = SurfaceTrimmer.withoutDebris(reduced.mesh.repaired(), minimumShare: min(1e-3, options.minimumComponentShare)).0
            if result.triangles.isEmpty { return nil }
            if result.triangles.count < maximum { return (result, reduced.error, reduced.isTopologyKept) }
            // The repair added a few.
            target -= max(2, result.triangles.count - maximum + 1)
        }
        return nil
    }
}
