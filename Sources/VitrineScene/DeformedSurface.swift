import VitrineMath

/// A geometry in the world frame in its node's current pose: morphed, then skinned by linear blending, as the renderer does on the GPU.
struct DeformedSurface {
    /// The positions in the world frame. Empty for a rigid surface, whose points are computed on demand.
    private(set) var positions: [Vector3] = []
    /// −1 if the node's transform mirrors, which reverses the winding of its triangles.
    let windingSign: Float

    private let geometry: Geometry
    private let worldFromLocal: Matrix4
    private let joints: [Matrix4]
    private let weights: [Float]
    private let jointSets: [(joints: VertexAttribute, weights: VertexAttribute)]

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
        worldFromLocal = node.worldTransform
        weights = geometry.morphTargets.isEmpty ? [] : node.effectiveMorphWeights
        joints = isSkinned ? node.skin?.jointMatrices() ?? [] : []
        var sets: [(joints: VertexAttribute, weights: VertexAttribute)] = []
        while isSkinned, let j = geometry.attribute(.joints(set: sets.count)), let w = geometry.attribute(.weights(set: sets.count)) {
            sets.append((j, w))
        }
        jointSets = sets
        // A skinned mesh does not depend on its node's transform; joints rarely mirror.
        windingSign = !isSkinned && worldFromLocal.linear.determinant < 0 ? -1 : 1
    }

    func position(at vertex: Int) -> Vector3 { positions.isEmpty ? world(of: vertex) : positions[vertex] }

    /// Returns the unit normal in the world frame; zero if the geometry has no normals.
    func normal(at vertex: Int) -> Vector3 {
        guard let normals = geometry.attribute(.normal) else { return Vector3(repeating: 0) }
        let local = morphed(normals.vector3(at: vertex), vertex) { $0.normalOffsets }
        // If the transform mirrors, the cofactor matrix reverses normals: the determinant's sign corrects them.
        let linear = matrix(at: vertex).linear
        return normalize(linear.cofactor * local) * (linear.determinant < 0 ? -1 : 1)
    }

    private func world(of vertex: Int) -> Vector3 {
        guard let local = geometry.attribute(.position)?.vector3(at: vertex) else { return Vector3(repeating: 0) }
        return matrix(at: vertex).transform(point: morphed(local, vertex) { $0.positionOffsets })
    }

    private func morphed(_ value: Vector3, _ vertex: Int, _ offsets: (MorphTarget) -> [Float]) -> Vector3 {
        var result = value
        for (index, weight) in weights.enumerated() where weight != 0 && index < geometry.morphTargets.count {
            let values = offsets(geometry.morphTargets[index])
            guard values.count >= vertex * 3 + 3 else { continue }
            result += Vector3(values[vertex * 3], values[vertex * 3 + 1], values[vertex * 3 + 2]) * weight
        }
        return result
    }

    /// Returns `worldFromLocal` at this vertex: the weighted mean of the matrices of its joints.
    private func matrix(at vertex: Int) -> Matrix4 {
        guard !jointSets.isEmpty else { return worldFromLocal }
        var sum = Matrix4(Vector4(repeating: 0), Vector4(repeating: 0), Vector4(repeating: 0), Vector4(repeating: 0))
        for set in jointSets {
            for component in vertex * 4..<vertex * 4 + 4 {
                let (joint, weight) = (set.joints.values[component], set.weights.values[component])
                guard weight != 0, joint >= 0, joint < Float(joints.count) else { continue }
                let m = joints[Int(joint)]
                sum = Matrix4(sum.x + m.x * weight, sum.y + m.y * weight, sum.z + m.z * weight, sum.w + m.w * weight)
            }
        }
        return sum
    }
}
