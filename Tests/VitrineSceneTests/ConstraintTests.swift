import Testing
import VitrineMath
import VitrineScene

@Suite struct ConstraintTests {
    private let scene = Scene()
    private let node = Node(name: "node")
    private let target = Node(name: "target")

    init() {
        scene.rootNode.addChildNode(node)
        scene.rootNode.addChildNode(target)
    }

    /// A direction of the node, in the world.
    private func direction(_ own: Vector3, of node: Node? = nil) -> Vector3 {
        normalize((node ?? self.node).worldTransform.linear * own)
    }

    @Test(arguments: [Vector3(3, 1, -2), [-1, 4, 0.5], [0, 0, 5], [0, 0, -5]]) func looksAtItsTarget(position: Vector3) {
        node.position = [0.5, 0, 0]
        node.eulerAngles = [0.3, -0.8, 0.4]
        node.scale = [1, 2, 3]
        let model = node.localTransform
        target.position = position
        node.constraints = [.lookAt(target, isGimbalLockEnabled: true)]
        let way = normalize(position - [0.5, 0, 0])
        #expect(distance(direction([0, 0, -1]), way) < 1e-5)
        // Level: its x axis is horizontal, and its size is unchanged.
        #expect(abs(direction([1, 0, 0]).y) < 1e-5 && direction([0, 1, 0]).y > 0)
        #expect(abs(length(node.worldTransform.linear.z) - 3) < 1e-4)
        node.constraints = [.lookAt(target, offset: [0, 1, 0], localFront: [0, 1, 0])]
        #expect(distance(direction([0, 1, 0]), normalize(position + [0, 1, 0] - [0.5, 0, 0])) < 1e-5)
        // The node's own values are untouched, and come back.
        #expect(node.localTransform == model)
        node.constraints = []
        #expect(node.worldTransform == model.matrix && node.presentedTransform == model.matrix)
    }

    @Test func theShortestTurnIsTaken() {
        node.eulerAngles = [0, 0, 0.7]
        target.position = [0, 0, -9]
        node.constraints = [.lookAt(target)]
        // It looks there already: nothing turns, not even level.
        #expect(distance(direction([1, 0, 0]), Quaternion(eulerAngles: [0, 0, 0.7]).rotate([1, 0, 0])) < 1e-5)
        target.position = [2, 0, 0]
        #expect(distance(direction([0, 0, -1]), [1, 0, 0]) < 1e-5)
        let turn = Quaternion(
            Matrix3(
                normalize(node.worldTransform.linear.x), normalize(node.worldTransform.linear.y), normalize(node.worldTransform.linear.z)))
        #expect(abs((turn * node.orientation.inverse).angle.degrees - 90) < 1e-2)
        // Straight up, with gimbal lock: it keeps its heading.
        target.position = [0, 5, 0]
        node.constraints = [.lookAt(target, isGimbalLockEnabled: true)]
        #expect(distance(direction([0, 0, -1]), [0, 1, 0]) < 1e-5)
        // At the target's very place there is nowhere to look.
        target.position = .zero
        #expect(node.worldTransform == node.localTransform.matrix)
    }

    @Test func parentTransformsAreCompensated() {
        let parent = Node()
        scene.rootNode.addChildNode(parent)
        parent.addChildNode(node)
        parent.localTransform = Transform(translation: [1, 2, 3], rotation: Quaternion(eulerAngles: [0.5, 1, 2]), scale: [2, 2, 2])
        target.position = [-4, 0, 1]
        node.constraints = [.lookAt(target)]
        #expect(distance(direction([0, 0, -1]), normalize([-4, 0, 1] - node.worldPosition)) < 1e-5)
        let presented = parent.worldTransform * node.presentedTransform
        #expect(presented.isClose(to: node.worldTransform, tolerance: 1e-5))
    }

    @Test func childrenFollowTheirParent() {
        let child = Node()
        child.position = [0, 0, -2]
        node.addChildNode(child)
        target.position = [0, 7, 0]
        node.constraints = [.lookAt(target)]
        scene.update()
        #expect(distance(child.worldPosition, [0, 2, 0]) < 1e-5)
        // Only the target moves; then only the child.
        target.position = [7, 0, 0]
        scene.update()
        #expect(distance(child.worldPosition, [2, 0, 0]) < 1e-5)
        child.position.z = -3
        scene.update()
        #expect(distance(scene.store.worldTransforms[Int(child.slot)].translation, [3, 0, 0]) < 1e-5)
    }

    @Test func boundsAndMovesFollow() {
        node.mesh = TestMeshes.triangle()
        scene.update()
        let before = scene.store.worldBounds[Int(node.slot)]
        target.position = [10, 0, 0]
        node.constraints = [.copy(target, orientation: false, scale: false)]
        scene.update()
        let after = scene.store.worldBounds[Int(node.slot)]
        #expect(distance(after.center, before.center + [10, 0, 0]) < 1e-5)
        let update = scene.store.movedInUpdate[Int(node.slot)]
        scene.update()
        #expect(scene.store.movedInUpdate[Int(node.slot)] == update && scene.store.updateCount == update, "nothing moved")
        target.position.x = 11
        scene.update()
        #expect(scene.store.movedInUpdate[Int(node.slot)] == scene.store.updateCount && scene.store.updateCount > update)
    }

