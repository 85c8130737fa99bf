import Testing
import VitrineScene

@testable import VitrineGLTF

/// Objects of a refused file are released.
struct LifetimeTests {
    @Test func aFileRefusedHalfWayLeavesNoNodes() throws {
        var builder = ModelBuilder.triangle()
        let joints = builder.add(bytes: (0..<12).map { _ in 0 }, 5121, "VEC4", count: 3)
        let weights = builder.add(floats: (0..<3).flatMap { _ in [1, 0, 0, 0] as [Float] }, "VEC4")
        builder.setPrimitive(["attributes": ["POSITION": 0, "JOINTS_0": joints, "WEIGHTS_0": weights]])
        // The skinned node lies below its joint and is one itself.
        builder.json["nodes"] = [["mesh": 0, "skin": 0], ["children": [0]]]
        builder.json["skins"] = [["joints": [1, 0]]]
        builder.json["scenes"] = [["nodes": [1]], ["nodes": [1]]]
        let bytes = try builder.glb()
        var limits = GLTFLimits()
        let mesh = try Self.meshAfterReading(bytes, limits)
        #expect(mesh.isRefused == false && mesh.survivor == nil)
        // Enough for the first scene, skins and all, but not for the second.
        limits.nodes = 3
        let refused = try Self.meshAfterReading(bytes, limits)
        #expect(refused.isRefused && refused.survivor == nil)
    }

    /// The file's mesh, if a node still has it.
    private static func meshAfterReading(_ bytes: [UInt8], _ limits: GLTFLimits) throws -> (isRefused: Bool, survivor: Mesh?) {
        weak var mesh: Mesh?
        var isRefused = false
        do {
            let container = try GLBContainer(bytes, name: "test.glb")
            let document = try JSONParser.parse(bytes, range: container.json, name: "test.glb", limits: limits)
            let importer = try GLTFImporter(document, limits: limits, binary: container.binary, warnings: [])
            do {
                _ = try importer.asset(container: .glb, resolve: GLTFReader.noFiles)
            } catch { isRefused = error.description.contains("more than 3 nodes") }
            let meshes = try #require(importer.meshes)
            try #require(meshes.count == 1)
            mesh = meshes[0]
        }
        return (isRefused, mesh)
    }
}
