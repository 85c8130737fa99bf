import VitrineMath

/// The triangles of a geometry in a tree of boxes, so that a ray meets few of them: O(log n) for a usual mesh.
///
/// Built by the surface area heuristic in bins (Wald 2007), without recursion; below a depth of 32 it splits by count, so that no
/// input makes it deep. Triangles with corners that are not finite are left out: nothing can meet them.
struct TriangleTree {
    struct Box {
        var bounds: BoundingBox
        /// A leaf: its first triangle. Else: its first child; the second follows it.
        var first: Int32
        /// Above 0: a leaf with so many triangles.
        var count: Int32
    }

    struct Hit {
        var triangle: Int
        /// Multiples of the ray's direction.
        var distance: Float
        /// Barycentric weights of the second and the third corner.
        var u, v: Float
    }

    private(set) var boxes: [Box] = []
    /// Numbers of triangles, by leaf.
    private(set) var triangles: [Int32] = []
    /// Three vertices for each of `triangles`.
    private var corners: [UInt32] = []
    private let positions: VertexAttribute

    private static let leafSize = 4
    private static let binCount = 12
    private static let greatestBinnedDepth = 32
    /// What passing through a box costs, in triangle tests.
    private static let boxCost: Float = 1

    init(_ geometry: Geometry) {
        guard geometry.triangleCount > 0, let positions = geometry.attribute(.position) else {
            positions = VertexAttribute(.position, componentCount: 3, values: [])
            return
        }
        self.positions = positions
        var bounds: [BoundingBox] = []
        geometry.forEachTriangle { triangle, a, b, c in
            var box = BoundingBox.empty
            for vertex in [a, b, c] { box.formUnion(positions.vector3(at: vertex)) }
            let isFinite = [a, b, c].allSatisfy { positions.vector3(at: $0).isFinite }
            bounds.append(box)
            if isFinite { triangles.append(Int32(triangle)) }
        }
        build(bounds)
        for triangle in triangles {
            let (a, b, c) = geometry.corners(ofTriangle: Int(triangle))
            corners.append(contentsOf: [UInt32(a), UInt32(b), UInt32(c)])
        }
    }

    // MARK: Building

    private mutating func build(_ bounds: [BoundingBox]) {
        guard !triangles.isEmpty else { return }
        boxes.append(Box(bounds: .empty, first: 0, count: Int32(triangles.count)))
        var pending: [(box: Int, depth: Int)] = [(0, 0)]
        while let (index, depth) = pending.popLast() {
            let range = Int(boxes[index].first)..<Int(boxes[index].first + boxes[index].count)
            for place in range { boxes[index].bounds.formUnion(bounds[Int(triangles[place])]) }
            guard let middle = split(range, bounds, depth: depth, of: boxes[index].bounds) else { continue }
            let left = boxes.count
            boxes.append(Box(bounds: .empty, first: Int32(range.lowerBound), count: Int32(middle - range.lowerBound)))
            boxes.append(Box(bounds: .empty, first: Int32(middle), count: Int32(range.upperBound - middle)))
            boxes[index].first = Int32(left)
            boxes[index].count = 0
            pending.append((left + 1, depth + 1))
            pending.append((left, depth + 1))
        }
    }

    /// Reorders the triangles of `range` into two groups; returns where the second begins, nil where they should stay together.
    private mutating func split(_ range: Range<Int>, _ bounds: [BoundingBox], depth: Int, of parent: BoundingBox) -> Int? {
        guard range.count > TriangleTree.leafSize else { return nil }
        var centers = BoundingBox.empty
        for place in range { centers.formUnion(bounds[Int(triangles[place])].center) }
        let middle = (range.lowerBound + range.upperBound) / 2
        // All in one point: no plane parts them, but leaves stay small.
        guard depth < TriangleTree.greatestBinnedDepth, centers.size.max() > 0, centers.size.isFinite else { return middle }
        guard let (axis, plane, cost) = bestPlane(range, bounds, centers) else { return middle }
        let stayCost = Float(range.count) * halfArea(parent)
        if cost + TriangleTree.boxCost * halfArea(parent) >= stayCost, range.count <= 4 * TriangleTree.leafSize { return nil }
        let found = triangles[range].partition { bounds[Int($0)].center[axis] >= plane }
        return found > range.lowerBound && found < range.upperBound ? found : middle
    }

