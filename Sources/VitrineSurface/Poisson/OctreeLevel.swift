import VitrineMath

/// All cells of one size: octets of eight, in Morton order.
struct OctreeLevel: Sendable {
    /// The edge of a cell is 2^−depth of the cube's edge.
    let depth: Int
    let octetCount: Int
    /// The cell one level up that an octet refines. Cell = 8 · octet + (x + 2 y + 4 z).
    let parents: Buffer<Int32>
    /// The position of an octet's first cell on the level's lattice.
    let origins: Buffer<SIMD4<UInt16>>
    /// 27 per octet (`OctetTables`); −1 without a neighbour.
    let neighbors: Buffer<Int32>
    /// The octet of each cell one level down; −1 for a leaf.
    let children: Buffer<Int32>
    /// The numbers of the corners on this level, 27 per octet.
    let corners: Buffer<Int32>
    /// The slots of an octet whose corner no earlier octet has, as 27 bits: each corner has one owner.
    let owned: Buffer<UInt32>
    /// Owned corners with cells on all sides: the unknowns. The others are on the border to coarser cells.
    let free: Buffer<UInt32>
    let cornerCount: Int

    var cellCount: Int { 8 * octetCount }

    /// The neighbour of `cell` with offsets −1…1; −1 if this level has none.
    @inline(__always) func neighbor(_ cell: Int, _ dx: Int, _ dy: Int, _ dz: Int) -> Int {
        let x = (cell & 1) &+ dx
        let y = (cell >> 1 & 1) &+ dy
        let z = (cell >> 2 & 1) &+ dz
        return self.cell(cell >> 3, x, y, z)
    }

    /// The cell at (x, y, z), −1…2, from the octet's first cell; −1 if this level has none.
    @inline(__always) func cell(_ octet: Int, _ x: Int, _ y: Int, _ z: Int) -> Int {
        let around = ((x &+ 2) >> 1) &+ 3 &* ((y &+ 2) >> 1) &+ 9 &* ((z &+ 2) >> 1)
        let other = Int(neighbors[27 &* octet &+ around])
        return other < 0 ? -1 : 8 &* other &+ ((x & 1) | (y & 1) << 1 | (z & 1) << 2)
    }

    /// A cell's position on the level's lattice.
    @inline(__always) func position(ofCell cell: Int) -> SIMD4<UInt16> {
        let bits = UInt16(truncatingIfNeeded: cell & 7)
        return origins.base[cell >> 3] &+ SIMD4(bits & 1, bits >> 1 & 1, bits >> 2, 0)
    }

    /// The first level: the cube's eight octants.
    init(tables: OctetTables) {
        let neighbors = Buffer<Int32>(count: 27, repeating: -1)
        neighbors[OctetTables.own] = 0
        self.init(
            depth: 1, parents: Buffer(count: 1, repeating: 0), origins: Buffer(count: 1, repeating: .zero), neighbors: neighbors,
            tables: tables)
    }

    /// The level below `level`: an octet for each of its `refined` cells, which are ascending.
    init(below level: OctreeLevel, refined: [Int32], tables: OctetTables) {
        let parents = Buffer<Int32>(count: refined.count, repeating: 0)
        let origins = Buffer<SIMD4<UInt16>>(count: refined.count, repeating: .zero)
        for (octet, cell) in refined.enumerated() {
            parents[octet] = cell
            level.children[cell] = Int32(octet)
            let bits = UInt16(truncatingIfNeeded: cell & 7)
            origins[octet] = (level.origins[Int(cell >> 3)] &+ SIMD4(bits & 1, bits >> 1 & 1, bits >> 2, 0)) &* 2
        }
        let neighbors = Buffer<Int32>(count: 27 * refined.count, repeating: -1)
        for octet in 0..<refined.count {
            let parent = Int(parents[octet])
            var around = 27 * octet
            for dz in -1...1 {
                for dy in -1...1 {
                    for dx in -1...1 {
                        let other = level.neighbor(parent, dx, dy, dz)
                        if other >= 0 { neighbors[around] = level.children[other] }
                        around += 1
                    }
                }
            }
        }
        self.init(depth: level.depth + 1, parents: parents, origins: origins, neighbors: neighbors, tables: tables)
    }

