import Testing
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineRender

/// Bloom and vignette, as physics.
@Suite struct EffectTests {
    private func glowingSquare(_ radiance: Float, size: Float) throws -> VitrineScene.Scene {
        let material = Material(baseColor: .black)
        material.lightingModel = .constant
        material.baseColor.factor = Vector4(radiance, radiance, radiance, 1)
        let scene = scene(try square(), material)
        scene.rootNode.childNodes[0].scale = Vector3(repeating: size)
        return scene
    }

    /// Premultiplied.
    private func light(_ pixels: [Vector4]) -> Float { pixels.reduce(0) { $0 + $1.x * $1.w } }

    @Test(arguments: [1, 4]) func bloomKeepsTheLight(samples: Int) throws {
        let studio = try Studio()
        let scene = try glowingSquare(20, size: 0.1)
        let plain = try studio.radiance(
            of: scene, from: straightOn, width: 128, height: 128, options: RenderOptions(sampleCount: samples))
        let options = RenderOptions(sampleCount: samples, bloom: Bloom(intensity: 0.3, spread: 0.4))
        let glowing = try studio.radiance(of: scene, from: straightOn, width: 128, height: 128, options: options)
        #expect(abs(light(glowing) / light(plain) - 1) < 0.02)
        // From the square into its surroundings.
        let (middle, beside) = (64 * 128 + 64, 64 * 128 + 76)
        #expect(plain[beside].w == 0)
        #expect(glowing[beside].x * glowing[beside].w > 0.02)
        #expect(glowing[middle].x * glowing[middle].w < 20 * 0.95)
        #expect(glowing[middle].x * glowing[middle].w > 20 * 0.7)
    }

    @Test func bloomKeepsUniformImages() throws {
        let studio = try Studio()
        let scene = try glowingSquare(0.7, size: 1.5)
        let pixels = try studio.radiance(
            of: scene, from: straightOn, width: 64, height: 48, options: RenderOptions(sampleCount: 1, bloom: Bloom(intensity: 1)))
        for pixel in pixels { #expect(abs(pixel.x - 0.7) < 0.002 && abs(pixel.w - 1) < 0.001) }
    }

    @Test func bloomLeavesPixelsBelowItsThresholdUnchanged() throws {
        let studio = try Studio()
        let scene = try glowingSquare(0.8, size: 0.3)
        let plain = try studio.radiance(of: scene, from: straightOn)
        let options = RenderOptions(sampleCount: 1, bloom: Bloom(intensity: 0.5, threshold: 1))
        #expect(try studio.radiance(of: scene, from: straightOn, options: options) == plain)
    }

    @Test func vignetteFollowsTheCosineLaw() throws {
        let studio = try Studio()
        let scene = try glowingSquare(1, size: 2)
        let vignette = Vignette(strength: 0.8, cornerAngle: .degrees(50))
        let pixels = try studio.radiance(
            of: scene, from: straightOn, width: 48, height: 32, options: RenderOptions(sampleCount: 1, vignette: vignette))
        let diagonal = length(Vector2(48, 32))
        for (x, y) in [(24, 16), (0, 0), (47, 31), (40, 5), (3, 16)] {
            let r = 2 * length(Vector2(Float(x) + 0.5 - 24, Float(y) + 0.5 - 16)) / diagonal
            #expect(abs(pixels[y * 48 + x].x - vignette.factor(atDistance: r)) < 0.001)
        }
        // cos⁴ 50° in the corner itself.
        #expect(abs(vignette.factor(atDistance: 1) - (1 - 0.8 * (1 - 0.1707))) < 0.001)
    }

    @Test func vignetteDarkensABackgroundColor() throws {
        let studio = try Studio()
        let scene = Scene()
        scene.environment.background = .color(Color(linear: Vector4(0.5, 0.5, 0.5, 1)))
        let image = try studio.image(of: scene, from: straightOn, width: 32, height: 32, options: RenderOptions(vignette: Vignette()))
        let r = length(Vector2(15.5, 15.5)) / length(Vector2(16, 16))
        let expected = sRGBFromLinear(0.5 * Vignette().factor(atDistance: r)) * 255
        #expect(abs(Float(image.bytes[0]) - expected) < 1.5)
        #expect(image.bytes[3] == 255)
    }

    @Test(arguments: [1, 16]) func stillsGetTheSame(samples: Int) throws {
        let studio = try Studio()
        let scene = try glowingSquare(1, size: 2)
        let options = RenderOptions(sampleCount: 1, bloom: Bloom(intensity: 0.2), vignette: Vignette())
        let target = try OffscreenTarget(studio.renderer.device, width: 32, height: 32, content: .radiance)
        try studio.renderer.renderStill(scene, from: straightOn, to: target, samples: samples, options: options)
        let corner = try target.image().bytes.withUnsafeBytes { $0.loadUnaligned(as: Vector4.self) }
        let r = length(Vector2(15.5, 15.5)) / length(Vector2(16, 16))
        #expect(abs(corner.x - Vignette().factor(atDistance: r)) < 0.002)
    }

    @Test func rangesAreChecked() throws {
        #expect(throws: RenderError.self) { try RenderOptions(bloom: Bloom(intensity: 1.5)).validate() }
        #expect(throws: RenderError.self) { try RenderOptions(bloom: Bloom(spread: .nan)).validate() }
        #expect(throws: RenderError.self) { try RenderOptions(bloom: Bloom(threshold: -1)).validate() }
        #expect(throws: RenderError.self) { try RenderOptions(vignette: Vignette(strength: 2)).validate() }
        #expect(throws: RenderError.self) { try RenderOptions(vignette: Vignette(cornerAngle: .degrees(90))).validate() }
    }
}
