import Testing
import VitrineMath
import VitrineMotion
import VitrineScene

@Suite struct ActionTests {
    private let scene = Scene()
    private let node = Node(name: "node")

    init() { scene.rootNode.addChildNode(node) }

    private func advance(_ seconds: Double, steps: Int = 1) {
        for _ in 0..<steps { scene.advance(by: seconds / Double(steps)) }
    }

    @Test func everyChangeFollowsItsFormula() {
        node.opacity = 0.5
        node.scale = [1, 2, 3]
        node.runAction(
            .group([
                .move(by: [4, 0, -8], duration: 2), .rotate(by: .degrees(90), around: [0, 1, 0], duration: 2), .scale(by: 3, duration: 2),
                .fadeOpacity(by: 0.4, duration: 2),
            ]))
        advance(0.5)
        #expect(node.position == [1, 0, -2] && node.scale == [1.5, 3, 4.5] && abs(node.opacity - 0.6) < 1e-6)
        #expect(abs(node.orientation.angle.degrees - 22.5) < 1e-4)
        advance(1.5)
        #expect(node.position == [4, 0, -8] && node.scale == [3, 6, 9] && abs(node.opacity - 0.9) < 1e-6)
        #expect(abs(node.orientation.angle.degrees - 90) < 1e-4 && !node.hasActions && !scene.isMoving)
        node.runAction(
            .group([
                .move(to: [0, 8, 0], duration: 1), .scale(to: 1, duration: 1), .fadeOut(duration: 1), .rotate(to: .identity, duration: 1),
            ]))
        advance(0.5)
        #expect(node.position == [2, 4, -4] && node.scale == [2, 3.5, 5] && abs(node.opacity - 0.45) < 1e-6)
        #expect(abs(node.orientation.angle.degrees - 45) < 1e-3)
        advance(1)
        #expect(node.position == [0, 8, 0] && node.scale == [1, 1, 1] && node.opacity == 0 && node.orientation == .identity)
    }

    @Test func anglesTakeTheLongArcOrientationsTheShortArc() {
        node.eulerAngles.y = 0.5
        node.runAction(.rotate(toX: 0, y: 0.5 - 2 * .pi, z: 0, duration: 4))
        advance(1)
        #expect(abs(node.eulerAngles.y - (0.5 - .pi / 2)) < 1e-5)
        node.removeAllActions()
        node.eulerAngles.y = 3
        node.runAction(.rotate(toX: 0, y: -3, z: 0, duration: 2, shortestArc: true))
        advance(1)
        #expect(abs(abs(node.eulerAngles.y) - .pi) < 1e-4 || abs(abs(node.eulerAngles.x) - .pi) < 1e-4)
        advance(1)
        #expect(node.orientation == Quaternion(eulerAngles: [0, -3, 0]))
    }

    @Test func fourTenthsOfASecondEachTurnTwoRadiansASecondForEver() {
        node.runAction(.repeatForever(.rotate(byX: 0, y: 2, z: 0, duration: 1)))
        advance(0.7)
        #expect(abs(node.eulerAngles.y - 1.4) < 1e-5)
        advance(0.7, steps: 41)
        #expect(distance(node.orientation.rotate([1, 0, 0]), Quaternion(angle: .radians(2.8), axis: .up).rotate([1, 0, 0])) < 1e-5)
        advance(3600, steps: 7200)
        let expected = Quaternion(angle: .radians(Float((2.0 * 3601.4).remainder(dividingBy: 2 * .pi))), axis: .up)
        #expect(distance(node.orientation.rotate([1, 0, 0]), expected.rotate([1, 0, 0])) < 2e-3)
        #expect(scene.isMoving)
    }

