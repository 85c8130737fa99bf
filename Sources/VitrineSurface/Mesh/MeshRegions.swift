import VitrineVision

/// Patches of a surface: triangles with the same label that are connected by edges.
struct MeshRegions {
    /// The number of each triangle's region; regions are numbered in the order of their first triangles.
    let numbers: [Int]
    let firstTriangles: [Int]
    var count: Int { firstTriangles.count }

    init(_ mesh: TriangleMesh, labels: [Bool]) {
        let adjacency = MeshAdjacency(mesh)
        var numbers = [Int](repeating: -1, count: labels.count)
        var firstTriangles: [Int] = []
        var pending: [Int] = []
        for first in labels.indices where numbers[first] < 0 {
            numbers[first] = firstTriangles.count
            pending.append(first)
            while let triangle = pending.popLast() {
                for side in 0..<3 {
                    let other = Int(adjacency.across[3 * triangle + side])
                    guard other >= 0, numbers[other / 3] < 0, labels[other / 3] == labels[first] else { continue }
                    numbers[other / 3] = firstTriangles.count
                    pending.append(other / 3)
                }
            }
            firstTriangles.append(first)
        }
        (self.numbers, self.firstTriangles) = (numbers, firstTriangles)
    }
}
