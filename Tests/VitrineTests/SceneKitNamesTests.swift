import Foundation
import Testing
import Vitrine

/// The short forms that work. scripts/snippets/scenekit-names.swift checks the names that don't.
@MainActor @Suite struct SceneKitNamesTests {
    @Test func aSceneLoadsByNameFromAFolderAndRefusesAMissingName() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "vitrine-named-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".utf8).write(to: folder.appendingPathComponent("corner.obj"))
        let scene = try await Scene(named: "corner.obj", in: folder)
        #expect(abs(scene.bounds.maximum.x - 1) < 1e-6)
        let error = await #expect(throws: ModelFileError.self) { try await Scene(named: "none.glb", in: folder) }
        #expect(error.map { "\($0)".hasPrefix("none.glb: no such file in") } == true)
    }

    @Test func moreSamplesGiveSmootherEdges() throws {
        let scene = Scene()
        let material = Material(baseColor: .white)
        material.lightingModel = .constant
        scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: .sphere(radius: 1), material: material)))
        scene.environment.background = .color(.black)
        let view = SceneView(scene)
        func levels(_ image: Image) -> Int { Set(stride(from: 0, to: image.bytes.count, by: 4).map { image.bytes[$0] }).count }
        let frame = try view.snapshot(width: 64, height: 48)
        let still = try view.snapshot(width: 64, height: 48, samples: 64)
        #expect(4 * levels(still) > 5 * levels(frame))
        #expect(throws: RenderError.self) { try view.snapshot(width: 8, height: 8, samples: 0) }
    }
}
