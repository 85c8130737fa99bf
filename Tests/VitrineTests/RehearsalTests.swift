import Testing
import Vitrine

@Suite @MainActor struct RehearsalTests {
    private func view() -> SceneView {
        let scene = Scene()
        scene.environment = .studio()
        scene.rootNode.addChildNode(Node(name: "box", mesh: Mesh(geometry: .box(size: Vector3(1, 1, 1)), material: Material())))
        return SceneView(scene)
    }

    private func window(_ view: SceneView) -> Window {
        var options = Window.Options()
        (options.width, options.height) = (64, 48)
        return Window("test", showing: view, options: options)
    }

    /// A drag from the middle to the right, let go at rest.
    private let drag = [
        InputEvent(.pointerPressed(.left, at: [20, 24], clicks: 1), time: 0.05),
        InputEvent(.pointerMoved(to: [40, 24]), time: 0.1),
        InputEvent(.pointerReleased(.left, at: [40, 24]), time: 1),
    ]

    @Test func eventsTurnTheSceneAndIdleFramesAreNotDrawn() async throws {
        let view = view()
        let window = window(view)
        var pictures: [[UInt8]] = []
        try await window.rehearse(drag, frames: 90, framesPerSecond: 30) { pictures.append($1.bytes) }
        #expect(pictures.count == 90)
        #expect(pictures[0] == pictures[1] && pictures[0] != pictures[40])
        // The first, and those that an event asked for.
        #expect(window.frameCount < 12, "\(window.frameCount) pictures were drawn")
        #expect(window.size == .zero)
    }

    @Test func theSameEventsGiveTheSamePictures() async throws {
        func run() async throws -> [[UInt8]] {
            var pictures: [[UInt8]] = []
            try await window(view()).rehearse(drag, frames: 12, framesPerSecond: 30, scale: 2) {
                #expect($1.width == 128 && $1.height == 96)
                pictures.append($1.bytes)
            }
            return pictures
        }
        let first = try await run()
        #expect(try await run() == first)
    }

    @Test func whatMovesIsDrawnOnItsOwnClock() async throws {
        let view = view()
        let box = try #require(view.scene["box"])
        box.runAction(.repeatForever(.rotate(byX: 0, y: 1, z: 0, duration: 1)))
        let window = window(view)
        try await window.rehearse(frames: 31, framesPerSecond: 30) { frame, _ in if frame == 30 { window.close() } }
        #expect(window.frameCount == 31)
        // The first picture is where it begins.
        #expect(abs(box.eulerAngles.y - 1) < 1e-3)
    }

    @Test func nonsenseIsRefused() async {
        for (frames, rate, scale) in [(0, 60.0, Float(1)), (1, 0, 1), (1, .nan, 1), (1, 60, 0), (1, 60, 99)] {
            await #expect(throws: WindowError.self) {
                try await window(view()).rehearse(frames: frames, framesPerSecond: rate, scale: scale) { _, _ in }
            }
        }
    }
}
