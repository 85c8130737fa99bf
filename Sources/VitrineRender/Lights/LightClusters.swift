import VitrineMath
import VitrineScene

/// The lights of each cluster: a tile of the image between two depths, which are spaced evenly on a logarithmic scale.
struct LightClusters {
    static let tilesAcross = 16
    static let tilesDown = 9
    static let sliceCount = 24
    static let count = tilesAcross * tilesDown * sliceCount

    /// First index in `indices` and count, by cluster.
    private(set) var ranges: [SIMD2<UInt32>] = []
    /// Indices of lights, cluster by cluster.
    private(set) var indices: [UInt32] = []
    /// slice = log2(distance ahead) · x + y
    private(set) var sliceScale = Vector2(0, 0)

    /// Assigns lights to the clusters that they reach.
    ///
    /// - Parameter first: Index of the light of the first volume.
    mutating func assign(_ volumes: [LightVolume], first: Int, _ camera: Camera, _ aspectRatio: Float) {
        let near = max(camera.near, 1e-4)
        let far = volumes.reduce(near * 2) { max($0, -$1.center.z + $1.radius) }
        let scale = Float(Self.sliceCount) / log2(far / near)
        sliceScale = Vector2(scale, -log2(near) * scale)
        let grid = ClusterGrid(near: near, sliceScale: sliceScale, projection: camera.clipFromView(aspectRatio: aspectRatio))
        var pairs: [(cluster: Int32, light: UInt32)] = []
        for (index, volume) in volumes.enumerated() {
            grid.forEachCluster(of: volume) { pairs.append((Int32(truncatingIfNeeded: $0), UInt32(first + index))) }
        }
        sort(pairs)
    }

    /// Counting sort by cluster.
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

    /// A run of tiles that a light reaches, each with the ends of its box.
    private struct Tiles {
        var first = 0
        var ends: [(low: Float, high: Float)] = []
    }

    func forEachCluster(of volume: LightVolume, _ body: (Int) -> Void) {
        let (nearest, farthest) = (-volume.center.z - volume.radius, -volume.center.z + volume.radius)
        guard farthest > 0 else { return }
        for slice in slice(nearest)...slice(farthest) {
            // The light's depths within this slice; the first slice begins at the camera, the last has no end.
            let low = slice == 0 ? nearest : exp2((Float(slice) - sliceScale.y) / sliceScale.x)
            let high = slice == LightClusters.sliceCount - 1 ? farthest : exp2((Float(slice + 1) - sliceScale.y) / sliceScale.x)
            let depths = (max(low, nearest, near * 0.5), max(min(high, farthest), near * 0.5))
            // Tiles count from the top: y is flipped.
            guard let across = tiles(volume.center.x, volume.radius, projection.x.x, LightClusters.tilesAcross, depths),
                let down = tiles(-volume.center.y, volume.radius, projection.y.y, LightClusters.tilesDown, depths)
            else { continue }
            visit(volume, slice, depths, across, down, body)
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
            // Outside the image there are no tiles; the last tile includes the image's edge.
            tiles.ends.append((min(left * wa, left * wb) / scale, max(right * wa, right * wb) / scale))
        }
        return tiles
    }

    private func visit(
        _ volume: LightVolume, _ slice: Int, _ depths: (Float, Float), _ across: Tiles, _ down: Tiles, _ body: (Int) -> Void
    ) {
        let ahead = -volume.center.z
        let depthDistance = max(depths.0 - ahead, ahead - depths.1, 0)
        for (row, y) in down.ends.enumerated() {
            let yDistance = max(y.low + volume.center.y, -volume.center.y - y.high, 0)
            for (column, x) in across.ends.enumerated() {
                let xDistance = max(x.low - volume.center.x, volume.center.x - x.high, 0)
                let squared = xDistance * xDistance + yDistance * yDistance + depthDistance * depthDistance
                guard squared <= volume.radius * volume.radius else { continue }
                if let cone = volume.cone {
                    let half = Vector3(x.high - x.low, y.high - y.low, depths.1 - depths.0) * 0.5
                    let middle = Vector3((x.low + x.high) / 2, -(y.low + y.high) / 2, -(depths.0 + depths.1) / 2)
                    guard cone.intersects(middle, length(half)) else { continue }
                }
                body(across.first + column + LightClusters.tilesAcross * (down.first + row + LightClusters.tilesDown * slice))
            }
        }
    }
}
