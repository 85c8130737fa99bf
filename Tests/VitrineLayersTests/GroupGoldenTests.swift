import Testing
import VitrineMath
import VitrineScene

@testable import VitrineLayers

/// Paths, strokes and groups as they look: each golden image was inspected.
@Suite struct GroupGoldenTests {
    private let blue = Color(sRGB: 0x1B5E8C)
    private let orange = Color(sRGB: 0xF28C28)

    @Test func paths() throws {
        let root = Layer.root(300, 220)
        let heart = try Path(svg: "M50 90 C-40 30 20 -20 50 20 C80 -20 140 30 50 90 Z").fitted(height: 60).flipped.translated(by: [40, 36])
        for (index, degrees) in [Float(0), 40, 65].enumerated() {
            let layer = Layer(frame: Rectangle(x: 10 + Float(index) * 96, y: 8, width: 80, height: 72))
            layer.shape = .path(heart)
            layer.fill = .gradient(.vertical([Color(sRGB: 0xFF5E7E), Color(sRGB: 0x8A1C4A)]))
            layer.stroke = Stroke(.color(blue), width: 4, placement: [.center, .inside, .outside][index], join: .round)
            root.add(layer.tilted(degrees, about: [0.3, 1, 0], distance: 300))
        }
        var zigzag = Path()
        for index in 0..<6 {
            let point = Vector2(Float(index) * 15, index.isMultiple(of: 2) ? 34 : 6)
            if index == 0 { zigzag.move(to: point) } else { zigzag.line(to: point) }
        }
        for (index, join) in [Stroke.Join.miter, .round, .bevel].enumerated() {
            let layer = Layer(frame: Rectangle(x: 14 + Float(index) * 98, y: 92, width: 75, height: 40))
            layer.shape = .path(zigzag)
            layer.stroke = Stroke(.color(blue), width: 8, cap: [.butt, .round, .square][index], join: join)
            root.add(layer)
        }
        for (index, rule) in [FillRule.nonZero, .evenOdd].enumerated() {
            let layer = Layer(frame: Rectangle(x: 14 + Float(index) * 70, y: 145, width: 60, height: 60))
            var star = Path()
            for corner in 0..<5 {
                let angle = Float(corner) * 4 * .pi / 5 - .pi / 2
                let point = Vector2(30, 32) + Vector2(cos(angle), sin(angle)) * 30
                if corner == 0 { star.move(to: point) } else { star.line(to: point) }
            }
            star.close()
            layer.shape = .path(star, rule: rule)
            layer.fill = .color(orange)
            root.add(layer)
        }
        let ring = Layer(frame: Rectangle(x: 160, y: 145, width: 60, height: 60))
        ring.shape = .path(.circle(center: [30, 30], radius: 26))
        ring.stroke = Stroke(.color(blue), width: 5, cap: .round, dashes: [0.1, 9])
        root.add(ring)
        let dashed = Layer(frame: Rectangle(x: 230, y: 145, width: 60, height: 60))
        dashed.shape = .path(Path.roundedRectangle(width: 56, height: 52, cornerRadius: 14).translated(by: [30, 30]))
        dashed.stroke = Stroke(
            .gradient(Gradient(.conic(), [orange, blue, orange])), width: 4, placement: .inside, dashes: [8, 4])
        root.add(dashed)
        try LayerStudio().check(root, 300, 220, named: "paths")
    }

    @Test func blends() throws {
        let root = Layer.root(300, 190)
        for (index, mode) in BlendMode.allCases.enumerated() {
            let tile = Layer(frame: Rectangle(x: 6 + Float(index % 6) * 49, y: 6 + Float(index / 6) * 61, width: 44, height: 56))
            let back = Layer.box(0, 0, 44, 40, radius: 4)
            back.fill = .gradient(Gradient(.linear(from: [0, 0], to: [1, 0]), [Color(sRGB: 0xE4405F), Color(sRGB: 0xF6D55C)]))
            let front = Layer.box(8, 14, 28, 38, radius: 14)
            front.fill = .gradient(.vertical([Color(sRGB: 0x20A39E), Color(sRGB: 0x23395B)]))
            front.blendMode = mode
            tile.add(back)
            tile.add(front)
            root.add(tile)
        }
        try LayerStudio().check(root, 300, 190, named: "blends")
    }

    @Test func groups() throws {
        let root = Layer.root(300, 200)
        let card = Layer.box(20, 20, 110, 70, .white, radius: 14)
        card.shadow = Shadow(radius: 8, offset: [0, 6], opacity: 0.4)
        let band = Layer.box(0, 20, 160, 14, blue)
        let inner = Layer.box(0, 0, 110, 70, .clear, radius: 14)
        inner.clipsToBounds = true
        inner.add(band)
        card.add(inner)
        root.add(card)

        let tilted = Layer.box(165, 20, 110, 70, orange, radius: 14).tilted(45, about: [0.2, 1, 0], distance: 300)
        tilted.shadow = Shadow(radius: 6, offset: [8, 10], opacity: 0.5)
        tilted.add(Layer.box(20, 20, 30, 30, .white, radius: 15))
        root.add(tilted)

        let soft = Layer.box(20, 120, 70, 60, blue, radius: 10)
        soft.add(Layer.box(20, 15, 30, 30, orange))
        soft.blur = 4
        root.add(soft)

        let masked = Layer(frame: Rectangle(x: 110, y: 115, width: 80, height: 70))
        masked.fill = .image(try checkerboard(64, 56))
        let star = Layer(frame: Rectangle(x: 0, y: 0, width: 80, height: 70))
        star.shape = .path(Path.star(points: 6, radius: 36, innerRadius: 20).flipped.translated(by: [40, 35]))
        star.fill = .gradient(.vertical([.white, Color(white: 1, alpha: 0.2)]))
        masked.mask = star
        root.add(masked)

        let faded = Layer.box(215, 120, 60, 50, blue, radius: 8)
        faded.add(Layer.box(25, 20, 50, 45, orange, radius: 8))
        faded.opacity = 0.5
        root.add(faded)
        try LayerStudio().check(root, 300, 200, named: "groups", background: Color(white: 0.93))
    }
}
