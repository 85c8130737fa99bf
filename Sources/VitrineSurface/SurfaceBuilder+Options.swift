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
        /// Drops points that have too few neighbours, or that lie in front of what several other photos see. Default true.
        package var filtersPoints: Bool = true
        /// Drops surface that no points support. Default true: false leaves Poisson's closed balloon.
        package var trimsUnsupported: Bool = true
        /// An unsupported part stays, closing a hole, if its area is at most this share of the whole supported area. 0 keeps none, infinity
        /// all. Default 0.2.
        package var maximumHole: Float = 0.2
        /// Cuts the surface straight at the bounds, where some are given; else it ends about where the points within end. Default true.
        package var cutsAtBounds: Bool = true
        /// Evens out the outline of an open surface: bays and spits narrower than about this share of its longest side go. For walls and reliefs; it
        /// would take thin parts of an object. 0…0.2. Default 0: the outline is smoothed by a few triangles only.
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
