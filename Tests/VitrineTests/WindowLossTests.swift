import Foundation
import Testing
import VitrineLayers
import VitrineMath
import VitrineScene

@testable import Vitrine
@testable import VitrineGPU

/// Loss of the GPU device of a window on a real display: another device shows the same image. Needs a display: `VITRINE_WINDOW_LOSSES=1 scripts/window-test.sh`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["VITRINE_TESTS_IN_WINDOW"] != nil, "without a display"), .serialized)
@MainActor struct WindowLossTests {
    /// The moment of a loss.
    enum Moment: CaseIterable {
        case whilePreparing, beforeDrawing, afterDrawing, atRandom
    }

    private func sceneView() -> SceneView {
        let scene = Scene()
        scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: .sphere(radius: 1, segments: 24), material: Material(baseColor: .white))))
        let view = SceneView(scene)
        view.rendersContinuously = true
        return view
    }

    private func layerView() -> LayerView {
        let view = LayerView()
        let layer = Layer(frame: Rectangle(x: 2, y: 2, width: 60, height: 40))
        layer.fill = .color(.white)
        layer.blur = 2
        view.root.add(layer)
        view.rendersContinuously = true
        return view
    }

    private func play(_ content: LosingContent) async throws {
        var options = Window.Options()
        (options.width, options.height, options.showsProgress) = (96, 64, false)
        try await Window("loss", showing: content, options: options).run()
    }

    @Test(arguments: Moment.allCases) func aSceneIsDrawnAgain(_ moment: Moment) async throws {
        let view = sceneView()
        let before = try view.snapshot(width: 32, height: 24)
        let content = LosingContent(view, moment, losses: 2) { try view.snapshot(width: 32, height: 24).bytes }
        try await play(content)
        #expect(content.preparations == 3)
        #expect(content.images.count >= 3 && content.images.allSatisfy { $0 == before.bytes })
    }

    @Test(arguments: Moment.allCases) func layersAreDrawnAgain(_ moment: Moment) async throws {
        let view = layerView()
        let before = try view.snapshot(size: [96, 64])
        let content = LosingContent(view, moment, losses: 2) { try view.snapshot(size: [96, 64]).bytes }
        try await play(content)
        #expect(content.preparations == 3)
        #expect(content.images.count >= 3 && content.images.allSatisfy { $0 == before.bytes })
    }

    @Test func aDeviceThatIsLostAgainAndAgainIsAnError() async throws {
        let content = LosingContent(sceneView(), .beforeDrawing, losses: 100) { [] }
        do {
            try await play(content)
            Issue.record("no error")
        } catch {
            #expect(content.preparations == 4, "\(error)")
        }
    }
}

/// A content that loses its device some times, and then closes its window after three frames.
@MainActor private final class LosingContent: WindowContent {
    private let content: any WindowContent
    private let moment: WindowLossTests.Moment
    private let losses: Int
    private let snapshot: () throws -> [UInt8]
    private weak var window: Window?
    private var random = SplitMix64(seed: 7)
    private(set) var preparations = 0
    /// The images of the content after each frame with the last device.
    private(set) var images: [[UInt8]] = []

    init(_ content: any WindowContent, _ moment: WindowLossTests.Moment, losses: Int, snapshot: @escaping () throws -> [UInt8]) {
        (self.content, self.moment, self.losses, self.snapshot) = (content, moment, losses, snapshot)
    }

    private var losesThisDevice: Bool { preparations <= losses }

    func prepare(in window: Window, progress: @escaping @MainActor (LoadingProgress) -> Void) async throws {
        self.window = window
        preparations += 1
        let device = try window.graphics().device
        if losesThisDevice {
            if moment == .whilePreparing { device.lose(after: 0.002) }
            if moment == .atRandom { device.lose(after: Double(random.next() % 1000) / 1000 * 0.3) }
        }
        try await content.prepare(in: window, progress: progress)
    }

    func draw(_ frame: WindowFrame) throws {
        if losesThisDevice, moment == .beforeDrawing { frame.device.destroyWithoutRecordingLoss() }
        try content.draw(frame)
        if losesThisDevice {
            if moment == .afterDrawing { frame.device.destroyWithoutRecordingLoss() }
        } else {
            images.append(try snapshot())
            if images.count == 3 { window?.close() }
        }
    }

    var frameDemand: FrameDemand { content.frameDemand }
    func windowDidClose() { content.windowDidClose() }
}
