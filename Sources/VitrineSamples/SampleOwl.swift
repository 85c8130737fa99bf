import VitrineImageFiles
import VitrineMath
import VitrineScene

/// The sample model: a painted stoneware owl on a glazed base, 0.16 m high, generated procedurally.
///
/// Feathers, brush strokes and speckles cover the whole surface, from centimetres to a third of a millimetre, and never repeat, so that photos of the
/// owl can be reconstructed well.
package enum SampleOwl {
    /// The angle about +Y at which the owl faces +Z.
    static let front = Float.pi / 2

    /// Creates the owl: one node, one mesh, one material with base-colour and metallic-roughness textures of 1,024² and 512² texels.
    ///
    /// The model stands on y = 0 and faces +Z. Creating it takes about a second; every call returns the same data.
    ///
    /// - Parameter compressesTextures: Whether textures contain a JPEG and a PNG file, which makes a model file a quarter as large, but cannot be
    ///   rendered. Default false: textures contain pixels.
    package static func scene(compressesTextures: Bool = false) throws -> Scene {
        let material = Material(name: "Stoneware")
        func map(_ image: Image, _ encoding: ImageFile.Encoding) throws -> TextureMap {
            let sampler = Sampler(wrapS: .repeat, wrapT: .clampToEdge, maximumAnisotropy: 8)
            guard compressesTextures else { return TextureMap(Texture(image, sampler: sampler)) }
            return TextureMap(Texture(name: image.name, content: .encoded(try ImageFile.encode(image, as: encoding)), sampler: sampler))
        }
        material.baseColor.map = try map(SampleOwlPaint.baseColor(size: 1024), .jpeg(quality: 92))
        let glaze = try map(SampleOwlPaint.metallicRoughness(size: 512), .png(.small))
        material.roughness = ScalarSlot(1, map: glaze, channel: .green)
        material.metalness = ScalarSlot(1, map: glaze, channel: .blue)
        let scene = Scene(name: "Owl")
        scene.rootNode.addChildNode(Node(name: "Owl", mesh: Mesh(name: "Owl", geometry: try geometry(), material: material)))
        return scene
    }

    /// Creates the surface as a grid of `columns` around the axis and `rows` from the bottom to the top; v increases from top to bottom.
    private static func geometry(columns: Int = 200, rows: Int = 220) throws -> Geometry {
        let outline = SampleOutline.points(count: rows + 1)
        let points = outline.map { ring in
            (0..<columns).map { surfacePoint(radius: ring.x, height: ring.y, angle: 2 * .pi * Float($0) / Float(columns)) }
        }
        var (positions, normals, coordinates): ([Vector3], [Vector3], [Vector2]) = ([], [], [])
        for row in 0...rows {
            for column in 0...columns {
                let here = column % columns
                positions.append(points[row][here])
                normals.append(normal(points, row: row, column: here))
                coordinates.append(Vector2(Float(column) / Float(columns), 1 - Float(row) / Float(rows)))
            }
        }
        var indices: [UInt32] = []
        for row in 0..<rows {
            for column in 0..<columns {
                let a = UInt32(row * (columns + 1) + column)
                let b = a + UInt32(columns) + 1
                if row > 0 { indices += [a, b, a + 1] }
                if row < rows - 1 { indices += [a + 1, b, b + 1] }
            }
        }
        return try Geometry(positions: positions, normals: normals, textureCoordinates: coordinates, indices: indices)
    }

    private static func normal(_ points: [[Vector3]], row: Int, column: Int) -> Vector3 {
        let pole = Vector3(0, row < points.count / 2 ? -1 : 1, 0)
        guard row > 0, row < points.count - 1 else { return pole }
        let around = points[row]
        let across = around[(column + 1) % around.count] - around[(column + around.count - 1) % around.count]
        let normal = cross(points[row + 1][column] - points[row - 1][column], across)
        return length(normal) > 1e-14 ? normalize(normal) : pole
    }

    /// Returns a point of the surface: the outline at this height, plus wings, eyes, beak, feet, tail and ear tufts.
    private static func surfacePoint(radius: Float, height y: Float, angle: Float) -> Vector3 {
        var relief: Float = 0
        for side: Float in [1, -1] {
            let eye = angleDifference(angle, front + side * 0.46)
            relief += 0.0052 * bell(eye, 0.30) * bell(y - 0.122, 0.0105)
            relief -= 0.0030 * bell(eye, 0.62) * bell(y - 0.121, 0.019)
            let wing = angleDifference(angle, front + side * 1.62)
            let panel = 1 / (1 + exp((abs(wing) - 0.62) / 0.05)) / (1 + exp((abs(y - 0.062) - 0.031) / 0.0022))
            relief += 0.0042 * panel + 0.0012 * panel * cos(y * 900 + 3 * wing)
            relief += 0.0050 * bell(angleDifference(angle, front + side * 0.35), 0.22) * bell(y - 0.0135, 0.0045)
        }
        let middle = angleDifference(angle, front)
        relief += 0.0105 * bell(middle, 0.11 + 0.9 * max(0, y - 0.112)) * bell(y - 0.1115, 0.0075)
        relief += 0.0100 * bell(angleDifference(angle, front + .pi), 0.55) * bell(y - 0.024, 0.011)
        if y > 0.016, y < 0.1 { relief += 0.0007 * sin(y * 520 + 2.2 * sin(3 * angle)) * bell(middle, 0.8) }
        relief *= min(1, radius / 0.02)
        var tufts: Float = 0
        if y > 0.13 {
            for side: Float in [1, -1] { tufts += 0.0150 * bell(angleDifference(angle, front + side * 1.05), 0.34) }
            tufts *= bell(radius - 0.030, 0.012)
        }
        let r = radius + relief
        return Vector3(r * cos(angle), y + tufts, r * sin(angle))
    }

    static func bell(_ x: Float, _ width: Float) -> Float { exp(-(x / width) * (x / width)) }

    /// Returns the signed difference of two angles in radians, −π…π.
    static func angleDifference(_ angle: Float, _ center: Float) -> Float {
        let turns = (angle - center) / (2 * .pi)
        return (turns - turns.rounded()) * 2 * .pi
    }
}
