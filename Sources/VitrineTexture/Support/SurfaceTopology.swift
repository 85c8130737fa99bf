import VitrineMath
import VitrineVision

/// A mesh with its adjacency. Vertices with the same position are merged.
struct SurfaceTopology: Sendable {
    let positions: [Vector3]
    /// The triangles in the order of the mesh.
    let triangles: [SIMD3<Int32>]
    /// The triangle across the edge from corner k to corner k + 1, at 3 t + k; −1 at a border.
    let neighbors: [Int32]
    /// Unit; zero for triangles without an area.
    let normals: [Vector3]
    let areas: [Float]
    /// The triangles around vertex v: `vertexTriangles[vertexOffsets[v]..<vertexOffsets[v + 1]]`.
    let vertexOffsets: [Int32]
    let vertexTriangles: [Int32]
    let totalArea: Float
    /// The length of the bounding box's diagonal.
    let diameter: Float

    var triangleCount: Int { triangles.count }

    init(_ mesh: TriangleMesh) throws(TextureError) {
        for (index, position) in mesh.positions.enumerated() where !position.isFinite { throw .notFinite(vertex: index) }
        for (number, triangle) in mesh.triangles.enumerated() where Int(triangle.max()) >= mesh.positions.count {
            throw .indexOutOfRange(triangle: number, index: triangle.max(), vertexCount: mesh.positions.count)
        }
        let (positions, welded) = Self.weld(mesh.positions)
        let triangles = mesh.triangles.map { SIMD3(welded[Int($0.x)], welded[Int($0.y)], welded[Int($0.z)]) }
        var normals: [Vector3] = []
        var areas: [Float] = []
        normals.reserveCapacity(triangles.count)
        areas.reserveCapacity(triangles.count)
        var total = 0.0
        for t in triangles {
            let (a, b, c) = (positions[Int(t.x)], positions[Int(t.y)], positions[Int(t.z)])
            let doubled = cross(b - a, c - a)
            let size = length(doubled)
            normals.append(size > 0 ? doubled / size : .zero)
            areas.append(size / 2)
            total += Double(size) / 2
        }
        guard total > 0, total.isFinite else { throw .emptyMesh }
        (self.positions, self.triangles, self.normals, self.areas) = (positions, triangles, normals, areas)
        totalArea = Float(total)
        (vertexOffsets, vertexTriangles) = Self.fans(triangles, vertexCount: positions.count)
        neighbors = Self.neighbors(triangles, vertexOffsets, vertexTriangles)
        var (low, high) = (positions[0], positions[0])
        for p in positions { (low, high) = (pointwiseMin(low, p), pointwiseMax(high, p)) }
        diameter = length(high - low)
    }

    private static func weld(_ all: [Vector3]) -> ([Vector3], [Int32]) {
        var first: [Vector3: Int32] = [:]
        first.reserveCapacity(all.count)
        var positions: [Vector3] = []
        var welded: [Int32] = []
        welded.reserveCapacity(all.count)
        for position in all {
            // −0 and 0 are the same position.
            let key = position + Vector3(repeating: 0)
            if let known = first[key] {
                welded.append(known)
            } else {
                first[key] = Int32(positions.count)
                welded.append(Int32(positions.count))
                positions.append(key)
            }
        }
        return (positions, welded)
    }

    private static func fans(_ triangles: [SIMD3<Int32>], vertexCount: Int) -> ([Int32], [Int32]) {
        var offsets = [Int32](repeating: 0, count: vertexCount + 1)
        for t in triangles { for k in 0..<3 { offsets[Int(t[k]) + 1] += 1 } }
        for v in 0..<vertexCount { offsets[v + 1] += offsets[v] }
        var next = offsets
        var members = [Int32](repeating: 0, count: triangles.count * 3)
        for (number, t) in triangles.enumerated() {
            for k in 0..<3 {
                members[Int(next[Int(t[k])])] = Int32(number)
                next[Int(t[k])] += 1
            }
        }
        return (offsets, members)
    }

    /// Pairs each directed edge with the first unpaired edge of the opposite direction, which tolerates edges of more than two triangles.
    private static func neighbors(_ triangles: [SIMD3<Int32>], _ offsets: [Int32], _ members: [Int32]) -> [Int32] {
        var neighbors = [Int32](repeating: -1, count: triangles.count * 3)
        for (number, t) in triangles.enumerated() {
            for k in 0..<3 where neighbors[3 * number + k] < 0 {
                let (from, to) = (t[k], t[(k + 1) % 3])
                guard from != to else { continue }
                search: for slot in offsets[Int(from)]..<offsets[Int(from) + 1] {
                    let other = Int(members[Int(slot)])
                    guard other > number else { continue }
                    let o = triangles[other]
                    for j in 0..<3 where o[j] == to && o[(j + 1) % 3] == from && neighbors[3 * other + j] < 0 {
                        neighbors[3 * number + k] = Int32(other)
                        neighbors[3 * other + j] = Int32(number)
                        break search
                    }
                }
            }
        }
        return neighbors
    }

    /// Unit normals of the vertices: their triangles' weighted by the angle there (Thürmer and Wüthrich 1998).
    func vertexNormals() -> [Vector3] {
        var sums = [Vector3](repeating: .zero, count: positions.count)
        for (number, t) in triangles.enumerated() where areas[number] > 0 {
            for k in 0..<3 {
                let (v, a, b) = (Int(t[k]), Int(t[(k + 1) % 3]), Int(t[(k + 2) % 3]))
                let (e, f) = (positions[a] - positions[v], positions[b] - positions[v])
                sums[v] += normals[number] * atan2(length(cross(e, f)), dot(e, f))
            }
        }
        return sums.map { lengthSquared($0) > 0 ? normalize($0) : .up }
    }

    func edgeLength(_ triangle: Int, _ k: Int) -> Float {
        let t = triangles[triangle]
        return length(positions[Int(t[(k + 1) % 3])] - positions[Int(t[k])])
    }
}
