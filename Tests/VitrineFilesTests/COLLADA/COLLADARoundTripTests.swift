import Testing
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineFiles

/// Converts COLLADA to the other formats and back: properties that a format can store survive, the others are reported.
@Suite struct COLLADARoundTripTests {
    /// The contents of a scene except its surface.
    private struct Contents {
        var names: Set<String> = []
        /// "parent/child" of nodes with names, without unnamed nodes.
        var lineage: Set<String> = []
        /// "ancestor/descendant": files may add nodes between, for an axis or a unit.
        var ancestry: Set<String> = []
        /// The images of each part, in the order of the tree.
        var images: [[UInt8]] = []
        var models: [LightingModel] = []
        var counts = ["camera": 0, "light": 0, "animation": 0, "skin": 0]

        init(_ scene: Scene) {
            counts["animation"] = scene.animations.count
            scene.rootNode.forSubtree { node in add(node) }
        }

        private mutating func add(_ node: Node) {
            addLineage(node)
            if node.camera != nil { counts["camera", default: 0] += 1 }
            if node.light != nil { counts["light", default: 0] += 1 }
            if node.skin != nil { counts["skin", default: 0] += 1 }
            for part in node.mesh?.parts ?? [] {
                models.append(part.material.lightingModel)
                guard let map = part.material.baseColor.map else { continue }
                if case .encoded(let bytes) = map.texture.content { images.append(bytes) } else { images.append([]) }
            }
        }

        private mutating func addLineage(_ node: Node) {
            guard !node.name.isEmpty, node.parent != nil else { return }
            names.insert(node.name)
            var (ancestor, isNearest) = (node.parent, true)
            // The topmost node is the scene's own.
            while let current = ancestor, current.parent != nil {
                if !current.name.isEmpty {
                    ancestry.insert("\(current.name)/\(node.name)")
                    if isNearest { lineage.insert("\(current.name)/\(node.name)") }
                    isNearest = false
                }
                ancestor = current.parent
            }
        }
    }

