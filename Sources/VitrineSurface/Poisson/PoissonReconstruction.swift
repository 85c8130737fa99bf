import VitrineMath
import VitrineVision

/// Screened Poisson reconstruction (Kazhdan & Hoppe 2013): the function χ, 0 on the surface, about ½ inside and −½ outside, whose gradient
/// fits the points' normals best while χ is near 0 at the points.
///
/// χ is a sum of trilinear hat functions at the corners of an adaptive octree's cells. Levels are solved from coarse to fine, each initialized
/// by the previous one; functions of level d vanish outside the cells of level d, so that χ is continuous. With h a level's cell size, a
/// sample's area A and inward normal n, all terms are divided by h: the stiffness is that of unit cells, the screening is screening · A / h², and the
/// field's coefficients are Σ n A / h² φ(sample).
struct PoissonReconstruction {
    let octree: Octree
    /// χ at each level's corners; `isovalue` is not subtracted.
    let values: [Buffer<Float>]
    /// The mean of χ at the samples: the isovalue of the surface.
    let isovalue: Float
    /// The level whose cells have about the requested number of points around each sample; fractional between two levels.
    let reach: Buffer<Float>

    struct Parameters {
        var depth = 9
        var screening: Float = 4
        var pointsPerCell: Float = 1.5
        /// The number of iterations at the finest level; coarser levels take more.
        var iterations = 12
        var tolerance = 1e-3
    }
    /// χ far outside.
    static let outside: Float = -0.5

    init(
        samples: PoissonSamples, parameters: Parameters, in context: StageContext
    ) throws(SurfaceError) {
        var octree = Octree(samples)
        // Two levels above the finest, a cell has enough points to count them.
        let kernelDepth = max(1, parameters.depth - 2)
        while octree.depth < kernelDepth { octree.refine { _ in true } }
        let density = octree.density(depth: kernelDepth)
        let reach = Buffer<Float>(count: samples.count, repeating: 0)
        for sample in 0..<samples.count {
            let points = max(density[sample].x, 1e-6)
            reach[sample] = min(Float(parameters.depth), max(1, Float(kernelDepth) + log2(points / parameters.pointsPerCell) / 2))
        }
        while octree.depth < parameters.depth {
            if context.isCancelled { throw .cancelled }
            let next = Float(octree.depth)
            octree.refine { reach[$0] > next }
        }
        context.report(0.15)

        // A sample's area in the unit cube.
        let kernelArea = Float(1) / Float(1 << (2 * kernelDepth))
        let areas = Buffer<Float>(count: samples.count, repeating: 0)
        for sample in 0..<samples.count { areas[sample] = kernelArea * samples.positions[sample].w / max(density[sample].y, 1e-12) }

        let fields = Self.fields(octree, areas: areas, reach: reach)
        context.report(0.2)
        values = try Self.solve(octree, areas: areas, fields: fields, parameters: parameters, in: context.part(from: 0.2, to: 1))
        self.octree = octree
        self.reach = reach
        isovalue = Self.mean(octree, values, areas)
    }

    /// The normals, distributed to the corners of the two levels around each sample's level, in the levels' units.
    private static func fields(_ octree: Octree, areas: Buffer<Float>, reach: Buffer<Float>) -> [Buffer<Vector4>] {
        let samples = octree.samples
        return octree.levels.map { level in
            let depth = level.depth
            let field = Buffer<Vector4>(count: level.cornerCount, repeating: .zero)
            let cells = octree.sampleCells[depth - 1]
            let scale = Float(1 << depth) * Float(1 << depth)
            for sample in 0..<samples.count {
                let share = 1 - abs(reach[sample] - Float(depth))
                guard share > 0, cells[sample] >= 0 else { continue }
                let basis = Trilinear.values(samples.fraction(sample, level: depth))
                let corners = level.corners(ofCell: Int(cells[sample]), octree.tables)
                let normal = Vector4(samples.normals[sample].xyz * -(areas[sample] * scale * share), 0)
                for corner in 0..<8 { field.base[Int(corners[corner])] += normal * basis[corner] }
            }
            return field
        }
    }

