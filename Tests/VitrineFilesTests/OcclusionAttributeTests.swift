import Testing
import VitrineGLTF
import VitrineMath
import VitrineScene

@testable import VitrineFiles

/// Baked occlusion in GLB files.
struct OcclusionAttributeTests {
    /// A box on a floor: the box is occluded near its lower edges.
    private func bakedScene() -> Scene {
        let scene = Scene()
        let material = Material()
        scene.rootNode.addChildNode(Node(name: "floor", mesh: Mesh(geometry: .box(size: Vector3(4, 0.1, 4)), material: material)))
        let box = Node(name: "box", mesh: Mesh(geometry: .sphere(radius: 0.5), material: material))
        box.position = Vector3(0, 0.5, 0)
        scene.rootNode.addChildNode(box)
        let bake = OcclusionBake(scene)
        bake.apply(bake.jobs.map { $0.run() })
        return scene
    }

    private func occlusion(of scene: Scene, node name: String) -> VertexAttribute? {
        scene[name]?.mesh?.parts[0].geometry.attribute(.occlusionHarmonics)
    }

    private func read(_ bytes: [UInt8]) throws -> LoadedScene {
        try SceneFile.read(bytes, name: "test.glb") { path throws(FileError) in throw FileError(path: path, reason: "does not exist") }
    }

    @Test(arguments: [ModelWriteOptions.Compression.none, .meshopt]) func fileKeepsOcclusion(compression: ModelWriteOptions.Compression)
        throws
    {
        let scene = bakedScene()
        var options = ModelWriteOptions()
        options.writesOcclusion = true
        options.compression = compression
        let loaded = try read(try ModelFile.encode(scene, as: .glb, name: "test.glb", options: options).files[0].bytes)
        #expect(loaded.warnings.isEmpty)
        let (before, after) = (try #require(occlusion(of: scene, node: "box")), try #require(occlusion(of: loaded.scene, node: "box")))
        #expect(after.componentCount == 9 && after.values.count == before.values.count)
        #expect(before.values.contains { abs($0) > 0.1 }, "nothing is occluded")
        let error = zip(before.values, after.values).map { abs($0 - $1) }.max() ?? 1
        #expect(error <= 4 / 32_767)
        for attribute in loaded.scene["box"]?.mesh?.parts[0].geometry.attributes ?? [] {
            if case .custom(let name) = attribute.semantic { Issue.record("\(name) remains") }
        }
    }

    @Test func filesWithoutTheOptionHaveNoOcclusion() throws {
        let bytes = try ModelFile.encode(bakedScene(), as: .glb, name: "test.glb").files[0].bytes
        #expect(occlusion(of: try read(bytes).scene, node: "box") == nil)
    }

    @Test func valuesOutsideTheRangeAreLimited() {
        #expect(OcclusionAttributes.encode([9, -9, 0, 2, 0, 0, 0, 0, 1], attribute: 0) == [32_767, -32_767, 0, 16_384])
        #expect(OcclusionAttributes.encode([9, -9, 0, 2, 0, 0, 0, 0, 1], attribute: 2) == [8192, 0])
    }
}
