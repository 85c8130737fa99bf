import CMeshOptimizer
import VitrineMath
import VitrineScene

extension Geometry {
    /// Geometries with fewer triangles have no levels.
    private static let least = 1000
    /// Levels aren't coarser than this share of the geometry's radius.
    private static let coarsest: Float = 0.05

    /// The same with levels of half the triangles each, by collapsing edges in the order of quadric error (Garland & Heckbert 1997; done by
    /// meshoptimizer), each made of the one before. Itself where it has too few triangles, or morph targets.
    public func withLevels() -> Geometry {
        guard triangleCount >= Self.least, morphTargets.isEmpty, let positions = attribute(.position)?.values else { return self }
        let whole = triangleIndices
        let scale = meshopt_simplifyScale(positions, vertexCount, 12)
        var levels: [GeometryLevel] = []
        var error: Float = 0
        while true {
            let finer = levels.last?.indices ?? whole
            var indices = [UInt32](repeating: 0, count: finer.count)
            var own: Float = 0
            let left = (Self.coarsest * bounds.radius - error) / scale
            guard left > 0 else { break }
            let count = meshopt_simplify(
                &indices, finer, finer.count, positions, vertexCount, 12, finer.count / 6 * 3, left, 0, &own)
            // A level that saves less than a quarter isn't worth its memory.
            guard count > 0, count < finer.count / 4 * 3 else { break }
            error += own * scale
            levels.append(GeometryLevel(indices: Array(indices[..<count]), error: error))
        }
        let made = try? Geometry(topology: .triangles, attributes: attributes, indices: whole, levels: levels)
        return levels.isEmpty ? self : made ?? self
    }
}

extension Node {
    /// Gives the meshes of this node and all under it coarser levels, so that they cost less where they are small in the image.
    ///
    /// A mesh of a million triangles takes about a second. Where a normal map wants tangents and there are none, they are made too: levels are
    /// of vertices that have them.
    public func addLevelsOfDetail() {
        var seen: Set<ObjectIdentifier> = []
        forSubtree { node in
            guard let mesh = node.mesh, seen.insert(ObjectIdentifier(mesh)).inserted else { return }
            let finished = mesh.parts.map { $0.geometryWithLevels }
            guard zip(finished, mesh.parts).contains(where: { $0 !== $1.geometry }) else { return }
            var parts = mesh.parts
            for index in parts.indices { parts[index].geometry = finished[index] }
            mesh.parts = parts
        }
    }
}

extension MeshPart {
    fileprivate var geometryWithLevels: Geometry {
        guard let set = material.normal.map?.set, geometry.attribute(.tangent) == nil, geometry.morphTargets.isEmpty else {
            return geometry.withLevels()
        }
        let made = (try? geometry.withTangents(textureCoordinateSet: set)) ?? geometry
        let levelled = made.withLevels()
        return levelled === made ? geometry : levelled
    }
}
