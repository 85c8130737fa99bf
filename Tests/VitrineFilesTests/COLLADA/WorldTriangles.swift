import VitrineMath
import VitrineScene

/// Every corner of every triangle that a scene shows, in the world, morphed and skinned: what two files of one model must agree in.
struct WorldTriangles {
    struct Corner {
        var position, normal: Vector3
        var coordinate: Vector2
    }

    var corners: [Corner] = []

    init(_ scene: Scene) {
        scene.update()
        scene.rootNode.forSubtree { node in
            for part in node.mesh?.parts ?? [] where part.geometry.triangleCount > 0 { add(part.geometry, node) }
        }
    }

    private mutating func add(_ geometry: Geometry, _ node: Node) {
        let joints = node.skin?.jointMatrices() ?? []
        let vertices = (0..<geometry.vertexCount).map { Self.corner($0, geometry, node, joints) }
        for index in geometry.triangleIndices { corners.append(vertices[Int(index)]) }
    }

    private static func corner(_ vertex: Int, _ geometry: Geometry, _ node: Node, _ joints: [Matrix4]) -> Corner {
        func vector(_ values: [Float]?, _ width: Int = 3) -> Vector3 {
            guard let values, !values.isEmpty else { return Vector3(repeating: 0) }
            return Vector3(values[vertex * width], values[vertex * width + 1], width > 2 ? values[vertex * width + 2] : 0)
        }
        var (position, normal) = (vector(geometry.attribute(.position)?.values), vector(geometry.attribute(.normal)?.values))
        let weights = node.morphWeights.isEmpty ? node.mesh?.morphWeights ?? [] : node.morphWeights
        for (target, weight) in zip(geometry.morphTargets, weights) {
            position += vector(target.positionOffsets) * weight
            normal += vector(target.normalOffsets) * weight
        }
        var world = node.worldTransform
        if !joints.isEmpty, let j = geometry.attribute(.joints(set: 0))?.values, let w = geometry.attribute(.weights(set: 0))?.values {
            let zero = Vector4(repeating: 0)
            world = Matrix4(zero, zero, zero, zero)
            for index in vertex * 4..<vertex * 4 + 4 where w[index] > 0 {
                let joint = joints[Int(j[index])]
                world = Matrix4(
                    world.x + joint.x * w[index], world.y + joint.y * w[index], world.z + joint.z * w[index], world.w + joint.w * w[index])
            }
        }
        let st = vector(geometry.attribute(.textureCoordinate(set: 0))?.values, 2)
        return Corner(
            position: world.transform(point: position), normal: normalize(world.linear.cofactor * normal), coordinate: Vector2(st.x, st.y))
    }

    /// How far the farthest corner is from one of the other's that has nearly its normal and texture coordinates; infinite where there is
    /// none.
    func distance(to other: WorldTriangles, reach: Float, normals: Float = 0.02, coordinates: Float = 1e-3) -> Float {
        var cells: [SIMD3<Int32>: [Int]] = [:]
        func cell(_ point: Vector3) -> SIMD3<Int32> { SIMD3<Int32>(point / reach, rounding: .down) }
        for (index, corner) in other.corners.enumerated() { cells[cell(corner.position), default: []].append(index) }
        var worst: Float = 0
        for corner in corners {
            var best = Float.infinity
            let home = cell(corner.position)
            for x in Int32(-1)...1 {
                for y in Int32(-1)...1 {
                    for z in Int32(-1)...1 {
                        for index in cells[home &+ SIMD3(x, y, z)] ?? [] {
                            let candidate = other.corners[index]
                            guard length(candidate.normal - corner.normal) <= normals, length(candidate.coordinate - corner.coordinate) <= coordinates
                            else { continue }
                            best = min(best, length(candidate.position - corner.position))
                        }
                    }
                }
            }
            worst = max(worst, best)
        }
        return worst
    }
}
