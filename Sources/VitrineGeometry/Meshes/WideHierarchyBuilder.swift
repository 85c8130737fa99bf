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

    /// Items of a group, and its box.
    private struct Bin {
        var box = Box()
        var count = 0
    }

    /// A node that may still be split.
    private struct Pending {
        var node: Int
        var depth: Int
        /// The box of the centres.
        var centers: Box
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
        withUnsafeTemporaryAllocation(of: Bin.self, capacity: 3 * Self.binCount) { split(with: $0) }
        bounds = BoundingBox(minimum: binary[0].box.minimum.xyz, maximum: binary[0].box.maximum.xyz)
        collapse(isFiltered)
        (items, binary) = ([], [])
    }

    /// Builds the binary tree.
    private mutating func split(with bins: UnsafeMutableBufferPointer<Bin>) {
        binary.reserveCapacity(items.count)
        var pending: [Pending] = []
        func append(_ range: Range<Int>, depth: Int) {
            let (box, centers) = boxes(range)
            pending.append(Pending(node: binary.count, depth: depth, centers: centers))
            binary.append(BinaryNode(box: box, first: range.lowerBound, count: range.count))
        }
        append(0..<items.count, depth: 0)
        while let next = pending.popLast() {
            let node = binary[next.node]
            guard node.count > 1, let middle = split(node, next, bins) else { continue }
            (binary[next.node].first, binary[next.node].count) = (binary.count, 0)
            append(node.first..<middle, depth: next.depth + 1)
            append(middle..<node.first + node.count, depth: next.depth + 1)
        }
    }

    /// The boxes of some items and of their centres.
    private func boxes(_ range: Range<Int>) -> (box: Box, centers: Box) {
        items.withUnsafeBufferPointer { items in
            var (box, centers) = (Box(), Box())
            for index in range {
                let (item, center) = (items[index], items[index].center)
                box.add(item.minimum, item.maximum)
                centers.add(center, center)
            }
            return (box, centers)
        }
    }

    /// Partitions a node's items and returns the first index of the second group; nil keeps the node as a leaf.
    private mutating func split(_ node: BinaryNode, _ pending: Pending, _ bins: UnsafeMutableBufferPointer<Bin>) -> Int? {
        let (first, count) = (node.first, node.count)
        let halves = count > Self.largestLeaf ? first + count / 2 : nil
        guard pending.depth < Self.heuristicDepth else { return halves }
        let (origin, size) = (pending.centers.minimum, pending.centers.maximum - pending.centers.minimum)
        // An axis without extent has all items in its first bin.
        var scale = Vector4(repeating: 0)
        for axis in 0..<3 where size[axis] > 0 {
            let factor = Float(Self.binCount) / size[axis]
            if factor.isFinite { scale[axis] = factor }
        }
        fill(bins, first..<first + count, origin, scale)
        var best: (cost: Float, axis: Int, boundary: Int) = (.infinity, 0, 0)
        for axis in 0..<3 where scale[axis] > 0 {
            let (cost, boundary) = cheapestBoundary(bins, axis, count)
            if cost < best.cost { best = (cost, axis, boundary) }
        }
        guard best.cost < .infinity else { return halves }
        let area = node.box.halfArea
        if count <= Self.largestLeaf, Float((count + 3) / 4) * area <= best.cost + area * 0.5 { return nil }
        let (axis, boundary) = (best.axis, best.boundary)
        let middle = items.withUnsafeMutableBufferPointer { items in
            var (low, high) = (first, first + count)
            while low < high {
                if Int(Self.binPosition(items[low], origin, scale)[axis]) < boundary {
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

    /// An item's bin along each axis, with a fraction; 0 where an extent is beyond Float's range.
    private static func binPosition(_ item: Item, _ origin: Vector4, _ scale: Vector4) -> Vector4 {
        // The constants come first: they replace NaN.
        lesser(Vector4(repeating: Float(binCount - 1)), greater(Vector4(repeating: 0), (item.center - origin) * scale))
    }

    /// Sorts items into the bins of each axis by their centres.
    private func fill(_ bins: UnsafeMutableBufferPointer<Bin>, _ range: Range<Int>, _ origin: Vector4, _ scale: Vector4) {
        bins.update(repeating: Bin())
        items.withUnsafeBufferPointer { items in
            for index in range {
                let item = items[index]
                let position = Self.binPosition(item, origin, scale)
                for axis in 0..<3 {
                    let bin = axis * Self.binCount + Int(position[axis])
                    bins[bin].box.add(item.minimum, item.maximum)
                    bins[bin].count += 1
                }
            }
        }
    }

    /// The first bin of the second group of the cheapest split along an axis.
    private func cheapestBoundary(_ bins: UnsafeMutableBufferPointer<Bin>, _ axis: Int, _ count: Int) -> (cost: Float, boundary: Int) {
        let bins = UnsafeMutableBufferPointer(rebasing: bins[axis * Self.binCount..<(axis + 1) * Self.binCount])
        // The cost of all bins before a bin.
        var left = SIMD16<Float>(repeating: 0)
        var (box, sum, cost) = (Box(), 0, Float(0))
        for bin in 0..<Self.binCount - 1 {
            if bins[bin].count > 0 {
                box.add(bins[bin].box.minimum, bins[bin].box.maximum)
                sum += bins[bin].count
                cost = box.halfArea * Float((sum + 3) / 4)
            }
            left[bin + 1] = cost
        }
        (box, sum) = (Box(), 0)
        var best: (cost: Float, boundary: Int) = (.infinity, 0)
        for bin in (1..<Self.binCount).reversed() where bins[bin].count > 0 {
            box.add(bins[bin].box.minimum, bins[bin].box.maximum)
            sum += bins[bin].count
            let cost = left[bin] + box.halfArea * Float((sum + 3) / 4)
            if sum < count, cost < best.cost { best = (cost, bin) }
        }
        return best
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