    private func bestPlane(_ range: Range<Int>, _ bounds: [BoundingBox], _ centers: BoundingBox) -> (Int, Float, Float)? {
        let bins = TriangleTree.binCount
        var best: (axis: Int, plane: Float, cost: Float)?
        for axis in 0..<3 where centers.size[axis] > 0 {
            var boxes = Array(repeating: BoundingBox.empty, count: bins)
            var counts = Array(repeating: 0, count: bins)
            let scale = Float(bins) / centers.size[axis]
            guard scale.isFinite else { continue }
            for place in range {
                let box = bounds[Int(triangles[place])]
                let bin = min(Int((box.center[axis] - centers.minimum[axis]) * scale), bins - 1)
                boxes[bin].formUnion(box)
                counts[bin] += 1
            }
            // Areas to the right of each plane, then the sweep from the left.
            var rightCosts = Array(repeating: Float(0), count: bins)
            var (box, count) = (BoundingBox.empty, 0)
            for bin in (1..<bins).reversed() {
                box.formUnion(boxes[bin])
                count += counts[bin]
                rightCosts[bin] = count > 0 ? halfArea(box) * Float(count) : 0
            }
            (box, count) = (.empty, 0)
            for bin in 1..<bins {
                box.formUnion(boxes[bin - 1])
                count += counts[bin - 1]
                guard count > 0, count < range.count else { continue }
                let cost = halfArea(box) * Float(count) + rightCosts[bin]
                if best == nil || cost < best!.cost { best = (axis, centers.minimum[axis] + Float(bin) / scale, cost) }
            }
        }
        return best
    }

    private func halfArea(_ box: BoundingBox) -> Float {
        let s = box.size
        return s.x * s.y + s.y * s.z + s.z * s.x
    }

    // MARK: Asking

    /// Calls `body` for the triangles that the ray meets no farther than `limit`; `body` returns the new limit.
    func forEachHit(_ ray: Ray, limit: Float, _ body: (Hit) -> Float) {
        guard !boxes.isEmpty else { return }
        var limit = limit
        var stack: [Int32] = [0]
        stack.reserveCapacity(64)
        while let index = stack.popLast() {
            let box = boxes[Int(index)]
            guard let (near, _) = ray.intersection(with: box.bounds), near <= limit else { continue }
            if box.count > 0 {
                for place in Int(box.first)..<Int(box.first + box.count) {
                    guard let hit = hit(ray, place: place), hit.distance <= limit else { continue }
                    limit = body(hit)
                }
            } else {
                // The nearer child is taken from the stack first.
                let (a, b) = (box.first, box.first + 1)
                let nearA = ray.intersection(with: boxes[Int(a)].bounds)?.near ?? .infinity
                let nearB = ray.intersection(with: boxes[Int(b)].bounds)?.near ?? .infinity
                stack.append(nearA <= nearB ? b : a)
                stack.append(nearA <= nearB ? a : b)
            }
        }
    }

    private func hit(_ ray: Ray, place: Int) -> Hit? {
        let (a, b, c) = (Int(corners[place * 3]), Int(corners[place * 3 + 1]), Int(corners[place * 3 + 2]))
        let met = ray.intersection(triangle: positions.vector3(at: a), positions.vector3(at: b), positions.vector3(at: c))
        return met.map { Hit(triangle: Int(triangles[place]), distance: $0.distance, u: $0.u, v: $0.v) }
    }
}
