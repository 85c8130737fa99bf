import Testing
import VitrineMath
import VitrineScene

struct ExactBoundsTests {
    /// A thin bar of 1 m along x, turned by 45°: long and thin in the world where it is turned back.
    private func bar(_ angle: Angle) throws -> Node {
        let geometry = Geometry.box(size: [1, 0.01, 0.01])
        let turned = Node(mesh: Mesh(geometry: geometry, material: Material()))
        turned.orientation = Quaternion(angle: angle, axis: [0, 0, 1])
        return turned
    }

    /// The vertices of the bar lie along the diagonal already; the node turns them onto the x axis.
    @Test func rotatedMeshesCountByTheirVertices() throws {
        let straight = Geometry.box(size: [1, 0.01, 0.01])
        let turn = Quaternion(angle: .degrees(45), axis: [0, 0, 1])
        let positions = (straight.attribute(.position)?.values ?? [])
        let turned = stride(from: 0, to: positions.count, by: 3).flatMap { base -> [Float] in
            let point = turn.rotate(Vector3(positions[base], positions[base + 1], positions[base + 2]))
            return [point.x, point.y, point.z]
        }
        let geometry = try Geometry(
            attributes: [VertexAttribute(.position, componentCount: 3, values: turned)], indices: straight.triangleIndices)
        let scene = Scene()
        let node = Node(mesh: Mesh(geometry: geometry, material: Material()))
        node.orientation = Quaternion(angle: .degrees(-45), axis: [0, 0, 1])
        scene.rootNode.addChildNode(node)
        #expect(distance(scene.bounds.size, [1, 0.01, 0.01]) < 1e-5)
        #expect(distance(scene.subjectBounds.size, [1, 0.01, 0.01]) < 1e-5)
        #expect(distance(node.worldBounds.size, [1, 0.01, 0.01]) < 1e-5)
        // The box for culling is that of the turned box, 1 m wide in both directions.
        #expect(scene.store.worldBounds[Int(node.slot)].size.y > 1)
        node.isHidden = true
        #expect(scene.bounds.isEmpty && distance(node.worldBounds.size, [1, 0.01, 0.01]) < 1e-5)
    }

    @Test func shadowReceiversAreNoSubject() throws {
        let scene = Scene()
        scene.rootNode.addChildNode(try bar(.degrees(45)))
        let alone = scene.bounds
        #expect(abs(alone.size.x - Float(1.01) * Float(0.5).squareRoot()) < 1e-5)
        scene.rootNode.addChildNode(.shadowReceiver(under: alone))
        #expect(scene.subjectBounds == alone && scene.bounds.size.x > alone.size.x)
    }
}
