import VitrineMath
import VitrineVision

extension PlaneFinder {
    /// New upright planes among points that lie on none: lines as seen from above, by a Hough transform over directions and distances.
    mutating func findWalls() {
        var free = freePoints()
        for _ in 0..<2 {
            guard free.count >= settings.verticalPoints, let (normal, line) = fullestLine(free) else { return }
            let taken = tryWall(normal, line, among: free)
            free.removeAll { taken.contains($0) }
        }
    }

    /// The direction (level, unit) and the points of the strip, twice the tolerance wide, that holds most points.
    private func fullestLine(_ free: [Int]) -> (normal: Vector3d, points: [Int])? {
        var center = Vector3d.zero
        for p in free { center += memory.entries[p].position }
        center /= Double(free.count)
        // 3° apart: at a metre from the middle a wall is met within the tolerance.
        let (directions, reach) = (60, 10.0)
        let width = settings.pointTolerance
        let bins = Int(2 * reach / width)
        var (best, bestDirection, bestBin) = (settings.verticalPoints - 1, 0, -1)
        var counts = [Int32](repeating: 0, count: bins)
        for direction in 0..<directions {
            let normal = Self.level(direction, of: directions)
            for i in counts.indices { counts[i] = 0 }
            for p in free {
                let bin = (dot(normal, memory.entries[p].position - center) + reach) / width
                if bin >= 0, bin < Double(bins) { counts[Int(bin)] += 1 }
            }
            for i in 1..<bins where Int(counts[i - 1] + counts[i]) > best {
                (best, bestDirection, bestBin) = (Int(counts[i - 1] + counts[i]), direction, i)
            }
        }
        guard bestBin > 0 else { return nil }
        let normal = Self.level(bestDirection, of: directions)
        let low = Double(bestBin - 1) * width - reach
        let points = free.filter { p in
            let distance = dot(normal, memory.entries[p].position - center)
            return distance >= low && distance < low + 2 * width
        }
        return (normal, points)
    }

    private static func level(_ direction: Int, of count: Int) -> Vector3d {
        let angle = Double(direction) / Double(count) * .pi
        return Vector3d(cos(angle), 0, sin(angle))
    }

    private mutating func tryWall(_ normal: Vector3d, _ line: [Int], among free: [Int]) -> Set<Int> {
        let along = cross(Vector3d(0, 1, 0), normal)
        let places = line.map { Vector2d(dot(along, memory.entries[$0].position), memory.entries[$0].position.y) }
        let cluster = largestCluster(places, link: 0.5).map { line[$0] }
        // Towards where most of it was seen from.
        var side = 0.0
        for p in cluster { side += dot(normal, memory.entries[p].seenFrom - memory.entries[p].position) > 0 ? 1 : -1 }
        return tryPlane(.vertical, normal: side >= 0 ? normal : -normal, cluster: cluster, among: free)
    }
}
