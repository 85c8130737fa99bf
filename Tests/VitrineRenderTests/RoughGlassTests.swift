import Testing
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Solid glass with a rough surface scatters light inside.
@Suite struct RoughGlassTests {
    private func ball(roughness: Float, absorbing: Float = 0) throws -> Scene {
        let material = Material(metalness: 0, roughness: roughness)
        material.transmission.factor.factor = 1
        material.volume.thickness.factor = 2
        if absorbing > 0 {
            material.volume.attenuationDistance = 1 / absorbing
            material.volume.attenuationColor = Vector3(repeating: exp(-1))
        }
        return scene(try sphere(), material)
    }

    /// The mean of the pixels of the ball with x to the left (true) or right.
    private func half(_ pixels: [Vector4], left: Bool) -> Float {
        let chosen = pixels.indices.filter { pixels[$0].w == 1 && ($0 % 32 < 16) == left }.map { pixels[$0].x }
        return chosen.reduce(0, +) / Float(chosen.count)
    }

    /// Glass before a dark and a bright half of the world shows both, swapped, if it is clear, and nearly the same everywhere if it is very rough.
    @Test func roughGlassScattersLight() throws {
        let environment = Environment(
            image: try equirectangular(width: 256) { SIMD3(repeating: $0.x > 0 ? 1 : 0) }, background: .transparent)
        let contrasts = try [Float(0), 0.4, 0.8].map { roughness -> Float in
            let scene = try ball(roughness: roughness)
            scene.environment = environment
            let pixels = try Studio().radiance(of: scene, from: straightOn)
            let (a, b) = (half(pixels, left: true), half(pixels, left: false))
            return (a - b) / (a + b)
        }
        #expect(contrasts[0] > 0.75, "\(contrasts)")
        #expect(contrasts[1] < contrasts[0], "\(contrasts)")
        #expect(contrasts[2] < 0.25 && contrasts[2] > 0, "\(contrasts)")
    }

    /// The path of light through rough glass is longer, so that the glass is darker.
    @Test func roughGlassAbsorbsMore() throws {
        let seen = try [Float(0), 0.8].map { roughness -> Float in
            let scene = try ball(roughness: roughness, absorbing: 0.5)
            scene.environment = try uniformEnvironment(1)
            return try Studio().radiance(of: scene, from: straightOn)[16 * 32 + 16].x
        }
        // 2 m of 0.5 per metre, 1.38 times as long: exp(-0.38) = 0.68, less for the light that the surface reflects.
        #expect(seen[1] < 0.82 * seen[0] && seen[1] > 0.6 * seen[0], "\(seen)")
    }
}
