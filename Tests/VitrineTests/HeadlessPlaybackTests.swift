import Testing
import VitrineRender

@testable import Vitrine
@testable import VitrineWindow

@Suite @MainActor struct HeadlessPlaybackTests {
    private func view() -> SceneView {
        let scene = Scene()
        scene.environment = .studio()
        scene.rootNode.addChildNode(Node(name: "box", mesh: Mesh(geometry: .box(size: Vector3(1, 1, 1)), material: Material())))
        return SceneView(scene)
    }

    private func window(_ view: any WindowContent) -> Window {
        var options = Window.Options()
        (options.width, options.height) = (64, 48)
        return Window("test", showing: view, options: options)
    }

    /// A drag from the middle to the right, released at rest.
    private let drag = [
        InputEvent(.pointerPressed(.left, at: [20, 24], clicks: 1), time: 0.05),
        InputEvent(.pointerMoved(to: [40, 24]), time: 0.1),
        InputEvent(.pointerReleased(.left, at: [40, 24]), time: 1),
    ]

    @Test func eventsMoveTheCameraAndIdleFramesAreNotDrawn() async throws {
        let view = view()
        let window = window(view)
        var images: [[UInt8]] = []
        try await window.playHeadless(drag, frames: 90, framesPerSecond: 30) { images.append($1.bytes) }
        #expect(images.count == 90)
        #expect(images[0] == images[1] && images[0] != images[40])
        // The first, and those that an event requested.
        #expect(window.frameCount < 12, "\(window.frameCount) frames were drawn")
        #expect(window.size == .zero)
    }

    @Test func theSameEventsGiveTheSameImages() async throws {
        func run() async throws -> [[UInt8]] {
            var images: [[UInt8]] = []
            try await window(view()).playHeadless(drag, frames: 12, framesPerSecond: 30, scale: 2) {
                #expect($1.width == 128 && $1.height == 96)
                images.append($1.bytes)
            }
            return images
        }
        let first = try await run()
        #expect(try await run() == first)
    }

    @Test func motionFollowsTheClockOfTheScript() async throws {
        let view = view()
        let box = try #require(view.scene["box"])
        box.runAction(.repeatForever(.rotate(byX: 0, y: 1, z: 0, duration: 1)))
        let window = window(view)
        try await window.playHeadless(frames: 31, framesPerSecond: 30) { frame, _ in if frame == 30 { window.close() } }
        #expect(window.frameCount == 31)
        // The first frame is where it begins.
        #expect(abs(box.eulerAngles.y - 1) < 1e-3)
    }

    @Test func settingThePointOfViewDrawsAFrame() async throws {
        let view = view()
        let node = Node(name: "camera")
        node.camera = Camera(projection: .perspective(fieldOfView: .degrees(30)))
        node.position = [0, 0, 4]
        view.scene.rootNode.addChildNode(node)
        let window = window(view)
        var images: [[UInt8]] = []
        try await window.playHeadless(frames: 6) { frame, image in
            images.append(image.bytes)
            if frame == 2 { view.scene.pointOfView = node }
        }
        #expect(images[1] == images[2] && images[2] != images[3] && images[3] == images[5])
        #expect(window.frameCount == 2)
    }

    /// The pixels of the image that the text's strokes cover.
    private func isWritten(_ lines: [String], in image: Image, x: Int = 10, y: Int = 10) -> Bool {
        let text = TextRaster(lines, unit: 1.5)
        guard x + text.width <= image.width, y + text.height <= image.height else { return false }
        return (0..<text.height).allSatisfy { row in
            (0..<text.width).allSatisfy { column in
                let level = text.pixels[4 * (row * text.width + column)]
                return level < 250 || image.bytes[4 * ((y + row) * image.width + x + column)] > 240
            }
        }
    }

    @Test func statisticsDescribeTheFrame() async throws {
        let view = view()
        view.showsStatistics = true
        var options = Window.Options()
        (options.width, options.height) = (320, 240)
        var first: Image?
        try await Window("test", showing: view, options: options).playHeadless(frames: 3) { if $0 == 0 { first = $1 } }
        let image = try #require(first)
        #expect(view.statistics.drawCalls > 0 && view.statistics.triangles >= 12)
        #expect(isWritten(view.statistics.lines(), in: image))
        var none = view.statistics
        none.drawCalls = 0
        #expect(!isWritten(none.lines(), in: image))
        // A still shows the same.
        let other = self.view()
        other.showsStatistics = true
        let still = try other.snapshot(width: 320, height: 240)
        #expect(other.statistics.drawCalls > 0 && isWritten(other.statistics.lines(), in: still))
        other.showsStatistics = false
        #expect(!isWritten(other.statistics.lines(), in: try other.snapshot(width: 320, height: 240)))
    }

