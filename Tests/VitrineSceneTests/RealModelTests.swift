import Testing
import VitrineFiles
import VitrineMath
import VitrineTestSupport

@testable import VitrineScene

@Suite struct RealModelTests {
    /// Models whose makers baked their tangents: ours must point the same way nearly everywhere (Suzanne's were averaged less).
    @Test(
        .enabled(if: SharedData.has("gltf/Avocado"), SharedData.missing),
        arguments: [("Avocado/glTF/Avocado.gltf", 0.95, true), ("Suzanne/glTF/Suzanne.gltf", 0.8, false)])
    func tangentsAgreeWithThoseOfRealModels(_ path: String, cosine: Float, hasGoodSigns: Bool) async throws {
        let scene = try await Scene(contentsOf: try SharedData.url("gltf/" + path))
        var (corners, close, sameSide) = (0, 0, 0)
        scene.rootNode.forSubtree { node in
            for part in node.mesh?.parts ?? [] {
                guard let given = part.geometry.attribute(.tangent), let made = try? part.geometry.withTangents() else { continue }
                let ours = made.attribute(.tangent)!
                for (old, new) in zip(part.geometry.triangleIndices, made.indices!) {
                    corners += 1
                    if dot(given.vector3(at: Int(old)), ours.vector3(at: Int(new))) > cosine { close += 1 }
                    if given.values[Int(old) * 4 + 3] == ours.values[Int(new) * 4 + 3] { sameSide += 1 }
                }
            }
        }
        #expect(corners > 30)
        #expect(Double(close) > 0.98 * Double(corners), "\(close) of \(corners) tangents")
        // An early exporter wrote Suzanne, with all signs opposite to the final specification.
        #expect(!hasGoodSigns || Double(sameSide) > 0.99 * Double(corners), "\(sameSide) of \(corners) signs")
    }
}
