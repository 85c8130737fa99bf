import CMeshOptimizer
import VitrineScene

extension GeometryLevel {
    /// Meshes with fewer triangles have no levels.
    private static let minimumTriangleCount = 1000
    /// The largest error, in fractions of the mesh's largest extent.
    private static let maximumRelativeError: Float = 0.025

    /// Levels of detail of a mesh that only casts shadows, so that only positions count: vertices at one position are one, and of triangles with the same
    /// three corners one is left. The first level has no error; each of the others has half the triangles of the one before, simplified by edge
    /// collapse (Garland & Heckbert 1997, with meshoptimizer).
    ///
    /// Takes about a second per million triangles.
    ///
    /// - Parameters:
    ///   - positions: Three numbers for each vertex.
    ///   - triangles: Three vertices for each triangle.
    package static func casters(positions: [Float], triangles: [UInt32]) -> [GeometryLevel] {
        guard triangles.count / 3 >= minimumTriangleCount else { return [] }
        var welded = [UInt32](repeating: 0, count: triangles.count)
        meshopt_generateShadowIndexBuffer(&welded, triangles, triangles.count, positions, positions.count / 3, 12, 12)
        let (vertices, solid) = compacted(withoutRepetitions(welded))
        guard !solid.isEmpty else { return [] }
        // Simplification keeps vertices that share a position with others: it gets one of each.
        let points = vertices.flatMap { positions[Int($0) * 3..<Int($0) * 3 + 3] }
        let scale = meshopt_simplifyScale(points, vertices.count, 12)
        var (levels, finer, error) = ([GeometryLevel(indices: solid.map { vertices[Int($0)] }, error: 0)], solid, Float(0))
        while error < maximumRelativeError {
            var indices = [UInt32](repeating: 0, count: finer.count)
            var levelError: Float = 0
            let count = meshopt_simplify(
                &indices, finer, finer.count, points, vertices.count, 12, finer.count / 6 * 3, maximumRelativeError - error, 0, &levelError)
            // A level that saves less than a quarter does not justify its memory.
            guard count > 0, count < finer.count / 4 * 3 else { break }
            error += levelError
            finer = Array(indices[..<count])
            levels.append(GeometryLevel(indices: finer.map { vertices[Int($0)] }, error: error * scale))
        }
        return levels
    }

    /// The triangles with three different corners; the first of those with the same corners.
    private static func withoutRepetitions(_ triangles: [UInt32]) -> [UInt32] {
        var seen = Set<SIMD3<UInt32>>(minimumCapacity: triangles.count / 3)
        var result: [UInt32] = []
        result.reserveCapacity(triangles.count)
        for base in stride(from: 0, to: triangles.count - 2, by: 3) {
            let (a, b, c) = (triangles[base], triangles[base + 1], triangles[base + 2])
            guard a != b, b != c, c != a else { continue }
            let (least, most) = (min(a, b, c), max(a, b, c))
            // The sum does not depend on the order of the corners.
            guard seen.insert(SIMD3(least, a &+ b &+ c &- least &- most, most)).inserted else { continue }
            result += [a, b, c]
        }
        return result
    }

    /// The vertices that triangles use, in order of first use, and the triangles as indices into them.
    private static func compacted(_ triangles: [UInt32]) -> (vertices: [UInt32], triangles: [UInt32]) {
        var newIndices = [UInt32](repeating: .max, count: Int(triangles.max() ?? 0) + 1)
        var vertices: [UInt32] = []
        let compacted = triangles.map { vertex in
            if newIndices[Int(vertex)] == .max {
                newIndices[Int(vertex)] = UInt32(vertices.count)
                vertices.append(vertex)
            }
            return newIndices[Int(vertex)]
        }
        return (vertices, compacted)
    }
}
