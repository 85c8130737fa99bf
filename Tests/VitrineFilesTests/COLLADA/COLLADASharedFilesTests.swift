import Testing
import VitrineFiles
import VitrineScene
import VitrineTestSupport

@Suite(.enabled(if: SharedData.has("dae"), SharedData.missing)) struct COLLADASharedFilesTests {
    @Test func everyFileLoads() async throws {
        var options = ModelLoadOptions()
        options.decodesTextures = false
        let files = SharedData.files(under: "dae", extensions: ["dae", "zae"])
        #expect(files.count > 200)
        for file in files {
            let loaded = try await SceneFile.load(file, options: options)
            #expect(loaded.format == .collada)
            #expect(loaded.warnings.count < 600, "\(file.path)")
            var isFinite = true
            loaded.scene.rootNode.forSubtree { node in
                for part in node.mesh?.parts ?? [] { isFinite = isFinite && part.geometry.bounds.size.isFinite }
            }
            #expect(isFinite, "\(file.path)")
        }
    }
}
