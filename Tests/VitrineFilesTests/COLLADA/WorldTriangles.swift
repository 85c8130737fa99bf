import VitrineMath
import VitrineScene

/// Every corner of every triangle that a scene shows, in the world, morphed and skinned: equal for two files of one model.
struct WorldTriangles {
    struct Corner {
        var position, normal: Vector3
        var coordinate: Vector2
    }

    var corners: [Corner] = []

    init(_ scene: Scene) {
        scene.update()
        scene.rootNode.forSubtree { node in
            for part in node.mesh?.parts ?? [] where part.geometry.triangleCount > 0 { add(part, node) }
        }
    }

    private mutating func add(_ part: MeshPart, _ node: Node) {
        let joints = node.skin?.jointMatrices() ?? []
        var vertices = (0..<part.geometry.vertexCount).map { Self.corner($0, part.geometry, node, joints) }
        // Unused coordinates may be omitted.
        if part.material.textures.isEmpty { for index in vertices.indices { vertices[index].coordinate = Vector2(0, 0) } }
        for index in part.geometry.triangleIndices { corners.append(vertices[Int(index)]) }
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

    /// Returns the share of corners, 0…1, that have one of the other's corners within `reach`, with their normal and their texture
    /// coordinates. Only every `step`th corner is compared.
    func share(in other: WorldTriangles, within reach: Float, step: Int = 1) -> Double {
        var cells: [SIMD3<Int32>: [Int]] = [:]
        // Wider than the reach, so that few corners search more than one cell.
        let size = reach * 64
        func cell(_ point: Vector3) -> SIMD3<Int32> { SIMD3<Int32>(point / size, rounding: .down) }
        for (index, corner) in other.corners.enumerated() { cells[cell(corner.position), default: []].append(index) }
        var (found, looked) = (0, 0)
        for number in stride(from: 0, to: corners.count, by: step) {
            let corner = corners[number]
            let (low, high) = (cell(corner.position - Vector3(repeating: reach)), cell(corner.position + Vector3(repeating: reach)))
            looked += 1
            let isThere = (low.x...high.x).contains { x in
                (low.y...high.y).contains { y in
                    (low.z...high.z).contains { z in (cells[SIMD3(x, y, z)] ?? []).contains { corner.isClose(to: other.corners[$0], reach) }
                    }
                }
            }
            if isThere { found += 1 }
        }
        return looked == 0 ? 1 : Double(found) / Double(looked)
    }
}

extension WorldTriangles.Corner {
    fileprivate func isClose(to other: Self, _ reach: Float) -> Bool {
        length(other.position - position) <= reach && length(other.normal - normal) <= 2e-3 && length(other.coordinate - coordinate) <= 1e-4
    }
}
