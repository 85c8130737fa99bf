import VitrineVision

extension SurfaceBuilder {
    /// The mesh with fewer triangles than wanted at most, whole: where so few can't show all pieces, the smallest ones go.
    func reduce(
        _ mesh: TriangleMesh, _ statistics: inout SurfaceStatistics, _ warnings: inout [SurfaceWarning]
    ) throws(SurfaceError) -> TriangleMesh {
        guard let maximum = options.maximumTriangles else { return mesh }
        // A piece that shows something takes some triangles.
        var pieces = max(1, maximum / 64)
        while true {
            let (source, dropped) = SurfaceTrimmer.largestPieces(of: mesh, count: pieces)
            if let found = reduced(source, below: maximum) {
                statistics.reductionError = found.error
                statistics.removedPieces += dropped
                if dropped > 0 || !found.isTopologyKept { warnings.append(.topologySimplified) }
                return found.mesh
            }
            guard pieces > 1 else { throw .emptySurface }
            pieces /= 2
        }
    }

    /// nil where nothing is left with so few triangles.
    private func reduced(_ mesh: TriangleMesh, below maximum: Int) -> (mesh: TriangleMesh, error: Float, isTopologyKept: Bool)? {
        var target = maximum - 1
        while target >= 4 {
            let reduced = mesh.reduced(to: target)
            // What the reduction pinches off is debris as well.
            let result = SurfaceTrimmer.withoutDebris(reduced.mesh.repaired(), minimumShare: min(1e-3, options.minimumComponentShare)).0
            if result.triangles.isEmpty { return nil }
            if result.triangles.count < maximum { return (result, reduced.error, reduced.isTopologyKept) }
            // The repair added a few.
            target -= max(2, result.triangles.count - maximum + 1)
        }
        return nil
    }
}