    private static func solve(
        _ octree: Octree, areas: Buffer<Float>, fields: [Buffer<Vector4>], parameters: Parameters, in context: StageContext
    ) throws(SurfaceError) -> [Buffer<Float>] {
        let tables = octree.tables
        // The contribution of finer fields to each level's right-hand side.
        var targets = octree.levels.map { Buffer<Float>(count: $0.cornerCount, repeating: 0) }
        for depth in stride(from: octree.depth, to: 1, by: -1) {
            let (level, coarse) = (octree.level(depth), octree.level(depth - 1))
            let own = Buffer<Float>(count: level.cornerCount, repeating: 0)
            PoissonLevel(level, tables: tables, parallel: context.parallel).divergence(fields[depth - 1], to: own)
            for corner in 0..<own.count { own[corner] += targets[depth - 1][corner] }
            level.addRestricted(own, to: targets[depth - 2], on: coarse, tables, factor: 0.5)
            if context.isCancelled { throw .cancelled }
        }
        var values: [Buffer<Float>] = []
        var field = Buffer<Vector4>(count: 0, repeating: .zero)
        let total = Double(octree.levels.reduce(0) { $0 + $1.octetCount })
        var done = 0.0
        for depth in 1...octree.depth {
            let level = octree.level(depth)
            let operators = PoissonLevel(level, tables: tables, parallel: context.parallel)
            let own = fields[depth - 1]
            var start = Buffer<Float>(count: level.cornerCount, repeating: outside)
            if depth > 1 {
                let coarse = octree.level(depth - 1)
                level.addInterpolated(field, from: coarse, tables, factor: 0.5, to: own)
                start = level.interpolated(values[depth - 2], from: coarse, tables)
            }
            field = own
            let target = Buffer<Float>(count: level.cornerCount, repeating: 0)
            operators.divergence(field, to: target)
            for corner in 0..<target.count { target[corner] += targets[depth - 1][corner] }
            targets[depth - 1] = Buffer(count: 0, repeating: 0)
            let screen = screen(octree, depth: depth, areas: areas, screening: parameters.screening)
            operators.solve(
                start, target: target, screen: screen, iterations: parameters.iterations + 6 * (octree.depth - depth),
                tolerance: parameters.tolerance, isCancelled: { context.isCancelled })
            if context.isCancelled { throw .cancelled }
            values.append(start)
            done += Double(level.octetCount)
            context.report(done / total)
        }
        return values
    }

    /// Computes the mean position of each cell's samples, as fractions of the cell, and their screening weight.
    private static func screen(_ octree: Octree, depth: Int, areas: Buffer<Float>, screening: Float) -> Buffer<Vector4> {
        let (samples, cells) = (octree.samples, octree.sampleCells[depth - 1])
        let screen = Buffer<Vector4>(count: octree.level(depth).cellCount, repeating: .zero)
        let scale = screening * Float(1 << depth) * Float(1 << depth)
        for sample in 0..<samples.count where cells[sample] >= 0 {
            screen[cells[sample]] += Vector4(samples.fraction(sample, level: depth), 1) * areas[sample]
        }
        for cell in 0..<screen.count where screen[cell].w > 0 {
            screen[cell] = Vector4(screen[cell].xyz / screen[cell].w, screen[cell].w * scale)
        }
        return screen
    }

    private static func mean(_ octree: Octree, _ values: [Buffer<Float>], _ areas: Buffer<Float>) -> Float {
        let samples = octree.samples
        var (sum, total) = (0.0, 0.0)
        for sample in 0..<samples.count {
            guard let depth = (1...octree.depth).last(where: { octree.sampleCells[$0 - 1][sample] >= 0 }) else { continue }
            let corners = octree.level(depth).corners(ofCell: Int(octree.sampleCells[depth - 1][sample]), octree.tables)
            let basis = Trilinear.values(samples.fraction(sample, level: depth))
            var value: Float = 0
            for corner in 0..<8 { value += basis[corner] * values[depth - 1][corners[corner]] }
            sum += Double(value * areas[sample])
            total += Double(areas[sample])
        }
        return total > 0 ? Float(sum / total) : 0
    }
}
