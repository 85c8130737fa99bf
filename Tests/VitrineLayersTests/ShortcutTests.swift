import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineLayers

/// Cells and cached surfaces save time: the image must be the same without them.
@Suite struct ShortcutTests {
    /// The greatest difference between the two ways, in linear light.
    private func difference(_ root: Layer, _ width: Float, _ height: Float, scale: Float = 1) throws -> Float {
        let (quick, plain) = (try LayerStudio(), try LayerStudio())
        plain.renderer.usesOptimizations = false
        let (a, b) = (try quick.pixels(root, width, height, scale: scale), try plain.pixels(root, width, height, scale: scale))
        return zip(a, b).reduce(0) { worst, pair in max(worst, length(pair.0 - pair.1)) }
    }

    /// A large card with everything that has edges.
    private func card(_ shape: LayerShape, radius: Float) throws -> Layer {
        let card = Layer.box(30.3, 25.7, 420, 260, .white, radius: radius)
        card.shape = shape
        card.fill = .gradient(.vertical([Color(sRGB: 0x2D6CDF), Color(sRGB: 0xF72585)]))
        card.stroke = Stroke(.gradient(Gradient(.conic(), [.white, Color(linear: Vector4(0, 1, 0, 0.5)), .white])), width: 9)
        let group = Layer.box(0, 0, 420, 260, Color(linear: Vector4(0.2, 0.1, 0, 0.3)))
        (group.clipsToBounds, group.shape, group.cornerRadius) = (true, shape, radius)
        let content = Layer.box(-40, -30, 380, 300)
        content.fill = .image(try checkerboard(64, 64))
        content.opacity = 0.7
        content.add(.box(20, 40, 200, 160, Color(linear: Vector4(0, 0, 1, 0.5)), radius: 12))
        group.add(content)
        card.add(group)
        card.shadow = Shadow(radius: 6, offset: [3, 8])
        return card
    }

    @Test(arguments: [(LayerShape.rectangle, Float(40)), (.rectangle, 0), (.capsule, 0), (.ellipse, 0)])
    func cellsAreInvisible(shape: LayerShape, radius: Float) throws {
        #expect(try difference(.root(500, 320, [try card(shape, radius: radius)]), 500, 320) < 2e-3)
        #expect(try difference(.root(500, 320, [try card(shape, radius: radius).tilted(40)]), 500, 320) < 2e-3)
        let turned = try card(shape, radius: radius).tilted(-50, about: normalize(Vector3(1, 0.4, 0.2)), distance: 400)
        #expect(try difference(.root(500, 320, [turned]), 500, 320) < 2e-3)
    }

    /// Light of half strength over itself would show a seam or a gap as a line.
    @Test func cellsMeetWithoutSeams() throws {
        for degrees in stride(from: Float(5), to: 80, by: 7.5) {
            let layer = Layer.box(20, 20, 360, 260, Color(linear: Vector4(1, 1, 1, 0.5)), radius: 60)
            let axis = normalize(Vector3(0.3, 1, degrees / 50))
            let root = Layer.root(400, 300, [layer.tilted(degrees, about: axis, distance: 500)])
            #expect(try difference(root, 400, 300) < 2e-3, "at \(degrees)°")
        }
    }

    /// Only a stroke: nothing is drawn where it isn't.
    @Test func anEmptyInsideStaysEmpty() throws {
        let ring = Layer(frame: Rectangle(x: 10, y: 10, width: 380, height: 280))
        ring.shape = .ellipse
        ring.stroke = Stroke(.white, width: 6, placement: .inside)
        #expect(try difference(.root(400, 300, [ring]), 400, 300) < 1e-3)
        ring.stroke = Stroke(.white, width: 90, placement: .inside)
        #expect(try difference(.root(400, 300, [ring]), 400, 300) < 1e-3)
    }

    @Test func unchangedGroupsAreCachedFromTheThirdFrame() throws {
        let studio = try LayerStudio()
        let (still, moving) = (try card(.capsule, radius: 0), Layer.box(200, 100, 60, 60, .white, radius: 9))
        moving.blur = 3
        let root = Layer.root(500, 320, [still, moving])
        var kept: [Int] = []
        for step in 0..<4 {
            moving.cornerRadius = Float(step)
            _ = try studio.image(root, 500, 320)
            kept.append(studio.renderer.statistics.reusedSurfaces)
        }
        #expect(kept == [0, 0, 1, 1])
        #expect(studio.renderer.statistics.surfaces == 1)
        // A shadow goes with its layer, by whole pixels at least, if nothing extends beyond the image.
        still.sublayers[0].sublayers[0].frame = Rectangle(x: 40, y: 30, width: 300, height: 200)
        for _ in 0..<3 { _ = try studio.image(root, 500, 320) }
        #expect(studio.renderer.statistics.reusedSurfaces == 2)
        still.position += Vector2(7, -3)
        _ = try studio.image(root, 500, 320)
        #expect(studio.renderer.statistics.reusedSurfaces == 2)
    }

