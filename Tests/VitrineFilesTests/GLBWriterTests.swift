import Foundation
import Testing
import VitrineFiles
import VitrineGLTF
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineTestFiles

@Suite struct GLBWriterTests {
    private func read(_ scene: Scene, options: ModelWriteOptions = ModelWriteOptions()) throws -> (GLTFAsset, [ModelWarning], [UInt8]) {
        let model = try ModelFile.encode(scene, as: .glb, name: "test.glb", options: options)
        let bytes = model.files[0].bytes
        return (try GLTFReader.read(bytes, name: "test.glb"), model.warnings, bytes)
    }

    @Test func aSceneRoundTrips() throws {
        let scene = try WriterScenes.everything()
        let (asset, warnings, bytes) = try read(scene)
        #expect(warnings.map(\.location) == ["node \"sheared\""] && asset.warnings == [])
        #expect(try ModelFile.encode(scene, as: .glb, name: "test.glb").files[0].bytes == bytes)
        expectSame(scene.rootNode, asset.scene.rootNode)
        #expect(asset.scene.name == "everything" && asset.info.generator == "Vitrine")
    }

    private func expectSame(_ a: Node, _ b: Node) {
        #expect(a.name == b.name || a.parent == nil)
        #expect(b.parentFromLocal.isClose(to: a.parentFromLocal, tolerance: 1e-6))
        #expect(a.childNodes.count == b.childNodes.count)
        #expect(a.mesh?.name == b.mesh?.name && a.mesh?.parts.count == b.mesh?.parts.count)
        for (first, second) in zip(a.mesh?.parts ?? [], b.mesh?.parts ?? []) {
            #expect(first.geometry.attributes == second.geometry.attributes)
            #expect(first.geometry.indices == second.geometry.indices && first.geometry.topology == second.geometry.topology)
            expectSame(first.material, second.material)
        }
        for (first, second) in zip(a.childNodes, b.childNodes) { expectSame(first, second) }
    }

    private func expectSame(_ a: Material, _ b: Material) {
        #expect(a.name == b.name && a.isDoubleSided == b.isDoubleSided && a.alphaMode == b.alphaMode && a.lightingModel == b.lightingModel)
        #expect(a.baseColor.factor == b.baseColor.factor && a.metalness.factor == b.metalness.factor)
        #expect(a.roughness.factor == b.roughness.factor && a.normal.scale == b.normal.scale)
        #expect(a.occlusion.intensity == b.occlusion.intensity && length(a.emission.factor - b.emission.factor) < 1e-6)
        #expect(a.clearcoat.factor.factor == b.clearcoat.factor.factor && a.clearcoat.roughness.factor == b.clearcoat.roughness.factor)
        let pairs = [
            (a.baseColor.map, b.baseColor.map), (a.normal.map, b.normal.map), (a.occlusion.map, b.occlusion.map),
            (a.emission.map, b.emission.map),
            (a.roughness.map, b.roughness.map), (a.metalness.map, b.metalness.map), (a.clearcoat.normal.map, b.clearcoat.normal.map),
        ]
        for (first, second) in pairs {
            #expect((first == nil) == (second == nil))
            guard let first, let second else { continue }
            #expect(first.set == second.set && first.transform == second.transform && first.texture.sampler == second.texture.sampler)
        }
    }

