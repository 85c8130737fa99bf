import Testing
import VitrineMath
import VitrineScene

@Suite struct NodeTransformTests {
    @Test func worldTransformsMultiplyDownTheTree() {
        let scene = Scene()
        let parent = Node()
        parent.position = [1, 0, 0]
        parent.orientation = Quaternion(angle: .degrees(90), axis: .up)
        parent.scale = [2, 2, 2]
        let child = Node()
        child.position = [1, 0, 0]
        scene.rootNode.addChildNode(parent)
        parent.addChildNode(child)
        scene.update()
        // +X turned by 90° about +Y is −Z.
        #expect(distance(child.worldPosition, [1, 0, -2]) < 1e-6)
        #expect(distance(child.convert(point: [0, 0, 0], to: parent), [1, 0, 0]) < 1e-6)
        #expect(distance(parent.convert(point: [0, 0, 0], from: child), [1, 0, 0]) < 1e-6)
        #expect(distance(child.convert(point: [1, 0, 0], from: nil), [-1, 0, 0]) < 1e-5)
    }

    @Test func worldTransformIsCurrentBeforeAnUpdate() {
        let scene = Scene()
        let parent = Node()
        let child = Node()
        parent.addChildNode(child)
        scene.rootNode.addChildNode(parent)
        scene.update()
        parent.position = [3, 0, 0]
        #expect(child.worldPosition == [3, 0, 0])
        scene.update()
        #expect(scene.store.worldTransforms[Int(child.slot)].translation == [3, 0, 0])
    }

    @Test func shearIsKeptUntilScaleOrOrientationIsSet() {
        for scene in [nil, Scene()] {
            let node = Node()
            scene?.rootNode.addChildNode(node)
            let shear = Matrix4([1, 0, 0, 0], [0.5, 1, 0, 0], [0, 0, 1, 0], [1, 2, 3, 1])
            node.transform = shear
            #expect(node.transform == shear)
            node.position = [4, 5, 6]
            #expect(node.transform == Matrix4(shear.linear, translation: [4, 5, 6]))
            node.scale = [1, 1, 1]
            #expect(node.transform.isClose(to: node.localTransform.matrix))
            #expect(!node.transform.isClose(to: Matrix4(shear.linear, translation: [4, 5, 6])))
        }
    }

    @Test func shearSurvivesAttachingAndDetaching() {
        let node = Node()
        let shear = Matrix4([1, 0, 0, 0], [0.5, 1, 0, 0], [0, 0, 1, 0], [1, 2, 3, 1])
        node.transform = shear
        let scene = Scene()
        scene.rootNode.addChildNode(node)
        #expect(node.transform == shear)
        scene.update()
        #expect(node.worldTransform == shear)
        node.removeFromParentNode()
        #expect(node.transform == shear)
        let late = Node()
        scene.rootNode.addChildNode(late)
        #expect(late.transform == .identity)
    }

    @Test func pivotIsTheCentreOfRotation() {
        let scene = Scene()
        let door = Node(mesh: TestMeshes.triangle())
        scene.rootNode.addChildNode(door)
        let handle = Node()
        handle.position = [1, 0, 0]
        door.addChildNode(handle)
        door.pivot = Matrix4(translation: [-1, 0, 0])
        #expect(door.transform == .identity)
        scene.update()
        // The hinge, at −1 of the door, comes to lie at the node's position.
        #expect(distance(handle.worldPosition, [2, 0, 0]) < 1e-6)
        door.eulerAngles.y = .pi / 2
        scene.update()
        #expect(distance(handle.worldPosition, [0, 0, -2]) < 1e-6)
        #expect(distance(scene.bounds.minimum, [0, -1, -2]) < 1e-5)
        door.pivot = .identity
        door.eulerAngles.y = 0
        scene.update()
        #expect(handle.worldPosition == [1, 0, 0])
    }

    @Test func bulkMovesEqualSingleMoves() {
        let (one, many) = (Scene(), Scene())
        for scene in [one, many] {
            for index in 0..<100 {
                let node = Node(mesh: TestMeshes.triangle())
                node.position.x = Float(index)
                scene.rootNode.addChildNode(node)
            }
            scene.update()
        }
        for (index, node) in one.rootNode.childNodes.enumerated() { node.position.y = Float(index * index) }
        let slots = many.rootNode.childNodes.map(\.slot)
        many.store.modifyLocalTransforms(of: slots) { index, transform in transform.translation.y = Float(index * index) }
        one.update()
        many.update()
        #expect(one.store.worldTransforms == many.store.worldTransforms)
        #expect(one.bounds == many.bounds)
        many.store.setLocalTransforms(Array(repeating: .identity, count: 100), of: slots)
        many.update()
        #expect(many.bounds == BoundingBox(minimum: [-1, -1, 0], maximum: [1, 1, 0]))
        // Skips free slots.
        many.store.modifyLocalTransforms(of: [-1, 100_000]) { _, transform in transform.translation.x = 9 }
        many.update()
        #expect(many.bounds.maximum.x == 1)
    }

    @Test func onlyMovedNodesAreMarked() {
        let scene = Scene()
        let (a, b, child) = (Node(), Node(), Node())
        scene.rootNode.addChildNode(a)
        scene.rootNode.addChildNode(b)
        a.addChildNode(child)
        scene.update()
        let before = scene.store.updateCount
        scene.update()
        #expect(scene.store.updateCount == before)
        a.position.x = 1
        scene.update()
        let moved = scene.store.movedInUpdate
        #expect(moved[Int(a.slot)] == before + 1 && moved[Int(child.slot)] == before + 1)
        #expect(moved[Int(b.slot)] <= before)
    }

    @Test func opacityAndVisibilityAreInherited() {
        let scene = Scene()
        let (parent, child) = (Node(), Node())
        scene.rootNode.addChildNode(parent)
        parent.addChildNode(child)
        parent.opacity = 0.5
        child.opacity = 0.5
        scene.update()
        #expect(scene.store.worldOpacities[Int(child.slot)] == 0.25)
        parent.isHidden = true
        scene.update()
        #expect(scene.store.worldOpacities[Int(child.slot)] == 0)
        parent.isHidden = false
        scene.update()
        #expect(scene.store.worldOpacities[Int(child.slot)] == 0.25)
    }

    @Test func lookingAtATargetPointsMinusZ() {
        let node = Node()
        node.position = [1, 2, 3]
        node.look(at: [4, -2, 0])
        let forward = node.orientation.rotate(.forward)
        #expect(distance(forward, normalize(Vector3(3, -4, -3))) < 1e-5)
        #expect(node.orientation.rotate(.up).y > 0)
    }
}
