import VitrineMath
import VitrineVision

/// Reconstructs a closed triangle mesh from a point cloud.
///
/// Filters the points (outliers, and points in front of surfaces that other photos observe), reconstructs the surface by screened Poisson
/// reconstruction (Kazhdan & Hoppe 2013), trims it where no points support it, closes small holes and the base, removes debris, and
/// reduces it to the limit of triangles. The same input gives the same bytes, with any number of threads.
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
    /// The options of the reconstruction.
    package struct Options: Equatable, Sendable {
        /// The mesh has fewer triangles than this, at least 16; nil: no limit. Default nil.
        package var maximumTriangles: Int?
        /// The finest cell of the reconstruction, in multiples of the points' median spacing; coarser if
        /// `maximumTriangles` cannot represent it. 0.5…16. Default 1.5.
        package var cellSize: Float = 1.5
        /// The finest cell is no smaller than the cloud's longest side divided by 2 to this power. 4…12. Default 10.
        package var maximumDepth: Int = 10
        /// The weight of the points' positions relative to their normals (α of Kazhdan & Hoppe 2013). 0…64. Default 4.
        package var screening: Float = 4
        /// Cells are refined to about this number of points per cell. 0.5…20. Default 1.5.
        package var pointsPerCell: Float = 1.5
        /// Drops points with too few neighbours, and points in front of a surface that several other photos observe. Default true.
        package var filtersPoints: Bool = true
        /// Removes parts of the surface that no points support. Default true; false keeps the closed surface of the Poisson reconstruction.
        package var trimsUnsupported: Bool = true
        /// Keeps an unsupported part, which closes a hole, if its area is at most this fraction of the supported area. 0 keeps none, infinity
        /// all. Default 0.2.
        package var maximumHole: Float = 0.2
        /// Cuts the surface straight at the bounds, if there are any; else it ends near the last points inside. Default true.
        package var cutsAtBounds: Bool = true
        /// Smooths the outline of an open surface: removes notches and protrusions narrower than about this fraction of its longest side. For walls and
        /// reliefs; it would remove thin parts of an object. 0…0.2. Default 0: the outline is smoothed by a few triangles only.
        package var outlineRadius: Float = 0
        /// Closes the object's base flat on the support plane, if there is one. Default true.
        package var closesBase: Bool = true
        /// Whether points of the support plane are among the points: they refine the plane and are dropped. Default true; false if masks exclude them.
        package var observesSupport: Bool = true
        /// Removes pieces with an area below this fraction of the largest piece's area; 1 keeps only the largest piece. 0…1. Default 0.05.
        package var minimumComponentShare: Float = 0.05
        /// The number of iterations of Taubin's smoothing (1995) before the reduction, which removes ripples and keeps the shape. 0…100. Default 0.
        package var smoothingIterations: Int = 0

        package init() {}

        package init(maximumTriangles: Int?) { self.maximumTriangles = maximumTriangles }

        /// Checks the options.
        ///
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
    /// Reconstructs the mesh of `points`.
    ///
    /// - Parameters:
    ///   - points: World frame; normals outward. Only the positions and normals are necessary: `spacings`, `confidences` and the views may be empty.
    ///   - cameras: By `PhotoView.photo`, to which the points' views refer; nil for photos without a pose. Empty: points are not
    ///     filtered by visibility.
    ///   - bounds: Points outside are ignored, and the mesh is cut there. nil: no bounds.
    ///   - supportPlane: The plane on which the object stands; nil if it is not known.
    /// - Throws: `SurfaceError`.
    package func build(
        points: consuming OrientedPoints, cameras: [PosedCamera?] = [], bounds: OrientedBox? = nil, supportPlane: Plane3<Float>? = nil,
        in context: StageContext = StageContext()
    ) throws(SurfaceError) -> SurfaceResult {
        try options.validate()
        var statistics = SurfaceStatistics()
        var warnings: [SurfaceWarning] = []
        // With a margin, so that the surface is complete at the bounds.
        let margin = options.cutsAtBounds ? 0.05 : 0
        var usable = try SurfacePoints(copy points, bounds: bounds.map { $0.grown(by: margin * $0.longestSide) })
        let floor = options.closesBase ? supportPlane.map { options.observesSupport ? usable.refined($0) : $0 } : nil
        if let floor {
            if options.observesSupport {
                try usable.dropSupport(floor)
            } else {
                try usable.keep { [usable] in floor.signedDistance(to: usable.positions[$0]) > 0 }
            }
        }
        statistics.inputPoints = points.count
        statistics.unusablePoints = points.count - usable.count
        let pointShare = pointShare(points.count)
        context.report(0.4 * pointShare)
        if options.filtersPoints { try filter(&usable, points, cameras, context.parallel, &statistics) }
        if context.isCancelled { throw .cancelled }
        // Large clouds are not kept in memory beside the octree.
        points = OrientedPoints()
        let lattice = lattice(for: usable, &warnings)
        if let floor { addContact(to: &usable, floor, cell: lattice.cell) }
        let later = context.part(from: pointShare, to: 1)
        later.report(0)

        let samples = PoissonSamples(usable, depth: lattice.depth, edge: lattice.edge)
        usable.removeAll()
        let parameters = PoissonReconstruction.Parameters(
            depth: lattice.depth, screening: options.screening, pointsPerCell: options.pointsPerCell)
        let reconstruction = try PoissonReconstruction(
            samples: samples, parameters: parameters, in: later.part(from: 0, to: 0.55))
        statistics.depth = lattice.depth
        statistics.cellSize = lattice.cell
        statistics.cells = reconstruction.octree.levels.reduce(0) { $0 + $1.cellCount }
        var contour = DualContour(reconstruction, floor: floor)
        try contour.run(in: context)
        later.report(0.66)

        let full = try tidy(
            contour.mesh.repaired(), reconstruction, floor: floor, bounds: bounds, context.parallel, &statistics, &warnings)
        later.report(0.83)
        let reduced = try reduce(full, &statistics, &warnings)
        later.report(1)
        if context.isCancelled { throw .cancelled }
        return SurfaceResult(mesh: reduced, fullMesh: full, statistics: statistics, warnings: warnings)
    }

    /// The part of the time that the points take before the octree, measured with 10 million: about 2 µs each, and the octree 110 µs for each triangle of the
    /// limit, up to 14 µs for each point.
    private func pointShare(_ count: Int) -> Double {
        let points = 2 * Double(count)
        return points / (points + min(110 * Double(options.maximumTriangles ?? .max), 7 * points))
    }

    /// The octree's cube: `depth` halvings of its edge give the finest cell.
    struct Lattice {
        var depth: Int
        var edge: Float
        var cell: Float { edge / Float(1 << depth) }
        /// The cube is larger than the points' box by at least this factor, so that the surface can close outside.
        static let padding: Float = 1.2
    }

    /// Cells `cellSize` spacings wide, if that takes no more levels than allowed.
    private func lattice(for points: SurfacePoints, _ warnings: inout [SurfaceWarning]) -> Lattice {
        let smallest = points.extent * Lattice.padding
        var cell = points.medianSpacing * options.cellSize
        if let maximum = options.maximumTriangles {
            // Cells give about two triangles each; the box's area approximates the object's. Eight times the limit represents all that the
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
        // Cells four times as wide as the finest have enough points for an estimate.
        try points.dropOutliers(depth: max(1, lattice.depth - 2), edge: lattice.edge)
        statistics.outlierPoints = count - points.count
        count = points.count
        try points.dropFloating(cloud, cameras: cameras, parallel: parallel)
        statistics.floatingPoints = count - points.count
    }

    /// Adds points in the contact area of the object and its support plane.
    private func addContact(to points: inout SurfacePoints, _ plane: Plane3<Float>, cell: Float) {
        let footprint = ContactFootprint(points, plane: plane, cell: cell)
        for position in footprint.positions {
            points.append(position, footprint.normal, weight: 0.5, spacing: footprint.step, source: -1)
        }
    }

    /// The mesh without unsupported parts and without debris.
    private func tidy(
        _ mesh: TriangleMesh, _ reconstruction: PoissonReconstruction, floor: Plane3<Float>?, bounds: OrientedBox?, _ parallel: Parallel,
        _ statistics: inout SurfaceStatistics,
        _ warnings: inout [SurfaceWarning]
    ) throws(SurfaceError) -> TriangleMesh {
        // The base stays, and stays flat.
        let sliver = 0.01 * statistics.cellSize
        func isOnFloor(_ point: Vector3) -> Bool { floor.map { abs($0.signedDistance(to: point)) < sliver } ?? false }
        let reaches = (0..<reconstruction.reach.count).map { reconstruction.reach[$0] }.sorted()
        // Samples eight times sparser than most do not support a surface.
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

    /// The mesh cut straight at the bounds, except on the support plane; without pieces of other objects that reach into the bounds.
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
    /// The mesh within the limit of triangles. Drops the smallest pieces if the limit is too small for all of them.
    func reduce(
        _ mesh: TriangleMesh, _ statistics: inout SurfaceStatistics, _ warnings: inout [SurfaceWarning]
    ) throws(SurfaceError) -> TriangleMesh {
        guard let maximum = options.maximumTriangles else { return mesh }
        // A visible piece needs some triangles.
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

    /// nil if no triangle remains.
    private func reduced(_ mesh: TriangleMesh, below maximum: Int) -> (mesh: TriangleMesh, error: Float, isTopologyKept: Bool)? {
        var target = maximum - 1
        while target >= 4 {
            let reduced = mesh.reduced(to: target)
            // Pieces that the reduction separates are debris as well.
            let result = SurfaceTrimmer.withoutDebris(reduced.mesh.repaired(), minimumShare: min(1e-3, options.minimumComponentShare)).0
            if result.triangles.isEmpty { return nil }
            if result.triangles.count < maximum { return (result, reduced.error, reduced.isTopologyKept) }
            // The repair added a few.
            target -= max(2, result.triangles.count - maximum + 1)
        }
        return nil
    }
}