    @Test(arguments: [1, 2, 7, 60, 1000]) func stepsDoNotMatter(steps: Int) {
        var rise = Action.move(by: [0, 3, 0], duration: 0.7)
        rise.timingMode = .easeInOut
        var turn = Action.rotate(byX: 0.3, y: 0.1, z: 0, duration: 0.31)
        turn.speed = 0.5
        var whole = Action.sequence([
            rise, .wait(duration: 0.2), .group([turn, rise.reversed(), .scale(by: 2, duration: 0.1)]),
            .repeat(.sequence([.move(by: [1, 0, 0], duration: 0.05), .move(by: [0, 0, 1], duration: 0.02)]), count: 9),
        ])
        whole.speed = 1.25
        node.runAction(whole)
        advance(1.6, steps: steps)
        // 2 s of the action: 0.7 and 0.2 gone, then the group for 0.7, then 0.4 of the repetition: 5 whole ones and 0.05.
        #expect(distance(node.position, [6, 0, 5]) < 2e-4)
        #expect(distance(node.scale, [2, 2, 2]) < 1e-5)
        #expect(abs(abs(dot(node.orientation.vector, Quaternion(eulerAngles: [0.3, 0.1, 0]).vector)) - 1) < 1e-5)
    }

    @Test func remainingTimeIsPassedOn() {
        var calls: [String] = []
        node.runAction(
            .sequence([
                .run { _ in calls.append("a") }, .move(by: [1, 0, 0], duration: 0.25), .run { _ in calls.append("b") },
                .repeat(.run { _ in calls.append("c") }, count: 3), .wait(duration: 0.25), .move(by: [0, 1, 0], duration: 1),
            ])
        ) { calls.append("end") }
        advance(0)
        #expect(calls == ["a"])
        advance(1)
        #expect(calls == ["a", "b", "c", "c", "c"] && node.position == [1, 0.5, 0])
        advance(0.5)
        #expect(calls.last == "end" && node.position == [1, 1, 0] && !node.hasActions)
    }

    @Test func relativeActionsAddUpWithEachOtherAndTheProgram() {
        node.runAction(.move(by: [10, 0, 0], duration: 1))
        node.runAction(.move(by: [0, 10, 0], duration: 2))
        advance(0.5)
        #expect(node.position == [5, 2.5, 0])
        node.position.z += 7
        advance(1.5, steps: 3)
        #expect(distance(node.position, [10, 10, 7]) < 1e-5)
        // Two turns about one axis, one growth in another.
        for _ in 0..<2 { node.runAction(.rotate(byX: 0, y: 0.5, z: 0, duration: 1)) }
        for _ in 0..<2 { node.runAction(.scale(by: 2, duration: 1)) }
        advance(1, steps: 8)
        #expect(abs(node.eulerAngles.y - 1) < 1e-5 && distance(node.scale, [4, 4, 4]) < 1e-4)
    }

    @Test func latestOfTwoAbsoluteActionsWins() {
        node.runAction(.move(to: [1, 0, 0], duration: 1))
        node.runAction(.move(to: [0, 2, 0], duration: 2))
        advance(1)
        #expect(node.position == [0, 1, 0])
        advance(1)
        #expect(node.position == [0, 2, 0])
    }

    @Test func removedActionsKeepTheCurrentValue() {
        var ended = 0
        node.runAction(.move(by: [8, 0, 0], duration: 1), forKey: "move") { ended += 1 }
        #expect(node.hasActions && node.actionKeys == ["move"] && node.action(forKey: "move")?.duration == 1)
        advance(0.25)
        // The same name: the first ends, the second begins where it is.
        node.runAction(.move(to: [4, 0, 0], duration: 1), forKey: "move") { ended += 1 }
        #expect(node.position.x == 2)
        advance(0.5)
        #expect(node.position.x == 3)
        node.removeAction(forKey: "move")
        advance(2)
        #expect(node.position.x == 3 && !node.hasActions && ended == 0 && !scene.isMoving)
        node.runAction(.fadeIn(duration: 1))
        node.removeAllActions()
        #expect(!node.hasActions && node.action(forKey: "move") == nil)
    }

