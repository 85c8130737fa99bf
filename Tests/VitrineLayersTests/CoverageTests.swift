import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineLayers

/// The coverage of edges, for all orientations of a layer.
@Suite struct CoverageTests {
    @Test(arguments: [(Float(0), Float(0)), (40, 600), (65, 200), (30, 80)])
    func aTiltedRectangleCoversItsProjectedArea(degrees: Float, distance: Float) throws {
        let layer = Layer.box(60.3, 40.7, 80, 60)
        if distance > 0 { _ = layer.tilted(degrees, about: [0.3, 1, 0.2], distance: distance) }
        let corners = try [Vector2(0, 0), Vector2(80, 0), Vector2(80, 60), Vector2(0, 60)].map { try #require(layer.convertToRoot($0)) }
        var expected: Float = 0
        for (a, b) in zip(corners, corners.dropFirst() + [corners[0]]) { expected += (a.x * b.y - a.y * b.x) / 2 }
        let studio = try LayerStudio()
        #expect(abs(try studio.area(.root(200, 140, [layer]), 200, 140) / Double(expected) - 1) < 0.005)
        layer.shape = .path(Path.polygon([[0, 0], [80, 0], [80, 60], [0, 60]]))
        #expect(abs(try studio.area(.root(200, 140, [layer]), 200, 140) / Double(expected) - 1) < 0.005)
    }

    @Test func shapesHaveTheirAreas() throws {
        let studio = try LayerStudio()
        func area(_ change: (Layer) -> Void) throws -> Double {
            let layer = Layer.box(10.25, 10.5, 60, 40)
            change(layer)
            return try studio.area(.root(90, 70, [layer]), 90, 70)
        }
        let pi = Double.pi
        #expect(abs(try area { _ in } - 2400) < 2)
        #expect(abs(try area { $0.cornerRadius = 10 } - (2400 - (4 - pi) * 100)) < 4)
        #expect(abs(try area { $0.shape = .capsule } - (800 + pi * 400)) < 4)
        #expect(abs(try area { $0.shape = .ellipse } - pi * 600) < 4)
        #expect(abs(try area { $0.shape = .path(.ellipse(center: [30, 20], radii: [30, 20])) } - pi * 600) < 4)
        // A stroke alone: a ring.
        #expect(
            abs(
                try area {
                    $0.fill = nil
                    $0.stroke = Stroke(.white, width: 4, placement: .inside)
                } - (2400 - 52 * 32)) < 3)
        #expect(
            abs(
                try area {
                    $0.fill = nil
                    $0.shape = .path(.rectangle(width: 60, height: 40).translated(by: [30, 20]))
                    $0.stroke = Stroke(.white, width: 4, placement: .center)
                } - (64 * 44 - 56 * 36)) < 4)
    }

    @Test func halfACoveredPixelHasHalfTheAlpha() throws {
        let studio = try LayerStudio()
        for isPath in [false, true] {
            let layer = Layer.box(2.5, 2, 4, 4)
            if isPath { layer.shape = .path(.polygon([[0, 0], [4, 0], [4, 4], [0, 4]])) }
            let pixels = try studio.pixels(.root(10, 10, [layer]), 10, 10)
            #expect(abs(pixels[32].w - 0.5) < 0.003)
            #expect(abs(pixels[33].w - 1) < 0.003)
            #expect(abs(pixels[36].w - 0.5) < 0.003)
            #expect(pixels[31].w == 0 && pixels[37].w == 0)
        }
        // Thinner than a pixel: its area.
        let line = Layer.box(3.1, 0, 0.3, 10)
        #expect(abs(try studio.pixels(.root(10, 10, [line]), 10, 10)[53].w - 0.3) < 0.003)
        // 45° through the middle of pixels.
        let turned = Layer.box(0, 0, 20, 20)
        turned.anchorPoint = [0, 0]
        turned.position = [10, 0]
        turned.transform = Matrix4(rotation: .degrees(45), axis: [0, 0, 1])
        let pixels = try studio.pixels(.root(20, 20, [turned]), 20, 20)
        #expect(abs(pixels[5 * 20 + 15].w - 0.5) < 0.01)
    }

    @Test func unsupportedEventsAreIgnored() throws {
        let studio = try LayerStudio()
        let root = Layer.root(40, 30)
        for rectangle in [
            Rectangle(x: 5, y: 5, width: 0, height: 10), Rectangle(x: .nan, y: 0, width: 10, height: 10),
            Rectangle(x: 0, y: 0, width: .infinity, height: 10),
        ] {
            root.add(Layer.box(rectangle.origin.x, rectangle.origin.y, rectangle.size.x, rectangle.size.y))
        }
        let turned = Layer.box(5, 5, 10, 10).tilted(90)
        let behind = Layer.box(5, 5, 10, 10)
        behind.transform = Matrix4(perspectiveDistance: 10) * Matrix4(translation: [0, 0, 20])
        let broken = Layer.box(5, 5, 10, 10, Color(linear: Vector4(.nan, 0, 0, 1)))
        var path = Path()
        path.move(to: [.nan, 0])
        path.line(to: [10, .infinity])
        let bad = Layer.box(0, 0, 10, 10)
        bad.shape = .path(path)
        for layer in [turned, behind, broken, bad] { root.add(layer) }
        #expect(try studio.area(root, 40, 30) == 0)
        // Far larger than any texture, and across the horizon.
        let huge = Layer.box(-1e6, -1e6, 2e6, 2e6)
        huge.blur = 2
        #expect(try studio.area(.root(40, 30, [huge]), 40, 30) > 1195)
        let floor = Layer.box(-1000, 0, 2040, 2000).tilted(80, about: [1, 0, 0], distance: 100)
        floor.shadow = Shadow()
        #expect(try studio.area(.root(40, 30, [floor]), 40, 30).isFinite)
        #expect(throws: LayerError.self) { try studio.image(root, .nan, 10) }
        #expect(throws: LayerError.self) { try studio.image(root, 10, 10, scale: 0) }
    }

    @Test func aThousandLayersShareDrawCalls() throws {
        let studio = try LayerStudio()
        let root = Layer.root(200, 200)
        for index in 0..<1000 {
            let layer = Layer.box(Float(index % 40) * 5, Float(index / 40) * 8, 4, 6, Color(white: Float(index) / 1000), radius: 1)
            layer.stroke = Stroke(.black, width: 0.5, placement: .inside)
            root.add(layer)
        }
        _ = try studio.image(root, 200, 200)
        #expect(studio.renderer.statistics == LayerStatistics(layers: 1000, drawCalls: 1, surfaces: 0))
    }

    @Test func treesBeyondTheDepthLimitThrow() throws {
        let root = Layer.root(10, 10)
        var layer = root
        for _ in 0..<300 {
            let next = Layer.box(0, 0, 10, 10)
            layer.add(next)
            layer = next
        }
        #expect(throws: LayerError.self) { try LayerStudio().image(root, 10, 10) }
        #expect(root.hitTest([5, 5]) != nil)
    }
}
