import VitrineMath
import VitrineVision

/// Divides a surface into charts and flattens each of them with little distortion, without mirrored triangles and without overlap.
struct ChartBuilder: Sendable {
    /// The limits of a chart that is kept without division: its mean stretch, and the fraction of its area that is distorted by more than a factor of 2.
    /// Each division relaxes the limits, because a crumpled surface is not flat in any division.
    private static let maximumStretch: Float = 1.2
    private static let maximumExcess: Float = 0.04

    let surface: SurfaceTopology
    private let directions: [Vector3]

    init(_ surface: SurfaceTopology) {
        self.surface = surface
        directions = Self.smoothed(surface)
    }

    /// Triangle normals smoothed over their neighbours, so that a rough surface does not give tiny charts. Neighbours are weighted by how much they
    /// face the same direction: normals are not smoothed across an edge of 90°, and flat faces stay flat.
    private static func smoothed(_ surface: SurfaceTopology) -> [Vector3] {
        var current = surface.normals
        for _ in 0..<4 {
            current = current.indices.map { triangle in
                var sum = current[triangle] * surface.areas[triangle]
                for k in 0..<3 {
                    let neighbor = Int(surface.neighbors[3 * triangle + k])
                    guard neighbor >= 0 else { continue }
                    sum += current[neighbor] * (surface.areas[neighbor] * max(0, dot(current[triangle], current[neighbor])))
                }
                return lengthSquared(sum) > 0 ? normalize(sum) : current[triangle]
            }
        }
        return current
    }

    /// The charts, in the order of their first triangles.
    func charts(in context: StageContext) throws(TextureError) -> [FlatChart] {
        var limits = ChartClustering.Limits()
        (limits.tinyArea, limits.largestArea) = (surface.totalArea * 2e-4, surface.totalArea * 0.08)
        let all = (0..<surface.triangleCount).map { Int32($0) }
        var pending = ChartClustering.regions(of: all, surface, directions: directions, limits: limits)
        straighten(&pending)
        var done: [FlatChart] = []
        for round in 0..<8 where !pending.isEmpty {
            if context.isCancelled { throw .cancelled }
            // Each round is stricter with the charts that the last one could not flatten; in the end a chart is a single triangle.
            limits.spread *= 0.5
            limits.cosine = min(0.9, limits.cosine + 0.15)
            limits.tinyArea *= 0.3
            let (next, groups) = (limits, pending)
            let outcomes = context.parallel.map(groups.count) { attempt(groups[$0], next, round) }
            pending = []
            for outcome in outcomes {
                done += outcome.flat
                pending += outcome.rest
            }
        }
        let finished = done
        done = context.parallel.map(finished.count) { index in
            var chart = finished[index]
            chart.turnUpright()
            return chart
        }
        return done.sorted { $0.triangles[0] < $1.triangles[0] }
    }

    private struct Outcome: Sendable {
        var flat: [FlatChart] = []
        var rest: [[Int32]] = []
    }

    private func attempt(_ group: [Int32], _ limits: ChartClustering.Limits, _ round: Int) -> Outcome {
        if round == 7 { return Outcome(flat: group.map { flattened([$0]) }) }
        var chart = flattened(group)
        guard group.count > 1 else { return Outcome(flat: [chart]) }
        if chart.isScattered(surface) {
            let parts = pieces(group) { _ in true }
            if parts.count > 1 { return Outcome(rest: parts) }
            let (head, tail) = halves(group)
            return Outcome(rest: [head, tail].filter { !$0.isEmpty })
        }
        chart.untangle(surface)
        let (bad, distortion) = (chart.misplaced(surface), chart.distortion(surface))
        let badArea = zip(group, bad).reduce(Float(0)) { $1.1 ? $0 + surface.areas[Int($1.0)] : $0 }
        let area = group.reduce(Float(0)) { $0 + surface.areas[Int($1)] }
        // Cuts out a few mirrored or overlapping triangles; divides a chart with many of them.
        let patience = Float(1 + round)
        if badArea <= 0.1 * area, distortion.meanStretch < 1 + (Self.maximumStretch - 1) * patience,
            distortion.excessiveShare < Self.maximumExcess * patience
        {
            let isBad = Set(zip(group, bad).filter { $0.1 }.map { $0.0 })
            if isBad.isEmpty { return Outcome(flat: [chart]) }
            var outcome = Outcome()
            for piece in pieces(group, { isBad.contains($0) }) {
                if isBad.contains(piece[0]) { outcome.rest.append(piece) } else { outcome.flat.append(chart.part(piece)) }
            }
            if outcome.flat.count > 0 { return outcome }
        }
        let parts = ChartClustering.regions(of: group, surface, directions: directions, limits: limits)
        // If only small parts were cut off, the rest is nearly unchanged.
        let largest = parts.reduce(0) { max($0, $1.count) }
        if largest * 5 <= group.count * 4 { return Outcome(rest: parts) }
        let (head, tail) = halves(group)
        return Outcome(rest: [head, tail].filter { !$0.isEmpty })
    }

    private func flattened(_ group: [Int32]) -> FlatChart {
        var chart = FlatChart(group, surface)
        chart.project(surface)
        if group.count > 1 { chart.relax(surface) }
        return chart
    }

