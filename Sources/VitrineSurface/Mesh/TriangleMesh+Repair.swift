import VitrineMath
import VitrineVision

extension TriangleMesh {
    /// Converts a surface that a reduction may have pinched to a manifold: each edge has one or two triangles, and the triangles at a vertex
    /// are connected.
    ///
    /// Removes triangles that use a vertex twice, and folded pairs (the same corners in both orientations). If more than two triangles meet at
    /// an edge, separates them in pairs by the smaller angle through the inside, and duplicates vertices whose triangles are no
    /// longer connected (Guéziec et al. 2001). The copies move apart slightly, so that programs that merge equal points do not undo it.
    package func repaired() -> TriangleMesh {
        var mesh = TriangleMesh(positions: positions, triangles: unfolded())
        // Splitting an edge may leave another edge with more than two triangles: repeats until there is none.
        for _ in 0..<8 {
            let paired = mesh.pairedHalfEdges()
            mesh.separateFans(paired)
            if !mesh.splitCrowdedEdges(paired) { break }
        }
        return mesh.compacted()
    }

    /// The triangles with three different corners, without folded pairs.
    private func unfolded() -> [SIMD3<UInt32>] {
        // Rotated so that the lowest corner is first: (low, b, c) and (low, c, b) are a folded pair.
        let rotated = triangles.map { t in
            t.x <= t.y && t.x <= t.z ? t : t.y <= t.x && t.y <= t.z ? SIMD3(t.y, t.z, t.x) : SIMD3(t.z, t.x, t.y)
        }
        func key(_ t: SIMD3<UInt32>) -> (UInt32, UInt32, UInt32) { (t.x, min(t.y, t.z), max(t.y, t.z)) }
        let order = triangles.indices.sorted { key(rotated[$0]) == key(rotated[$1]) ? $0 < $1 : key(rotated[$0]) < key(rotated[$1]) }
        var isKept = [Bool](repeating: true, count: triangles.count)
        var first = 0
        while first < order.count {
            var end = first
            while end < order.count, key(rotated[order[end]]) == key(rotated[order[first]]) { end += 1 }
            let group = order[first..<end]
            let t = rotated[order[first]]
            if t.x == t.y || t.y == t.z || t.z == t.x {
                for index in group { isKept[index] = false }
            } else if group.count > 1 {
                let forward = group.filter { rotated[$0].y < rotated[$0].z }
                let backward = group.filter { rotated[$0].y > rotated[$0].z }
                for (a, b) in zip(forward, backward) { (isKept[a], isKept[b]) = (false, false) }
            }
            first = end
        }
        return triangles.indices.filter { isKept[$0] }.map { triangles[$0] }
    }

    /// `MeshAdjacency.across`, with the half-edges at crowded edges paired by the angle around the edge.
    private func pairedHalfEdges() -> [Int32] {
        var across = MeshAdjacency(self).across
        struct Loose {
            var low, high: UInt32
            var halfEdge: Int
        }
        var loose: [Loose] = []
        for halfEdge in across.indices where across[halfEdge] < 0 {
            let (a, b) = ends(halfEdge)
            loose.append(Loose(low: min(a, b), high: max(a, b), halfEdge: halfEdge))
        }
        loose.sort { ($0.low, $0.high, $0.halfEdge) < ($1.low, $1.high, $1.halfEdge) }
        var first = 0
        while first < loose.count {
            var end = first
            while end < loose.count, (loose[end].low, loose[end].high) == (loose[first].low, loose[first].high) { end += 1 }
            if end - first > 1 { pair(loose[first..<end].map(\.halfEdge), &across) }
            first = end
        }
        return across
    }

    private func ends(_ halfEdge: Int) -> (UInt32, UInt32) {
        let t = triangles[halfEdge / 3]
        return (t[halfEdge % 3], t[(halfEdge % 3 + 1) % 3])
    }

