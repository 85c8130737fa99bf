import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineRender

/// Images of models before and after `ModelOptimizer` are equal.
@Suite struct OptimizedImageTests {
    private func image(of scene: Scene, _ view: View) throws -> Image {
        let studio = try Studio()
        scene.environment = .studio()
        return try studio.image(of: scene, from: view, width: 256, height: 256)
    }

    private func compare(_ scene: Scene, _ other: Scene, name: String) throws {
        let view = View.framing(scene.bounds, azimuth: .degrees(30), elevation: .degrees(15), fieldOfView: .degrees(45), aspectRatio: 1)
        let comparison = try ImageComparison(try image(of: scene, view), try image(of: other, view))
        #expect(comparison.peakSignalToNoise >= 40, "\(name): \(comparison.summary)")
    }

    @Test func aSceneOfManyPartsLooksTheSame() async throws {
        func made() throws -> Scene {
            let scene = Scene()
            for index in 0..<12 {
                let paint = Material(baseColor: Color(sRGB: index % 2 == 0 ? 0xC04020 : 0x2060A0), roughness: 0.4)
                let node = Node(
                    mesh: Mesh(
                        geometry: index % 3 == 0 ? Geometry.sphere(radius: 0.5, segments: 12) : Geometry.box(size: Vector3(0.8, 0.6, 0.7)),
                        material: paint))
                node.position = Vector3(Float(index % 4), Float(index / 4), 0)
                node.eulerAngles = Vector3(0.3, Float(index), 0.1)
                if index == 5 { node.scale.x = -1 }
                scene.rootNode.addChildNode(node)
            }
            return scene
        }
        let other = try made()
        let optimized = try await ModelOptimizer.optimize(other, as: .glb, name: "test.glb")
        #expect(optimized.report.after.drawCalls == 2 && optimized.report.before.drawCalls == 12)
        try compare(try made(), other, name: "made in code")
    }

    @Test(
        .enabled(if: SharedData.has("gltf/ferrari.glb"), SharedData.missing),
        arguments: ["ferrari.glb", "Soldier.glb", "coffeeMug.glb", "bevy-FlightHelmet/FlightHelmet.gltf"])
    func realModelsLookTheSame(_ file: String) async throws {
        let url = try SharedData.url("gltf/" + file)
        let loaded = try await SceneFile.load(url)
        var options = ModelLoadOptions()
        options.decodesTextures = false
        let source = try await SceneFile.load(url, options: options)
        let optimized = try await ModelOptimizer.optimize(source.scene, as: .glb, name: "test.glb")
        let copy = try await withTemporaryDirectory { folder in
            try ModelFile.write(optimized.model, to: folder.appendingPathComponent("test.glb"))
            return try await SceneFile.load(folder.appendingPathComponent("test.glb")).scene
        }
        #expect(
            optimized.report.after.bytes <= optimized.report.writtenBytes
                && optimized.report.after.drawCalls <= optimized.report.before.drawCalls)
        try compare(loaded.scene, copy, name: file)
    }
}
