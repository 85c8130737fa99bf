import VitrineMath
import VitrineScene

/// Which lights reach into which cluster: a tile of the picture between two depths, which are spaced evenly on a logarithmic scale.
struct LightClusters {
    static let tilesAcross = 16
    static let tilesDown = 9
    static let sliceCount = 24
    static let count = tilesAcross * tilesDown * sliceCount

    /// First index and count, by cluster.
    private(set) var ranges: [SIMD2<UInt32>] = []
    /// Numbers of lights.
    private(set) var indices: [UInt32] = []
    /// slice = log2(distance ahead) · x + y
    private(set) var sliceScale = Vector2(0, 0)

    /// - Parameter first: the number of the first of the lights.
    mutating func assign(_ reaches: [LightReach], first: Int, _ camera: Camera, _ aspectRatio: Float) {
        let near = max(camera.near, 1e-4)
        let far = reaches.reduce(near * 2) { max($0, -$1.center.z + $1.radius) }
        let scale = Float(Self.sliceCount) / log2(far / near)
        sliceScale = Vector2(scale, -log2(near) * scale)
        let grid = ClusterGrid(near: near, sliceScale: sliceScale, projection: camera.clipFromView(aspectRatio: aspectRatio))
        var pairs: [(cluster: Int32, light: UInt32)] = []
        for (index, reach) in reaches.enumerated() {
            grid.forEachCluster(of: reach) { pairs.append((Int32(truncatingIfNeeded: $0), UInt32(first + index))) }
        }
        sort(pairs)
    }

    /// By cluster, by counting.
    private mutating func sort(_ pairs: [(cluster: Int32, light: UInt32)]) {
        ranges = [SIMD2<UInt32>](repeating: SIMD2(0, 0), count: Self.count)
        for pair in pairs { ranges[Int(pair.cluster)].y += 1 }
        var next = [Int](repeating: 0, count: Self.count)
        var first: UInt32 = 0
        for cluster in ranges.indices {
            ranges[cluster].x = first
            next[cluster] = Int(first)
            first += ranges[cluster].y
        }
        indices = [UInt32](repeating: 0, count: pairs.count)
        for pair in pairs {
            indices[next[Int(pair.cluster)]] = pair.light
            next[Int(pair.cluster)] += 1
        }
    }
}

/// The clusters' boxes in the view frame.
private struct ClusterGrid {
    let near: Float
    let sliceScale: Vector2
    let projection: Matrix4

    private var isPerspective: Bool { projection.z.w != 0 }

    private func slice(_ depth: Float) -> Int {
        Int(clamp(log2(max(depth, 1e-6)) * sliceScale.x + sliceScale.y, 0, Float(LightClusters.sliceCount - 1)))
    }

    /// The tiles from one that a light reaches to the other, each with the ends of its box.
    private struct Tiles {
        var first = 0
        var ends: [(low: Float, high: Float)] = []
    }

    func forEachCluster(of reach: LightReach, _ body: (Int) -> Void) {
        let (nearest, farthest) = (-reach.center.z - reach.radius, -reach.center.z + reach.radius)
        guard farthest > 0 else { return }
        for slice in slice(nearest)...slice(farthest) {
            // The part of the light's depths in this slice; the first slice begins at the eye, the last has no end.
            let low = slice == 0 ? nearest : exp2((Float(slice) - sliceScale.y) / sliceScale.x)
            let high = slice == LightClusters.sliceCount - 1 ? farthest : exp2((Float(slice + 1) - sliceScale.y) / sliceScale.x)
            let depths = (max(low, nearest, near * 0.5), max(min(high, farthest), near * 0.5))
            // Tiles count from the top: y is turned.
            guard let across = tiles(reach.center.x, reach.radius, projection.x.x, LightClusters.tilesAcross, depths),
                let down = tiles(-reach.center.y, reach.radius, projection.y.y, LightClusters.tilesDown, depths)
            else { continue }
            visit(reach, slice, depths, across, down, body)
        }
    }

    private func tiles(_ center: Float, _ radius: Float, _ scale: Float, _ count: Int, _ depths: (Float, Float)) -> Tiles? {
        let (wa, wb) = isPerspective ? depths : (1, 1)
        let (low, high) = ((center - radius) * scale, (center + radius) * scale)
        let (from, to) = (min(low / wa, low / wb), max(high / wa, high / wb))
        guard to >= -1, from <= 1 else { return nil }
        func tile(_ ndc: Float) -> Int { Int(clamp((ndc * 0.5 + 0.5) * Float(count), 0, Float(count - 1))) }
        var tiles = Tiles(first: tile(from))
        for index in tiles.first...tile(to) {
            let (left, right) = (Float(2 * index) / Float(count) - 1, Float(2 * index + 2) / Float(count) - 1)
            // What lies beside the picture is drawn in no tile, and what is seen just at its edge in the last one.
            tiles.ends.append((min(left * wa, left * wb) / scale, max(right * wa, right * wb) / scale))
        }
        return tiles
    }

    private func visit(
        _ reach: LightReach, _ slice: Int, _ depths: (Float, Float), _ across: Tiles, _ down: Tiles, _ body: (Int) -> Void
    ) {
        let ahead = -reach.center.z
        let depthDistance = max(depths.0 - ahead, ahead - depths.1, 0)
        for (row, y) in down.ends.enumerated() {
            let yDistance = max(y.low + reach.center.y, -reach.center.y - y.high, 0)
            for (column, x) in across.ends.enumerated() {
                let xDistance = max(x.low - reach.center.x, reach.center.x - x.high, 0)
                let squared = xDistance * xDistance + yDistance * yDistance + depthDistance * depthDistance
                guard squared <= reach.radius * reach.radius else { continue }
                if let cone = reach.cone {
                    let half = Vector3(x.high - x.low, y.high - y.low, depths.1 - depths.0) * 0.5
                    let middle = Vector3((x.low + x.high) / 2, -(y.low + y.high) / 2, -(depths.0 + depths.1) / 2)
                    guard cone.reaches(middle, length(half)) else { continue }
                }
                body(across.first + column + LightClusters.tilesAcross * (down.first + row + LightClusters.tilesDown * slice))
            }
        }
    }
}
