import Testing
import VitrineMath
import VitrineScene

@Suite struct AnimationTests {
    private func track(
        _ node: Node, _ target: AnimationTarget, _ interpolation: Interpolation, _ times: [Float], _ values: [Float]
    ) throws -> AnimationTrack {
        try #require(AnimationTrack(node: node, target: target, interpolation: interpolation, times: times, values: values))
    }

    @Test func stepHoldsAndLinearMixes() throws {
        let node = Node()
        let values: [Float] = [0, 0, 0, 10, 20, 30, 20, 0, 0]
        let step = try track(node, .translation, .step, [1, 2, 4], values)
        #expect([0, 1, 1.99, 2, 3.9, 4, 9].map { step.value(at: $0)[0] } == [0, 0, 0, 10, 10, 20, 20])
        let linear = try track(node, .translation, .linear, [1, 2, 4], values)
        #expect(linear.value(at: 1.5) == [5, 10, 15])
        #expect(linear.value(at: 3) == [15, 10, 15])
        #expect(linear.value(at: .nan) == [0, 0, 0] && linear.value(at: .infinity) == [20, 0, 0])
        let single = try track(node, .translation, .linear, [3], [1, 2, 3])
        #expect([0, 3, 7, Float.nan].allSatisfy { single.value(at: $0) == [1, 2, 3] })
    }

    @Test func cubicFollowsItsTangents() throws {
        // The cubic through (0, 0) and (2, 8) with slopes 0 and 12 is t³: keys hold in-tangent, value, out-tangent.
        let keys: [Float] = [9, 0, 0, 12, 8, 9]
        let track = try track(Node(), .morphWeights, .cubic, [0, 2], keys)
        for t in stride(from: Float(0), through: 2, by: 0.125) { #expect(abs(track.value(at: t)[0] - t * t * t) < 1e-5) }
    }

    @Test func rotationsTakeTheShortArcAtConstantSpeed() throws {
        let node = Node()
        let (a, b) = (Quaternion(angle: .degrees(10), axis: .up), Quaternion(angle: .degrees(90), axis: .up))
        // The second key has the other sign: the same rotation.
        let values = [a.vector, -b.vector].flatMap { [$0.x, $0.y, $0.z, $0.w] }
        let clip = AnimationClip(tracks: [try track(node, .rotation, .linear, [0, 1], values)])
        clip.apply(at: 0.25)
        #expect(abs(node.orientation.angle.degrees - 30) < 1e-3)
        clip.apply(at: 1)
        #expect(abs(node.orientation.angle.degrees - 90) < 1e-3)
    }

    @Test func wrongTracksAreRefused() {
        let node = Node()
        #expect(AnimationTrack(node: node, target: .translation, interpolation: .step, times: [0, 1], values: [1, 2, 3]) == nil)
        #expect(AnimationTrack(node: node, target: .rotation, interpolation: .step, times: [0], values: [1, 2, 3]) == nil)
        #expect(AnimationTrack(node: node, target: .scale, interpolation: .step, times: [1, 1], values: [1, 2, 3, 4, 5, 6]) == nil)
        #expect(AnimationTrack(node: node, target: .scale, interpolation: .step, times: [.nan], values: [1, 2, 3]) == nil)
        #expect(AnimationTrack(node: node, target: .scale, interpolation: .cubic, times: [0], values: [1, 2, 3]) == nil)
        #expect(AnimationTrack(node: node, target: .scale, interpolation: .step, times: [], values: []) == nil)
    }

    @Test func aClipMovesEveryKindOfTarget() throws {
        let scene = Scene()
        let node = Node()
        scene.rootNode.addChildNode(node)
        let clip = AnimationClip(
            name: "all",
            tracks: [
                try track(node, .translation, .linear, [0, 1], [0, 0, 0, 2, 4, 6]),
                try track(node, .scale, .linear, [0, 2], [1, 1, 1, 3, 3, 3]),
                try track(node, .morphWeights, .linear, [0, 1], [0, 1, 1, 0]),
            ])
        #expect(clip.duration == 2)
        clip.apply(at: 0.5)
        #expect(node.position == [1, 2, 3] && node.scale == [1.5, 1.5, 1.5] && node.morphWeights == [0.5, 0.5])
        scene.update()
        #expect(node.worldTransform.translation == [1, 2, 3])
    }

    @Test func twoClipsBlend() throws {
        let node = Node()
        let half = Quaternion(angle: .degrees(90), axis: .up).vector
        let a = AnimationClip(tracks: [
            try track(node, .translation, .step, [0], [0, 0, 0]), try track(node, .rotation, .step, [0], [0, 0, 0, 1]),
            try track(node, .morphWeights, .step, [0], [1, 0]),
        ])
        let b = AnimationClip(tracks: [
            try track(node, .translation, .step, [0], [4, 0, 0]), try track(node, .rotation, .step, [0], [half.x, half.y, half.z, half.w]),
            try track(node, .morphWeights, .step, [0], [0, 1]),
        ])
        for _ in 0..<3 {
            a.apply(at: 0)
            b.apply(at: 0, weight: 0.25)
            #expect(node.position == [1, 0, 0])
            #expect(abs(node.orientation.angle.degrees - 22.5) < 1e-3)
            #expect(node.morphWeights == [0.75, 0.25])
        }
    }

    @Test func playersFoldTime() throws {
        let node = Node()
        let clip = AnimationClip(tracks: [try track(node, .translation, .linear, [0, 2], [0, 0, 0, 2, 0, 0])])
        let player = AnimationPlayer(clip)
        func times(_ loop: AnimationPlayer.Loop) -> [Float] {
            player.loop = loop
            return [-0.5, 0, 0.5, 1.75, 2.5, 3.5, 4.25].map {
                player.time = $0
                return player.clipTime
            }
        }
        #expect(times(.once) == [0, 0, 0.5, 1.75, 2, 2, 2])
        #expect(times(.repeat) == [1.5, 0, 0.5, 1.75, 0.5, 1.5, 0.25])
        #expect(times(.pingPong) == [0.5, 0, 0.5, 1.75, 1.5, 0.5, 0.25])
        player.time = 0
        player.loop = .once
        player.speed = 2
        player.advance(by: 0.75)
        #expect(node.position.x == 1.5 && !player.isFinished)
        player.advance(by: 0.75)
        #expect(node.position.x == 2 && player.isFinished)
        player.speed = -1
        player.advance(by: 10)
        #expect(player.clipTime == 0 && player.isFinished && node.position.x == 0)
    }

    @Test func anEmptyClipPlays() {
        let player = AnimationPlayer(AnimationClip(tracks: []))
        player.advance(by: 1)
        #expect(player.clipTime == 0)
    }
}