    /// Pairs each half-edge of one edge with the nearest one of the other direction, going around the edge through the inside.
    private func pair(_ halfEdges: [Int], _ across: inout [Int32]) {
        let (a, b) = ends(halfEdges[0])
        let (low, high) = (min(a, b), max(a, b))
        let origin = positions[Int(low)]
        let axis = normalize(positions[Int(high)] - origin)
        let u = anyPerpendicular(axis)
        let v = cross(axis, u)
        func angle(_ halfEdge: Int) -> Float {
            let tip = positions[Int(triangles[halfEdge / 3][(halfEdge % 3 + 2) % 3])] - origin
            return atan2(dot(tip, v), dot(tip, u))
        }
        let upward = halfEdges.filter { ends($0).0 == low }
        var downward = halfEdges.filter { ends($0).0 == high }
        for halfEdge in upward {
            // The normal of a triangle along the axis points to larger angles: its inside lies at smaller ones.
            let start = angle(halfEdge)
            func turn(_ other: Int) -> Float {
                let difference = start - angle(other)
                return difference >= 0 ? difference : difference + 2 * .pi
            }
            guard let best = downward.indices.min(by: { turn(downward[$0]) < turn(downward[$1]) }) else { return }
            let other = downward.remove(at: best)
            across[halfEdge] = Int32(other)
            across[other] = Int32(halfEdge)
        }
    }

    /// Two pairs of triangles may meet at one edge although the surface is connected at both its ends: each pair but one gets a vertex at the
    /// edge's centre.
    /// - Returns: Whether there were any.
    private mutating func splitCrowdedEdges(_ paired: [Int32]) -> Bool {
        let across = MeshAdjacency(self).across
        var crowded: [(low: UInt32, high: UInt32, halfEdge: Int)] = []
        for halfEdge in paired.indices where across[halfEdge] < 0 && Int(paired[halfEdge]) > halfEdge {
            let (a, b) = ends(halfEdge)
            crowded.append((min(a, b), max(a, b), halfEdge))
        }
        crowded.sort { ($0.low, $0.high, $0.halfEdge) < ($1.low, $1.high, $1.halfEdge) }
        var isChanged = [Bool](repeating: false, count: triangles.count)
        for index in crowded.indices.dropFirst()
        where (crowded[index].low, crowded[index].high) == (crowded[index - 1].low, crowded[index - 1].high) {
            let halfEdge = crowded[index].halfEdge
            let other = Int(paired[halfEdge])
            if isChanged[halfEdge / 3] || isChanged[other / 3] { continue }
            (isChanged[halfEdge / 3], isChanged[other / 3]) = (true, true)
            let (a, b) = ends(halfEdge)
            let tips = (triangles[halfEdge / 3][(halfEdge % 3 + 2) % 3], triangles[other / 3][(other % 3 + 2) % 3])
            let middle = (positions[Int(a)] + positions[Int(b)]) / 2
            let inward = (positions[Int(tips.0)] + positions[Int(tips.1)]) / 2
            let vertex = UInt32(positions.count)
            positions.append(middle + (inward - middle) * 1e-3)
            triangles[halfEdge / 3] = SIMD3(a, vertex, tips.0)
            triangles.append(SIMD3(vertex, b, tips.0))
            triangles[other / 3] = SIMD3(b, vertex, tips.1)
            triangles.append(SIMD3(vertex, a, tips.1))
        }
        return !crowded.isEmpty
    }

    /// Gives each connected group of triangles at a vertex its own copy of the vertex.
    private mutating func separateFans(_ across: [Int32]) {
        func next(_ halfEdge: Int) -> Int { halfEdge % 3 == 2 ? halfEdge - 2 : halfEdge + 1 }
        func previous(_ halfEdge: Int) -> Int { halfEdge % 3 == 0 ? halfEdge + 2 : halfEdge - 1 }
        var isSeen = [Bool](repeating: false, count: across.count)
        var isTaken = [Bool](repeating: false, count: positions.count)
        let original = triangles
        for first in across.indices where !isSeen[first] {
            // All corners around the start vertex of `first`: in one direction, then in the other.
            var fan: [Int] = []
            var current = first
            while !isSeen[current] {
                isSeen[current] = true
                fan.append(current)
                let other = across[previous(current)]
                if other < 0 { break }
                current = Int(other)
            }
            current = first
            while across[current] >= 0 {
                current = next(Int(across[current]))
                if isSeen[current] { break }
                isSeen[current] = true
                fan.append(current)
            }
            let vertex = Int(original[first / 3][first % 3])
            guard isTaken[vertex] else {
                isTaken[vertex] = true
                continue
            }
            // A copy, a thousandth of the way towards its own triangles.
            var middle = Vector3.zero
            for corner in fan {
                let t = original[corner / 3]
                middle += (positions[Int(t.x)] + positions[Int(t.y)] + positions[Int(t.z)]) / 3
            }
            let copy = positions[vertex] + (middle / Float(fan.count) - positions[vertex]) * 1e-3
            for corner in fan { triangles[corner / 3][corner % 3] = UInt32(positions.count) }
            positions.append(copy)
        }
    }
}
