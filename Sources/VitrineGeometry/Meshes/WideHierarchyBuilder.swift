import VitrineMath

/// Builds a `WideHierarchy`: a binary tree by the binned surface area heuristic (Wald 2007), collapsed into nodes of eight children.
struct WideHierarchyBuilder {
    /// A triangle's box; `minimum.w` is its number.
    private struct Item {
        var minimum, maximum: Vector4

        var center: Vector4 { minimum + maximum }
    }

    private struct Box {
        var minimum = Vector4(repeating: .infinity)
        var maximum = Vector4(repeating: -.infinity)

        mutating func add(_ low: Vector4, _ high: Vector4) {
            minimum = lesser(minimum, low)
            maximum = greater(maximum, high)
        }

        /// Half the surface; 0 if the box is empty.
        var halfArea: Float {
            let size = maximum - minimum
            return size.x >= 0 ? size.x * size.y + size.y * size.z + size.z * size.x : 0
        }
    }

    private struct BinaryNode {
        var box: Box
        /// The first item of a leaf, or the first of two adjacent children.
        var first: Int
        /// The items of a leaf; 0: an inner node.
        var count: Int
    }

    private static let binCount = 16
    /// Leaves have up to this many triangles where splitting them costs more.
    private static let largestLeaf = 8
    /// Deeper nodes are halved by count, which bounds the depth.
    private static let heuristicDepth = 40

    private let corners: (Int) -> (Vector3, Vector3, Vector3)
    private var items: [Item] = []
    private var binary: [BinaryNode] = []

    private(set) var nodes: [SIMD8<Float>] = []
    private(set) var blocks: [Vector4] = []
    private(set) var bounds = BoundingBox.empty

    /// Prepares triangles for building a hierarchy.
    ///
    /// - Parameters:
    ///   - count: Number of triangles.
    ///   - corners: A triangle's corners; triangles that are not finite are omitted.
    init(count: Int, corners: @escaping (Int) -> (Vector3, Vector3, Vector3)) {
        self.corners = corners
        items.reserveCapacity(count)
        for triangle in 0..<count {
            let (a, b, c) = corners(triangle)
            guard a.isFinite, b.isFinite, c.isFinite else { continue }
            let (low, high) = (pointwiseMin(pointwiseMin(a, b), c), pointwiseMax(pointwiseMax(a, b), c))
            items.append(Item(minimum: Vector4(low, Float(bitPattern: UInt32(triangle))), maximum: Vector4(high, 0)))
        }
    }

    /// Builds the hierarchy.
    ///
    /// - Parameter isFiltered: Whether a hit of a triangle must be confirmed by its material.
    mutating func build(isFiltered: (Int) -> Bool) {
        guard !items.isEmpty else { return }
        binary.reserveCapacity(items.count)
        binary.append(BinaryNode(box: box(0..<items.count), first: 0, count: items.count))
        bounds = BoundingBox(minimum: binary[0].box.minimum.xyz, maximum: binary[0].box.maximum.xyz)
        var pending = [(node: 0, depth: 0)]
        while let (node, depth) = pending.popLast() {
            let (first, count) = (binary[node].first, binary[node].count)
            guard count > 1, let middle = split(first, count, binary[node].box, depth: depth) else { continue }
            let children = binary.count
            binary.append(BinaryNode(box: box(first..<middle), first: first, count: middle - first))
            binary.append(BinaryNode(box: box(middle..<first + count), first: middle, count: first + count - middle))
            (binary[node].first, binary[node].count) = (children, 0)
            pending.append((children, depth + 1))
            pending.append((children + 1, depth + 1))
        }
        collapse(isFiltered)
        (items, binary) = ([], [])
    }

    private func box(_ range: Range<Int>) -> Box {
        items.withUnsafeBufferPointer { items in
            var box = Box()
            for index in range { box.add(items[index].minimum, items[index].maximum) }
            return box
        }
    }

    /// Partitions a node's items and returns the first index of the second group; nil keeps the node as a leaf.
    private mutating func split(_ first: Int, _ count: Int, _ box: Box, depth: Int) -> Int? {
        let halves = count > Self.largestLeaf ? first + count / 2 : nil
        guard depth < Self.heuristicDepth else { return halves }
        var centers = Box()
        for index in first..<first + count {
            let center = items[index].center
            centers.add(center, center)
        }
        let size = centers.maximum - centers.minimum
        var best: (cost: Float, axis: Int, boundary: Int) = (.infinity, 0, 0)
        for axis in 0..<3 where size[axis] > 0 && (Float(Self.binCount) / size[axis]).isFinite {
            let (cost, boundary) = cheapestBoundary(first, count, axis, origin: centers.minimum[axis], size: size[axis])
            if cost < best.cost { best = (cost, axis, boundary) }
        }
        guard best.cost < .infinity else { return halves }
        let leafCost = Float((count + 3) / 4) * box.halfArea
        if count <= Self.largestLeaf, leafCost <= best.cost + box.halfArea * 0.5 { return nil }
        let (axis, origin, scale) = (best.axis, centers.minimum[best.axis], Float(Self.binCount) / size[best.axis])
        let boundary = best.boundary
        let middle = items.withUnsafeMutableBufferPointer { items in
            var (low, high) = (first, first + count)
            while low < high {
                if min(Self.binCount - 1, Int((items[low].center[axis] - origin) * scale)) < boundary {
                    low += 1
                } else {
                    high -= 1
                    items.swapAt(low, high)
                }
            }
            return low
        }
        return middle > first && middle < first + count ? middle : first + count / 2
    }

