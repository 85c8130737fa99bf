import VitrineMath

/// The octree of the samples: finer where they are denser.
///
/// Each cell with samples has all 26 neighbours of its size (up to the cube's border), so that each of its corners is
/// an unknown.
struct Octree: Sendable {
    let samples: PoissonSamples
    let tables: OctetTables
    /// Level d is `levels[d - 1]`.
    private(set) var levels: [OctreeLevel]
    /// The cell of each sample at each level; −1 if the tree ends above.
    private(set) var sampleCells: [Buffer<Int32>]
    /// The level up to which all cells are refined, because coarse levels are cheap.
    private static let fullDepth = 4

    init(_ samples: PoissonSamples) {
        self.samples = samples
        tables = OctetTables()
        levels = [OctreeLevel(tables: tables)]
        let cells = Buffer<Int32>(count: samples.count, repeating: 0)
        for sample in 0..<samples.count { cells[sample] = Int32(samples.octant(sample, level: 1)) }
        sampleCells = [cells]
    }

    var depth: Int { levels.count }
    func level(_ depth: Int) -> OctreeLevel { levels[depth - 1] }

    /// Adds the level below the last for the samples that `reach` it.
    mutating func refine(_ reach: (Int) -> Bool) {
        let level = levels[levels.count - 1]
        let cells = sampleCells[levels.count - 1]
        let below = levels.count + 1
        var isRefined = [Bool](repeating: level.depth < Self.fullDepth, count: level.cellCount)
        var last: (cell: Int32, octant: Int) = (-1, -1)
        for sample in 0..<samples.count {
            let cell = cells[sample]
            guard cell >= 0, reach(sample) else { continue }
            let octant = samples.octant(sample, level: below)
            if (cell, octant) == last { continue }
            last = (cell, octant)
            // The parents of the 27 cells around the sample's.
            let (x, y, z) = ((octant & 1) - 1, (octant >> 1 & 1) - 1, (octant >> 2) - 1)
            for corner in 0..<8 {
                let parent = level.neighbor(Int(cell), x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2))
                if parent >= 0 { isRefined[parent] = true }
            }
        }
        var refined: [Int32] = []
        for cell in 0..<level.cellCount where isRefined[cell] { refined.append(Int32(cell)) }
        levels.append(OctreeLevel(below: level, refined: refined, tables: tables))
        let belowCells = Buffer<Int32>(count: samples.count, repeating: -1)
        for sample in 0..<samples.count where cells[sample] >= 0 {
            let child = level.children[cells[sample]]
            if child >= 0 { belowCells[sample] = 8 * child + Int32(samples.octant(sample, level: below)) }
        }
        sampleCells.append(belowCells)
    }

    /// The number of points (x) and their weight (y) in a square around each sample with the side of a cell of level `depth`. Estimated with a
    /// quadratic B-spline over the cells of that level (Kazhdan & Hoppe 2013, section 3).
    func density(depth: Int) -> Buffer<Vector2> {
        let (level, cells) = (level(depth), sampleCells[depth - 1])
        let sums = Buffer<Vector2>(count: level.cellCount, repeating: .zero)
        func forEachAround(_ sample: Int, _ body: (Int, Float) -> Void) {
            let t = samples.fraction(sample, level: depth) - 0.5
            let (before, here, after) = ((0.5 - t) * (0.5 - t) * 0.5, 0.75 - t * t, (0.5 + t) * (0.5 + t) * 0.5)
            let x = Vector3(before.x, here.x, after.x)
            let y = Vector3(before.y, here.y, after.y)
            let z = Vector3(before.z, here.z, after.z)
            for k in 0..<3 {
                for j in 0..<3 {
                    for i in 0..<3 {
                        let cell = level.neighbor(Int(cells[sample]), i - 1, j - 1, k - 1)
                        if cell >= 0 { body(cell, x[i] * y[j] * z[k]) }
                    }
                }
            }
        }
        for sample in 0..<samples.count where cells[sample] >= 0 {
            let mass = Vector2(samples.normals[sample].w, samples.positions[sample].w)
            forEachAround(sample) { sums[$0] += mass * $1 }
        }
        let result = Buffer<Vector2>(count: samples.count, repeating: .zero)
        // The mean of the spline convolved with itself, across a plane.
        let across: Float = 0.55
        for sample in 0..<samples.count where cells[sample] >= 0 {
            var sum = Vector2.zero
            forEachAround(sample) { sum += sums[$0] * $1 }
            result[sample] = sum / across
        }
        return result
    }
}
