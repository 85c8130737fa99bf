import VitrineMath

/// The texels of each triangle in a band of rows: runs of texels, sorted by triangle.
///
/// A texel belongs to the triangle that contains its centre; two texels around a chart belong to the nearest triangle, so that
/// interpolation at a chart's border uses only colours of the surface.
struct TexelRuns: Sendable {
    struct Run: Sendable {
        var x, y, length: Int32
    }

    let rows: Range<Int>
    let width: Int
    /// The first row of the page that the band is painted into.
    let pageRow: Int
    /// The runs of triangle t: `runs[offsets[t]..<offsets[t + 1]]`.
    private(set) var offsets: [Int32]
    private(set) var runs: [Run]
    /// The number of texels with their centre in a triangle.
    private(set) var coveredCount = 0
    /// Whether each texel of the band belongs to a triangle.
    private(set) var isOwned: [Bool]

    /// Whether a photo with these weights may change the band.
    ///
    /// - Parameter weights: By vertex, as `BlendWeights.weights(of:)` gives them.
    func arePainted(by weights: [Vector2], on surface: SurfaceTopology) -> Bool {
        weights.withUnsafeBufferPointer { weights in
            surface.triangles.indices.contains { number in
                guard offsets[number] < offsets[number + 1] else { return false }
                let t = surface.triangles[number]
                return max(weights[Int(t.x)].sum(), weights[Int(t.y)].sum(), weights[Int(t.z)].sum()) > BlendWeights.least
            }
        }
    }

    init(_ atlas: Atlas, rows: Range<Int>, pageRow: Int = 0) {
        (self.rows, self.pageRow, width) = (rows, pageRow, atlas.size)
        let reach = 2
        // Includes rows around the band, so that bands meet without a seam.
        let first = max(0, rows.lowerBound - reach)
        let last = min(atlas.size, rows.upperBound + reach)
        var owners = [Int32](repeating: -1, count: (last - first) * atlas.size)
        let (width, height) = (atlas.size, last - first)
        owners.withUnsafeMutableBufferPointer { owners in
            for (number, t) in atlas.triangles.enumerated() {
                let (a, b, c) = (atlas.texels[Int(t.x)], atlas.texels[Int(t.y)], atlas.texels[Int(t.z)])
                guard max(a.y, max(b.y, c.y)) > Float(first), min(a.y, min(b.y, c.y)) < Float(last) else { continue }
                // In the texture's coordinates: relative to the band, the rounding at edges would depend on the division into bands.
                TriangleRaster.scan(a, b, c, width: width, height: last) { y, xs in
                    guard y >= first else { return }
                    for x in xs { owners[(y &- first) &* width &+ x] = Int32(number) }
                }
            }
        }
        for index in (rows.lowerBound - first) * width..<(rows.upperBound - first) * width where owners[index] >= 0 { coveredCount += 1 }
        for _ in 0..<reach { Self.grow(&owners, width, height) }
        (offsets, runs) = Self.sorted(owners, width, rows, first, triangleCount: atlas.triangles.count)
        isOwned = owners[(rows.lowerBound - first) * width..<(rows.upperBound - first) * width].map { $0 >= 0 }
    }

    private static func grow(_ owners: inout [Int32], _ width: Int, _ height: Int) {
        let before = owners
        before.withUnsafeBufferPointer { before in
            owners.withUnsafeMutableBufferPointer { owners in
                for y in 0..<height {
                    for x in 0..<width where before[y * width + x] < 0 {
                        let slot = y * width + x
                        if x > 0, before[slot - 1] >= 0 {
                            owners[slot] = before[slot - 1]
                        } else if x + 1 < width, before[slot + 1] >= 0 {
                            owners[slot] = before[slot + 1]
                        } else if y > 0, before[slot - width] >= 0 {
                            owners[slot] = before[slot - width]
                        } else if y + 1 < height, before[slot + width] >= 0 {
                            owners[slot] = before[slot + width]
                        }
                    }
                }
            }
        }
    }

    private static func sorted(
        _ owners: [Int32], _ width: Int, _ rows: Range<Int>, _ first: Int, triangleCount: Int
    ) -> ([Int32], [Run]) {
        var offsets = [Int32](repeating: 0, count: triangleCount + 1)
        func forEachRun(_ body: (Int, Run) -> Void) {
            owners.withUnsafeBufferPointer { owners in
                for y in rows {
                    let row = (y - first) * width
                    var x = 0
                    while x < width {
                        let owner = owners[row + x]
                        let start = x
                        while x < width, owners[row + x] == owner { x += 1 }
                        if owner >= 0 { body(Int(owner), Run(x: Int32(start), y: Int32(y), length: Int32(x - start))) }
                    }
                }
            }
        }
        forEachRun { owner, _ in offsets[owner + 1] += 1 }
        for t in 0..<triangleCount { offsets[t + 1] += offsets[t] }
        var next = offsets
        var runs = [Run](repeating: Run(x: 0, y: 0, length: 0), count: Int(offsets[triangleCount]))
        forEachRun { owner, run in
            runs[Int(next[owner])] = run
            next[owner] += 1
        }
        return (offsets, runs)
    }
}

/// Barycentric weights over a triangle of the texture: b(x, y) = origin + x · alongX + y · alongY, in texels.
struct BarycentricMap {
    let origin, alongX, alongY: Vector3

    /// nil for a triangle without an area in the texture.
    @inline(__always)
    init?(_ a: Vector2, _ b: Vector2, _ c: Vector2) {
        let (e, f) = (b - a, c - a)
        let area = e.x * f.y - e.y * f.x
        guard abs(area) > 1e-9 else { return nil }
        let (second, third) = (Vector2(f.y, -f.x) / area, Vector2(-e.y, e.x) / area)
        alongX = Vector3(-second.x - third.x, second.x, third.x)
        alongY = Vector3(-second.y - third.y, second.y, third.y)
        origin = Vector3(1, 0, 0) - alongX * a.x - alongY * a.y
    }

    /// Returns the barycentric weights at a texel's centre.
    @inline(__always)
    func weights(x: Int, y: Int) -> Vector3 { origin + alongX * (Float(x) + 0.5) + alongY * (Float(y) + 0.5) }
}
