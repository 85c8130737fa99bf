import Foundation
import Testing
import VitrineGPU
import VitrineTestSupport
import VitrineVision

@testable import VitrineARView

/// Frames of the test room along its arc, each with its exact pose.
private final class ScriptedSource: SensorSource {
    let rig: SensorRig
    let isLive = false
    let problems = SourceProblems()
    private let count: Int
    private let step: Double
    private let next = Counter()

    private actor Counter {
        var value = 0
        func take() -> Int {
            value += 1
            return value - 1
        }
        func reset() { value = 0 }
    }

    init(count: Int, step: Double = 0.05) {
        (self.count, self.step) = (count, step)
        rig = SensorRig(camera: TestRoom().camera, hasInertialUnit: false)
    }

    func next() async throws -> SensorEvent? {
        let index = await next.take()
        guard index < count else { return nil }
        let pose = TestRoom.pose(Float(index) / Float(max(count - 1, 1)))
        let m = pose.linear
        let rotation = Matrix3d(Vector3d(m.x), -Vector3d(m.y), -Vector3d(m.z))
        return .image(
            CameraSample(
                time: Double(index) * step, image: TestRoom(isPlain: true).frame(pose).capturedImage,
                worldFromCamera: RigidTransform(rotation: rotation, translation: Vector3d(pose.translation))))
    }

    func rewind() async throws { await next.reset() }
}

@MainActor @Suite struct ARReplayTests {
    private let configuration = ARWorldTrackingConfiguration(tracking: .recorded)

    private func replay(_ count: Int, step: Double = 0.05) throws -> ARReplay {
        try ARReplay(ARSession(source: ScriptedSource(count: count, step: step), pace: .stepped), width: 160, height: 120)
    }

    private func ball() -> Node {
        let node = Node(name: "ball", mesh: Mesh(geometry: .sphere(radius: 0.012), material: Material(baseColor: Color(sRGB: 0xFF00FF))))
        node.material?.lightingModel = .constant
        return node
    }

    /// A tap places the ball 0.3 m ahead of the camera; from the next frame on it is drawn at the projection of its anchor.
    @Test func placedObjectsStayAtTheirAnchors() async throws {
        let replay = try replay(48)
        replay.place(ball(), named: "ball", at: .tap([80, 60], time: 0.1))
        var offsets: [Float] = []
        var shown = 0
        let report = try await replay.run(configuration) { rendered in
            let (centroid, weight) = rendered.image.centroid { Float(max($0.max() - $0.min() - 8, 0)) }
            guard weight > 0 else { return }
            shown += 1
            let anchor = try #require(rendered.frame.anchors.first { $0.name == "ball" })
            let expected = rendered.frame.camera.projectPoint(
                anchor.transform.translation, orientation: .landscapeRight, viewportSize: [160, 120])
            guard let expected, expected.x > 20, expected.x < 140, expected.y > 20, expected.y < 100 else { return }
            offsets.append(length(centroid - expected))
        }
        #expect(report.frames == 48 && report.normalFrames == 48 && abs(report.duration - 2.35) < 1e-9)
        let placed = try #require(report.placed.first)
        #expect(report.placed.count == 1 && abs(placed.elapsed - 0.1) < 1e-9 && !placed.isOnSurface)
        let pose = TestRoom.pose(2.0 / 47)
        #expect(length(placed.position - (pose * Matrix4(translation: [0, 0, -0.3])).translation) < 1e-5)
        #expect(shown >= 3 && !offsets.isEmpty && offsets.allSatisfy { $0 < 0.5 }, "\(offsets)")
    }

