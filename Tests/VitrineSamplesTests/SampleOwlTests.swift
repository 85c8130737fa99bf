import Testing
import VitrineFiles
import VitrineMath
import VitrineSamples
import VitrineScene

@Suite struct SampleOwlTests {
    @Test func standsOnTheGroundAndFacesPlusZ() throws {
        let scene = try SampleOwl.scene()
        scene.update()
        let bounds = scene.bounds
        #expect(abs(bounds.minimum.y) < 1e-5)
        #expect((0.14...0.18).contains(bounds.maximum.y))
        // The beak is the part that stands out most towards +Z.
        let geometry = try #require(scene.rootNode.childNode(withName: "Owl", recursively: true)?.mesh?.parts.first?.geometry)
        let values = try #require(geometry.attribute(.position)?.values)
        let normals = try #require(geometry.attribute(.normal)?.values)
        var inward = 0
        for vertex in 0..<geometry.vertexCount {
            let position = Vector3(values[3 * vertex], values[3 * vertex + 1], values[3 * vertex + 2])
            let normal = Vector3(normals[3 * vertex], normals[3 * vertex + 1], normals[3 * vertex + 2])
            #expect(abs(length(normal) - 1) < 1e-3)
            if position.x * normal.x + position.z * normal.z < -0.03 { inward += 1 }
        }
        #expect(inward < geometry.vertexCount / 50)
        // Triangles are counter-clockwise seen from outside: the signed volume is positive.
        let indices = geometry.triangleIndices
        var volume: Float = 0
        func corner(_ index: Int) -> Vector3 {
            let vertex = 3 * Int(indices[index])
            return Vector3(values[vertex], values[vertex + 1], values[vertex + 2])
        }
        for triangle in stride(from: 0, to: indices.count, by: 3) {
            volume += dot(corner(triangle), cross(corner(triangle + 1), corner(triangle + 2))) / 6
        }
        #expect((0.0007...0.0015).contains(volume))
    }

    @Test func isTheSameEveryTimeAndSmall() throws {
        let first = try ModelFile.encode(SampleOwl.scene(compressesTextures: true), as: .glb, name: "owl.glb")
        let second = try ModelFile.encode(SampleOwl.scene(compressesTextures: true), as: .glb, name: "owl.glb")
        #expect(first.warnings.isEmpty)
        #expect(first.files[0].bytes == second.files[0].bytes)
        #expect(first.files[0].bytes.count < 5_000_000)
    }
}
