import Testing
import VitrineMath
import VitrineScene

@testable import VitrineLayers

/// The appearance of shapes. Each golden image was inspected.
@Suite struct ShapeGoldenTests {
    private let blue = Color(sRGB: 0x1B5E8C)
    private let orange = Color(sRGB: 0xF28C28)

    @Test func shapesAndStrokes() throws {
        let root = Layer.root(300, 200)
        for (row, placement) in [Stroke.Placement.inside, .center, .outside].enumerated() {
            for column in 0..<4 {
                let layer = Layer.box(12 + Float(column) * 74, 12 + Float(row) * 64, 54, 44, blue, radius: column == 1 ? 12 : 0)
                layer.shape = column == 2 ? .capsule : column == 3 ? .ellipse : .rectangle
                layer.stroke = Stroke(orange, width: 6, placement: placement)
                root.add(layer)
            }
        }
        try LayerStudio().check(root, 300, 200, named: "shapes")
    }

    @Test func gradients() throws {
        let root = Layer.root(300, 200)
        let colors = [Color(sRGB: 0xE4405F), Color(sRGB: 0x2D6CDF)]
        for (column, interpolation) in [Gradient.Interpolation.perceptual, .linear, .encoded].enumerated() {
            let kinds: [Gradient.Kind] = [.linear(from: [0, 0], to: [1, 0]), .radial(), .conic()]
            for (row, kind) in kinds.enumerated() {
                let layer = Layer.box(10 + Float(column) * 96, 10 + Float(row) * 62, 88, 54, radius: 10)
                layer.fill = .gradient(Gradient(kind, colors, interpolation: interpolation))
                root.add(layer)
            }
        }
        let clear = Layer.box(0, 90, 300, 20)
        clear.fill = .gradient(Gradient(.linear(from: [0, 0], to: [1, 0]), [.clear, .white]))
        root.add(clear)
        try LayerStudio().check(root, 300, 200, named: "gradients")
    }

    @Test func tilted() throws {
        let root = Layer.root(300, 200)
        for (index, degrees) in [Float(0), 40, 65].enumerated() {
            let card = Layer.box(15 + Float(index) * 95, 20, 80, 60, blue, radius: 14).tilted(degrees, distance: 300)
            card.stroke = Stroke(orange, width: 3, placement: .inside)
            let dot = Layer.box(20, 15, 40, 30, .white)
            dot.shape = .ellipse
            card.add(dot)
            root.add(card)
            let content = Layer(frame: Rectangle(x: 15 + Float(index) * 95, y: 110, width: 80, height: 70))
            content.fill = .image(try checkerboard(64, 64))
            content.cornerRadius = 6
            root.add(content.tilted(degrees, about: [1, 1, 0], distance: 300))
        }
        try LayerStudio().check(root, 300, 200, named: "tilted")
    }

    @Test func images() throws {
        let root = Layer.root(300, 100)
        for (index, mode) in [ContentMode.resize, .aspectFit, .aspectFill, .center].enumerated() {
            let layer = Layer.box(10 + Float(index) * 72, 10, 62, 80, Color(white: 0.85))
            let content = Layer(frame: Rectangle(x: 0, y: 0, width: 62, height: 80))
            content.fill = .image(try checkerboard(48, 24), mode: mode)
            content.cornerRadius = 10
            content.stroke = Stroke(.black, width: 1, placement: .inside)
            layer.add(content)
            root.add(layer)
        }
        try LayerStudio().check(root, 300, 100, named: "images")
    }

    @Test func depth() throws {
        let root = Layer.root(300, 160)
        root.perspectiveDistance = 500
        // Two cards through each other; three in a stack whose order is not that of the tree.
        for (degrees, color) in [(Float(35), blue), (-35, orange)] {
            let card = Layer.box(20, 30, 120, 100, color, radius: 10)
            card.transform = Matrix4(rotation: .degrees(degrees), axis: [0, 1, 0])
            root.add(card)
        }
        let group = Layer(frame: Rectangle(x: 170, y: 30, width: 110, height: 100))
        group.isFlattened = false
        group.transform = Matrix4(rotation: .degrees(40), axis: [0.3, 1, 0])
        for (z, color) in [(Float(35), Color(sRGB: 0xD7263D)), (0, blue), (20, Color(sRGB: 0xF6D55C))] {
            let card = Layer.box(z, z, 60, 50, color)
            card.zPosition = z
            group.add(card)
        }
        root.add(group)
        try LayerStudio().check(root, 300, 160, named: "depth")
    }
}
