import VitrineMath
import VitrineScene

/// Small geometry for tests.
enum TestMeshes {
    static func geometry(_ positions: [Vector3], indices: [UInt32]? = nil, topology: PrimitiveTopology = .triangles) -> Geometry {
        let values = positions.flatMap { [$0.x, $0.y, $0.z] }
        let position = VertexAttribute(.position, componentCount: 3, values: values)
        return try! Geometry(topology: topology, attributes: [position], indices: indices)
    }

    /// A triangle around the origin in the plane z = 0, bounds −1…1.
    static func triangle() -> Mesh {
        Mesh(geometry: geometry([[-1, -1, 0], [1, -1, 0], [0, 1, 0]]), material: Material())
    }
}
