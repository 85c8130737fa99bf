/// An elimination order for a sparse symmetric matrix of blocks: nested dissection (George 1973) with separators from breadth-first levels.
///
/// A separator is eliminated after the two parts that it separates, so that elimination couples a block only with blocks of the separators above it.
/// The order depends only on the graph.
struct NestedDissection {
    /// A separator, or a part that is not divided further.
    struct Node {
        /// The blocks, in the order of elimination.
        var own: [Int32]
        /// The later blocks with which elimination couples them, in the order of elimination.
        var boundary: [Int32] = []
        /// Indices of the parts, less than the node's own.
        var children: [Int]
        /// The number of nodes above.
        var depth: Int
    }

    /// Children before their parents; the last is the root.
    private(set) var nodes: [Node] = []
    /// The position of each block in the order of elimination.
    private(set) var order: [Int32]

    /// Parts with at most this many blocks are not divided.
    private static let leaf = 32

    private let neighbours: [[Int32]]
    /// The number of the part that a block belongs to while the graph is divided.
    private var part: [Int32]
    private var level: [Int32]
    private var lastPart: Int32 = 0

    /// Orders the blocks of a matrix.
    ///
    /// - Parameter neighbours: The blocks that are coupled with each block, without itself, in ascending order; symmetric.
    init(neighbours: [[Int32]]) {
        self.neighbours = neighbours
        part = Array(repeating: 0, count: neighbours.count)
        level = Array(repeating: -1, count: neighbours.count)
        order = part
        _ = divide(neighbours.indices.map { Int32($0) }, depth: 0)
        var next: Int32 = 0
        for node in nodes {
            for block in node.own {
                order[Int(block)] = next
                next += 1
            }
        }
        for index in nodes.indices { nodes[index].boundary = boundary(of: nodes[index]) }
    }

    private func boundary(of node: Node) -> [Int32] {
        guard let last = node.own.last.map({ order[Int($0)] }) ?? node.children.map({ lastOrder(of: $0) }).max() else { return [] }
        var blocks = Set<Int32>()
        for block in node.own { blocks.formUnion(neighbours[Int(block)].lazy.filter { order[Int($0)] > last }) }
        for child in node.children { blocks.formUnion(nodes[child].boundary.lazy.filter { order[Int($0)] > last }) }
        return blocks.sorted { order[Int($0)] < order[Int($1)] }
    }

    /// The position of the last block of a node and those below it; −1 without blocks.
    private func lastOrder(of index: Int) -> Int32 {
        nodes[index].own.last.map { order[Int($0)] } ?? nodes[index].children.map { lastOrder(of: $0) }.max() ?? -1
    }

    /// Appends the nodes of some blocks.
    /// - Returns: The index of the uppermost.
    private mutating func divide(_ blocks: [Int32], depth: Int) -> Int {
        var node = Node(own: [], children: [], depth: depth)
        if blocks.count > Self.leaf {
            let components = components(of: blocks)
            if components.count > 1 {
                node.children = components.map { divide($0, depth: depth + 1) }
            } else if let (below, separator, above) = separated(blocks) {
                node.own = separator
                node.children = [divide(below, depth: depth + 1), divide(above, depth: depth + 1)]
            } else {
                node.own = blocks
            }
        } else {
            node.own = blocks
        }
        nodes.append(node)
        return nodes.count - 1
    }

    /// The connected components, the small ones joined to parts of at most `leaf` blocks.
    private mutating func components(of blocks: [Int32]) -> [[Int32]] {
        mark(blocks)
        var (result, small): ([[Int32]], [Int32]) = ([], [])
        for start in blocks where level[Int(start)] < 0 {
            let component = levels(from: start).flatMap { $0 }.sorted()
            if component.count == blocks.count { return [component] }
            if component.count + small.count > Self.leaf {
                result.append(component.count > Self.leaf ? component : small)
                if component.count <= Self.leaf { small = component }
            } else {
                small += component
            }
        }
        if !small.isEmpty { result.append(small.sorted()) }
        return result
    }

    /// Divides connected blocks; nil if no separator is small enough to be worth it.
    private mutating func separated(_ blocks: [Int32]) -> (below: [Int32], separator: [Int32], above: [Int32])? {
        let levels = levelsFromPeriphery(blocks)
        var (best, bestCut) = (-1, Double.infinity)
        var below = levels[0].count
        for index in 1..<max(1, levels.count - 1) {
            let size = levels[index].count
            let above = blocks.count - below - size
            // Ratio cut: small separators, parts of similar sizes.
            let cut = Double(size) / (Double(below) * Double(above))
            if cut < bestCut, 2 * size <= blocks.count, 8 * min(below, above) >= blocks.count { (best, bestCut) = (index, cut) }
            below += size
        }
        guard best >= 0 else { return nil }
        // Only blocks with neighbours above separate.
        let isSeparating = levels[best].map { block in
            neighbours[Int(block)].contains { part[Int($0)] == lastPart && level[Int($0)] == Int32(best + 1) }
        }
        let separator = zip(levels[best], isSeparating).filter(\.1).map(\.0)
        let rest = zip(levels[best], isSeparating).filter { !$0.1 }.map(\.0)
        return (
            (levels[..<best].flatMap { $0 } + rest).sorted(), separator.sorted(), levels[(best + 1)...].flatMap { $0 }.sorted()
        )
    }

    /// Breadth-first levels from a block that is far from others: the last level of a search is the start of the next, while there are more levels.
    private mutating func levelsFromPeriphery(_ blocks: [Int32]) -> [[Int32]] {
        mark(blocks)
        var best = levels(from: blocks[0])
        for _ in 0..<4 {
            let start = best.last!.min { (neighbours[Int($0)].count, $0) < (neighbours[Int($1)].count, $1) }!
            mark(blocks)
            let next = levels(from: start)
            let isDeeper = next.count > best.count
            best = next
            if !isDeeper { break }
        }
        return best
    }

    /// Makes the blocks the current part, none of them visited.
    private mutating func mark(_ blocks: [Int32]) {
        lastPart += 1
        for block in blocks { (part[Int(block)], level[Int(block)]) = (lastPart, -1) }
    }

    private mutating func levels(from start: Int32) -> [[Int32]] {
        var result = [[start]]
        level[Int(start)] = 0
        while true {
            var next: [Int32] = []
            for block in result.last! {
                for other in neighbours[Int(block)] where part[Int(other)] == lastPart && level[Int(other)] < 0 {
                    level[Int(other)] = Int32(result.count)
                    next.append(other)
                }
            }
            if next.isEmpty { return result }
            result.append(next)
        }
    }
}
