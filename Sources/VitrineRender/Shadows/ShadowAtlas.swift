/// Square tiles, whose sizes are powers of two, in one texture.
struct ShadowAtlas {
    static let minimumTile = 64

    /// Width and height in texels: all tiles fit, in steps of a quarter of the power of two that is large enough. Steps keep the texture while single
    /// maps are added and removed.
    let size: SIMD2<Int>
    /// The upper left corner of each tile, texels.
    let corners: [SIMD2<Int>]

    /// The smallest atlas for the tiles; nil if it would be larger than `limit`.
    ///
    /// Largest tiles first along a Z curve: each lies on a multiple of its own size, so no room is lost between them.
    init?(tiles: [Int], limit: Int) {
        var area = 0
        for tile in tiles { area += tile * tile }
        var size = Self.minimumTile
        while size * size < area { size *= 2 }
        guard size <= limit else { return nil }
        var corners = [SIMD2<Int>](repeating: SIMD2(0, 0), count: tiles.count)
        // Stable for equal sizes.
        let order = tiles.indices.sorted { tiles[$0] != tiles[$1] ? tiles[$0] > tiles[$1] : $0 < $1 }
        var offset = 0
        for index in order {
            let cell = offset / (Self.minimumTile * Self.minimumTile)
            corners[index] = SIMD2(Self.everySecondBit(cell), Self.everySecondBit(cell >> 1)) &* Self.minimumTile
            offset += tiles[index] * tiles[index]
        }
        var used = SIMD2(0, 0)
        for (corner, tile) in zip(corners, tiles) { used = pointwiseMax(used, corner &+ tile) }
        let step = max(size / 4, Self.minimumTile)
        self.size = SIMD2((used.x + step - 1) / step, (used.y + step - 1) / step) &* step
        self.corners = corners
    }

    private static func everySecondBit(_ value: Int) -> Int {
        var (value, result, bit) = (value, 0, 0)
        while value != 0 {
            result |= (value & 1) << bit
            bit += 1
            value >>= 2
        }
        return result
    }
}
