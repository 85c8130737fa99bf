import VitrineMath

/// Where samples are near, measured by how densely they lie.
struct SampleSupport {
    private let octree: Octree
    /// By level and cell: a sample whose natural level this is lies in the cell or one beside it.
    private let isNear: [Buffer<Bool>]

    /// - Parameter coarsest: Samples whose natural level is above this are too lonely to support anything.
    init(_ reconstruction: PoissonReconstruction, coarsest: Float) {
        let octree = reconstruction.octree
        self.octree = octree
        isNear = octree.levels.map { level in
            let isNear = Buffer<Bool>(count: level.cellCount, repeating: false)
            let cells = octree.sampleCells[level.depth - 1]
            var last: Int32 = -1
            for sample in 0..<octree.samples.count {
                let reach = reconstruction.reach[sample]
                let natural = min(Int(reach), octree.depth)
                guard natural == level.depth, reach >= coarsest, cells[sample] != last, cells[sample] >= 0 else { continue }
                last = cells[sample]
                for z in -1...1 {
                    for y in -1...1 {
                        for x in -1...1 {
                            let cell = level.neighbor(Int(last), x, y, z)
                            if cell >= 0 { isNear[cell] = true }
                        }
                    }
                }
            }
            return isNear
        }
    }

    /// - Parameter point: World frame.
    func isNear(_ point: Vector3) -> Bool {
        let unit = (point - octree.samples.origin) / octree.samples.scale
        guard unit.min() >= 0, unit.max() < 1 else { return false }
        var octet = 0
        for level in octree.levels {
            let place = unit * Float(1 << level.depth)
            let bits = (Int(place.x) & 1) | (Int(place.y) & 1) << 1 | (Int(place.z) & 1) << 2
            let cell = 8 * octet + bits
            if isNear[level.depth - 1][cell] { return true }
            let child = level.children[cell]
            if child < 0 { return false }
            octet = Int(child)
        }
        return false
    }
}
