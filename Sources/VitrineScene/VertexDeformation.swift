import VitrineMath

/// Places the vertices of a node's geometry in the world: morphed, then skinned by linear blending, as the renderer does on the GPU.
package struct VertexDeformation {
    /// Whether the winding of triangles is reversed. A skinned mesh does not depend on its node's transform; joints rarely mirror.
    package let isMirrored: Bool

    private let worldFromLocal: Matrix4
    private let targets: [MorphTarget]
    private let weights: [Float]
    private let joints: [Matrix4]
    private let jointSets: [(joints: VertexAttribute, weights: VertexAttribute)]

    /// Prepares the deformation of a node's geometry.
    ///
    /// - Parameter isSkinned: Whether the node's skin is applied.
    package init(node: Node, geometry: Geometry, isSkinned: Bool) {
        worldFromLocal = node.worldTransform
        targets = geometry.morphTargets
        weights = targets.isEmpty ? [] : node.effectiveMorphWeights
        var sets: [(joints: VertexAttribute, weights: VertexAttribute)] = []
        while isSkinned, let j = geometry.attribute(.joints(set: sets.count)), let w = geometry.attribute(.weights(set: sets.count)) {
            sets.append((j, w))
        }
        jointSets = sets
        joints = sets.isEmpty ? [] : node.skin?.jointMatrices() ?? []
        isMirrored = sets.isEmpty && worldFromLocal.linear.determinant < 0
    }

    /// Returns a vertex's value with the offsets of the morph targets, in the geometry's own frame.
    package func morphed(_ value: Vector3, _ vertex: Int, _ offsets: (MorphTarget) -> [Float]) -> Vector3 {
        var result = value
        for (index, weight) in weights.enumerated() where weight != 0 && index < targets.count {
            let values = offsets(targets[index])
            guard values.count >= vertex * 3 + 3 else { continue }
            result += Vector3(values[vertex * 3], values[vertex * 3 + 1], values[vertex * 3 + 2]) * weight
        }
        return result
    }

    /// `worldFromLocal` at a vertex: the node's, or the weighted sum of its joints' matrices.
    package func matrix(at vertex: Int) -> Matrix4 {
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
