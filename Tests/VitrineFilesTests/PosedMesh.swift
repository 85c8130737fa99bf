import VitrineMath
import VitrineScene

/// The vertices of a node in its present pose: a plain reference implementation on the processor.
enum PosedMesh {
    /// Returns the box around the corners of triangles, morphed and skinned, in the world.
    static func box(_ node: Node) -> [Float] {
        var (low, high) = (Vector3(repeating: .infinity), Vector3(repeating: -.infinity))
        for part in node.mesh?.parts ?? [] {
            let points = world(part.geometry, node)
            for index in part.geometry.triangleIndices {
                (low, high) = (pointwiseMin(low, points[Int(index)]), pointwiseMax(high, points[Int(index)]))
            }
        }
        return [low.x, low.y, low.z, high.x, high.y, high.z]
    }

    static func world(_ geometry: Geometry, _ node: Node) -> [Vector3] {
        var points = vectors(geometry.attribute(.position)?.values ?? [])
        let weights = node.effectiveMorphWeights
        for (target, weight) in zip(geometry.morphTargets, weights) where weight != 0 && !target.positionOffsets.isEmpty {
            for (index, offset) in vectors(target.positionOffsets).enumerated() { points[index] += offset * weight }
        }
        guard let skin = node.skin else { return points.map { node.worldTransform.transform(point: $0) } }
        let joints = skin.jointMatrices()
        var result = Array(repeating: Vector3(repeating: 0), count: points.count)
        var set = 0
        while let j = geometry.attribute(.joints(set: set))?.values, let w = geometry.attribute(.weights(set: set))?.values {
            for (index, point) in points.enumerated() {
                for slot in 4 * index..<4 * index + 4 where w[slot] != 0 {
                    result[index] += joints[Int(j[slot])].transform(point: point) * w[slot]
                }
            }
            set += 1
        }
        return result
    }

    private static func vectors(_ values: [Float]) -> [Vector3] {
        stride(from: 0, to: values.count - 2, by: 3).map { Vector3(values[$0], values[$0 + 1], values[$0 + 2]) }
    }
}
