import Testing
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Skins and morph targets, against the same shape made on the processor.
@Suite struct DeformTests {
    /// A strip along x of 8 × 1 quads, skinned to two joints: the left half to the first, the right to the second, mixed between.
    private func strip(positions: [Float]? = nil, normals: [Float]? = nil, isSkinned: Bool, morphs: [MorphTarget] = []) throws -> Geometry {
        var (p, n, joints, weights): ([Float], [Float], [Float], [Float]) = ([], [], [], [])
        var indices: [UInt32] = []
        for column in 0...8 {
            for y in [Float(-0.5), 0.5] {
                p += [Float(column) / 4 - 1, y, 0]
                n += [0, 0, 1]
                joints += [0, 1, 0, 0]
                weights += [1 - Float(column) / 8, Float(column) / 8, 0, 0]
            }
            if column < 8 {
                let a = UInt32(column * 2)
                indices += [a, a + 2, a + 3, a, a + 3, a + 1]
            }
        }
        var attributes = [
            VertexAttribute(.position, componentCount: 3, values: positions ?? p),
            VertexAttribute(.normal, componentCount: 3, values: normals ?? n),
        ]
        if isSkinned {
            attributes.append(VertexAttribute(.joints(set: 0), componentCount: 4, values: joints))
            attributes.append(VertexAttribute(.weights(set: 0), componentCount: 4, values: weights))
        }
        return try Geometry(attributes: attributes, indices: indices, morphTargets: morphs)
    }

    private func rendered(_ scene: Scene) throws -> [Vector4] {
        scene.environment = .studio()
        scene.environment.background = .transparent
        return try Studio().radiance(of: scene, from: straightOn)
    }

    @Test func skinsBend() throws {
        let bent = Scene()
        let joints = [Node(name: "left"), Node(name: "right")]
        for joint in joints { bent.rootNode.addChildNode(joint) }
        joints[1].localTransform = Transform(
            translation: Vector3(0, 0.2, -0.3), rotation: Quaternion(angle: .degrees(40), axis: Vector3(0, 1, 0)))
        let node = Node(mesh: Mesh(geometry: try strip(isSkinned: true), material: Material(roughness: 0.5)))
        node.skin = Skin(joints: joints)
        // A skinned mesh's own place counts for nothing.
        node.position.x = 7
        bent.rootNode.addChildNode(node)

        let source = try strip(isSkinned: false)
        let (positions, normals) = (source.attribute(.position)?.values ?? [], source.attribute(.normal)?.values ?? [])
        let second = joints[1].transform
        var (p, n): ([Float], [Float]) = ([], [])
        for vertex in 0..<source.vertexCount {
            let weight = Float(vertex / 2) / 8
            func mixed(_ a: Vector4, _ b: Vector4) -> Vector4 { a * (1 - weight) + b * weight }
            let first = Matrix4.identity
            let m = Matrix4(mixed(first.x, second.x), mixed(first.y, second.y), mixed(first.z, second.z), mixed(first.w, second.w))
            let position = m.transform(point: Vector3(positions[3 * vertex], positions[3 * vertex + 1], positions[3 * vertex + 2]))
            let normal = normalize(m.linear.cofactor * Vector3(normals[3 * vertex], normals[3 * vertex + 1], normals[3 * vertex + 2]))
            p += [position.x, position.y, position.z]
            n += [normal.x, normal.y, normal.z]
        }
        let expected = scene(try strip(positions: p, normals: n, isSkinned: false), Material(roughness: 0.5))
        compare(try rendered(bent), try rendered(expected))
    }

    @Test func morphsMove() throws {
        let moves = (0..<18).flatMap { (vertex: Int) -> [Float] in [0, Float(vertex / 2) / 8, 0.2] }
        let turns = (0..<18).flatMap { (_: Int) -> [Float] in [0.5, 0, 0] }
        let target = MorphTarget(positionOffsets: moves, normalOffsets: turns)
        let unused = MorphTarget(positionOffsets: [Float](repeating: 3, count: 54))
        let morphed = scene(try strip(isSkinned: false, morphs: [unused, target]), Material(roughness: 0.5))
        let node = morphed.rootNode.childNodes[0]
        node.morphWeights = [0, 0.5]

        let source = try strip(isSkinned: false)
        let p = zip(source.attribute(.position)?.values ?? [], moves).map { $0 + 0.5 * $1 }
        let n = (0..<18).flatMap { (_: Int) -> [Float] in
            let normal = normalize(Vector3(0.25, 0, 1))
            return [normal.x, normal.y, normal.z]
        }
        let expected = scene(try strip(positions: p, normals: n, isSkinned: false), Material(roughness: 0.5))
        let reference = try rendered(expected)
        compare(try rendered(morphed), reference)
        // Other weights, another image: the buffer is updated.
        node.morphWeights = [0, 0]
        #expect(try rendered(morphed) != reference)
    }

    private func compare(_ actual: [Vector4], _ expected: [Vector4]) {
        #expect(expected.filter { $0.w == 1 }.count > 100)
        var different = 0
        for (a, b) in zip(actual, expected) where length(a - b) > 0.01 { different += 1 }
        // An edge may fall on the other side of a pixel's middle.
        #expect(different <= 2)
    }
}