    @Test func viewerTextsAppearAndDisappear() async throws {
        let view = view()
        let viewer = Viewer(view)
        viewer.onEvent = { _ in }
        var options = Window.Options()
        (options.width, options.height) = (960, 480)
        func press(_ key: Character, _ modifiers: KeyModifiers = [], at time: Double) -> InputEvent {
            InputEvent(.keyPressed(.character(key), isRepeat: false), modifiers: modifiers, time: time)
        }
        let events = [
            press("t", at: 0.5), press("h", at: 4), InputEvent(.keyPressed(.escape, isRepeat: false), time: 5),
            press("d", at: 6), press(".", at: 10),
        ]
        let window = Window("test", showing: viewer, options: options)
        var images: [Image] = []
        try await window.playHeadless(events, frames: 130, framesPerSecond: 10) { images.append($1) }
        func text(_ lines: [String]) -> (_ frame: Int) -> Bool {
            { isWritten(lines, in: images[$0], y: 480 - 10 - TextRaster(lines, unit: 1.5).height) }
        }
        let mapped = text(["tone mapping: agx"])
        #expect(!mapped(4) && mapped(6) && mapped(24) && !mapped(26))
        // Escape closes the help, not the window.
        let help = ViewerCommand.helpText.split(separator: "\n").map(String.init)
        let size = TextRaster(help, unit: 1.5)
        func helps(_ frame: Int) -> Bool { isWritten(help, in: images[frame], x: (960 - size.width) / 2, y: (480 - size.height) / 2) }
        #expect(!helps(39) && helps(41) && helps(49) && !helps(51) && images.count == 130)
        // The debug view's name stays; a message is above it.
        let label = "showing: \(try #require(view.options.debugView).name)    D: next, shift + D: previous"
        #expect(text([label])(62) && text([label])(99) && text(["environment turned by 5°", label])(101) && text([label])(125))
        #expect(window.frameCount < 16, "\(window.frameCount) frames were drawn")
    }

    @Test func theHelpFitsSmallWindows() {
        for size in [Vector2(1280, 800), [960, 480], [640, 480], [400, 300], [320, 240]] {
            let pages = ViewerHelp.pages(size)
            // Capitals of 5 pixels at least can be read.
            for page in pages { #expect(OverlayText(page).fittingScale(width: size.x, height: size.y) > 0.6, "\(size)") }
            for key in ["wheel, pinch", "PageUp", "Esc Q", "shift + drag"] { #expect(pages.joined().contains { $0.contains(key) }) }
        }
        #expect(ViewerHelp.pages([1280, 800]).count == 1 && ViewerHelp.pages([400, 300]).count > 1)
    }

    @Test func keysBeforeTheFirstFrameAreKept() {
        let view = Viewer(view())
        let window = window(view)
        var keys = EarlyKeys()
        func key(_ character: Character) -> InputEvent { InputEvent(.keyPressed(.character(character), isRepeat: false), time: 1) }
        keys.add(key("s"), view)
        keys.add(InputEvent(.pointerPressed(.left, at: [1, 1], clicks: 1), time: 1), view)
        keys.add(key("q"), view)
        for _ in 0..<100 { keys.add(key("d"), view) }
        let kept = keys.take(at: 7)
        // Closing is done at once, not later.
        #expect(kept.count == EarlyKeys.capacity && kept.allSatisfy { $0.time == 7 } && kept[0].kind == key("s").kind)
        #expect(kept.dropFirst().allSatisfy { $0.kind == key("d").kind } && keys.take(at: 8).isEmpty)
        _ = window
    }

    @Test func invalidParametersThrow() async {
        for (frames, rate, scale) in [(0, 60.0, Float(1)), (1, 0, 1), (1, .nan, 1), (1, 60, 0), (1, 60, 99)] {
            await #expect(throws: WindowError.self) {
                try await window(view()).playHeadless(frames: frames, framesPerSecond: rate, scale: scale) { _, _ in }
            }
        }
    }
}
