import Testing
import VitrineMath
import VitrineScene

@Suite struct NodeTreeTests {
    @Test func childrenKeepTheirOrder() {
        let parent = Node()
        for name in ["a", "b", "c"] { parent.addChildNode(Node(name: name)) }
        parent.insertChildNode(Node(name: "first"), at: -3)
        parent.insertChildNode(Node(name: "last"), at: 99)
        parent.childNodes[2].removeFromParentNode()
        #expect(parent.childNodes.map(\.name) == ["first", "a", "c", "last"])
    }

    @Test func reparentingMovesTheNodeOnce() {
        let scene = Scene()
        let (a, b, leaf) = (Node(name: "a"), Node(name: "b"), Node(name: "leaf"))
        a.position = [1, 0, 0]
        b.position = [0, 5, 0]
        leaf.position = [0, 0, 2]
        scene.rootNode.addChildNode(a)
        scene.rootNode.addChildNode(b)
        a.addChildNode(leaf)
        scene.update()
        #expect(leaf.worldPosition == [1, 0, 2])
        b.addChildNode(leaf)
        #expect(a.childNodes.isEmpty && b.childNodes.count == 1 && leaf.parent === b)
        #expect(leaf.worldPosition == [0, 5, 2])
        scene.update()
        #expect(leaf.worldPosition == [0, 5, 2])
        #expect(leaf.localTransform.translation == [0, 0, 2])
    }

    @Test func cyclesAreRefused() {
        let (a, b, c) = (Node(), Node(), Node())
        a.addChildNode(b)
        b.addChildNode(c)
        #expect(!c.addChildNode(a))
        #expect(!a.addChildNode(a))
        #expect(!c.addChildNode(c))
        #expect(a.parent == nil && c.childNodes.isEmpty && a.childNodes.count == 1)
    }

    @Test func removingInTheMiddleLeavesTheRest() {
        let scene = Scene()
        let nodes = (0..<5).map { Node(name: "\($0)", mesh: TestMeshes.triangle()) }
        for (index, node) in nodes.enumerated() {
            node.position.x = Float(index) * 10
            scene.rootNode.addChildNode(node)
        }
        scene.update()
        nodes[2].removeFromParentNode()
        scene.update()
        #expect(scene.bounds == BoundingBox(minimum: [-1, -1, 0], maximum: [41, 1, 0]))
        #expect(scene.store.order.count == 5)
        #expect(nodes[2].slot == -1 && nodes[2].position.x == 20)
        // The freed slot is used again, and nothing of the old node shows through.
        let late = Node(name: "late")
        scene.rootNode.addChildNode(late)
        scene.update()
        #expect(late.worldTransform == .identity)
        #expect(scene.store.node(at: late.slot) === late)
        #expect(nodes[4].worldPosition.x == 40)
    }

    @Test func aNodeOutlivesItsScene() {
        let node = Node(name: "kept", mesh: TestMeshes.triangle())
        let child = Node(name: "child")
        node.addChildNode(child)
        weak var oldScene: Scene?
        do {
            let scene = Scene()
            scene.rootNode.position = [100, 0, 0]
            node.position = [1, 2, 3]
            node.opacity = 0.5
            child.position = [0, 1, 0]
            scene.rootNode.addChildNode(node)
            scene.update()
            #expect(node.worldPosition == [101, 2, 3])
            oldScene = scene
        }
        #expect(oldScene == nil)
        #expect(node.parent == nil)
        #expect(node.slot == -1)
        #expect(node.opacity == 0.5)
        #expect(child.worldPosition == [1, 3, 3])
        let other = Scene()
        #expect(other.rootNode.addChildNode(node))
        other.update()
        #expect(child.worldPosition == [1, 3, 3])
        #expect(other.bounds.minimum == [0, 1, 3])
    }

    @Test func aTreeOfAHundredThousandLevelsIsBuiltUpdatedAndReleased() {
        weak var last: Node?
        do {
            let scene = Scene()
            var deepest = scene.rootNode
            for _ in 0..<100_000 {
                let node = Node()
                node.position.x = 1
                deepest.addChildNode(node)
                deepest = node
            }
            scene.update()
            #expect(deepest.worldPosition.x == 100_000)
            last = deepest
        }
        #expect(last == nil)
    }

    @Test func aDeepFreeTreeWithAHeldNodeInTheMiddle() {
        var top: Node? = Node()
        var deepest = top!
        var held: Node?
        for level in 0..<100_000 {
            let node = Node()
            deepest.addChildNode(node)
            deepest = node
            if level == 50_000 { held = node }
        }
        top = nil
        #expect(held!.parent == nil)
        #expect(deepest.parent != nil)
        var depth = 0
        held!.forSubtree { _ in depth += 1 }
        #expect(depth == 50_000)
        withExtendedLifetime(top) {}
    }

    @Test func namesAreFoundParentsFirst() {
        let scene = Scene()
        let (a, b) = (Node(name: "a"), Node(name: "same"))
        a.addChildNode(Node(name: "same"))
        scene.rootNode.addChildNode(a)
        scene.rootNode.addChildNode(b)
        #expect(scene["same"] === a.childNodes[0])
        #expect(scene.rootNode.childNode(withName: "same") === b)
        #expect(scene["missing"] == nil)
    }

    @Test func removingAllChildrenFreesThem() {
        let scene = Scene()
        for _ in 0..<10 { scene.rootNode.addChildNode(Node(mesh: TestMeshes.triangle())) }
        let children = scene.rootNode.childNodes
        scene.rootNode.removeAllChildNodes()
        #expect(children.allSatisfy { $0.parent == nil && $0.slot == -1 })
        #expect(scene.bounds.isEmpty)
        #expect(scene.store.order.count == 1)
    }
}