    /// A clip loops in the replay's time; stages report their times.
    @Test func clipsPlayInTheReplaysTime() async throws {
        let replay = try replay(12)
        let ball = ball()
        let holder = Node(name: "holder")
        holder.addChildNode(ball)
        let track = try #require(
            AnimationTrack(
                node: ball, target: .translation, interpolation: .linear, times: [0, 0.2], values: [0, 0, 0, 0, 0.04, 0]))
        replay.place(holder, named: "ball", at: .tap([80, 60], time: 0.1), clip: AnimationClip(name: "up", tracks: [track]))
        var heights: [Float] = []
        let report = try await replay.run(configuration) { rendered in
            if replay.content.nodes(on: rendered.frame.anchors.first ?? ARAnchor(transform: .identity)).isEmpty == false {
                heights.append(ball.position.y)
            }
            #expect(rendered.times.session.reading > 0 && rendered.times.drawing > 0 && rendered.times.readingBack > 0)
        }
        #expect(report.placed.first?.index == 0)
        // From 0.15 s: three quarters, the end (equal to the start), a quarter, a half …
        #expect(heights.count == 9)
        for (index, height) in heights.enumerated() {
            let share = Float((index + 3) % 4) / 4
            #expect(abs(height - 0.04 * share) < 1e-4 || (share == 0 && abs(height - 0.04) < 1e-4), "\(heights)")
        }
    }

    /// An error of `onFrame` ends the replay and pauses the session, although more frames are in flight.
    @Test func errorsOfTheCallbackEndTheReplay() async throws {
        struct TestError: Error {}
        let replay = try replay(40)
        await #expect(throws: TestError.self) {
            _ = try await replay.run(configuration) { if $0.index == 2 { throw TestError() } }
        }
        #expect(!replay.session.isRunning)
    }

    @Test func replaysGiveTheSameBytes() async throws {
        func run() async throws -> [[UInt8]] {
            let replay = try replay(6)
            replay.place(ball(), named: "ball", at: .tap([80, 60], time: 0))
            var images: [[UInt8]] = []
            _ = try await replay.run(configuration) { images.append($0.image.bytes) }
            return images
        }
        let first = try await run()
        #expect(try await run() == first && first.count == 6)
    }

    /// Another run places all objects again and gives the same bytes, also without preloading.
    @Test func aReplayCanRunAgain() async throws {
        let replay = try replay(6)
        replay.place(ball(), named: "ball", at: .tap([80, 60], time: 0))
        try replay.prepare()
        var rounds: [[[UInt8]]] = []
        for _ in 0..<3 {
            var images: [[UInt8]] = []
            let report = try await replay.run(configuration) { images.append($0.image.bytes) }
            #expect(report.frames == 6 && report.placed.count == 1)
            rounds.append(images)
        }
        #expect(rounds[1] == rounds[0] && rounds[2] == rounds[0])
        let unprepared = try self.replay(6)
        unprepared.place(ball(), named: "ball", at: .tap([80, 60], time: 0))
        var plain: [[UInt8]] = []
        _ = try await unprepared.run(configuration) { plain.append($0.image.bytes) }
        #expect(plain == rounds[0])
    }

    @Test func replaysWithoutProgressFail() async throws {
        for count in [0, 1] {
            let replay = try replay(count)
            await #expect(throws: ARError.nothingAdvanced(frames: count)) { _ = try await replay.run(configuration) { _ in } }
        }
        // All images have the same time: the session gives one frame and skips the others.
        let stuck = try replay(4, step: 0)
        await #expect(throws: ARError.nothingAdvanced(frames: 1)) { _ = try await stuck.run(configuration) { _ in } }
    }

    @Test func objectsThatAreNeverPlacedFail() async throws {
        let replay = try replay(3)
        replay.place(ball(), named: "ball", at: .tap([80, 60], time: 9))
        await #expect(throws: ARError.neverPlaced("ball", .tap([80, 60], time: 9), duration: 0.1)) {
            _ = try await replay.run(configuration) { _ in }
        }
        let planeless = try self.replay(3)
        planeless.place(ball(), named: "ball", at: .plane)
        await #expect(throws: ARError.neverPlaced("ball", .plane, duration: 0.1)) {
            _ = try await planeless.run(configuration) { _ in }
        }
    }

    @Test func standingModelsHaveTheirBaseAtTheOrigin() {
        let box = Node(mesh: Mesh(geometry: .box(size: [2, 1, 4]), material: Material()))
        box.position = [3, 7, -2]
        let bounds = box.standing(size: 0.2).worldBounds
        #expect(length(bounds.minimum - Vector3(-0.05, 0, -0.1)) < 1e-5 && length(bounds.maximum - Vector3(0.05, 0.05, 0.1)) < 1e-5)
    }

    @Test func spritesFaceTheCamera() throws {
        let renderer = try LayerRenderer(GPUDevice.make())
        let board = SpriteBoard()
        let (near, far) = (
            ARAnchor(transform: Matrix4(translation: [0.1, 0, 0.2])), ARAnchor(transform: Matrix4(translation: [0, 0, -0.2]))
        )
        for (anchor, color) in [(near, UInt32(0xFF0000)), (far, 0x0000FF)] {
            let layer = Layer(frame: Rectangle(x: 0, y: 0, width: 12, height: 12))
            layer.fill = .color(Color(sRGB: color))
            board.attach(layer, to: anchor)
        }
        let frame = TestRoom(isPlain: true).frame(TestRoom.pose(0.4), anchors: [near, far])
        board.update(with: frame, size: [160, 120])
        let image = try renderer.image(of: board.root, size: [160, 120])
        for (anchor, channel) in [(near, 0), (far, 2)] {
            let expected = try #require(
                frame.camera.projectPoint(anchor.transform.translation, orientation: .landscapeRight, viewportSize: [160, 120]))
            let (centroid, weight) = image.centroid { Float(max($0[channel] - $0[1], 0)) }
            #expect(weight > 0 && length(centroid - expected) < 0.5)
        }
        // The camera image is behind the sprites.
        #expect(image.levels(4, 116).max() - image.levels(4, 116).min() < 4 && image.levels(4, 116).x > 100)
        board.detach(from: near)
        board.update(with: frame, size: [160, 120])
        let rest = try renderer.image(of: board.root, size: [160, 120])
        #expect(rest.centroid { Float(max($0.x - $0.y - 8, 0)) }.weight == 0)
    }
}