    @Test func chainsApplyInOrderAndCyclesEnd() {
        // Each keeps 1 m from the next one, which came later.
        let chain = (0..<5).map { index in
            let link = Node()
            link.position = [Float(index) * -10, 0, 0]
            return link
        }
        for link in chain { scene.rootNode.addChildNode(link) }
        for index in 0..<4 { chain[index].constraints = [.distance(1...1, from: chain[index + 1])] }
        scene.update()
        for index in 0..<5 { #expect(abs(chain[index].worldPosition.x - (-40 + Float(4 - index))) < 1e-4) }
        chain[4].constraints = [.distance(1...1, from: chain[0])]
        scene.update()
        #expect(chain.allSatisfy { $0.worldPosition.x.isFinite })
        // A target below its follower, and itself.
        let child = Node()
        child.position = [1, 0, 0]
        node.addChildNode(child)
        node.constraints = [.lookAt(child, localFront: [1, 0, 0]), .distance(0...1, from: node)]
        scene.update()
        #expect(distance(child.worldPosition, [1, 0, 0]) < 1e-5)
    }

    @Test func distancesAreKept() {
        target.position = [0, 0, 1]
        for (position, expected) in [([0, 0, 3], [0, 0, 2.5]), ([0, 0, 1.2], [0, 0, 1.5]), ([0, 1, 1], [0, 1, 1])] as [(Vector3, Vector3)] {
            node.position = position
            node.constraints = [.distance(0.5...1.5, from: target)]
            #expect(distance(node.worldPosition, expected) < 1e-5)
        }
        node.position = target.position
        #expect(abs(distance(node.worldPosition, target.worldPosition) - 0.5) < 1e-5)
    }

    @Test func billboardsFaceTheViewer() {
        let camera = Matrix4.lookAt(eye: [5, 3, 4], target: [0, 1, 0], up: .up)
        let (back, up, right) = (camera.linear.z, camera.linear.y, camera.linear.x)
        node.eulerAngles = [0.2, 0.1, 0.5]
        node.constraints = [.billboard()]
        scene.update(seenFrom: camera)
        #expect(distance(direction([0, 0, 1]), back) < 1e-5 && distance(direction([0, 1, 0]), up) < 1e-5)
        node.constraints = [.billboard(.y)]
        scene.update(seenFrom: camera)
        let axis = node.orientation.rotate([0, 1, 0])
        #expect(distance(direction([0, 1, 0]), axis) < 1e-5)
        #expect(distance(direction([0, 0, 1]), normalize(back - axis * dot(axis, back))) < 1e-5)
        node.constraints = [.billboard([.x, .y])]
        node.eulerAngles = .zero
        scene.update(seenFrom: camera)
        #expect(distance(direction([0, 0, 1]), back) < 1e-5 && abs(direction([1, 0, 0]).y) < 1e-5)
        node.constraints = [.billboard(.z)]
        scene.update(seenFrom: camera)
        #expect(distance(direction([0, 0, 1]), [0, 0, 1]) < 1e-5 && dot(direction([0, 1, 0]), right) < 0.9)
        // The viewer alone moves.
        node.constraints = [.billboard()]
        scene.update(seenFrom: camera)
        scene.update(seenFrom: .identity)
        #expect(distance(direction([0, 0, 1]), [0, 0, 1]) < 1e-5)
    }

    @Test func influenceInterpolatesAndOrderMatters() {
        target.localTransform = Transform(translation: [4, 0, 0], rotation: Quaternion(angle: .degrees(90), axis: .up), scale: [3, 3, 3])
        var copy = Constraint.copy(target)
        copy.influence = 0.25
        node.constraints = [copy]
        let seen = Transform(node.worldTransform)
        #expect(distance(seen.translation, [1, 0, 0]) < 1e-5 && distance(seen.scale, [1.5, 1.5, 1.5]) < 1e-5)
        #expect(abs(seen.rotation.angle.degrees - 22.5) < 1e-3)
        node.constraints = [.copy(target, orientation: false, scale: false), .distance(10...10, from: scene.rootNode)]
        #expect(distance(node.worldPosition, [10, 0, 0]) < 1e-5)
        node.constraints.reverse()
        #expect(distance(node.worldPosition, [4, 0, 0]) < 1e-5)
        node.constraints[1].isEnabled = false
        #expect(distance(node.worldPosition, [0, 0, 10]) < 1e-5)
    }

    @Test func customTransformsApply() {
        var height: Float = 2
        node.position = [1, -5, 0]
        node.constraints = [
            .transform { _, world in Matrix4(world.linear, translation: [world.translation.x, max(world.translation.y, height), 0]) }
        ]
        scene.update()
        #expect(node.worldPosition == [1, 2, 0])
        height = 3
        scene.update()
        #expect(node.worldPosition == [1, 3, 0])
        node.constraints = [.transform { node, _ in Matrix4(translation: [.nan, node.worldPosition.x, 0]) }]
        scene.update()
        #expect(node.worldPosition == [1, -5, 0])
    }

    @Test func releasedTargetsKeepTheirLastPoseAndClonesFollowClones() throws {
        do {
            let passing = Node()
            passing.position = [0, 3, 0]
            scene.rootNode.addChildNode(passing)
            node.constraints = [.copy(passing, orientation: false, scale: false)]
            scene.update()
            passing.removeFromParentNode()
        }
        #expect(node.worldPosition == [0, 3, 0])
        node.constraints = [.copy(target, orientation: false, scale: false)]
        let copy = scene.clone()
        try #require(copy["target"]).position = [1, 1, 1]
        #expect(copy["node"]?.worldPosition == [1, 1, 1] && node.worldPosition == .zero)
        // Coming back into a scene they count again.
        node.removeFromParentNode()
        target.position = [2, 2, 2]
        #expect(node.worldPosition == .zero)
        scene.rootNode.addChildNode(node)
        #expect(node.worldPosition == [2, 2, 2])
    }
}
