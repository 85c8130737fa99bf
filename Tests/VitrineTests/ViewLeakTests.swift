import Foundation
import Testing
import Vitrine
import VitrineFiles

/// Memory of a view over a long time. `VITRINE_FRAMES` sets the number of frames (default: 1,200); each shows another second, in which the pointer drags.
@Suite(.serialized) @MainActor struct ViewLeakTests {
    private func scene() -> Scene {
        let scene = Scene()
        let node = Node(mesh: Mesh(geometry: .sphere(radius: 1, segments: 24), material: Material(baseColor: .white)))
        scene.rootNode.addChildNode(node)
        return scene
    }

    @Test func framesFreeTheirMemory() async throws {
        let frames = ProcessInfo.processInfo.environment["VITRINE_FRAMES"].flatMap { Int($0) } ?? 1200
        let view = SceneView(scene())
        view.showsStatistics = true
        var options = Window.Options()
        (options.width, options.height) = (48, 36)
        let window = Window("day", showing: view, options: options)
        let events = (0..<frames).flatMap { second -> [InputEvent] in
            let (time, end) = (Double(second) + 0.1, Vector2(Float(second % 40) + 4, Float(second % 30) + 3))
            return [
                InputEvent(.pointerPressed(.left, at: [20, 20], clicks: 1), time: time),
                InputEvent(.pointerMoved(to: end), time: time + 0.1),
                InputEvent(.pointerReleased(.left, at: end), time: time + 0.2),
            ]
        }
        var sizes: [Int] = []
        try await window.playHeadless(events, frames: frames, framesPerSecond: 1) { frame, _ in
            // A new model from time to time, as in a viewer whose file is saved again.
            if frame % 200 == 100 { view.scene = scene() }
            if frame % max(1, frames / 8) == 0 { sizes.append(ProcessMemory.resident ?? 0) }
        }
        #expect(window.frameCount > frames * 9 / 10)
        let megabytes = sizes.map { $0 >> 20 }
        // Other tests in this process would be counted too. Pools of the driver grow at first.
        if ProcessInfo.processInfo.environment["VITRINE_TESTS_RUN_ALONE"] != nil, let last = sizes.last {
            #expect(last - sizes[sizes.count / 2] <= 8 << 20, "MB after each eighth: \(megabytes)")
            print("ViewLeakTests: \(frames) frames, MB after each eighth: \(megabytes)")
        }
    }
}