    /// Every change is visible at once, although the previous surface was kept.
    @Test func everyChangeIsCounted() throws {
        let studio = try LayerStudio()
        let (card, drawing) = (try card(.rectangle, radius: 20), CountingDrawing())
        let inner = Layer.box(60, 60, 100, 80)
        inner.fill = .drawing(drawing)
        let mask = Layer.box(10, 10, 380, 240, .white, radius: 30)
        let label = Layer(frame: Rectangle(x: 200, y: 120, width: 100, height: 60))
        label.shape = .path(.roundedRectangle(width: 100, height: 60, cornerRadius: 20))
        label.fill = .color(.black)
        for layer in [inner, label] { card.add(layer) }
        let effect = try ShaderLibrary(
            source: "fn tint(position: vec2f, color: vec4f, by: vec3f) -> vec4f { return vec4f(color.rgb * by, color.a); }")
        let changes: [(String, () -> Void)] = [
            ("fill", { card.fill = .color(.white) }), ("stroke", { card.stroke = nil }),
            ("radius", { card.cornerRadius = 70 }),
            ("size", { card.bounds.size.x = 380 }), ("shadow", { card.shadow?.opacity = 0.9 }),
            ("a sublayer", { inner.position = Vector2(100, 250) }), ("clip", { card.clipsToBounds = true }),
            ("mask", { card.mask = mask }), ("inside of the mask", { mask.cornerRadius = 90 }),
            ("drawing", { drawing.level = 1 }),
            ("path", { label.shape = .path(.roundedRectangle(width: 100, height: 60, cornerRadius: 4)) }),
            ("colour of a path", { label.fill = .color(.white) }),
            ("effect", { card.effects = [.color(effect.tint(.float3(1, 0.5, 0)))] }),
            ("argument", { card.effects = [.color(effect.tint(.float3(0, 0.5, 1)))] }), ("blur", { card.blur = 2 }),
            ("stop", { card.fill = .gradient(.vertical([.white, .black])) }),
            ("order", { card.insert(label, at: 0) }), ("gone", { label.removeFromParent() }),
        ]
        let root = Layer.root(500, 320, [card])
        for _ in 0..<3 { _ = try studio.image(root, 500, 320) }
        for (name, change) in changes {
            let before = try studio.image(root, 500, 320)
            change()
            let after = try studio.image(root, 500, 320)
            #expect(after.bytes != before.bytes, "\(name) is not seen")
            #expect(after.bytes == (try LayerStudio().image(root, 500, 320)).bytes, "\(name) leaves something behind")
            for _ in 0..<2 { _ = try studio.image(root, 500, 320) }
            #expect(studio.renderer.statistics.reusedSurfaces > 0, "\(name) is not kept")
        }
    }

    /// Cached surfaces are counted, and freed.
    @Test func memoryIsReportedAndFreed() throws {
        let studio = try LayerStudio()
        let root = Layer.root(500, 320, [try card(.rectangle, radius: 20)])
        for _ in 0..<3 { _ = try studio.image(root, 500, 320) }
        #expect(studio.renderer.cachedSurfaceMemory > 400 * 256 * 8)
        root.sublayers[0].isHidden = true
        _ = try studio.image(root, 500, 320)
        #expect(studio.renderer.cachedSurfaceMemory == 0)
    }
}

/// Draws one level of grey.
private final class CountingDrawing: LayerDrawing {
    private(set) lazy var content = DrawingContent { [unowned self] surface, renderer throws(LayerError) in
        try draw(into: surface, renderer)
    }
    var level: Double = 0.25 { didSet { setNeedsDisplay() } }

    private func draw(into surface: LayerSurface, _ renderer: LayerRenderer) throws(LayerError) {
        try attempting("drawing") { () throws(GPUError) in
            let encoder = try renderer.device.makeCommandEncoder("level")
            let attachment = GPUColorAttachment(surface.view, load: .clear(GPUColor(level, level, level, 1)))
            encoder.renderPass(GPURenderPassDescriptor("level", colors: [attachment])) { _ in }
            renderer.device.queue.submit(try encoder.finish())
        }
    }
}
