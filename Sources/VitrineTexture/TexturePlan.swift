import VitrineMath

/// What all pages of a texture need: the charts, the photos of each triangle, and values at vertices. The same for any division into pages.
package struct TexturePlan: Equatable, Sendable {
    package let atlas: Atlas
    /// With the photos' gains applied.
    package var candidates: ViewCandidates
    /// By triangle: the slot of its candidate, or −1.
    package var labels: [Int32]
    /// By view.
    package var gains: [Vector3]
    /// By view.
    package var sharpness: [Float]
    /// The views that observe the surface, in ascending order.
    package var used: [Int]
    /// By vertex of the surface; empty if the map is not requested.
    package var occlusion, roughness: [Float]
    /// By vertex: the divisor of the base colour; empty: none.
    package var light: [Float]
    package var statistics: TextureStatistics

    package init(
        atlas: Atlas, candidates: ViewCandidates, labels: [Int32], gains: [Vector3], sharpness: [Float], used: [Int],
        occlusion: [Float] = [], roughness: [Float] = [], light: [Float] = [], statistics: TextureStatistics
    ) {
        (self.atlas, self.candidates, self.labels, self.gains) = (atlas, candidates, labels, gains)
        (self.sharpness, self.used, self.occlusion, self.roughness) = (sharpness, used, occlusion, roughness)
        (self.light, self.statistics) = (light, statistics)
    }
}

/// Rows of a texture and its maps, before the space between the charts is filled.
package struct TexturePage: Equatable, Sendable {
    package var rows: Range<Int>
    /// Three bytes for each texel.
    package var color: [UInt8]
    /// Three bytes, one and one for each texel; empty if the map is not requested.
    package var normal, occlusion, roughness: [UInt8]
    /// In steps of `heightUnit` with 32,768 as zero; empty if the map is not requested.
    package var heights: [UInt16]
    /// By texel: whether it belongs to a triangle.
    package var isOwned: [Bool]
    /// The number of texels with their centre in a triangle.
    package var coveredCount: Int
    package var heightUnit: Float?

    package init(
        rows: Range<Int>, color: [UInt8], normal: [UInt8], occlusion: [UInt8], roughness: [UInt8], heights: [UInt16], isOwned: [Bool],
        coveredCount: Int, heightUnit: Float?
    ) {
        (self.rows, self.color, self.normal, self.occlusion) = (rows, color, normal, occlusion)
        (self.roughness, self.heights, self.isOwned) = (roughness, heights, isOwned)
        (self.coveredCount, self.heightUnit) = (coveredCount, heightUnit)
    }

    /// Unpainted rows of a texture of this width.
    init(rows: Range<Int>, width: Int, maps: TextureBuilder.Maps, heightUnit: Float?) {
        let count = rows.count * width
        func plane(_ map: TextureBuilder.Maps, _ channels: Int) -> [UInt8] {
            maps.contains(map) ? Array(repeating: 128, count: count * channels) : []
        }
        self.init(
            rows: rows, color: Array(repeating: 0, count: count * 3), normal: plane(.normal, 3), occlusion: plane(.occlusion, 1),
            roughness: plane(.roughness, 1), heights: maps.contains(.displacement) ? Array(repeating: 32768, count: count) : [],
            isOwned: [], coveredCount: 0, heightUnit: heightUnit)
        isOwned.reserveCapacity(count)
    }

    /// Appends the rows that follow.
    package mutating func append(_ next: TexturePage) {
        rows = rows.lowerBound..<next.rows.upperBound
        color += next.color
        normal += next.normal
        occlusion += next.occlusion
        roughness += next.roughness
        heights += next.heights
        isOwned += next.isOwned
        coveredCount += next.coveredCount
    }
}