    /// The connected components of a group, each of triangles of the same `kind`; in the order of their first triangles.
    private func pieces(_ group: [Int32], _ kind: (Int32) -> Bool) -> [[Int32]] {
        var open = Set(group)
        var result: [[Int32]] = []
        for first in group where open.remove(first) != nil {
            var piece = [first]
            var next = 0
            while next < piece.count {
                let triangle = piece[next]
                next += 1
                for k in 0..<3 {
                    let neighbor = surface.neighbors[3 * Int(triangle) + k]
                    guard neighbor >= 0, open.contains(neighbor), kind(neighbor) == kind(first) else { continue }
                    open.remove(neighbor)
                    piece.append(neighbor)
                }
            }
            result.append(piece.sorted())
        }
        return result
    }

    /// Cuts a group across its longest axis, for groups that normals cannot separate, such as a spiral.
    private func halves(_ group: [Int32]) -> ([Int32], [Int32]) {
        func center(_ t: Int32) -> Vector3 {
            let c = surface.triangles[Int(t)]
            return surface.positions[Int(c.x)] + surface.positions[Int(c.y)] + surface.positions[Int(c.z)]
        }
        var (low, high) = (center(group[0]), center(group[0]))
        for t in group { (low, high) = (pointwiseMin(low, center(t)), pointwiseMax(high, center(t))) }
        let size = high - low
        let axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2)
        let middle = (low[axis] + high[axis]) / 2
        let head = group.filter { center($0)[axis] <= middle }
        if head.count == group.count { return (Array(group.prefix(group.count / 2)), Array(group.suffix(group.count - group.count / 2))) }
        return (head, group.filter { center($0)[axis] > middle })
    }

    /// Moves triangles at a region's border to the neighbouring region that has two of their edges. Removing a triangle that
    /// is connected by one edge never divides its region.
    private func straighten(_ regions: inout [[Int32]]) {
        var owner = [Int32](repeating: 0, count: surface.triangleCount)
        for (number, region) in regions.enumerated() { for t in region { owner[Int(t)] = Int32(number) } }
        for _ in 0..<4 {
            for t in 0..<surface.triangleCount {
                let around = (0..<3).map { k -> Int32 in
                    let neighbor = surface.neighbors[3 * t + k]
                    return neighbor < 0 ? -1 : owner[Int(neighbor)]
                }
                for k in 0..<3 where around[k] >= 0 && around[k] == around[(k + 1) % 3] && around[k] != owner[t] { owner[t] = around[k] }
            }
        }
        regions = regions.map { _ in [] }
        for t in 0..<surface.triangleCount { regions[Int(owner[t])].append(Int32(t)) }
        regions.removeAll { $0.isEmpty }
    }
}

extension FlatChart {
    /// Whether the chart reaches far beyond its size in space. Parts that no edge connects drift apart when the coordinates are optimized, and a chart that
    /// reaches far would leave no room for the others.
    func isScattered(_ surface: SurfaceTopology) -> Bool {
        var box = BoundingBox.empty
        for vertex in vertices { box.formUnion(surface.positions[Int(vertex)]) }
        var (low, high) = (coordinates[0], coordinates[0])
        for c in coordinates {
            // Minimum and maximum ignore NaN.
            guard c.x.isFinite, c.y.isFinite else { return true }
            (low, high) = (pointwiseMin(low, c), pointwiseMax(high, c))
        }
        return length(high - low) > 4 * length(box.size)
    }

    /// Whether each triangle is mirrored or overlaps another one, in a raster of about 24 samples per triangle.
    func misplaced(_ surface: SurfaceTopology) -> [Bool] {
        var (low, high) = (coordinates[0], coordinates[0])
        for c in coordinates { (low, high) = (pointwiseMin(low, c), pointwiseMax(high, c)) }
        let size = high - low
        let area = max(size.x * size.y, 1e-30)
        let samples = Float(min(1 << 22, max(1024, 24 * triangles.count)))
        let scale = min((samples / area).squareRoot(), 4000 / max(size.x, size.y))
        let (width, height) = (Int(size.x * scale) + 1, Int(size.y * scale) + 1)
        var covered = [Bool](repeating: false, count: width * height)
        var bad = [Bool](repeating: false, count: triangles.count)
        for (index, c) in corners.enumerated() {
            if doubledArea(index) <= 0, surface.areas[Int(triangles[index])] > 1e-12 * surface.totalArea {
                bad[index] = true
                continue
            }
            let (a, b, d) = (coordinates[Int(c.x)] - low, coordinates[Int(c.y)] - low, coordinates[Int(c.z)] - low)
            var twice = 0
            TriangleRaster.scan(a * scale, b * scale, d * scale, width: width, height: height) { y, xs in
                for x in xs {
                    if covered[y * width + x] { twice += 1 }
                    covered[y * width + x] = true
                }
            }
            // Rounding may mirror a sliver: this is not an overlap.
            bad[index] = twice > 2
        }
        return bad
    }

    /// Rotates the chart to the smallest bounding box of 45 directions, with the longer side horizontal.
    fileprivate mutating func turnUpright() {
        var best = (area: Float.infinity, x: Vector2(1, 0))
        for step in 0..<45 {
            let angle = Float(step) * 2 * .pi / 180
            let x = Vector2(cos(angle), sin(angle))
            var (low, high) = (Vector2(repeating: .infinity), Vector2(repeating: -.infinity))
            for c in coordinates {
                let turned = Vector2(c.x * x.x - c.y * x.y, c.x * x.y + c.y * x.x)
                (low, high) = (pointwiseMin(low, turned), pointwiseMax(high, turned))
            }
            let size = high - low
            if size.x * size.y < best.area { best = (size.x * size.y, x) }
        }
        coordinates = coordinates.map { Vector2($0.x * best.x.x - $0.y * best.x.y, $0.x * best.x.y + $0.y * best.x.x) }
    }
}
