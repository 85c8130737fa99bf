/// Builds a `TriangleHierarchy`, top down and without recursion.
struct TriangleHierarchyBuilder {
    private static let binCount = 16
    private static let leafSize = 4
    /// The depth below which nodes are split into halves of equal count, which limits the depth for any arrangement of triangles.
    private static let heuristicDepth = 40
    /// The largest depth: `heuristicDepth` and 32 halvings of at most 2³² triangles.
    static let maximumDepth = 80

    private struct Item {
        var box: BoundingBox
        var center: Vector3
        var number: UInt32
    }

    private struct Bin {
        var box = BoundingBox.empty
        var count = 0
    }

    private let positions: [Float]
    private let indices: [UInt32]
    private var items: [Item] = []

    private(set) var tree: [TriangleHierarchy.TreeNode] = []
    private(set) var corners: [Vector4] = []
    private(set) var numbers: [UInt32] = []
    private(set) var bounds = BoundingBox.empty

    init(positions: [Float], indices: [UInt32]) { (self.positions, self.indices) = (positions, indices) }

    private func corner(_ index: Int) -> Vector3 {
        let base = Int(indices[index]) * 3
        return Vector3(positions[base], positions[base + 1], positions[base + 2])
    }

    mutating func build() {
        collect()
        guard !items.isEmpty else { return }
        tree.reserveCapacity(items.count)
        tree.append(TriangleHierarchy.TreeNode(bounds, first: 0, count: items.count))
        var pending = [(node: 0, depth: 0)]
        while let (node, depth) = pending.popLast() {
            let (first, count) = (tree[node].first, tree[node].count)
            guard count > Self.leafSize, let middle = split(first, count, depth: depth) else { continue }
            let children = tree.count
            tree.append(TriangleHierarchy.TreeNode(box(first..<middle), first: first, count: middle - first))
            tree.append(TriangleHierarchy.TreeNode(box(middle..<first + count), first: middle, count: first + count - middle))
            tree[node].minimum.w = Float(bitPattern: UInt32(children))
            tree[node].maximum.w = Float(bitPattern: 0)
            pending.append((children, depth + 1))
            pending.append((children + 1, depth + 1))
        }
        finish()
    }

    private mutating func collect() {
        items.reserveCapacity(indices.count / 3)
        for triangle in 0..<indices.count / 3 {
            var box = BoundingBox.empty
            for index in 0..<3 {
                let point = corner(triangle * 3 + index)
                guard point.isFinite else {
                    box = .empty
                    break
                }
                box.formUnion(point)
            }
            guard !box.isEmpty else { continue }
            items.append(Item(box: box, center: box.center, number: UInt32(triangle)))
            bounds.formUnion(box)
        }
    }

    private func box(_ range: Range<Int>) -> BoundingBox {
        var box = BoundingBox.empty
        for index in range { box.formUnion(items[index].box) }
        return box
    }

    /// Partitions a node's items into two groups and returns the first index of the second; nil to keep the node as a leaf.
    private mutating func split(_ first: Int, _ count: Int, depth: Int) -> Int? {
        var centers = BoundingBox.empty
        for index in first..<first + count { centers.formUnion(items[index].center) }
        let size = centers.size
        let axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2)
        let scale = Float(Self.binCount) / size[axis]
        if size[axis] <= 0 || !size[axis].isFinite || !scale.isFinite || depth >= Self.heuristicDepth {
            // Coincident centres, an extent beyond Float's range, or a tree that is too deep.
            return count > 64 ? first + count / 2 : nil
        }
        let origin = centers.minimum[axis]
        func bin(_ item: Item) -> Int { min(Self.binCount - 1, max(0, Int((item.center[axis] - origin) * scale))) }
        var bins = [Bin](repeating: Bin(), count: Self.binCount)
        for index in first..<first + count {
            let b = bin(items[index])
            bins[b].box.formUnion(items[index].box)
            bins[b].count += 1
        }
        let boundary = cheapestBoundary(bins)
        let middle = partition(first, count) { bin($0) < boundary }
        return middle > first && middle < first + count ? middle : first + count / 2
    }

    /// Returns the first bin of the second group that minimizes the sum of both groups' areas times their counts.
    private func cheapestBoundary(_ bins: [Bin]) -> Int {
        var rightCosts = [Float](repeating: 0, count: bins.count)
        var (box, count) = (BoundingBox.empty, 0)
        for index in bins.indices.reversed().dropLast() {
            box.formUnion(bins[index].box)
            count += bins[index].count
            rightCosts[index] = Float(count) * halfArea(box)
        }
        (box, count) = (.empty, 0)
        var best = (cost: Float.infinity, boundary: bins.count / 2)
        for index in bins.indices.dropLast() {
            box.formUnion(bins[index].box)
            count += bins[index].count
            let cost = Float(count) * halfArea(box) + rightCosts[index + 1]
            if cost < best.cost { best = (cost, index + 1) }
        }
        return best.boundary
    }

    private func halfArea(_ box: BoundingBox) -> Float {
        let size = box.size
        return size.x * size.y + size.y * size.z + size.z * size.x
    }

    /// Moves the items that satisfy the predicate to the front and returns the index of the first other item.
    private mutating func partition(_ first: Int, _ count: Int, _ belongs: (Item) -> Bool) -> Int {
        var (low, high) = (first, first + count)
        while low < high {
            if belongs(items[low]) {
                low += 1
            } else {
                high -= 1
                items.swapAt(low, high)
            }
        }
        return low
    }

    private mutating func finish() {
        corners.reserveCapacity(items.count * 3)
        numbers.reserveCapacity(items.count)
        for item in items {
            let base = Int(item.number) * 3
            let (a, b, c) = (corner(base), corner(base + 1), corner(base + 2))
            for axis in 0..<3 { corners.append(Vector4(a[axis], b[axis], c[axis], 0)) }
            numbers.append(item.number)
        }
        items = []
    }
}
