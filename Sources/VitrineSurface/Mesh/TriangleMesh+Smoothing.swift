import VitrineMath
import VitrineVision

extension TriangleMesh {
    /// Smooths the mesh without shrinking: each step moves the vertices halfway to the mean of their neighbours, and then back by slightly more
    /// (Taubin 1995: λ = 0.5, μ = −0.53). Vertices of a boundary move along the boundary.
    ///
    /// - Parameters:
    ///   - boundariesOnly: Whether only boundary vertices move.
    ///   - isFixed: Vertices that do not move.
    package func smoothed(
        iterations: Int, boundariesOnly: Bool = false, parallel: Parallel = Parallel(), isFixed: (Vector3) -> Bool = { _ in false }
    ) -> TriangleMesh {
        guard iterations > 0 else { return self }
        let neighbors = VertexNeighbors(self)
        let stays = positions.indices.map { isFixed(positions[$0]) || (boundariesOnly && !neighbors.isBoundary[$0]) }
        var result = self
        for _ in 0..<iterations {
            for factor: Float in [0.5, -0.53] {
                let current = result.positions
                let chunk = 8_192
                let moved = parallel.map((current.count + chunk - 1) / chunk) { piece -> [Vector3] in
                    (piece * chunk..<min(current.count, (piece + 1) * chunk)).map { vertex in
                        guard !stays[vertex], let mean = neighbors.mean(vertex, current) else { return current[vertex] }
                        return current[vertex] + (mean - current[vertex]) * factor
                    }
                }
                result.positions = Array(moved.joined())
            }
        }
        return result
    }
}

/// The neighbours of each vertex; for boundary vertices only those along the boundary.
private struct VertexNeighbors: Sendable {
    private let starts: [Int32]
    private let others: [UInt32]
    let isBoundary: [Bool]

    init(_ mesh: TriangleMesh) {
        let across = MeshAdjacency(mesh).across
        var isBoundary = [Bool](repeating: false, count: mesh.positions.count)
        func ends(_ halfEdge: Int) -> (UInt32, UInt32) {
            let t = mesh.triangles[halfEdge / 3]
            return (t[halfEdge % 3], t[(halfEdge % 3 + 1) % 3])
        }
        for halfEdge in across.indices where across[halfEdge] < 0 {
            let (a, b) = ends(halfEdge)
            (isBoundary[Int(a)], isBoundary[Int(b)]) = (true, true)
        }
        // Each half-edge links its start to its end; a boundary half-edge also links back.
        let alongBoundary = isBoundary
        func forEachLink(_ body: (Int, UInt32) -> Void) {
            for halfEdge in across.indices {
                let (a, b) = ends(halfEdge)
                let isOuter = across[halfEdge] < 0
                if isOuter || !alongBoundary[Int(a)] { body(Int(a), b) }
                if isOuter { body(Int(b), a) }
            }
        }
        var starts = [Int32](repeating: 0, count: mesh.positions.count + 1)
        forEachLink { vertex, _ in starts[vertex + 1] += 1 }
        for vertex in 1..<starts.count { starts[vertex] += starts[vertex - 1] }
        var offsets = starts
        var others = [UInt32](repeating: 0, count: Int(starts[mesh.positions.count]))
        forEachLink { vertex, other in
            others[Int(offsets[vertex])] = other
            offsets[vertex] += 1
        }
        (self.starts, self.others, self.isBoundary) = (starts, others, isBoundary)
    }

    func mean(_ vertex: Int, _ positions: [Vector3]) -> Vector3? {
        let range = Int(starts[vertex])..<Int(starts[vertex + 1])
        guard !range.isEmpty else { return nil }
        var sum = Vector3.zero
        for index in range { sum += positions[Int(others[index])] }
        return sum / Float(range.count)
    }
}
