import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineTestSupport

@Suite struct USDReaderTests {
    private func read(_ bytes: [UInt8]) throws -> LoadedScene {
        try SceneFile.read(bytes, name: "a.usdz") { (path) throws(FileError) in throw FileError(path: path, reason: "no files here") }
    }

    @Test func writtenFilesRoundTrip() throws {
        let scene = try WriterScenes.everything()
        let loaded = try read(ModelFile.encode(scene, as: .usdz, name: "a.usdz").files[0].bytes)
        #expect(loaded.warnings == [])
        let root = try #require(loaded.scene.rootNode.childNodes.first)
        #expect(root.name == "everything" && root.childNodes.map(\.name) == scene.rootNode.childNodes.map(\.name))
        let (base, sheared) = (root.childNodes[0], root.childNodes[1])
        #expect(base.parentFromLocal.isClose(to: scene.rootNode.childNodes[0].parentFromLocal))
        #expect(sheared.parentFromLocal.isClose(to: scene.rootNode.childNodes[1].parentFromLocal))
        let panel = try #require(base.childNodes.first { $0.name == "panel" }?.mesh?.parts.first)
        let original = try #require(scene.rootNode.childNodes[0].mesh?.parts.first)
        for attribute in original.geometry.attributes {
            let values = try #require(panel.geometry.attribute(attribute.semantic)?.values)
            #expect(zip(values, attribute.values).allSatisfy { abs($0 - $1) < 1e-6 }, "\(attribute.semantic)")
        }
        #expect(panel.geometry.indices == original.geometry.indices)
        expectSame(panel.material, original.material)
        let parts = sheared.childNodes
        #expect(parts.map(\.name) == ["parts", "parts_1"] || parts.map(\.name) == ["parts", "parts"])
        #expect(parts[1].mesh?.parts[0].geometry.topology == .points)
        #expect(parts[1].mesh?.parts[0].geometry.attribute(.color(set: 0))?.values == [1, 0, 0, 0, 0.5, 1])
        #expect(parts[0].mesh?.parts[0].material.isDoubleSided == true)
    }

    private func expectSame(_ a: Material, _ b: Material) {
        #expect(a.name == b.name && a.alphaMode == b.alphaMode)
        #expect(length(a.baseColor.factor - b.baseColor.factor) < 1e-6 && length(a.emission.factor.xyz - b.emission.factor.xyz) < 1e-6)
        #expect(a.metalness.factor == b.metalness.factor && a.roughness.factor == b.roughness.factor)
        #expect(a.roughness.channel == .green && a.metalness.channel == .blue && a.roughness.map?.set == 1)
        #expect(a.occlusion.intensity == b.occlusion.intensity && a.clearcoat.factor.factor == b.clearcoat.factor.factor)
        #expect(a.roughness.map?.texture.sampler.wrapS == .clampToEdge && a.roughness.map?.texture.sampler.wrapT == .mirroredRepeat)
        guard let first = a.baseColor.map?.transform, let second = b.baseColor.map?.transform else {
            Issue.record("no transform")
            return
        }
        #expect(length(first.offset - second.offset) < 1e-5 && first.scale == second.scale)
        #expect(abs(first.rotation.radians - second.rotation.radians) < 1e-6)
        guard case .encoded(let bytes)? = a.normal.map?.texture.content else {
            Issue.record("no normal map")
            return
        }
        #expect(ImageFile.kind(of: bytes) == .png)
    }

    @Test func layersWithTexturesBesideThem() async throws {
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.usdc")
            _ = try ModelFile.write(WriterScenes.everything(), to: url)
            let loaded = try await SceneFile.load(url)
            #expect(loaded.warnings.isEmpty && loaded.format == .usdc && !loaded.scene.bounds.isEmpty)
        }
    }

    /// Large arrays are packed.
    @Test func packedIndicesRoundTrip() throws {
        let count = 5000
        let positions = (0..<count * 3).map { Float(($0 * 7919) % 1000) / 100 }
        let normals = (0..<count).flatMap { _ in [0, 1, 0] as [Float] }
        var indices: [UInt32] = []
        for corner in 0..<UInt32(count - 2) { indices += [corner, (corner &* 77) % UInt32(count), corner + 2] }
        let geometry = try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: positions),
                VertexAttribute(.normal, componentCount: 3, values: normals),
            ], indices: indices)
        let scene = Scene()
        scene.rootNode.addChildNode(Node(name: "n", mesh: Mesh(name: "m", geometry: geometry, material: Material())))
        let loaded = try read(ModelFile.encode(scene, as: .usdc, name: "a.usdc").files[0].bytes)
        let read = try #require(loaded.scene.rootNode.childNodes.first?.childNodes.first?.childNodes.first?.mesh?.parts.first?.geometry)
        #expect(read.indices == indices && read.attribute(.position)?.values == positions)
    }

    @Test func brokenFilesAreErrors() throws {
        let bytes = try ModelFile.encode(WriterScenes.square(Material()), as: .usdc, name: "a.usdc").files[0].bytes
        for length in stride(from: 8, to: bytes.count, by: 3) { #expect(throws: ModelFileError.self) { try read(Array(bytes[..<length])) } }
        // Any byte may be wrong: a scene or an error.
        for offset in stride(from: 8, to: bytes.count, by: 1) {
            var broken = bytes
            broken[offset] ^= 0xFF
            if let loaded = try? read(broken) { _ = loaded.scene.bounds }
        }
    }

    @Test func packagesAreChecked() throws {
        let bytes = try ModelFile.encode(WriterScenes.square(Material()), as: .usdz, name: "a.usdz").files[0].bytes
        for length in stride(from: 4, to: bytes.count, by: 7) { #expect(throws: ModelFileError.self) { try read(Array(bytes[..<length])) } }
        var compressed = bytes
        let entry = try #require(bytes.indices.last { bytes[$0...].starts(with: [0x50, 0x4B, 0x01, 0x02]) })
        compressed[entry + 10] = 8
        #expect { try read(compressed) } throws: { "\($0)" == "a.usdz: \"model.usdc\" is compressed or encrypted" }
    }
}
