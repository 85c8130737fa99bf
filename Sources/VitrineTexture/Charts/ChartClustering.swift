import VitrineMath

/// Groups triangles into nearly planar charts: merges regions while the removed seam outweighs the loss of flatness.
///
/// Region merging for the functional of Mumford and Shah (Koepfler, Lopez and Morel 1994), with the triangles' normals as the image: merges first the
/// neighbouring regions whose error grows least per unit of common border. A region's error is
/// its area less the length of its summed area vectors (the L2,1 metric of Cohen-Steiner, Alliez and Desbrun 2004, halved).
struct ChartClustering {
    struct Limits {
        /// The greatest error of a region for its area: 0 is flat, 0.16 a cap of 47° around its axis, 0.5 a half sphere.
        var spread: Float = 0.16
        /// The least cosine between the mean normals of two regions that are merged.
        var cosine: Float = 0.2
        /// Regions of a smaller area are merged regardless of their direction. World unit squared.
        var tinyArea: Float = 0
        /// The largest area of a region that is not flat: large shapes leave large gaps in a texture. World unit squared.
        var largestArea: Float = .infinity
    }

    private struct Link {
        var other: Int32
        var length: Float
    }

    private struct Candidate {
        var cost: Float
        var a, b: Int32

        static func < (x: Candidate, y: Candidate) -> Bool {
            if x.cost != y.cost { return x.cost < y.cost }
            return x.a != y.a ? x.a < y.a : x.b < y.b
        }
    }

    /// The largest error of a flat region, relative to its area.
    private static let flat: Float = 0.01

    private let limits: Limits
    private var parents: [Int32]
    private var sums: [Vector3]
    private var areas: [Float]
    private var links: [[Link]]
    private var heap: [Candidate] = []

    /// The regions of some triangles, each a list of ascending indices, in the order of their first triangle.
    ///
    /// - Parameters:
    ///   - members: The triangles to group.
    ///   - directions: A unit normal for each triangle of the mesh, preferably smoothed.
    static func regions(of members: [Int32], _ surface: SurfaceTopology, directions: [Vector3], limits: Limits) -> [[Int32]] {
        var clustering = ChartClustering(members, surface, directions, limits)
        clustering.merge()
        var numbers = [Int32](repeating: -1, count: members.count)
        var regions: [[Int32]] = []
        for index in members.indices {
            let root = Int(clustering.root(Int32(index)))
            if numbers[root] < 0 {
                numbers[root] = Int32(regions.count)
                regions.append([])
            }
            regions[Int(numbers[root])].append(members[index])
        }
        return regions
    }

    private init(_ members: [Int32], _ surface: SurfaceTopology, _ directions: [Vector3], _ limits: Limits) {
        self.limits = limits
        parents = members.indices.map { Int32($0) }
        // Triangles without an area still need a region.
        let least = surface.totalArea / Float(surface.triangleCount) * 1e-4
        areas = members.map { max(least, surface.areas[Int($0)]) }
        sums = zip(members, areas).map { directions[Int($0)] * $1 }
        var memberIndices = [Int32](repeating: -1, count: surface.triangleCount)
        for (index, triangle) in members.enumerated() { memberIndices[Int(triangle)] = Int32(index) }
        links = Array(repeating: [], count: members.count)
        for (index, triangle) in members.enumerated() {
            for k in 0..<3 {
                let neighbor = surface.neighbors[3 * Int(triangle) + k]
                guard neighbor >= 0, memberIndices[Int(neighbor)] >= 0 else { continue }
                let other = memberIndices[Int(neighbor)]
                let length = max(1e-6 * surface.diameter, surface.edgeLength(Int(triangle), k))
                add(Link(other: other, length: length), to: index)
            }
        }
        for index in members.indices {
            for link in links[index] where link.other > Int32(index) { push(Int32(index), link.other, link.length) }
        }
    }

    private mutating func add(_ link: Link, to index: Int) {
        if let known = links[index].firstIndex(where: { $0.other == link.other }) {
            links[index][known].length += link.length
        } else {
            links[index].append(link)
        }
    }

    private mutating func root(_ index: Int32) -> Int32 {
        var index = index
        while parents[Int(index)] != index {
            parents[Int(index)] = parents[Int(parents[Int(index)])]
            index = parents[Int(index)]
        }
        return index
    }

    /// The increase of the error per unit of removed border; nil if the two must not be merged.
    private func cost(_ a: Int, _ b: Int, _ border: Float) -> Float? {
        let (x, y) = (sums[a], sums[b])
        let (sum, area) = (length(x + y), areas[a] + areas[b])
        guard area - sum <= limits.spread * area else { return nil }
        if area > limits.largestArea, area - sum > Self.flat * area { return nil }
        let (lx, ly) = (length(x), length(y))
        if min(areas[a], areas[b]) > limits.tinyArea, dot(x, y) < limits.cosine * lx * ly { return nil }
        return max(0, lx + ly - sum) / border
    }

    private mutating func merge() {
        while let candidate = pop() {
            let (a, b) = (root(candidate.a), root(candidate.b))
            guard a != b else { continue }
            let (keep, gone) = links[Int(a)].count >= links[Int(b)].count ? (Int(a), Int(b)) : (Int(b), Int(a))
            guard let link = links[gone].first(where: { $0.other == Int32(keep) }),
                let now = cost(keep, gone, link.length)
            else { continue }
            // Costs of older entries are outdated when a region has grown: they are inserted again.
            if now > candidate.cost * 1.0001 + 1e-12 {
                insert(Candidate(cost: now, a: min(a, b), b: max(a, b)))
                continue
            }
            join(gone, into: keep)
        }
    }

    private mutating func join(_ gone: Int, into keep: Int) {
        parents[gone] = Int32(keep)
        sums[keep] += sums[gone]
        areas[keep] += areas[gone]
        links[keep].removeAll { $0.other == Int32(gone) }
        let moved = links[gone]
        links[gone] = []
        for link in moved where link.other != Int32(keep) {
            let other = Int(link.other)
            links[other].removeAll { $0.other == Int32(gone) }
            add(Link(other: Int32(keep), length: link.length), to: other)
            add(link, to: keep)
            let border = links[keep].first { $0.other == link.other }!.length
            push(Int32(min(keep, other)), Int32(max(keep, other)), border)
        }
    }

    // MARK: A binary heap

    private mutating func push(_ a: Int32, _ b: Int32, _ border: Float) {
        guard let cost = cost(Int(a), Int(b), border) else { return }
        insert(Candidate(cost: cost, a: a, b: b))
    }

    private mutating func insert(_ candidate: Candidate) {
        heap.append(candidate)
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index] < heap[parent] else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func pop() -> Candidate? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child] < heap[least] { least = child }
            if least == index { return first }
            heap.swapAt(index, least)
            index = least
        }
    }
}
