import Testing
import Vitrine
import VitrineTestSupport

private let hasDejaVu = (try? Font.system(named: "DejaVuSans")) != nil

@Suite @MainActor struct LayerViewTests {
    private func view() -> (view: LayerView, button: Layer) {
        let view = LayerView()
        let button = Layer(name: "button", frame: Rectangle(x: 10, y: 10, width: 40, height: 20))
        button.fill = .color(.black)
        view.root.add(button)
        return (view, button)
    }

    private func window(_ view: LayerView) -> Window {
        var options = Window.Options()
        (options.width, options.height) = (64, 48)
        return Window("test", showing: view, options: options)
    }

    @Test func pressesReachTheirLayerAndIdleFramesAreNotDrawn() async throws {
        let (view, button) = view()
        var presses: [LayerPress] = []
        view.onPress = { press in
            presses.append(press)
            button.position.x = press.phase == .ended ? 30 : 34
        }
        let window = window(view)
        let events = [
            InputEvent(.touchBegan(id: 1, at: [20, 20]), time: 0.1), InputEvent(.touchBegan(id: 2, at: [40, 20]), time: 0.15),
            InputEvent(.touchMoved(id: 2, to: [1, 1]), time: 0.2), InputEvent(.touchMoved(id: 1, to: [60, 40]), time: 0.3),
            InputEvent(.touchEnded(id: 1, at: [60, 40]), time: 0.4),
        ]
        var frames: [[UInt8]] = []
        try await window.playHeadless(events, frames: 30, framesPerSecond: 30) { frames.append($1.bytes) }
        #expect(presses.map(\.phase) == [.began, .changed, .ended])
        #expect(presses.allSatisfy { $0.layer === button })
        #expect(presses[0].point == [10, 10])
        #expect(frames[0] != frames[6] && frames[0] == frames[29])
        #expect(window.frameCount < 10, "\(window.frameCount) frames were drawn")
        #expect(window.size == .zero)
    }

    @Test func framesAreDrawnWhileSomethingMoves() async throws {
        let (view, button) = view()
        view.background = .white
        var began: Double?
        view.onEvent = { event in if case .pointerPressed = event.kind { began = event.time } }
        // Half a second to the right.
        view.onUpdate = { time in
            guard let start = began else { return false }
            let share = clamp(Float(time - start) / 0.5, 0, 1)
            button.position.x = 30 + 14 * share
            return share < 1
        }
        let window = window(view)
        let press = InputEvent(.pointerPressed(.left, at: [9, 8], clicks: 1), time: 1)
        var edges: [Int] = []
        try await window.playHeadless([press], frames: 120, framesPerSecond: 30) { _, image in
            let row = image.bytes[(20 * 64 * 4)..<(21 * 64 * 4)]
            edges.append((0..<64).first { row[row.startIndex + $0 * 4] < 128 } ?? -1)
        }
        #expect(edges.first == 10 && edges.last == 24 && edges == edges.sorted())
        // The first, and those of half a second.
        #expect((15...18).contains(window.frameCount), "\(window.frameCount) frames were drawn")
    }

    @Test func particlesFillALayer() async throws {
        let view = LayerView(background: .black)
        let cloud = ParticleCloud(ParticleSettings(count: 64))
        let particles = ParticleDrawing(cloud)
        let layer = Layer(frame: Rectangle(x: 0, y: 0, width: 64, height: 48))
        layer.fill = .drawing(particles)
        view.root.add(layer)
        view.onUpdate = { time in
            cloud.progress = time >= 0.5 ? 1 : 0
            particles.advance(to: time)
            return true
        }
        var lit: [Bool] = []
        try await window(view).playHeadless(frames: 60, framesPerSecond: 30) { _, image in
            lit.append(stride(from: 0, to: image.bytes.count, by: 4).contains { image.bytes[$0] > 0 })
        }
        #expect(!lit[0..<15].contains(true) && lit[25..<60].allSatisfy { $0 })
        #expect(cloud.tick > 0)
    }

