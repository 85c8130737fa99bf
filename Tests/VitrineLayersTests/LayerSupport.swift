import VitrineFiles
import VitrineGPU
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineLayers

/// A renderer for tests. Each test makes its own: devices belong to one thread.
struct LayerStudio {
    let renderer: LayerRenderer

    init() throws { renderer = try LayerRenderer(.make()) }

    /// The image of a tree over white.
    func image(_ root: Layer, _ width: Float, _ height: Float, scale: Float = 1, background: Color = .white) throws -> Image {
        try renderer.image(of: root, size: Vector2(width, height), scale: scale, background: background)
    }

    /// Linear, premultiplied, without background: four floats per pixel.
    func pixels(_ root: Layer, _ width: Float, _ height: Float, scale: Float = 1) throws -> [Vector4] {
        let image = try renderer.linearImage(of: root, size: Vector2(width, height), scale: scale)
        return image.bytes.withUnsafeBytes { raw in
            (0..<image.width * image.height).map { raw.loadUnaligned(fromByteOffset: 16 * $0, as: Vector4.self) }
        }
    }

    /// The share of each pixel that a tree of white layers covers, summed up.
    func area(_ root: Layer, _ width: Float, _ height: Float, scale: Float = 1) throws -> Double {
        try pixels(root, width, height, scale: scale).reduce(0) { $0 + Double($1.w) }
    }

    /// Compares images at 1× and 3× with `NAME.png` and `NAME@3x.png`.
    func check(_ root: Layer, _ width: Float, _ height: Float, named name: String, background: Color = .white) throws {
        try GoldenImage.check(try image(root, width, height, background: background), named: name)
        try GoldenImage.check(try image(root, width, height, scale: 3, background: background), named: name + "@3x")
    }
}

extension Layer {
    /// A tree's root that is as large as the image.
    static func root(_ width: Float, _ height: Float, _ layers: [Layer] = []) -> Layer {
        let root = Layer(name: "root", frame: Rectangle(x: 0, y: 0, width: width, height: height))
        for layer in layers { root.add(layer) }
        return root
    }

    static func box(
        _ x: Float, _ y: Float, _ width: Float, _ height: Float, _ color: Color = .white, radius: Float = 0
    ) -> Layer {
        let layer = Layer(frame: Rectangle(x: x, y: y, width: width, height: height))
        layer.fill = .color(color)
        layer.cornerRadius = radius
        return layer
    }

    /// Turned about y by so many degrees, seen from `distance` points.
    func tilted(_ degrees: Float, about axis: Vector3 = Vector3(0, 1, 0), distance: Float = 600) -> Layer {
        transform = Matrix4(perspectiveDistance: distance) * Matrix4(rotation: .degrees(degrees), axis: axis)
        return self
    }
}

/// A image of squares: 8 × 8 pixels each, two colours.
func checkerboard(_ width: Int, _ height: Int) throws -> Image {
    var bytes: [UInt8] = []
    for y in 0..<height {
        for x in 0..<width { bytes += (x / 8 + y / 8).isMultiple(of: 2) ? [230, 120, 40, 255] : [30, 60, 120, 255] }
    }
    return try Image(width: width, height: height, format: .rgba8, bytes: bytes, name: "squares")
}