    /// Writes and reads the scene, and compares it with the original.
    private func pass(_ scene: Scene, through format: ModelFormat, _ name: String) throws -> Scene {
        let conversion = "\(name) \(format)"
        let (before, start) = (Contents(scene), RoundTripTests.Surface(scene))
        let (next, warnings) = try RoundTripTests().passed(scene, through: format)
        let after = Contents(next)
        expectSame(start, RoundTripTests.Surface(next), conversion)
        #expect(before.images == after.images, "\(conversion): images")
        let said = warnings.map(\.description)
        // OBJ has no tree.
        if format != .obj {
            #expect(before.names.subtracting(after.names) == [], "\(conversion): \(after.names.sorted())")
            #expect(before.lineage.subtracting(after.ancestry) == [], "\(conversion): \(after.ancestry.sorted())")
        }
        for (kind, count) in before.counts.sorted(by: { $0.key < $1.key }) where after.counts[kind] != count {
            #expect(said.contains { $0.contains(kind) }, "\(conversion): \(count) × \(kind) became \(after.counts[kind] ?? 0), and \(said)")
        }
        // Classic materials have a highlight colour, the physically based one has none.
        let hasLostHighlight = zip(before.models, after.models).contains { [.phong, .blinn].contains($0) && $1 != $0 }
        if hasLostHighlight { #expect(said.contains { $0.contains("lighting") || $0.contains("highlight") }, "\(conversion): \(said)") }
        return next
    }

    private func expectSame(_ a: RoundTripTests.Surface, _ b: RoundTripTests.Surface, _ conversion: String) {
        let size = a.positions.reduce(Float(1e-3)) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
        #expect(!a.positions.isEmpty && a.positions.count == b.positions.count && a.normals.count == b.normals.count, "\(conversion)")
        #expect(zip(a.positions, b.positions).allSatisfy { length($0 - $1) <= 4e-6 * size }, "\(conversion): positions")
        #expect(zip(a.normals, b.normals).allSatisfy { length($0 - $1) < 1e-4 }, "\(conversion): normals")
        #expect(a.coordinates.count == b.coordinates.count, "\(conversion)")
        #expect(zip(a.coordinates, b.coordinates).allSatisfy { length($0 - $1) < 2e-6 }, "\(conversion): coordinates")
        #expect(a.materials == b.materials, "\(conversion)")
        #expect(zip(a.colours, b.colours).allSatisfy { length($0 - $1) < 1e-5 }, "\(conversion): \(a.colours) \(b.colours)")
    }

    /// A tree with an image and a plain colour, lit and seen.
    private func made() throws -> Scene {
        let scene = Scene(name: "made")
        let image = try WriterScenes.image(4, 2) { x, y in [UInt8(60 * x), UInt8(100 * y), 9, 255] }
        let printed = Material(name: "printed", baseColor: .white, metalness: 0, roughness: 1)
        printed.baseColor.map = TextureMap(Texture(name: "print", content: .encoded(try ImageFile.encode(image, as: .png(.small)))))
        let plain = Material(
            name: "plain", baseColor: Color(linearRed: 0.2, green: 0.5, blue: 0.75), metalness: 0, roughness: 1)
        let (base, arm) = (Node(name: "base"), Node(name: "arm"))
        base.position = Vector3(1, 2, 3)
        base.eulerAngles = Vector3(0.2, 0.5, -0.1)
        base.mesh = Mesh(name: "sheet", geometry: try WriterScenes.squareGeometry(), material: printed)
        arm.position.y = 0.75
        arm.scale = Vector3(2, 2, 0.5)
        arm.mesh = Mesh(name: "box", geometry: .box(size: Vector3(1, 2, 3)), material: plain)
        base.addChildNode(arm)
        scene.rootNode.addChildNode(base)
        let eye = Node(name: "eye")
        eye.camera = Camera(projection: .perspective(fieldOfView: .degrees(40)), near: 0.25, far: 50, aspectRatio: 1.5)
        eye.light = Light(.point, intensity: 5)
        scene.rootNode.addChildNode(eye)
        return scene
    }

    @Test func generatedSceneRoundTrips() throws {
        var scene = try made()
        for format in [ModelFormat.collada, .usdz, .glb, .obj, .glb, .collada, .glb] { scene = try pass(scene, through: format, "made") }
    }

    /// Properties that OBJ cannot store are reported by name.
    @Test func lossesAreReported() throws {
        let (scene, _) = try RoundTripTests().passed(try made(), through: .collada)
        let warnings = try ModelFile.encode(scene, as: .obj, name: "x.obj").warnings.map(\.description)
        #expect(warnings.contains("node \"eye\": a camera: not written") && warnings.contains("node \"eye\": a light: not written"))
    }

    /// COLLADA has no metalness: the writer warns about the material that has it, and the other keeps its colour.
    @Test func metalBecomesABlinnHighlightWithAWarning() throws {
        let start = try RoundTripTests().scene()
        let (back, warnings) = try RoundTripTests().passed(start, through: .collada)
        let (red, blue) = (try #require(back["base"]?.material), try #require(back["arm"]?.material))
        let text = "metalness (25 %) and roughness (50 %): not supported by COLLADA, written as the most similar Blinn highlight"
        #expect(warnings.map(\.description) == ["material \"red\": " + text])
        #expect(red.lightingModel == .blinn && blue.lightingModel == .lambert)
        let expected = BlinnApproximation(base: Vector3(0.8, 0.1, 0.05), metalness: 0.25, roughness: 0.5)
        #expect(length(red.baseColor.factor.xyz - expected.diffuse) < 1e-5)
        #expect(length(expected.diffuse - Vector3(0.8, 0.1, 0.05) * 0.9) < 0.03)
        #expect(red.highlight.shininess == 32)
        #expect(length(blue.baseColor.factor.xyz - Vector3(0.1, 0.2, 0.9)) < 1e-5)
        #expect(back["arm"]?.parent?.name == "base")
    }

    /// The highlight keeps its hue where it would be brighter than 1, and exponents stay in the range that readers take literally.
    @Test func blinnParametersStayInRange() {
        for metalness in stride(from: Float(0), through: 1, by: 0.25) {
            for roughness in stride(from: Float(0), through: 1, by: 0.05) {
                let found = BlinnApproximation(base: Vector3(1, 0.5, 0.25), metalness: metalness, roughness: roughness)
                #expect((8...1000).contains(found.shininess))
                #expect(found.specular.max() <= 1 && found.specular.min() >= 0 && found.diffuse.max() <= 1)
                if metalness == 1 { #expect(abs(found.specular.y / found.specular.x - 0.5) < 1e-5) }
            }
        }
    }

    private func load(_ path: String) async throws -> Scene {
        var options = ModelLoadOptions()
        options.decodesTextures = false
        return try await SceneFile.load(SharedData.url(path), options: options).scene
    }

    @Test(.enabled(if: SharedData.has("dae/samples"), SharedData.missing), arguments: ["Duck", "CesiumMilkTruck", "BoxTextured"])
    func samplesRoundTrip(_ name: String) async throws {
        var scene = try await load("dae/samples/\(name)/\(name).dae")
        for format in [ModelFormat.usdz, .glb, .obj, .glb] { scene = try pass(scene, through: format, name) }
    }

    @Test(.enabled(if: SharedData.has("gltf"), SharedData.missing), arguments: ["Duck", "CesiumMilkTruck", "BoxTexturedNonPowerOfTwo"])
    func samplesGoThroughCOLLADA(_ name: String) async throws {
        let path = "gltf/\(name)/glTF-Binary/\(name).glb"
        guard SharedData.has(path) else { return }
        var scene = try await load(path)
        for format in [ModelFormat.collada, .glb] { scene = try pass(scene, through: format, name) }
    }
}
