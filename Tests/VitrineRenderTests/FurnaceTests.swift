import Testing
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Energy: the light that a surface reflects of a known amount.
@Suite struct FurnaceTests {
    /// A white surface in light of radiance 1 from everywhere can't be seen: it sends back all of it.
    @Test(arguments: [Float(0), 0.25, 0.5, 0.75, 1])
    func whiteSurfacesVanish(metalness: Float) throws {
        let studio = try Studio()
        let material = Material(metalness: metalness)
        let scene = scene(try sphere(), material)
        scene.environment = try uniformEnvironment(1)
        for roughness in stride(from: Float(0), through: 1, by: 0.125) {
            material.roughness = ScalarSlot(roughness)
            let pixels = try studio.radiance(of: scene, from: straightOn)
            let seen = pixels.filter { $0.w == 1 }
            #expect(seen.count > 700)
            for pixel in seen { #expect(abs(pixel.x - 1) < 0.01, "roughness \(roughness), metalness \(metalness)") }
        }
    }
}

extension FurnaceTests {
    /// A coat takes nothing and adds nothing on a white surface.
    @Test func coatedWhiteSurfacesVanish() throws {
        let studio = try Studio()
        let material = Material(roughness: 0.6)
        let scene = scene(try sphere(), material)
        scene.environment = try uniformEnvironment(1)
        for coat in [Float(0.5), 1] {
            for roughness in [Float(0), 0.3, 1] {
                material.clearcoat.factor = ScalarSlot(coat)
                material.clearcoat.roughness = ScalarSlot(roughness)
                let seen = try studio.radiance(of: scene, from: straightOn).filter { $0.w == 1 }
                #expect(seen.count > 700)
                for pixel in seen { #expect(pixel.x < 1.005 && pixel.x > 0.99, "coat \(coat), roughness \(roughness)") }
            }
        }
    }
}
