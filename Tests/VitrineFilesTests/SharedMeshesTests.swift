import Testing
import VitrineFiles
import VitrineTestSupport

/// Every OBJ, PLY, STL and OFF of the shared data loads, or is refused for the reason here. Skipped where the data is missing.
@Suite(.enabled(if: SharedData.has("meshes"), SharedData.missing)) struct SharedMeshesTests {
    private let refused = [
        "invalid.off": "a whole number is missing", "OutOfMemory.off": "do not fit into the file",
        "Wuson.ply": "is not a statement of a PLY header", "empty.obj": "is empty", "empty.ply": "is empty",
    ]

    @Test func everyMeshLoadsOrIsRefused() async throws {
        let files = SharedData.files(under: "meshes", extensions: ["obj", "ply", "stl", "off"])
        #expect(files.count > 30)
        var options = ModelLoadOptions()
        options.decodesTextures = false
        for file in files {
            let reason = refused[file.lastPathComponent]
            do {
                let loaded = try await SceneFile.load(file, options: options)
                #expect(reason == nil && (loaded.scene.bounds.isEmpty || loaded.scene.bounds.size.isFinite), "\(file.path)")
            } catch let error as ModelFileError {
                #expect(reason.map { "\(error)".contains($0) } == true, "\(error)")
            }
        }
    }
}
