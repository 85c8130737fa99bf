import VitrineVision

/// The triangles at each edge. Half-edge 3 t + k is from corner k of triangle t to its next corner.
struct MeshAdjacency {
    /// The half-edge on the other side; −1 on a boundary or at an edge that is not manifold.
    private(set) var across: [Int32]
    /// Half-edges of edges with more than two triangles, or with two of the same direction.
    private(set) var irregular = 0

    init(_ mesh: TriangleMesh) {
        let halfEdges = 3 * mesh.triangles.count
        across = Array(repeating: -1, count: halfEdges)
        // The half-edges that start at each vertex.
        var starts = [Int32](repeating: 0, count: mesh.positions.count + 1)
        for t in mesh.triangles { for corner in 0..<3 { starts[Int(t[corner]) + 1] += 1 } }
        for vertex in 1..<starts.count { starts[vertex] += starts[vertex - 1] }
        var offsets = starts
        var outgoing = [Int32](repeating: 0, count: halfEdges)
        for (index, t) in mesh.triangles.enumerated() {
            for corner in 0..<3 {
                let vertex = Int(t[corner])
                outgoing[Int(offsets[vertex])] = Int32(3 * index + corner)
                offsets[vertex] += 1
            }
        }
        func end(_ halfEdge: Int32) -> UInt32 { mesh.triangles[Int(halfEdge) / 3][(Int(halfEdge) % 3 + 1) % 3] }
        for halfEdge in 0..<Int32(halfEdges) {
            let from = mesh.triangles[Int(halfEdge) / 3][Int(halfEdge) % 3]
            let to = end(halfEdge)
            var (opposite, opposites, same): (Int32, Int, Int) = (-1, 0, 0)
            for other in outgoing[Int(starts[Int(to)])..<Int(starts[Int(to) + 1])] where end(other) == from {
                opposite = other
                opposites += 1
            }
            for other in outgoing[Int(starts[Int(from)])..<Int(starts[Int(from) + 1])] where end(other) == to { same += 1 }
            if opposites == 1, same == 1 {
                across[Int(halfEdge)] = opposite
            } else if opposites + same > 1 {
                irregular += 1
            }
        }
    }

    /// The boundary half-edges as closed loops in the surface's direction; each starts at its lowest half-edge.
    func boundaryLoops(_ mesh: TriangleMesh) -> [[Int]] {
        func next(_ halfEdge: Int) -> Int { halfEdge % 3 == 2 ? halfEdge - 2 : halfEdge + 1 }
        var isDone = [Bool](repeating: false, count: across.count)
        var loops: [[Int]] = []
        for first in across.indices where across[first] < 0 && !isDone[first] {
            var loop: [Int] = []
            var current = first
            while !isDone[current] {
                isDone[current] = true
                loop.append(current)
                // Rotates around the end vertex to the next half-edge without a neighbour.
                current = next(current)
                while across[current] >= 0 { current = next(Int(across[current])) }
            }
            loops.append(loop)
        }
        return loops
    }
}
