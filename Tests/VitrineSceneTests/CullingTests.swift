import Testing
import VitrineMath
import VitrineScene

@Suite struct CullingTests {
    private func frustum() -> Frustum {
        let clip = Camera(near: 0.5, far: 50).clipFromView(aspectRatio: 1.4)
        return Frustum(clipFromWorld: clip * Matrix4.lookAt(eye: [0, 2, 10], target: [1, 0, 0]).affineInverse)
    }

    @Test func visibleSlotsAreThoseOfTheFrustumTest() {
        let scene = Scene()
        var seed: UInt32 = 7
        func random() -> Float {
            seed = seed &* 1_664_525 &+ 1_013_904_223
            return Float(seed >> 8) / Float(1 << 24) * 60 - 30
        }
        let mesh = TestMeshes.triangle()
        for index in 0..<2000 {
            let node = Node(mesh: index % 10 == 0 ? nil : mesh)
            node.position = Vector3(random(), random(), random())
            node.eulerAngles = Vector3(random(), random(), random())
            node.isHidden = index % 7 == 0
            node.categoryBitMask = index % 3 == 0 ? 2 : 1
            scene.rootNode.addChildNode(node)
        }
        scene.update()
        let frustum = frustum()
        let expected = scene.rootNode.childNodes.filter {
            $0.mesh != nil && !$0.isHidden && $0.categoryBitMask == 1
                && frustum.intersects(mesh.bounds.transformed(by: $0.worldTransform))
        }.map(\.slot).sorted()
        #expect(scene.store.visibleSlots(in: frustum, categoryBitMask: 1) == expected)
        #expect(expected.count > 50 && expected.count < 1000)
        #expect(scene.store.visibleSlots(in: frustum).count > expected.count)
        #expect(scene.store.visibleSlots(in: frustum, categoryBitMask: 4).isEmpty)
    }

    @Test func changingAMeshChangesTheBoundsOfItsNodes() {
        let scene = Scene()
        let mesh = TestMeshes.triangle()
        let (a, b) = (Node(mesh: mesh), Node(mesh: mesh))
        b.position.x = 10
        scene.rootNode.addChildNode(a)
        scene.rootNode.addChildNode(b)
        scene.update()
        #expect(scene.store.meshIndices[Int(a.slot)] == scene.store.meshIndices[Int(b.slot)])
        let version = scene.store.structureVersion
        mesh.parts = [MeshPart(geometry: TestMeshes.geometry([[0, 0, 0], [5, 0, 0], [0, 5, 0]]), material: Material())]
        #expect(scene.bounds == BoundingBox(minimum: [0, 0, 0], maximum: [15, 5, 0]))
        #expect(scene.store.structureVersion != version)
        a.mesh = nil
        #expect(scene.bounds == BoundingBox(minimum: [10, 0, 0], maximum: [15, 5, 0]))
        b.mesh = nil
        #expect(scene.bounds.isEmpty)
        #expect((0..<scene.store.meshCount).allSatisfy { scene.store.mesh(at: Int32($0)) == nil })
    }

    @Test func comingAndGoingDoesNotGrowTheArrays() {
        let scene = Scene()
        for _ in 0..<20_000 {
            let node = Node()
            scene.rootNode.addChildNode(node)
            node.removeFromParentNode()
        }
        #expect(scene.store.worldTransforms.count < 3000)
        scene.update()
        #expect(scene.store.order == [scene.rootNode.slot])
    }

    @Test func boundsFollowMorphWeights() throws {
        let position = VertexAttribute(.position, componentCount: 3, values: [0, 0, 0, 1, 0, 0, 0, 1, 0])
        let up = MorphTarget(positionOffsets: [0, 0, 0, 0, 0, 0, 0, 3, 0])
        let out = MorphTarget(positionOffsets: [0, 0, 0, 2, 0, 0, 0, 0, 0])
        let geometry = try Geometry(attributes: [position], morphTargets: [up, out])
        let scene = Scene()
        let node = Node(mesh: Mesh(parts: [MeshPart(geometry: geometry, material: Material())], morphWeights: [1, 0]))
        scene.rootNode.addChildNode(node)
        #expect(scene.bounds == BoundingBox(minimum: [0, 0, 0], maximum: [1, 4, 0]))
        node.morphWeights = [0.5, -1]
        // Exact by vertices; the box for culling reaches as far as the offsets might.
        #expect(scene.bounds == BoundingBox(minimum: [-1, 0, 0], maximum: [0, 2.5, 0]))
        #expect(scene.store.worldBounds[Int(node.slot)] == BoundingBox(minimum: [-2, 0, 0], maximum: [1, 2.5, 0]))
        node.morphWeights = [0, 0]
        #expect(scene.bounds == BoundingBox(minimum: [0, 0, 0], maximum: [1, 1, 0]))
    }

    @Test func boundsFollowJoints() throws {
        // Two points, each held by one joint.
        let geometry = try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: [0, 0, 0, 1, 0, 0, 0, 1, 0]),
                VertexAttribute(.joints(set: 0), componentCount: 4, values: [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
                VertexAttribute(.weights(set: 0), componentCount: 4, values: [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]),
            ])
        let scene = Scene()
        let (still, moving) = (Node(), Node())
        let body = Node(mesh: Mesh(geometry: geometry, material: Material()))
        body.skin = Skin(joints: [still, moving])
        // A skinned mesh follows its joints, not its node.
        body.position = [50, 50, 50]
        for node in [still, moving, body] { scene.rootNode.addChildNode(node) }
        #expect(scene.bounds == BoundingBox(minimum: [0, 0, 0], maximum: [1, 1, 0]))
        moving.position = [0, 0, 7]
        #expect(scene.bounds == BoundingBox(minimum: [0, 0, 0], maximum: [1, 1, 7]))
        #expect(body.worldBounds == scene.bounds)
    }
}
