import VitrineMath
import VitrineScene

/// A part of a node's mesh in the scene's frame, for formats without a hierarchy.
struct WorldPart {
    let geometry: Geometry
    let material: Material
    /// The position in warnings.
    let location: String
    let name: String
    /// Three floats per vertex.
    let positions: [Float]
    /// Unit normals, three floats per vertex; nil if the geometry has none.
    let normals: [Float]?
    /// The corners of triangles, counter-clockwise seen from outside, even if the node mirrors.
    let triangles: [UInt32]

    init(_ part: MeshPart, entry: SceneContents.Entry, mesh: Mesh) {
        (geometry, material) = (part.geometry, part.material)
        location = "mesh \"\(mesh.name)\""
        name = [entry.node.name, mesh.name].filter { !$0.isEmpty }.joined(separator: "/")
        let world = entry.worldFromLocal
        let isUnmoved = world == .identity
        let source = part.geometry.attribute(.position)?.values ?? []
        positions = isUnmoved ? source : Self.mapped(source) { world.transform(point: $0) }
        // Normals are transformed by the cofactors: the transpose of the inverse, times the determinant.
        let m = world.linear
        let cofactors = Matrix3(cross(m.y, m.z), cross(m.z, m.x), cross(m.x, m.y))
        let sign: Float = m.determinant < 0 ? -1 : 1
        normals = part.geometry.attribute(.normal).map { attribute in
            UnitVectors.normals(isUnmoved ? attribute.values : Self.mapped(attribute.values) { cofactors * $0 * sign })
        }
        var corners = part.geometry.triangleCount > 0 ? part.geometry.triangleIndices : []
        if m.determinant < 0 { for corner in stride(from: 0, to: corners.count - 2, by: 3) { corners.swapAt(corner + 1, corner + 2) } }
        triangles = corners
    }

    /// Returns all parts of a scene, in order.
    static func all(of contents: SceneContents) -> [WorldPart] {
        contents.entries.flatMap { entry in
            guard let mesh = entry.mesh else { return [WorldPart]() }
            return contents.parts[mesh].map { WorldPart($0, entry: entry, mesh: contents.meshes[mesh]) }
        }
    }

    private static func mapped(_ values: [Float], _ body: (Vector3) -> Vector3) -> [Float] {
        var result = values
        for index in stride(from: 0, to: values.count - 2, by: 3) {
            let vector = body(Vector3(values[index], values[index + 1], values[index + 2]))
            for axis in 0..<3 { result[index + axis] = vector[axis] }
        }
        return result
    }
}
