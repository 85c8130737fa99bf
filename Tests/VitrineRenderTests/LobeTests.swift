import Testing
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Every lobe of a material: energy under light whose amount is known, and where a lobe must change nothing.
@Suite struct LobeTests {
    /// A material with one lobe, and its name.
    struct Lobe: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let add: @Sendable (Material, Float) -> Void
    }

    /// Each at a strength 0…1.
    static let lobes: [Lobe] = [
        Lobe(testDescription: "sheen") { material, strength in
            material.sheen.color = ColorSlot(Vector4(strength, strength, strength, 1))
            material.sheen.roughness.factor = 0.5
        },
        Lobe(testDescription: "anisotropy") { material, strength in
            material.anisotropy.strength = strength
            material.anisotropy.rotation = .degrees(30)
        },
        Lobe(testDescription: "iridescence") { material, strength in material.iridescence.factor.factor = strength },
        Lobe(testDescription: "specular") { material, strength in
            material.specular.factor.factor = 1 - strength
            material.specular.color = ColorSlot(Vector4(1, 0.5, 0.2, 1))
        },
        Lobe(testDescription: "ior") { material, strength in material.ior = 1.5 + strength },
        Lobe(testDescription: "thin transmission") { material, strength in material.transmission.factor.factor = strength },
        Lobe(testDescription: "volume") { material, strength in
            material.transmission.factor.factor = strength
            material.transmission.dispersion = 2
            material.volume.thickness.factor = 2
        },
        Lobe(testDescription: "clearcoat") { material, strength in material.clearcoat.factor.factor = strength },
    ]

    private func furnace(_ material: Material, _ studio: Studio, _ environment: Environment) throws -> [Vector4] {
        let scene = scene(try sphere(), material)
        scene.environment = environment
        return try studio.radiance(of: scene, from: straightOn).filter { $0.w == 1 }
    }

    /// No lobe reflects more light than it receives, and lobes without absorption reflect all: a white surface in white light is invisible.
    @Test(arguments: lobes) func furnaces(lobe: Lobe) throws {
        let studio = try Studio()
        let environment = try uniformEnvironment(1)
        for metalness in [Float(0), 1] {
            for roughness in [Float(0), 0.3, 0.7, 1] {
                for strength in [Float(0.5), 1] {
                    let material = Material(metalness: metalness, roughness: roughness)
                    lobe.add(material, strength)
                    let seen = try furnace(material, studio, environment)
                    #expect(seen.count > 700)
                    let all = seen.flatMap { [$0.x, $0.y, $0.z] }
                    let comment = Comment("\(metalness), \(roughness), \(strength): \(all.min() ?? 0) … \(all.max() ?? 0)")
                    #expect((all.max() ?? 2) < 1.01, comment)
                    // Films over white and tinted reflections take some light away; a filter of colour does, too.
                    #expect((all.min() ?? 0) > (lobe.testDescription == "iridescence" ? 0.7 : 0.97), comment)
                }
            }
        }
    }
}
