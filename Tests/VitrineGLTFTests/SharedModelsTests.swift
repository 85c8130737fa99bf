import Foundation
import Testing
import VitrineFiles
import VitrineGLTF
import VitrineScene
import VitrineTestSupport

/// Real models. Skipped where the shared data is missing.
@Suite(.enabled(if: SharedData.has("gltf"), SharedData.missing)) struct SharedModelsTests {
    @Test func damagedHelmet() async throws {
        let loaded = try await SceneFile.load(SharedData.url("gltf/DamagedHelmet/glTF/DamagedHelmet.gltf"))
        #expect(loaded.warnings.isEmpty)
        #expect(loaded.format == .gltf)
        let node = try #require(loaded.scene.rootNode.childNodes.first)
        let part = try #require(node.mesh?.parts.first)
        #expect(part.geometry.vertexCount == 14556)
        #expect(part.geometry.triangleCount == 15452)
        let material = part.material
        #expect(material.metalness.map?.texture === material.roughness.map?.texture)
        #expect(material.textures.count == 5)
        guard case .image(let image)? = material.baseColor.map?.texture.content else {
            Issue.record("the base colour is not decoded")
            return
        }
        #expect(image.width == 2048 || image.width == 1024)
        #expect(abs(loaded.scene.bounds.size.x - 1.888) < 0.01)
    }

    @Test func duckAndAvocado() async throws {
        let duck = try await Scene(contentsOf: SharedData.url("gltf/Duck/glTF-Binary/Duck.glb"))
        #expect(duck.rootNode.childNodes.count == 1)
        #expect(duck.bounds.size.y > 1 && duck.bounds.size.y < 2)
        let avocado = try await Scene(contentsOf: SharedData.url("gltf/Avocado/glTF/Avocado.gltf"))
        #expect(abs(avocado.bounds.size.y - 0.0629) < 0.001)
        #expect(avocado.rootNode.childNodes[0].material?.textures.count == 3)
    }

    /// Refused until its folder is allowed: its buffer lies outside of the model's own.
    static let refused: Set<String> = ["DamagedHelmetGpuInstancing.gltf"]

    @Test func everyModelLoadsOrIsRefusedByName() async throws {
        let models = SharedData.files(under: "gltf", extensions: ["gltf", "glb"]).filter { !$0.path.contains("/validator/") }
        #expect(!models.isEmpty)
        var options = ModelLoadOptions()
        options.decodesTextures = false
        for model in models {
            do {
                let loaded = try await SceneFile.load(model, options: options)
                #expect(!SharedModelsTests.refused.contains(model.lastPathComponent), "\(model.path)")
                #expect(!loaded.scene.bounds.isEmpty && loaded.scene.bounds.size.isFinite, "\(model.path)")
            } catch let error as ModelFileError {
                #expect(SharedModelsTests.refused.contains(model.lastPathComponent), "\(error)")
                #expect("\(error)".contains("outside the model's folder") && "\(error)".contains("--allow-folder"), "\(error)")
                var allowing = options
                allowing.allowedFolders = [model.deletingLastPathComponent().deletingLastPathComponent()]
                #expect(try await !SceneFile.load(model, options: allowing).scene.bounds.isEmpty)
            }
        }
    }
}
