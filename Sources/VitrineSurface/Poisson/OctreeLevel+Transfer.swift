import VitrineMath

/// Between two levels: the basis functions of one are sums of those of the next, so that nothing is lost.
extension OctreeLevel {
    /// The eight corners of a cell, as numbers of this level's corners.
    @inline(__always) func corners(ofCell cell: Int, _ tables: OctetTables) -> SIMD8<Int32> {
        let slots = tables.cellSlots.base + 8 * (cell & 7)
        let corners = self.corners.base + 27 * (cell >> 3)
        var result = SIMD8<Int32>.zero
        for corner in 0..<8 { result[corner] = corners[Int(slots[corner])] }
        return result
    }

    /// Calls `body` for each corner with the corners of the cell above that it lies in, and their weights.
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

    /// The function given at the corners of the `coarse` level above, at this level's corners.
    func interpolated(_ values: Buffer<Float>, from coarse: OctreeLevel, _ tables: OctetTables) -> Buffer<Float> {
        let result = Buffer<Float>(count: cornerCount, repeating: 0)
        forEachCorner(under: coarse, tables) { corner, above, weights in
            var around = SIMD8<Float>.zero
            for index in 0..<8 { around[index] = values.base[Int(above[index])] }
            result.base[corner] = (around * weights).sum()
        }
        return result
    }

    /// Adds `factor` times the field given at the corners of the `coarse` level above.
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