    private func cheapestBoundary(_ first: Int, _ count: Int, _ axis: Int, origin: Float, size: Float) -> (cost: Float, boundary: Int) {
        let binCount = Self.binCount
        let scale = Float(binCount) / size
        return withUnsafeTemporaryAllocation(of: Box.self, capacity: binCount) { bins in
            withUnsafeTemporaryAllocation(of: Int.self, capacity: binCount) { counts in
                bins.initialize(repeating: Box())
                counts.initialize(repeating: 0)
                items.withUnsafeBufferPointer { items in
                    for index in first..<first + count {
                        let item = items[index]
                        let bin = min(binCount - 1, Int((item.center[axis] - origin) * scale))
                        bins[bin].add(item.minimum, item.maximum)
                        counts[bin] += 1
                    }
                }
                var left = [Float](repeating: 0, count: binCount)
                var (box, sum) = (Box(), 0)
                for bin in 0..<binCount - 1 {
                    box.add(bins[bin].minimum, bins[bin].maximum)
                    sum += counts[bin]
                    left[bin + 1] = box.halfArea * Float((sum + 3) / 4)
                }
                (box, sum) = (Box(), 0)
                var best: (cost: Float, boundary: Int) = (.infinity, 0)
                for bin in (1..<binCount).reversed() {
                    box.add(bins[bin].minimum, bins[bin].maximum)
                    sum += counts[bin]
                    let cost = left[bin] + box.halfArea * Float((sum + 3) / 4)
                    if sum > 0, sum < count, cost < best.cost { best = (cost, bin) }
                }
                return best
            }
        }
    }

    // MARK: Wide nodes

    private mutating func collapse(_ isFiltered: (Int) -> Bool) {
        nodes = [SIMD8<Float>](repeating: .zero, count: WideHierarchy.vectorsPerNode)
        // A tree of one leaf has a root with one child.
        var pending = [(binary: 0, wide: 0)]
        while let (root, wide) = pending.popLast() {
            var children = [root]
            while children.count < 8 {
                let inner = children.indices.filter { binary[children[$0]].count == 0 }
                guard let widest = inner.max(by: { binary[children[$0]].box.halfArea < binary[children[$1]].box.halfArea }) else { break }
                let first = binary[children[widest]].first
                children[widest] = first
                children.append(first + 1)
            }
            write(children, to: wide, &pending, isFiltered)
        }
    }

    private mutating func write(_ children: [Int], to wide: Int, _ pending: inout [(binary: Int, wide: Int)], _ isFiltered: (Int) -> Bool) {
        var planes = [SIMD8<Float>](repeating: SIMD8(repeating: .infinity), count: 3)
        planes += [SIMD8<Float>](repeating: SIMD8(repeating: -.infinity), count: 3)
        var references = SIMD8<UInt32>(repeating: WideHierarchy.noChild)
        for (lane, child) in children.enumerated() {
            let node = binary[child]
            for axis in 0..<3 {
                planes[axis][lane] = node.box.minimum[axis]
                planes[axis + 3][lane] = node.box.maximum[axis]
            }
            if node.count > 0 {
                references[lane] = leaf(node.first..<node.first + node.count, isFiltered)
            } else {
                let next = nodes.count / WideHierarchy.vectorsPerNode
                nodes.append(contentsOf: repeatElement(.zero, count: WideHierarchy.vectorsPerNode))
                references[lane] = UInt32(next)
                pending.append((child, next))
            }
        }
        let base = wide * WideHierarchy.vectorsPerNode
        for plane in 0..<6 { nodes[base + plane] = planes[plane] }
        nodes[base + 6] = unsafeBitCast(references, to: SIMD8<Float>.self)
    }

    /// Appends a leaf's triangles in blocks of four.
    private mutating func leaf(_ range: Range<Int>, _ isFiltered: (Int) -> Bool) -> UInt32 {
        let first = blocks.count / WideHierarchy.vectorsPerBlock
        let count = (range.count + 3) / 4
        for block in 0..<count {
            var vectors = [Vector4](repeating: .zero, count: WideHierarchy.vectorsPerBlock)
            var numbers = SIMD4<UInt32>(repeating: 0)
            for lane in 0..<4 {
                // The rest of the block has triangles without area.
                guard range.lowerBound + 4 * block + lane < range.upperBound else { break }
                let item = items[range.lowerBound + 4 * block + lane]
                let triangle = Int(item.minimum.w.bitPattern)
                let (a, b, c) = corners(triangle)
                for axis in 0..<3 { (vectors[axis][lane], vectors[axis + 3][lane], vectors[axis + 6][lane]) = (a[axis], b[axis], c[axis]) }
                numbers[lane] = UInt32(triangle) | (isFiltered(triangle) ? WideHierarchy.filteredBit : 0)
            }
            vectors[9] = unsafeBitCast(numbers, to: Vector4.self)
            blocks += vectors
        }
        return WideHierarchy.leafBit | UInt32(count - 1) << 28 | UInt32(first)
    }
}
