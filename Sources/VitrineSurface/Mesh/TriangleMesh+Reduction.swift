import CMeshOptimizer
import VitrineMath
import VitrineVision

extension TriangleMesh {
    /// Reduces the mesh to at most `maximumTriangles` triangles by collapsing edges in the order of quadric error (Garland & Heckbert 1997, by
    /// meshoptimizer). Keeps boundaries as far as the number allows.
    ///
    /// - Returns: The mesh; the estimated distance by which the surface moved, in the mesh's unit; whether the topology changed to
    ///   reach the number.
    package func reduced(to maximumTriangles: Int) -> (mesh: TriangleMesh, error: Float, isTopologyKept: Bool) {
        guard triangles.count > maximumTriangles else { return (self, 0, true) }
        let points = positions.flatMap { [$0.x, $0.y, $0.z] }
        let indices = triangles.flatMap { [$0.x, $0.y, $0.z] }
        let scale = meshopt_simplifyScale(points, positions.count, 12)
        var target = [UInt32](repeating: 0, count: indices.count)
        var error: Float = 0
        var count = meshopt_simplify(
            &target, indices, indices.count, points, positions.count, 12, 3 * maximumTriangles, .greatestFiniteMagnitude, 0, &error)
        let isTopologyKept = count <= 3 * maximumTriangles
        if !isTopologyKept {
            // Many small pieces or handles: only merging them reduces the number further.
            count = meshopt_simplifySloppy(
                &target, indices, indices.count, points, positions.count, 12, 3 * maximumTriangles, .greatestFiniteMagnitude, &error)
        }
        let triangles = stride(from: 0, to: count, by: 3).map { SIMD3(target[$0], target[$0 + 1], target[$0 + 2]) }
        return (TriangleMesh(positions: positions, triangles: triangles).compacted(), error * scale, isTopologyKept)
    }
}
