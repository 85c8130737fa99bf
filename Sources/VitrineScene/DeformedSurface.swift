import VitrineMath

/// A geometry in the world frame in its node's current pose.
struct DeformedSurface {
    /// The positions in the world frame. Empty for a rigid surface, whose points are computed on demand.
    private(set) var positions: [Vector3] = []
    /// −1 if the node's transform mirrors, which reverses the winding of its triangles.
    let windingSign: Float

    private let geometry: Geometry
    private let deformation: VertexDeformation

    /// Creates the surface of a deformed node; nil for other nodes. Linear in the number of vertices.
    init?(node: Node, geometry: Geometry) {
        let isSkinned = node.skin != nil && !geometry.jointBounds.isEmpty
        guard isSkinned || !geometry.morphTargets.isEmpty else { return nil }
        self.init(node: node, geometry: geometry, isSkinned: isSkinned)
        positions = (0..<geometry.vertexCount).map { world(of: $0) }
    }

    /// Creates the surface of a node that is not deformed.
    init?(rigid node: Node, geometry: Geometry) { self.init(node: node, geometry: geometry, isSkinned: false) }

    private init(node: Node, geometry: Geometry, isSkinned: Bool) {
        self.geometry = geometry
        deformation = VertexDeformation(node: node, geometry: geometry, isSkinned: isSkinned)
        windingSign = deformation.isMirrored ? -1 : 1
    }

    func position(at vertex: Int) -> Vector3 { positions.isEmpty ? world(of: vertex) : positions[vertex] }

    /// Returns the unit normal in the world frame; zero if the geometry has no normals.
    func normal(at vertex: Int) -> Vector3 {
        guard let normals = geometry.attribute(.normal) else { return Vector3(repeating: 0) }
        let local = deformation.morphed(normals.vector3(at: vertex), vertex) { $0.normalOffsets }
        // If the transform mirrors, the cofactor matrix reverses normals: the determinant's sign corrects them.
        let linear = deformation.matrix(at: vertex).linear
        return normalize(linear.cofactor * local) * (linear.determinant < 0 ? -1 : 1)
    }

    private func world(of vertex: Int) -> Vector3 {
        guard let local = geometry.attribute(.position)?.vector3(at: vertex) else { return Vector3(repeating: 0) }
        return deformation.matrix(at: vertex).transform(point: deformation.morphed(local, vertex) { $0.positionOffsets })
    }
}
