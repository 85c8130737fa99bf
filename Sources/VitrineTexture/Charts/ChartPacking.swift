import VitrineMath
import VitrineVision

/// Packs charts into a square without overlap: each, from the largest to the smallest, at the lowest free position for its shape, in the best
/// of four rotations by 90°, with the largest scale that fits.
///
/// Shapes are bitmaps of 512 × 512 cells, as in Lévy, Petitjean, Ray and Maillot (2002), but whole shapes instead of their skylines, so that
/// small charts fit into the concave parts of large ones.
struct ChartPacking: Sendable {
    static let gridSize = 512
    /// The number of samples per cell and axis for the shapes.
    private static let samples = 4

    struct Placement: Sendable {
        /// The number of rotations by 90°, counterclockwise in the texture.
        var turns: Int
        /// The position of the chart's scaled and rotated origin, in texels.
        var offset: Vector2
    }

    struct Result: Sendable {
        /// Texels per world unit.
        var scale: Float
        /// The placement of each chart.
        var placements: [Placement]
    }

    let charts: [FlatChart]
    let size: Int
    let padding: Int

    private var cell: Float { Float(size) / Float(Self.gridSize) }

    /// The result does not depend on the number of threads: scales are tried in descending order, and the first one that fits is used.
    func pack(in context: StageContext) throws(TextureError) -> Result {
        var area: Float = 0
        for chart in charts { for index in chart.corners.indices { area += abs(chart.doubledArea(index)) / 2 } }
        guard area > 0, area.isFinite else { throw .emptyMesh }
        // Few packings are denser than this.
        let densest = Float(size) * (0.82 / area).squareRoot()
        var tried = 0
        // Reduces the scale by 2 % each time, later by more, to a hundredth at the end.
        let factors: [Float] = (0..<110).map { index in index < 60 ? power(0.98, index) : power(0.98, 60) * power(0.93, index - 60) }
        while tried < factors.count {
            if context.isCancelled { throw .cancelled }
            let first = tried
            let results = context.parallel.map(2) { pack(scale: densest * factors[first], largestFirst: $0 == 0) }
            for result in results { if let result { return result } }
            tried += 1
        }
        throw .textureTooSmall(size: size, charts: charts.count)
    }

    private func power(_ base: Float, _ exponent: Int) -> Float { (0..<exponent).reduce(Float(1)) { product, _ in product * base } }

    /// The charts at one scale, or nil if they do not fit.
    private func pack(scale: Float, largestFirst: Bool) -> Result? {
        let shapes = charts.map { shape($0, scale: scale) }
        let total = shapes.reduce(0) { $0 + $1.count }
        guard total <= Self.gridSize * Self.gridSize else { return nil }
        // The order determines the density: by area, or by the longer side.
        let ranks = shapes.map { largestFirst ? $0.count : max($0.width, $0.height) }
        let order = shapes.indices.sorted { (-ranks[$0], $0) < (-ranks[$1], $1) }
        var grid = CellGrid(size: Self.gridSize)
        var placements = [Placement](repeating: Placement(turns: 0, offset: .zero), count: charts.count)
        for index in order {
            var best: (turns: Int, x: Int, y: Int, top: Int, shape: CellShape)?
            var shape = shapes[index]
            for turns in 0..<4 {
                if turns > 0 { shape = shape.turned() }
                let limit = best.map { $0.top - 1 } ?? Self.gridSize
                guard let (x, y) = grid.lowest(shape, below: limit) else { continue }
                best = (turns, x, y, y + shape.height, shape)
            }
            guard let best else { return nil }
            grid.occupy(best.shape, x: best.x, y: best.y)
            placements[index] = Placement(turns: best.turns, offset: offset(of: index, best.turns, best.x, best.y, shapes[index], scale))
        }
        return Result(scale: scale, placements: placements)
    }

    /// The chart's origin in texels for a position of its shape in the grid.
    private func offset(of index: Int, _ turns: Int, _ x: Int, _ y: Int, _ shape: CellShape, _ scale: Float) -> Vector2 {
        let position = Vector2(Float(x), Float(y)) * cell
        // The unrotated shape starts at the cell of its lowest coordinates; rotations are about the corners of this shape.
        let (w, h) = (Float(shape.width) * cell, Float(shape.height) * cell)
        let origin = -shape.origin * cell
        switch turns {
        case 0: return position + origin
        case 1: return position + Vector2(h - origin.y, origin.x)
        case 2: return position + Vector2(w - origin.x, h - origin.y)
        default: return position + Vector2(origin.y, w - origin.x)
        }
    }

    static func turn(_ p: Vector2, _ turns: Int) -> Vector2 {
        switch turns {
        case 0: p
        case 1: Vector2(-p.y, p.x)
        case 2: -p
        default: Vector2(p.y, -p.x)
        }
    }

    /// The cells that a chart with half of the padding around it covers.
    private func shape(_ chart: FlatChart, scale: Float) -> CellShape {
        let perUnit = scale / cell
        var (low, high) = (chart.coordinates[0] * perUnit, chart.coordinates[0] * perUnit)
        for c in chart.coordinates { (low, high) = (pointwiseMin(low, c * perUnit), pointwiseMax(high, c * perUnit)) }
        // One sample more, because a chart may overlap samples without covering their centres.
        let margin = Int((Float(padding) / 2 / cell * Float(Self.samples)).rounded(.up)) + 1
        let marginCells = (margin + Self.samples - 1) / Self.samples
        let origin = Vector2(low.x.rounded(.down), low.y.rounded(.down)) - Float(marginCells)
        let extent = high - origin + Float(marginCells)
        // Too large to fit: represented by one row that is too wide.
        guard extent.x < Float(Self.gridSize), extent.y < Float(Self.gridSize) else {
            return CellShape(width: Self.gridSize + 1, height: Self.gridSize + 1, origin: origin)
        }
        var shape = CellShape(width: Int(extent.x) + 1, height: Int(extent.y) + 1, origin: origin)
        let (width, height) = (shape.width * Self.samples, shape.height * Self.samples)
        let points = chart.coordinates.map { ($0 * perUnit - origin) * Float(Self.samples) }
        for point in points {
            shape.mark(rows: Int(point.y), columns: Int(point.x)..<Int(point.x) + 1, margin: margin, samples: Self.samples)
        }
        for c in chart.corners {
            TriangleRaster.scan(points[Int(c.x)], points[Int(c.y)], points[Int(c.z)], width: width, height: height) { y, xs in
                shape.mark(rows: y, columns: xs, margin: margin, samples: Self.samples)
            }
        }
        shape.finish()
        return shape
    }
}