    private init(depth: Int, parents: Buffer<Int32>, origins: Buffer<SIMD4<UInt16>>, neighbors: Buffer<Int32>, tables: OctetTables) {
        (self.depth, self.parents, self.origins, self.neighbors) = (depth, parents, origins, neighbors)
        octetCount = parents.count
        children = Buffer(count: 8 * octetCount, repeating: -1)
        corners = Buffer(count: 27 * octetCount, repeating: -1)
        owned = Buffer(count: octetCount, repeating: 0)
        free = Buffer(count: octetCount, repeating: 0)
        var next: Int32 = 0
        for octet in 0..<octetCount {
            for slot in 0..<27 {
                var (owner, ownerSlot, isFree) = (octet, slot, true)
                for entry in tables.start[slot]..<tables.start[slot + 1] {
                    let other = Int(neighbors[27 * octet + Int(tables.octet[entry])])
                    if other < 0 {
                        isFree = false
                    } else if other < owner {
                        (owner, ownerSlot) = (other, Int(tables.slot[entry]))
                    }
                }
                if owner == octet {
                    corners[27 * octet + slot] = next
                    owned[octet] |= 1 << UInt32(slot)
                    if isFree { free[octet] |= 1 << UInt32(slot) }
                    next += 1
                } else {
                    // The owner comes first: its corners already have numbers.
                    corners[27 * octet + slot] = corners[27 * owner + ownerSlot]
                }
            }
        }
        cornerCount = Int(next)
    }
}

/// Transfer between two levels: the basis functions of one level are sums of those of the next, so that the transfer is exact.
extension OctreeLevel {
    /// The eight corners of a cell, as numbers of this level's corners.
    @inline(__always) func corners(ofCell cell: Int, _ tables: OctetTables) -> SIMD8<Int32> {
        let slots = tables.cellSlots.base + 8 * (cell & 7)
        let corners = self.corners.base + 27 * (cell >> 3)
        var result = SIMD8<Int32>.zero
        for corner in 0..<8 { result[corner] = corners[Int(slots[corner])] }
        return result
    }

    /// Calls `body` for each corner with the corners of the parent cell and their weights.
    @inline(__always)
    private func forEachCorner(under coarse: OctreeLevel, _ tables: OctetTables, _ body: (Int, SIMD8<Int32>, SIMD8<Float>) -> Void) {
        for octet in 0..<octetCount {
            let above = coarse.corners(ofCell: Int(parents.base[octet]), tables)
            var remaining = owned.base[octet]
            while remaining != 0 {
                let slot = remaining.trailingZeroBitCount
                remaining &= remaining &- 1
                body(Int(corners.base[27 * octet + slot]), above, tables.parentWeights.base[slot])
            }
        }
    }

    /// Interpolates a function at the corners of the `coarse` level above to this level's corners.
    func interpolated(_ values: Buffer<Float>, from coarse: OctreeLevel, _ tables: OctetTables) -> Buffer<Float> {
        let result = Buffer<Float>(count: cornerCount, repeating: 0)
        forEachCorner(under: coarse, tables) { corner, above, weights in
            var around = SIMD8<Float>.zero
            for index in 0..<8 { around[index] = values.base[Int(above[index])] }
            result.base[corner] = (around * weights).sum()
        }
        return result
    }

    /// Adds `factor` times a field at the corners of the `coarse` level above.
    func addInterpolated(
        _ values: Buffer<Vector4>, from coarse: OctreeLevel, _ tables: OctetTables, factor: Float, to result: Buffer<Vector4>
    ) {
        forEachCorner(under: coarse, tables) { corner, above, weights in
            var sum = Vector4.zero
            for index in 0..<8 { sum += values.base[Int(above[index])] * weights[index] }
            result.base[corner] += sum * factor
        }
    }

    /// The transpose of `interpolated`: functionals of this level's basis as functionals of the `coarse` level's.
    func addRestricted(_ values: Buffer<Float>, to result: Buffer<Float>, on coarse: OctreeLevel, _ tables: OctetTables, factor: Float) {
        forEachCorner(under: coarse, tables) { corner, above, weights in
            let shares = weights * (values.base[corner] * factor)
            for index in 0..<8 { result.base[Int(above[index])] += shares[index] }
        }
    }
}
