import Testing
import Vitrine
import VitrineFiles
import VitrineMath
import VitrineTestSupport

/// COLLADA has no metalness: the written file must look nearly like the original under the studio environment and a light.
@MainActor @Suite struct COLLADAMetalTests {
    private static let colors = [Vector3(1, 1, 1), Vector3(1, 0.77, 0.34), Vector3(0.3, 0.05, 0.08)]
    private static let metalnesses: [Float] = [0, 0.5, 1]
    private static let roughnesses: [Float] = [0.1, 0.3, 0.5, 0.7, 1]
    private static let tile = 40

    /// Spheres: a column per roughness, a row per colour and metalness.
    private func spheres() -> Scene {
        let scene = Scene()
        for (row, color) in Self.colors.flatMap({ color in Self.metalnesses.map { (color, $0) } }).enumerated() {
            for (column, roughness) in Self.roughnesses.enumerated() {
                let material = Material(
                    name: "\(row) \(column)", baseColor: Color(linear: Vector4(color.0, 1)), metalness: color.1, roughness: roughness)
                let node = Node(name: material.name, mesh: Mesh(geometry: .sphere(radius: 0.45, segments: 48), material: material))
                node.position = Vector3(Float(column) + 0.5, -Float(row) - 0.5, 0)
                scene.rootNode.addChildNode(node)
            }
        }
        return scene
    }

    private func image(of scene: Scene, hasLight: Bool) throws -> Image {
        let (columns, rows) = (Self.roughnesses.count, Self.colors.count * Self.metalnesses.count)
        let eye = Node(name: "eye")
        eye.camera = Camera(projection: .orthographic(scale: Float(rows) / 2), near: 0.1, far: 20)
        eye.position = Vector3(Float(columns) / 2, -Float(rows) / 2, 5)
        scene.rootNode.addChildNode(eye)
        scene.pointOfView = eye
        scene.environment = .studio()
        if hasLight {
            let light = Node(name: "light")
            light.light = Light(.directional, intensity: 3)
            light.transform = Matrix4.lookAt(eye: Vector3(-2, 2.5, 3), target: Vector3(0, 0, 0), up: Vector3(0, 1, 0))
            scene.rootNode.addChildNode(light)
        }
        return try SceneView(scene).snapshot(width: Self.tile * columns, height: Self.tile * rows)
    }

    private func passed(_ scene: Scene, as format: ModelFormat, name: String) throws -> Scene {
        let written = try ModelFile.encode(scene, as: format, name: name)
        let files = { (path: String) throws(FileError) -> [UInt8] in
            guard let file = written.files.first(where: { $0.name == path }) else { throw FileError(path: path, reason: "is not there") }
            return file.bytes
        }
        return try SceneFile.read(written.files[0].bytes, name: name, files: files).scene
    }

    /// Root mean square and difference of the means over one sphere, 0 … 1.
    private func difference(_ a: Image, _ b: Image, column: Int, row: Int) -> (rms: Float, mean: Float) {
        var (squares, sum, count) = (Float(0), Vector3(repeating: 0), Float(0))
        for y in row * Self.tile..<(row + 1) * Self.tile {
            for x in column * Self.tile..<(column + 1) * Self.tile {
                let center = SIMD2(Float(x % Self.tile), Float(y % Self.tile)) + 0.5 - Float(Self.tile) / 2
                guard (center * center).sum() < 0.18 * Float(Self.tile * Self.tile) else { continue }
                let pixel = 4 * (y * a.width + x)
                func color(_ image: Image) -> Vector3 {
                    Vector3(Float(image.bytes[pixel]), Float(image.bytes[pixel + 1]), Float(image.bytes[pixel + 2])) / 255
                }
                let d = color(b) - color(a)
                (squares, sum, count) = (squares + dot(d, d) / 3, sum + d, count + 1)
            }
        }
        return ((squares / count).squareRoot(), ((sum / count).x.magnitude + (sum / count).y.magnitude + (sum / count).z.magnitude) / 3)
    }

    @Test func metalHasNearlyTheSameColour() throws {
        for hasLight in [false, true] {
            let original = try image(of: spheres(), hasLight: hasLight)
            let written = try image(of: passed(spheres(), as: .collada, name: "a.dae"), hasLight: hasLight)
            try GoldenImage.check(written, named: "collada-metal-\(hasLight ? "light" : "studio")")
            for row in 0..<Self.colors.count * Self.metalnesses.count {
                for (column, roughness) in Self.roughnesses.enumerated() {
                    let metalness = Self.metalnesses[row % Self.metalnesses.count]
                    let found = difference(original, written, column: column, row: row)
                    // The reflections of a mirror cannot be written.
                    let allowed = 0.11 + 0.15 * metalness * (1 - roughness)
                    let text = "row \(row) column \(column) light \(hasLight): \(found)"
                    #expect(found.rms < allowed && found.mean < 0.08 + 0.06 * metalness * (1 - roughness), "\(text)")
                }
            }

        }
    }

    /// glTF's default material was black once.
    @Test func plainMetalIsNotBlack() throws {
        let scene = Scene()
        scene.rootNode.addChildNode(
            Node(mesh: Mesh(geometry: .sphere(radius: 1), material: Material(baseColor: .white, metalness: 1, roughness: 1))))
        let back = try passed(scene, as: .collada, name: "a.dae")
        var material: Material?
        back.rootNode.forSubtree { material = material ?? $0.mesh?.parts.first?.material }
        let found = try #require(material)
        #expect(found.lightingModel == .blinn)
        #expect(found.baseColor.factor.x > 0.85)
        #expect(found.highlight.shininess == 8 && found.highlight.color.factor.x < 0.3)
    }

    /// MTL has metalness and roughness: nothing changes.
    @Test func objectFilesKeepMetal() throws {
        let original = try image(of: spheres(), hasLight: true)
        let written = try image(of: passed(spheres(), as: .obj, name: "a.obj"), hasLight: true)
        #expect(try ImageComparison(original, written).peakSignalToNoise > 40)
    }
}