    @Test func reversesUndo() {
        let start = Transform(translation: [1, 2, 3], rotation: Quaternion(eulerAngles: [0.2, 0.5, -0.3]), scale: [1, 2, 1])
        node.localTransform = start
        var there = Action.sequence([
            .group([.move(by: [3, 1, 0], duration: 0.3), .rotate(byX: 1, y: 2, z: 0.5, duration: 0.5)]), .scale(by: -0.5, duration: 0.2),
            .rotate(by: .degrees(70), around: [1, 1, 0], duration: 0.1), .hide(),
        ])
        there.timingMode = .easeIn
        node.runAction(.sequence([there, .run { #expect($0.isHidden) }, there.reversed()]))
        advance(2.5, steps: 50)
        #expect(distance(node.position, start.translation) < 1e-5 && distance(node.scale, start.scale) < 1e-5)
        #expect(abs(abs(dot(node.orientation.vector, start.rotation.vector)) - 1) < 1e-5 && !node.isHidden && !node.hasActions)
        // An action that cannot be reversed waits for its duration.
        #expect(Action.move(to: [9, 9, 9], duration: 3).reversed().duration == 3)
        node.runAction(.sequence([.move(to: [9, 9, 9], duration: 0).reversed(), .fadeOut(duration: 1).reversed()]))
        node.opacity = 0
        advance(0.5)
        #expect(distance(node.position, start.translation) < 1e-5 && node.opacity == 0.5)
    }

    @Test func easingSpreadsTheTime() {
        var action = Action.move(by: [1, 0, 0], duration: 2)
        action.timingMode = .easeIn
        node.runAction(action)
        advance(0.8)
        #expect(abs(node.position.x - Float(UnitCurve.easeIn.value(at: 0.4))) < 1e-6)
        advance(2)
        action.timingFunction = { $0 * $0 }
        node.runAction(action)
        advance(1)
        #expect(node.position.x == 1.25)
        advance(2)
        // A whole that is eased hands its parts eased time.
        var whole = Action.sequence([.move(by: [1, 0, 0], duration: 1), .move(by: [0, 1, 0], duration: 1)])
        whole.timingFunction = { $0 * $0 }
        node.position = .zero
        node.runAction(whole)
        advance(1, steps: 10)
        #expect(distance(node.position, [0.5, 0, 0]) < 1e-5)
        advance(0.5)
        #expect(distance(node.position, [1, 0.125, 0]) < 1e-5)
        advance(0.5)
        #expect(distance(node.position, [1, 1, 0]) < 1e-5 && !node.hasActions)
    }

    @Test func customActionsReceiveTheTime() {
        var times: [Double] = []
        node.runAction(.customAction(duration: 0.5) { _, elapsed in times.append(elapsed) })
        advance(1, steps: 4)
        #expect(times == [0.25, 0.5])
        node.runAction(.customAction(duration: 0) { _, elapsed in times.append(elapsed) })
        advance(1)
        #expect(times == [0.25, 0.5, 0])
    }

    @Test func waitsAreDrawnFromTheirSeed() {
        func calls(seed: UInt64) -> [Double] {
            let (scene, node) = (Scene(), Node())
            scene.rootNode.addChildNode(node)
            var times: [Double] = []
            node.runAction(.repeatForever(.sequence([.wait(duration: 1, range: 1, seed: seed), .run { _ in times.append(scene.time) }])))
            for _ in 0..<10_000 { scene.advance(by: 0.01) }
            return times
        }
        let times = calls(seed: 5)
        #expect(times == calls(seed: 5) && times != calls(seed: 6))
        let waits = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(waits.allSatisfy { $0 > 0.48 && $0 < 1.52 } && Set(waits.map { Int($0 * 10) }).count > 5)
        #expect(abs(Double(times.count) - 100) < 15)
    }

    @Test func endlessActionWithoutDurationRunsOncePerStep() {
        var calls = 0
        node.runAction(.repeatForever(.run { _ in calls += 1 }))
        advance(1, steps: 3)
        #expect(calls == 3)
        var stopped = Action.move(by: [1, 0, 0], duration: 1)
        stopped.speed = 0
        node.runAction(stopped)
        advance(5)
        #expect(node.position == .zero && stopped.duration == .infinity)
    }

    @Test func actionsWaitForAScene() {
        let other = Node()
        other.runAction(.move(by: [2, 0, 0], duration: 1))
        advance(1)
        #expect(other.position == .zero && other.hasActions && !scene.isMoving)
        node.addChildNode(other)
        #expect(scene.isMoving)
        advance(0.5)
        other.removeFromParentNode()
        advance(0.5)
        #expect(other.position == [1, 0, 0] && !scene.isMoving)
        scene.rootNode.addChildNode(other)
        advance(0.5)
        #expect(other.position == [2, 0, 0])
    }

    @Test func nodeThatRemovesItselfStops() {
        var calls = 0
        node.runAction(.sequence([.wait(duration: 0.5), .removeFromParentNode(), .run { _ in calls += 1 }]))
        node.runAction(.repeatForever(.run { _ in calls += 10 }))
        advance(1)
        #expect(node.parent == nil && calls == 0)
        scene.rootNode.addChildNode(node)
        advance(0)
        #expect(calls == 11)
    }

    @Test func actionsMayStartAndEndActions() {
        let other = Node()
        scene.rootNode.addChildNode(other)
        other.runAction(.move(by: [0, 0, 1], duration: 1), forKey: "old")
        node.runAction(.run { _ in other.removeAllActions() })
        node.runAction(.move(by: [1, 0, 0], duration: 0.5), forKey: "again") {
            node.runAction(.move(by: [0, 1, 0], duration: 0.5), forKey: "again")
            other.runAction(.move(by: [5, 0, 0], duration: 1))
            scene.advance(by: 100)
        }
        advance(1)
        // Started during a step: begin with the next one.
        #expect(node.position == [1, 0, 0] && other.position.x == 0)
        advance(0.5)
        #expect(node.position == [1, 1, 0] && other.position.x == 2.5)
    }

    @Test func startingAnActionReportsActivity() {
        var calls = 0
        scene.onActivity = { calls += 1 }
        node.runAction(.wait(duration: 1))
        node.runAction(.wait(duration: 1))
        #expect(calls == 1)
        advance(2)
        node.runAction(.wait(duration: 1))
        #expect(calls == 2)
    }

    @Test func runningActionsRetainNothing() {
        final class Token {}
        weak var token: Token?
        weak var weakNode: Node?
        do {
            let (held, node) = (Token(), Node())
            (token, weakNode) = (held, node)
            scene.rootNode.addChildNode(node)
            node.runAction(.repeatForever(.sequence([.run { _ in _ = held }, .wait(duration: 1)]))) { _ = held }
            node.runAction(.wait(duration: 0.1)) { _ = held }
            advance(3)
            node.removeFromParentNode()
        }
        #expect(token == nil && weakNode == nil)
        advance(1)
        #expect(!scene.isMoving)
    }

    @Test func reusedSlotsTakeOneStep() {
        for _ in 0..<3 {
            let child = Node()
            scene.rootNode.addChildNode(child)
            child.runAction(.repeatForever(.move(by: [1, 0, 0], duration: 1)))
            child.removeFromParentNode()
            scene.update()
            scene.rootNode.addChildNode(child)
            advance(1)
            #expect(distance(child.position, [1, 0, 0]) < 1e-6)
            child.removeFromParentNode()
            scene.update()
        }
    }

    @Test func thousandsOfActionsRun() {
        let nodes = (0..<5000).map { _ in Node() }
        for (index, child) in nodes.enumerated() {
            scene.rootNode.addChildNode(child)
            child.runAction(
                .repeatForever(.sequence([.move(by: [Float(index), 0, 0], duration: 0.4), .move(by: [0, 1, 0], duration: 0.6)])))
        }
        advance(2, steps: 20)
        #expect(nodes.indices.allSatisfy { distance(nodes[$0].position, [Float(2 * $0), 2, 0]) < 0.01 })
    }
}
