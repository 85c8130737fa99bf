import VitrineMath

/// Whether a part of a surface has samples nearby with a matching normal, relative to their density.
struct SampleSupport {
    private let octree: Octree
    /// The sum, for each level and cell, of the normals of the samples with this natural level in the cell or its neighbours.
    private let normals: [Buffer<Vector3>]

    /// Collects the samples that can support a surface.
    ///
    /// - Parameter coarsest: Samples with a natural level above this are too isolated to support a surface.
    init(_ reconstruction: PoissonReconstruction, coarsest: Float) {
        let octree = reconstruction.octree
        self.octree = octree
        normals = octree.levels.map { level in
            let normals = Buffer<Vector3>(count: level.cellCount, repeating: .zero)
            let cells = octree.sampleCells[level.depth - 1]
            // Samples of one cell are consecutive.
            var (last, sum): (Int32, Vector3) = (-1, .zero)
            func spread() {
                guard last >= 0 else { return }
                for z in -1...1 {
                    for y in -1...1 {
                        for x in -1...1 {
                            let cell = level.neighbor(Int(last), x, y, z)
                            if cell >= 0 { normals[cell] += sum }
                        }
                    }
                }
            }
            for sample in 0..<octree.samples.count {
                let reach = reconstruction.reach[sample]
                guard min(Int(reach), octree.depth) == level.depth, reach >= coarsest, cells[sample] >= 0 else { continue }
                if cells[sample] != last {
                    spread()
                    (last, sum) = (cells[sample], .zero)
                }
                sum += octree.samples.normals[sample].xyz
            }
            spread()
            return normals
        }
    }

    /// Whether samples near a point of a surface have a similar normal.
    /// - Parameters:
    ///   - point: World frame.
    ///   - normal: The surface's unit normal.
    func holds(_ point: Vector3, facing normal: Vector3) -> Bool {
        let unit = (point - octree.samples.origin) / octree.samples.scale
        guard unit.min() >= 0, unit.max() < 1 else { return false }
        var octet = 0
        for level in octree.levels {
            let position = unit * Float(1 << level.depth)
            let bits = (Int(position.x) & 1) | (Int(position.y) & 1) << 1 | (Int(position.z) & 1) << 2
            let cell = 8 * octet + bits
            let sum = normals[level.depth - 1][cell]
            // At sharp edges the mean normal differs from both sides.
            if dot(sum, normal) > 0.2 * length(sum) { return true }
            let child = level.children[cell]
            if child < 0 { return false }
            octet = Int(child)
        }
        return false
    }
}
