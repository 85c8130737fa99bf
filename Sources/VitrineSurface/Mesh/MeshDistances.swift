import VitrineMath
import VitrineVision

/// The distances between vertices along the edges of a surface.
struct MeshDistances {
    private let starts: [Int32]
    private let others: [UInt32]
    private let lengths: [Float]

    init(_ mesh: TriangleMesh) {
        var starts = [Int32](repeating: 0, count: mesh.positions.count + 1)
        for t in mesh.triangles { for corner in 0..<3 { starts[Int(t[corner]) + 1] += 2 } }
        for vertex in 1..<starts.count { starts[vertex] += starts[vertex - 1] }
        var offsets = starts
        var others = [UInt32](repeating: 0, count: Int(starts[mesh.positions.count]))
        var lengths = [Float](repeating: 0, count: others.count)
        for t in mesh.triangles {
            for corner in 0..<3 {
                for other in [t[(corner + 1) % 3], t[(corner + 2) % 3]] {
                    let vertex = Int(t[corner])
                    others[Int(offsets[vertex])] = other
                    lengths[Int(offsets[vertex])] = distance(mesh.positions[vertex], mesh.positions[Int(other)])
                    offsets[vertex] += 1
                }
            }
        }
        (self.starts, self.others, self.lengths) = (starts, others, lengths)
    }

    /// Returns, for each vertex, the length of the shortest path along edges to one of `sources`; infinite beyond `reach`.
    func lengths(to sources: [Bool], within reach: Float) -> [Float] {
        var result = sources.map { $0 ? 0 : Float.infinity }
        var isWaiting = [Bool](repeating: false, count: sources.count)
        var front = sources.indices.filter { sources[$0] }
        // Each round extends paths by one edge; the result does not depend on the order.
        while !front.isEmpty {
            var next: [Int] = []
            for vertex in front {
                isWaiting[vertex] = false
                for index in Int(starts[vertex])..<Int(starts[vertex + 1]) {
                    let (other, length) = (Int(others[index]), result[vertex] + lengths[index])
                    guard length < result[other], length <= reach else { continue }
                    result[other] = length
                    if !isWaiting[other] {
                        isWaiting[other] = true
                        next.append(other)
                    }
                }
            }
            front = next
        }
        return result
    }
}
