import CMeshOptimizer
import VitrineMath
import VitrineScene

extension Geometry {
    /// Geometries with fewer triangles have no levels.
    private static let minimumTriangleCount = 1000
    /// The largest error of a level, in fractions of the geometry's radius.
    private static let maximumRelativeError: Float = 0.05

    /// Returns the geometry with levels of detail, each with half the triangles of the previous one, simplified by edge collapse in the order of
    /// quadric error (Garland & Heckbert 1997, with meshoptimizer). Returns geometries with too few triangles or with morph targets unchanged.
    public func withLevels() -> Geometry {
        guard triangleCount >= Self.minimumTriangleCount, morphTargets.isEmpty, let positions = attribute(.position)?.values else {
            return self
        }
        let whole = triangleIndices
        let scale = meshopt_simplifyScale(positions, vertexCount, 12)
        var levels: [GeometryLevel] = []
        var error: Float = 0
        while true {
            let finer = levels.last?.indices ?? whole
            var indices = [UInt32](repeating: 0, count: finer.count)
            var levelError: Float = 0
            let remainingError = (Self.maximumRelativeError * bounds.radius - error) / scale
            guard remainingError > 0 else { break }
            let count = meshopt_simplify(
                &indices, finer, finer.count, positions, vertexCount, 12, finer.count / 6 * 3, remainingError, 0, &levelError)
            // A level that saves less than a quarter does not justify its memory.
            guard count > 0, count < finer.count / 4 * 3 else { break }
            error += levelError * scale
            levels.append(GeometryLevel(indices: Array(indices[..<count]), error: error))
        }
        let simplified = try? Geometry(topology: .triangles, attributes: attributes, indices: whole, levels: levels)
        return levels.isEmpty ? self : simplified ?? self
    }
}

extension Node {
    /// Adds coarser levels of detail to the meshes of this node and its descendants, which reduces the cost of meshes that are small in the image.
    ///
    /// Takes about a second per million triangles. Meshes with a normal map and without tangents get tangents first, because levels share the
    /// vertices of the mesh.
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
