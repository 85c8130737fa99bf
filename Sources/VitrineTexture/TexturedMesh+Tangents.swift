import VitrineMath
import VitrineScene

extension TexturedMesh {
    /// Tangents by the convention of MikkTSpace. Charts are never mirrored, so that no vertex has to be split for them.
    func mikkTangents() -> [Vector4]? {
        let attributes = [
            VertexAttribute(.position, componentCount: 3, values: positions.flatMap { [$0.x, $0.y, $0.z] }),
            VertexAttribute(.normal, componentCount: 3, values: normals.flatMap { [$0.x, $0.y, $0.z] }),
            VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: textureCoordinates.flatMap { [$0.x, $0.y] }),
        ]
        let indices = triangles.flatMap { [$0.x, $0.y, $0.z] }
        guard let geometry = try? Geometry(attributes: attributes, indices: indices).withTangents(),
            let tangents = geometry.attribute(.tangent)?.values, tangents.count >= positions.count * 4
        else { return nil }
        // Copies for mirrored triangles, of which there are none with an area, come after the vertices.
        return positions.indices.map { Vector4(tangents[4 * $0], tangents[4 * $0 + 1], tangents[4 * $0 + 2], tangents[4 * $0 + 3]) }
    }
}
