import Testing
import VitrineMath
import VitrineScene

@Suite struct CloneTests {
    @Test func cloneHasNoParentAndSharesItsMesh() {
        let scene = Scene()
        let node = Node(name: "a", mesh: TestMeshes.triangle())
        let child = Node(name: "b")
        node.addChildNode(child)
        scene.rootNode.addChildNode(node)
        node.position = [1, 2, 3]
        node.pivot = Matrix4(translation: [0, 1, 0])
        node.opacity = 0.3
        node.isHidden = true
        node.renderingOrder = 4
        node.categoryBitMask = 6
        node.camera = Camera(near: 0.25)
        child.light = Light(.directional)
        let copy = node.clone()
        #expect(copy.parent == nil && copy.slot == -1)
        #expect(copy.name == "a" && copy.mesh === node.mesh && copy.material === node.material)
        #expect(copy.transform == node.transform && copy.pivot == node.pivot)
        #expect(copy.opacity == 0.3 && copy.isHidden && copy.renderingOrder == 4 && copy.categoryBitMask == 6)
        #expect(copy.camera == node.camera && copy.childNodes[0].light == child.light)
        copy.position = .zero
        copy.childNodes[0].name = "c"
        #expect(node.position == [1, 2, 3] && child.name == "b")
    }

    @Test func clonedSkinUsesTheClonedJoints() {
        let figure = Node()
        let (joint, body) = (Node(name: "joint"), Node(name: "body"))
        let outside = Node()
        figure.addChildNode(joint)
        figure.addChildNode(body)
        body.skin = Skin(joints: [joint, outside], inverseBindMatrices: [Matrix4(translation: [1, 0, 0])])
        let copy = figure.clone()
        let skin = copy.childNodes[1].skin!
        #expect(skin.joints[0] === copy.childNodes[0])
        #expect(skin.joints[1] === outside)
        #expect(skin.inverseBindMatrices == body.skin!.inverseBindMatrices)
        #expect(body.skin!.joints[0] === joint)
    }

    @Test func clonedSceneIsIndependent() throws {
        let scene = Scene(name: "s")
        let node = Node(name: "n")
        scene.rootNode.addChildNode(node)
        scene.rootNode.position.y = 2
        scene.pointOfView = node
        scene.environment.rotation = .degrees(30)
        let track = try #require(AnimationTrack(node: node, target: .translation, interpolation: .step, times: [0], values: [7, 8, 9]))
        scene.animations = [AnimationClip(name: "go", tracks: [track])]
        let copy = scene.clone()
        copy.animations[0].apply(at: 0)
        #expect(copy["n"]!.worldPosition == [7, 10, 9])
        #expect(node.position == .zero)
        #expect(copy.pointOfView === copy["n"])
        copy.environment.rotation = .zero
        #expect(scene.environment.rotation == .degrees(30))
    }

    @Test func deepTreesCloneWithoutRecursion() {
        let top = Node()
        var deepest = top
        for _ in 0..<50_000 {
            let node = Node()
            deepest.addChildNode(node)
            deepest = node
        }
        var count = 0
        top.clone().forSubtree { _ in count += 1 }
        #expect(count == 50_001)
    }
}
