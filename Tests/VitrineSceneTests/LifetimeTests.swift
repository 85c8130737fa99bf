import Testing
import VitrineMath
import VitrineScene

/// Nodes without references are released, with and without skins.
struct LifetimeTests {
    /// Watches nodes without holding them.
    final class Watch {
        private struct Entry {
            weak var node: Node?
        }
        private var entries: [Entry] = []
        var count: Int { entries.count }
        var living: Int { entries.count { $0.node != nil } }

        func add(_ root: Node) { root.forSubtree { entries.append(Entry(node: $0)) } }
    }

    /// A hip, a knee below it, and below that a body which both of them and the body itself pull along: every kind of cycle.
    static func figure() -> Node {
        let (hip, knee, body) = (Node(name: "hip"), Node(name: "knee"), Node(name: "body", mesh: TestMeshes.triangle()))
        hip.addChildNode(knee)
        knee.addChildNode(body)
        body.skin = Skin(joints: [hip, knee, body])
        hip.skin = body.skin
        return hip
    }

    @Test func thousandScenesAreReleased() {
        let watch = Watch()
        for index in 0..<1000 {
            let scene = Scene()
            scene.rootNode.addChildNode(Self.figure())
            if index % 2 == 0 { scene.update() }
            watch.add(scene.rootNode)
        }
        #expect(watch.count == 4000)
        #expect(watch.living == 0)
    }

    @Test func detachedFigureIsReleased() {
        let watch = Watch()
        let scene = Scene()
        scene.rootNode.addChildNode(Self.figure())
        scene.update()
        watch.add(scene.rootNode.childNodes[0])
        scene.rootNode.childNodes[0].removeFromParentNode()
        #expect(watch.living == 0)
        watch.add(Self.figure())
        watch.add(Self.figure().clone())
        #expect(watch.count == 9 && watch.living == 0)
        scene.update()
        #expect(scene.bounds.isEmpty)
    }

    @Test func skinDoesNotRetainJointsAndKeepsTheirLastPose() throws {
        let scene = Scene()
        let body = Node()
        scene.rootNode.addChildNode(body)
        let gone = Matrix4(translation: [1, 2, 3])
        do {
            let (parent, joint) = (Node(), Node())
            parent.position = [1, 0, 0]
            joint.position = [0, 2, 3]
            parent.addChildNode(joint)
            scene.rootNode.addChildNode(parent)
            body.skin = Skin(joints: [joint, body], inverseBindMatrices: [Matrix4(translation: [0, 0, 5])])
            scene.update()
            scene.rootNode.addChildNode(body)
        }
        scene.rootNode.childNodes[0].removeFromParentNode()
        let skin = try #require(body.skin)
        #expect(skin.joints.count == 2 && skin.joints[0] == nil && skin.joints[1] === body)
        body.position = [7, 0, 0]
        scene.update()
        // Taken out before it went away: its own transform is left.
        #expect(skin.jointMatrices() == [Matrix4(translation: [0, 2, 8]), Matrix4(translation: [7, 0, 0])])

        var other: Scene? = Scene()
        other?.rootNode.addChildNode(Node(name: "joint"))
        other?["joint"]?.position = [1, 2, 3]
        other?.update()
        body.skin = try Skin(joints: [#require(other?["joint"])])
        other = nil
        // Went away with its scene: the place of the last update is left.
        #expect(body.skin?.joints[0] == nil && body.skin?.jointMatrices() == [gone])
        let copy = body.clone()
        #expect(copy.skin === body.skin)
    }

    @Test func referenceToANodeDoesNotRetainItsScene() {
        let watch = Watch()
        var scene: Scene? = Scene()
        let figure = Self.figure()
        scene?.rootNode.addChildNode(figure)
        if let root = scene?.rootNode { watch.add(root) }
        scene = nil
        #expect(watch.living == 3)
        #expect(figure.skin?.joints.allSatisfy { $0 != nil } == true)
        figure.childNodes[0].removeFromParentNode()
        #expect(watch.living == 1)
        #expect(figure.skin?.jointMatrices().count == 3)
    }
}