    @Test func lightMapRoundTrips() throws {
        let image = try Image(width: 1, height: 1, format: .rgba8, bytes: [255, 128, 0, 255])
        let material = Material(name: "m")
        material.lightMap = ColorSlot(Vector4(2.5, 2.5, 2.5, 1), map: TextureMap(Texture(image), set: 1))
        let geometry = try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: [0, 0, 0, 1, 0, 0, 0, 1, 0]),
                VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: [0, 0, 0, 0, 0, 0]),
                VertexAttribute(.textureCoordinate(set: 1), componentCount: 2, values: [0, 0, 1, 0, 0, 1]),
            ])
        let scene = Scene()
        scene.rootNode.addChildNode(Node(name: "n", mesh: Mesh(geometry: geometry, material: material)))
        let (asset, warnings, _) = try read(scene)
        #expect(warnings.isEmpty && asset.warnings.isEmpty)
        let part = try #require(asset.scene.rootNode.childNode(withName: "n", recursively: true)?.mesh?.parts.first)
        #expect(part.material.lightMap.factor == Vector4(2.5, 2.5, 2.5, 1))
        #expect(part.material.lightMap.map?.set == 1)
        #expect(part.geometry.attribute(.textureCoordinate(set: 1))?.values == [0, 0, 1, 0, 0, 1])
        let model = try ModelFile.encode(scene, as: .obj, name: "test.obj")
        #expect(model.warnings.map(\.message).contains { $0.hasPrefix("a light map") })
    }

    @Test func aNumberThatJSONHasNotIsAnError() throws {
        let material = Material(name: "m")
        material.emission.factor.y = .infinity
        let scene = try WriterScenes.square(material)
        for format in [ModelFormat.glb, .gltf] {
            #expect { try ModelFile.encode(scene, as: format, name: "a") } throws: {
                "\($0)" == "a:materials/0/emissiveFactor/1: contains a number that is not finite"
            }
        }
    }

    @Test func aShearIsSaid() throws {
        let node = Node(name: "n", mesh: try WriterScenes.square(Material()).rootNode.childNodes[0].mesh)
        node.transform = Matrix4(Matrix3(Vector3(1, 0, 0), Vector3(0.5, 1, 0), Vector3(0, 0, 1)))
        let scene = Scene(name: "s")
        scene.rootNode.addChildNode(node)
        let (back, warnings, _) = try read(scene)
        #expect(warnings.map(\.description).contains { $0.hasPrefix("node \"n\": a sheared transform") })
        #expect(back.scene.rootNode.childNodes[0].transform == node.transform)
    }

    @Test func encodedImagesAreKept() throws {
        let file = try ImageFile.encode(TestImage.noise(width: 4, height: 4, format: .rgba8, opaque: true), as: .jpeg(quality: 60))
        let texture = Texture(name: "photo", content: .encoded(file))
        let material = Material(name: "m")
        material.baseColor.map = TextureMap(texture)
        material.emission = ColorSlot(Vector4(1, 1, 1, 1), map: TextureMap(texture))
        let (asset, _, _) = try read(WriterScenes.square(material))
        #expect(asset.info.counts.images == 1 && asset.info.counts.textures == 1)
        guard case .encoded(let bytes) = try #require(asset.textures.first).texture.content else { throw Missing() }
        #expect(bytes == file)
    }

    @Test func pixelsBecomeWhatIsAskedFor() throws {
        let opaque = try TestImage.noise(width: 4, height: 4, format: .rgba8, opaque: true)
        let transparent = try TestImage.noise(width: 4, height: 4, format: .rgba8, opaque: false)
        let material = Material()
        material.baseColor.map = TextureMap(Texture(opaque))
        material.emission = ColorSlot(Vector4(1, 1, 1, 1), map: TextureMap(Texture(transparent)))
        var options = ModelWriteOptions()
        options.textureFormat = .jpeg(quality: 80)
        let (asset, _, _) = try read(WriterScenes.square(material), options: options)
        #expect(asset.textures.map(\.mimeType).sorted() == ["image/jpeg", "image/png"])
        let png = try #require(asset.textures.first { $0.mimeType == "image/png" })
        guard case .encoded(let bytes) = png.texture.content else { throw Missing() }
        #expect(try ImageFile.decode(bytes).bytes == transparent.bytes)
    }

    /// glTF requires roughness in green and metalness in blue of one image.
    @Test func roughnessAndMetalnessArePacked() throws {
        let rough = try WriterScenes.image(4, 2) { x, y in [UInt8(60 * x), 7, 9, 255] }
        let metal = try WriterScenes.image(2, 1) { x, y in [1, 2, UInt8(200 * x), 255] }
        let material = Material(metalness: 1, roughness: 0.5)
        material.roughness.map = TextureMap(Texture(rough))
        material.metalness = ScalarSlot(1, map: TextureMap(Texture(metal)), channel: .blue)
        let (asset, warnings, _) = try read(WriterScenes.square(material))
        #expect(warnings.isEmpty && asset.textures.count == 1)
        guard case .encoded(let bytes) = asset.textures[0].texture.content else { throw Missing() }
        let packed = try ImageFile.decode(bytes)
        #expect((packed.width, packed.height) == (4, 2))
        for y in 0..<2 {
            for x in 0..<4 {
                let pixel = Array(packed.bytes[(y * 4 + x) * 4..<(y * 4 + x) * 4 + 4])
                #expect(pixel == [255, UInt8(60 * x), x < 2 ? 0 : 200, 255])
            }
        }
    }

    /// A grey image is the same in every channel: it serves without being packed.
    @Test func greyRoughnessIsKept() throws {
        let grey = try WriterScenes.image(3, 3) { x, y in Array(repeating: UInt8(20 * x + 5 * y), count: 3) + [255] }
        let file = try ImageFile.encode(grey, as: .png(.small))
        let material = Material(metalness: 0, roughness: 1)
        material.roughness.map = TextureMap(Texture(name: "grey", content: .encoded(file)))
        let (asset, _, _) = try read(WriterScenes.square(material))
        guard case .encoded(let bytes) = asset.textures[0].texture.content else { throw Missing() }
        #expect(bytes == file)
        // With metal, blue matters.
        material.metalness.factor = 0.5
        let (second, _, _) = try read(WriterScenes.square(material))
        guard case .encoded(let packed) = second.textures[0].texture.content else { throw Missing() }
        #expect(try ImageFile.decode(packed).bytes[2] == 255)
    }

    @Test func omissionsAreReported() throws {
        let material = Material(name: "paint")
        material.displacement.map = TextureMap(Texture(try TestImage.noise(width: 2, height: 2, format: .rgba8, opaque: true)))
        let scene = try WriterScenes.square(material)
        let node = scene.rootNode.childNodes[0]
        node.opacity = 0.5
        node.light = Light(.ambient)
        let hidden = Node(name: "ghost")
        hidden.isHidden = true
        scene.rootNode.addChildNode(hidden)
        let (asset, warnings, _) = try read(scene)
        #expect(
            warnings.map(\.description) == [
                "node \"ghost\": hidden, with its descendants: not written",
                "node \"square\": opacity 0.5: not written",
                "material \"paint\": displacement: not supported by glTF",
                "node \"square\": its ambient light: not supported by glTF",
            ])
        #expect(asset.scene.rootNode.childNodes.count == 1)
    }

    @Test func numbersThatAreNoneAreErrors() throws {
        let position = VertexAttribute(.position, componentCount: 3, values: [0, 0, 0, 1, .nan, 0, 0, 1, 0])
        let scene = Scene()
        scene.rootNode.addChildNode(
            Node(name: "n", mesh: Mesh(name: "bad", geometry: try Geometry(attributes: [position]), material: Material())))
        #expect { try ModelFile.encode(scene, as: .glb, name: "x.glb") } throws: {
            "\($0)" == "x.glb:mesh \"bad\": position of vertex 1 is not finite: nan"
        }
    }

    @Test func normalsBecomeUnitVectors() throws {
        let geometry = try Geometry(attributes: [
            VertexAttribute(.position, componentCount: 3, values: [0, 0, 0, 1, 0, 0, 0, 1, 0]),
            VertexAttribute(.normal, componentCount: 3, values: [0, 0, 2, 0, 0, 0, 0, 0, 1]),
        ])
        let scene = Scene()
        scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: geometry, material: Material())))
        let (asset, _, _) = try read(scene)
        let normals = asset.scene.rootNode.childNodes[0].mesh?.parts[0].geometry.attribute(.normal)?.values
        #expect(normals == [0, 0, 1, 0, 1, 0, 0, 0, 1])
    }

    @Test func manyVerticesGetLongIndices() throws {
        let count = 70_000
        let positions = (0..<count * 3).map { Float($0 % 977) }
        let geometry = try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: positions),
                // Without them the reader would take triangles apart.
                VertexAttribute(.normal, componentCount: 3, values: (0..<count).flatMap { _ in [0, 0, 1] as [Float] }),
            ], indices: [0, 1, UInt32(count - 1)])
        let scene = Scene()
        scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: geometry, material: Material())))
        let (asset, _, _) = try read(scene)
        #expect(asset.scene.rootNode.childNodes[0].mesh?.parts[0].geometry.indices == [0, 1, UInt32(count - 1)])
    }

    @Test func filesAreWrittenAndUnknownExtensionsRefused() throws {
        try withTemporaryDirectory { folder in
            let scene = try WriterScenes.everything()
            let url = folder.appendingPathComponent("a.GLB")
            #expect(try ModelFile.write(scene, to: url).count == 1)
            #expect(try FileBytes.read(url) == ModelFile.encode(scene, as: .glb, name: "a.GLB").files[0].bytes)
            #expect(throws: ModelFileError.self) { try ModelFile.write(scene, to: folder.appendingPathComponent("a.txt")) }
            #expect(throws: ModelFileError.self) { try ModelFile.write(scene, to: folder.appendingPathComponent("none/a.glb")) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.GLB"])
        }
    }

    /// Sample models: read, written and read again they are the same; every byte by the reader's rules.
    @Test(.enabled(if: SharedData.has("gltf"), SharedData.missing))
    func realModelsRoundTrip() async throws {
        for name in [
            "DamagedHelmet/glTF/DamagedHelmet.gltf", "Avocado/glTF/Avocado.gltf", "textureTransform/TextureTransformTest.gltf",
            "ClearcoatTest/ClearcoatTest.glb",
        ] {
            let url = try SharedData.url("gltf/" + name)
            var options = ModelLoadOptions()
            options.decodesTextures = false
            let loaded = try await SceneFile.load(url, options: options)
            let (asset, warnings, _) = try read(loaded.scene)
            #expect(asset.warnings.isEmpty, "\(name): \(asset.warnings)")
            #expect(warnings.isEmpty, "\(name): \(warnings)")
            expectSame(loaded.scene.rootNode, asset.scene.rootNode)
        }
    }

    private struct Missing: Error {}
}
