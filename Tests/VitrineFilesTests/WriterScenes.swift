import VitrineMath
import VitrineScene

/// Scenes for the writers' tests.
enum WriterScenes {
    /// One square of 1 m in the x-y plane with normals and texture coordinates on a node "square".
    static func square(_ material: Material) throws -> Scene {
        let scene = Scene()
        scene.rootNode.addChildNode(Node(name: "square", mesh: Mesh(name: "square", geometry: try squareGeometry(), material: material)))
        return scene
    }

    static func squareGeometry(sets: Int = 1) throws -> Geometry {
        var attributes = [
            VertexAttribute(.position, componentCount: 3, values: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.25]),
            VertexAttribute(.normal, componentCount: 3, values: [0, 0, 1, 0, 0, 1, 0, 0, 1, 0.6, 0, 0.8]),
        ]
        for set in 0..<sets {
            let values: [Float] = [0, 1, 1, 1, 1, 0, 0, 0.125].map { $0 / Float(set + 1) }
            attributes.append(VertexAttribute(.textureCoordinate(set: set), componentCount: 2, values: values))
        }
        return try Geometry(attributes: attributes, indices: [0, 1, 2, 0, 2, 3])
    }

    static func image(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> [UInt8]) throws -> Image {
        var bytes: [UInt8] = []
        for y in 0..<height { for x in 0..<width { bytes += pixel(x, y) } }
        return try Image(width: width, height: height, format: .rgba8, bytes: bytes, name: "picture")
    }

    /// A tree with a shared mesh, a shear, two sets of coordinates, and a material with every slot.
    static func everything() throws -> Scene {
        let scene = Scene(name: "everything")
        let shared = Mesh(name: "panel", geometry: try squareGeometry(sets: 2), material: try fullMaterial())
        let base = Node(name: "base \"quoted\" é", mesh: shared)
        base.position = Vector3(1, 2, 3)
        base.eulerAngles.y = 0.5
        let child = Node(name: "child", mesh: shared)
        child.scale = Vector3(2, 2, 0.5)
        let sheared = Node(name: "sheared")
        sheared.transform = Matrix4(Vector4(1, 0, 0, 0), Vector4(0.5, 1, 0, 0), Vector4(0, 0, 1, 0), Vector4(0, 0, 4, 1))
        let plain = Material(name: "plain", baseColor: Color(linearRed: 0.2, green: 0.4, blue: 0.6), metalness: 0.25, roughness: 0.75)
        plain.isDoubleSided = true
        plain.alphaMode = .mask(cutoff: 0.25)
        let points = try Geometry(
            topology: .points,
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: [0, 0, 0, 1, 1, 1]),
                VertexAttribute(.color(set: 0), componentCount: 3, values: [1, 0, 0, 0, 0.5, 1]),
            ])
        sheared.mesh = Mesh(
            name: "parts",
            parts: [MeshPart(geometry: try squareGeometry(), material: plain), MeshPart(geometry: points, material: plain)])
        base.addChildNode(child)
        scene.rootNode.addChildNode(base)
        scene.rootNode.addChildNode(sheared)
        return scene
    }

    static func fullMaterial() throws -> Material {
        let colour = Texture(name: "colour", content: .image(try image(4, 4) { x, y in [UInt8(60 * x), UInt8(60 * y), 128, 255] }))
        let data = Texture(name: "data", content: .image(try image(4, 4) { x, y in [UInt8(200 + x), UInt8(50 * y), 99, 255] }))
        data.sampler = Sampler(wrapS: .clampToEdge, wrapT: .mirroredRepeat, magnification: .nearest, minification: .linear, mip: .nearest)
        let normals = Texture(name: "normals", content: .image(try image(2, 2) { _, _ in [128, 128, 255, 255] }))
        let material = Material(
            name: "full", baseColor: Color(linearRed: 0.9, green: 0.8, blue: 0.7, alpha: 0.5), metalness: 0.5, roughness: 0.25)
        material.baseColor.map = TextureMap(
            colour, transform: TextureTransform(offset: Vector2(0.25, 0.5), rotation: .degrees(30), scale: Vector2(2, 3)))
        material.roughness = ScalarSlot(0.25, map: TextureMap(data, set: 1), channel: .green)
        material.metalness = ScalarSlot(0.5, map: TextureMap(data, set: 1), channel: .blue)
        material.normal = NormalSlot(map: TextureMap(normals), scale: 0.5)
        material.occlusion = ScalarSlot(1, map: TextureMap(data), channel: .red, intensity: 0.75)
        material.emission = ColorSlot(Vector4(2, 1, 0.5, 1), map: TextureMap(colour))
        material.alphaMode = .blend
        material.clearcoat = Clearcoat(factor: 0.5, roughness: 0.125, normal: NormalSlot(map: TextureMap(normals)))
        return material
    }
}
