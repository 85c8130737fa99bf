import Testing
import VitrineMath
import VitrineScene

@Suite struct AnimationMixerTests {
    private let scene = Scene()
    private let node = Node(name: "node")
    private var mixer: AnimationMixer { scene.mixer }

    init() { scene.rootNode.addChildNode(node) }

    private func track(_ target: AnimationTarget, _ values: [Float], on node: Node? = nil) throws -> AnimationTrack {
        try #require(AnimationTrack(node: node ?? self.node, target: target, interpolation: .step, times: [0], values: values))
    }

    private func stands(at position: Vector3) throws -> AnimationClip {
        AnimationClip(tracks: [try track(.translation, [position.x, position.y, position.z])])
    }

    private func turned(_ angle: Angle, _ axis: Vector3 = .up) throws -> AnimationClip {
        let q = Quaternion(angle: angle, axis: axis).vector
        return AnimationClip(tracks: [try track(.rotation, [q.x, q.y, q.z, q.w])])
    }

    /// Returns a clip that moves from 0 to `distance` along x in `duration` seconds.
    private func moves(_ distance: Float, duration: Float) throws -> AnimationClip {
        AnimationClip(tracks: [
            try #require(
                AnimationTrack(
                    node: node, target: .translation, interpolation: .linear, times: [0, duration], values: [0, 0, 0, distance, 0, 0]))
        ])
    }

    @Test func oneClipIsShownExactly() throws {
        mixer.play(try moves(3, duration: 2))
        #expect(scene.isMoving)
        scene.advance(by: 0.5)
        #expect(node.position == [0.75, 0, 0])
        scene.advance(by: 2)
        #expect(node.position == [0.75, 0, 0], "it starts again")
    }

    @Test func constantBlendDoesNotMove() throws {
        // Regression: mixing each clip with the pose of the previous frame drifted. Only the second clip rotates.
        node.position = [9, 9, 9]
        mixer.add(try stands(at: [1, 0, 0]), weight: 0.75)
        mixer.add(AnimationClip(tracks: try stands(at: [5, 0, 0]).tracks + turned(.degrees(80)).tracks), weight: 0.25)
        for _ in 0..<100 { scene.advance(by: 0.1) }
        #expect(distance(node.position, [2, 0, 0]) < 1e-6)
        #expect(abs(node.orientation.angle.degrees - 20) < 1e-3)
        #expect(!scene.isMoving, "poses do not move")
    }

    @Test func weightsAreCompletedByTheRestPoseOrScaledDown() throws {
        node.position = [0, 10, 0]
        let a = mixer.add(try stands(at: [8, 0, 0]), weight: 0.25)
        mixer.apply()
        #expect(distance(node.position, [2, 7.5, 0]) < 1e-6)
        mixer.add(try stands(at: [0, 0, 8]), weight: 1)
        a.weight = 1
        mixer.apply()
        #expect(distance(node.position, [4, 0, 4]) < 1e-6)
    }

    @Test func crossFadesAreLinearAndDoNotDependOnSteps() throws {
        for steps in [1, 3, 50] {
            mixer.stopAll()
            mixer.play(try stands(at: [1, 0, 0]))
            scene.advance(by: 0.1)
            mixer.play(try stands(at: [5, 0, 0]), fadeDuration: 2)
            for _ in 0..<steps { scene.advance(by: 0.5 / Double(steps)) }
            #expect(abs(node.position.x - 2) < 1e-5 && mixer.players.count == 2)
            scene.advance(by: 1.6)
            #expect(node.position.x == 5 && mixer.players.count == 1 && !scene.isMoving)
        }
    }

    @Test func crossFadeStartsAtTheCurrentBlend() throws {
        mixer.play(try stands(at: [0, 0, 0]))
        mixer.play(try stands(at: [4, 0, 0]), fadeDuration: 1)
        scene.advance(by: 0.5)
        #expect(node.position == [2, 0, 0])
        mixer.play(try stands(at: [0, 0, 6]), fadeDuration: 1)
        scene.advance(by: 0)
        #expect(node.position == [2, 0, 0], "no jump")
        scene.advance(by: 0.5)
        #expect(distance(node.position, [1, 0, 3]) < 1e-6)
        mixer.stopAll(fadeDuration: 1)
        node.position = .zero
        scene.advance(by: 0.25)
        // The rest pose is the origin: three quarters of the blend are left.
        #expect(distance(node.position, [0.75, 0, 2.25]) < 1e-6)
        scene.advance(by: 1)
        #expect(node.position == .zero && mixer.players.isEmpty)
        // Now it is the program's again.
        node.position = [7, 7, 7]
        scene.advance(by: 1)
        #expect(node.position == [7, 7, 7])
    }

    @Test func rotationsTakeTheShortArcAndStayRotations() throws {
        mixer.play(try turned(.degrees(170)))
        mixer.play(try turned(.degrees(-170)), fadeDuration: 1)
        for _ in 0..<4 {
            scene.advance(by: 0.25)
            #expect(node.orientation.angle.degrees > 169 && abs(length(node.orientation.vector) - 1) < 1e-5)
        }
        mixer.stopAll()
        for axis in [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)] { mixer.add(try turned(.degrees(120), axis), weight: 1) }
        scene.advance(by: 1)
        #expect(abs(length(node.orientation.vector) - 1) < 1e-5)
        // Three axes alike give the diagonal, in any order, within the tolerance of pairs.
        #expect(dot(normalize(node.orientation.imaginary), normalize(Vector3(1, 1, 1))) > 0.98)
    }

    @Test func layersOverrideEachOther() throws {
        let other = Node()
        scene.rootNode.addChildNode(other)
        let walk = AnimationClip(tracks: try stands(at: [1, 0, 0]).tracks + [try track(.translation, [1, 1, 1], on: other)])
        mixer.play(try stands(at: [5, 0, 0]), layer: 2).weight = 0.5
        mixer.play(walk)
        scene.advance(by: 0.1)
        #expect(node.position == [3, 0, 0] && other.position == [1, 1, 1])
        mixer.play(try stands(at: [2, 0, 0]))
        scene.advance(by: 0.1)
        #expect(node.position == [3.5, 0, 0] && other.position == .zero, "back at rest")
    }

    @Test func additiveClipsAddTheirOffsetFromTheStart() throws {
        let q = Quaternion(angle: .degrees(10), axis: .up).vector
        let p = Quaternion(angle: .degrees(40), axis: .up).vector
        func linear(_ target: AnimationTarget, _ values: [Float]) throws -> AnimationTrack {
            try #require(AnimationTrack(node: node, target: target, interpolation: .linear, times: [0, 1], values: values))
        }
        let nod = AnimationClip(tracks: [
            try linear(.translation, [7, 0, 0, 9, 0, 0]), try linear(.rotation, [q.x, q.y, q.z, q.w, p.x, p.y, p.z, p.w]),
            try linear(.scale, [2, 2, 2, 4, 4, 4]),
        ])
        node.scale = [3, 3, 3]
        mixer.play(try turned(.degrees(50)))
        mixer.play(try stands(at: [0, 1, 0]), layer: 1)
        let player = mixer.play(nod, loop: .once, layer: 1, isAdditive: true)
        scene.advance(by: 1)
        #expect(distance(node.position, [2, 1, 0]) < 1e-5 && distance(node.scale, [6, 6, 6]) < 1e-5)
        #expect(abs(node.orientation.angle.degrees - 80) < 1e-3)
        player.weight = 0.5
        mixer.apply()
        #expect(distance(node.position, [1, 1, 0]) < 1e-5 && distance(node.scale, [4.5, 4.5, 4.5]) < 1e-5)
        #expect(abs(node.orientation.angle.degrees - 65) < 1e-3)
    }

    @Test func morphWeightsBlend() throws {
        node.morphWeights = [0, 1]
        mixer.play(AnimationClip(tracks: [try track(.morphWeights, [1, 0])]))
        mixer.add(AnimationClip(tracks: [try track(.morphWeights, [0, 0, 1])]), weight: 1)
        mixer.add(AnimationClip(tracks: [try track(.morphWeights, [5, 5])]), layer: 1, isAdditive: true)
        scene.advance(by: 1)
        #expect(node.morphWeights == [0.5, 0, 0.5])
        mixer.stopAll()
        scene.advance(by: 0)
        #expect(node.morphWeights == [0, 1])
    }

    @Test func playersHaveTheirOwnSpeedAndPause() throws {
        let player = mixer.play(try moves(10, duration: 10), loop: .once)
        player.speed = 2
        mixer.speed = 0.5
        scene.advance(by: 3)
        #expect(node.position.x == 3)
        mixer.isPaused = true
        #expect(!scene.isMoving)
        scene.advance(by: 3)
        #expect(node.position.x == 3)
        mixer.isPaused = false
        scene.advance(by: 30)
        #expect(node.position.x == 10 && !scene.isMoving && player.isFinished)
        mixer.stop(player)
        scene.advance(by: 0)
        #expect(node.position.x == 0 && mixer.share(of: player) == 0)
    }
}