    @Test func aSceneFillsALayer() throws {
        let scene = Scene()
        scene.environment = .studio()
        scene.rootNode.addChildNode(Node(name: "ball", mesh: Mesh(geometry: .sphere(radius: 1), material: Material())))
        let view = LayerView(background: Color(sRGB: 0x20A39E))
        let layer = Layer(frame: Rectangle(x: 10, y: 10, width: 60, height: 60))
        let drawing = SceneDrawing(scene)
        layer.fill = .drawing(drawing)
        view.root.add(layer)
        let image = try view.snapshot(size: [80, 80])
        func pixel(_ x: Int, _ y: Int) -> [UInt8] { Array(image.bytes[(y * 80 + x) * 4..<(y * 80 + x) * 4 + 4]) }
        // Around the ball, the background of the layer.
        #expect(pixel(12, 12) == [0x20, 0xA3, 0x9E, 255] && pixel(2, 2) == pixel(12, 12))
        #expect(pixel(40, 40) != pixel(2, 2))
        #expect(try view.snapshot(size: [80, 80]).bytes == image.bytes)
    }

    @Test func aReplacedSceneIsFreed() throws {
        weak var geometry: Geometry?
        func scene(radius: Float) -> Scene {
            let (scene, ball) = (Scene(), Geometry.sphere(radius: radius))
            scene.rootNode.addChildNode(Node(name: "ball", mesh: Mesh(geometry: ball, material: Material())))
            geometry = ball
            return scene
        }
        let view = LayerView(background: .black)
        let layer = Layer(frame: Rectangle(x: 0, y: 0, width: 32, height: 32))
        let drawing = SceneDrawing(scene(radius: 1))
        layer.fill = .drawing(drawing)
        view.root.add(layer)
        _ = try view.snapshot(size: [32, 32])
        weak let old = geometry
        #expect(old != nil)
        drawing.scene = scene(radius: 2)
        _ = try view.snapshot(size: [32, 32])
        #expect(old == nil && geometry != nil)
    }

    /// One call redraws it: on the drawing, or on the layer.
    @Test func aDrawingRedrawsItsLayers() async throws {
        let scene = Scene()
        scene.environment = .studio()
        let ball = Node(name: "ball", mesh: Mesh(geometry: .sphere(radius: 0.3), material: Material()))
        scene.rootNode.addChildNode(ball)
        let view = LayerView(background: .black)
        let camera = View(camera: Camera(), worldFromCamera: Matrix4(translation: [0, 0, 3]))
        let drawing = SceneDrawing(scene, seenFrom: camera)
        let layers = (0..<2).map { Layer(frame: Rectangle(x: 32 * Float($0), y: 0, width: 32, height: 48)) }
        for layer in layers {
            layer.fill = .drawing(drawing)
            view.root.add(layer)
        }
        let window = window(view)
        var images: [[UInt8]] = []
        try await window.playHeadless(frames: 12) { frame, image in
            images.append(image.bytes)
            ball.position.y += frame == 2 || frame == 5 || frame == 8 ? 0.3 : 0
            if frame == 2 { drawing.setNeedsDisplay() }
            if frame == 5 { layers[0].setNeedsDisplay() }
            // No longer shown: no frame is due.
            if frame == 7 { for layer in layers { layer.fill = nil } }
            if frame == 8 { drawing.setNeedsDisplay() }
        }
        #expect(images[2] != images[3] && images[5] != images[6] && images[3] == images[5])
        #expect(images[8] == images[11] && window.frameCount == 4)
    }

    @Test(.enabled(if: hasDejaVu, "fonts-dejavu-core is missing")) func textIsSharp() throws {
        let view = LayerView()
        let font = try Font.system(named: "DejaVuSans")
        let title = try Layer(text: "Vitrine & Layers", font: font, size: 24, color: Color(sRGB: 0x1B5E8C))
        title.frame.origin = [12, 8]
        view.root.add(title)
        for (index, alignment) in [TextStyle.Alignment.left, .center, .right].enumerated() {
            let text = try Layer(
                text: "The quick brown fox jumps over the lazy dog, 0123.", font: font, size: 11, alignment: alignment, maximumWidth: 84)
            text.frame.origin = [12 + Float(index) * 96, 44]
            view.root.add(text)
        }
        for (index, degrees) in [Float(40), 65].enumerated() {
            let text = try Layer(text: "Tilted text", font: font, size: 22)
            text.fill = .gradient(Gradient(.linear(from: [0, 0], to: [1, 0]), [Color(sRGB: 0xD7263D), Color(sRGB: 0x1B5E8C)]))
            text.position = [80 + Float(index) * 140, 125]
            text.transform = Matrix4(perspectiveDistance: 300) * Matrix4(rotation: .degrees(degrees), axis: [0.2, 1, 0])
            view.root.add(text)
        }
        try GoldenImage.check(try view.snapshot(size: [300, 160]), named: "text-layers")
        try GoldenImage.check(try view.snapshot(size: [300, 160], scale: 3), named: "text-layers@3x")
    }
}
