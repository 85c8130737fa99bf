import Testing
import VitrineMath
import VitrineScene

@testable import VitrineLayers

/// Properties of groups: opacity, blending, masks, blur, shadow, effects.
@Suite struct GroupTests {
    @Test func opacityAppliesToTheGroup() throws {
        let group = Layer.box(0, 0, 10, 10, .white)
        group.add(Layer.box(0, 0, 10, 10, .black))
        group.opacity = 0.5
        let pixel = try LayerStudio().pixels(.root(10, 10, [group]), 10, 10)[55]
        #expect(length(pixel - Vector4(0, 0, 0, 0.5)) < 2e-3)
    }

    /// W3C Compositing and Blending, computed here for one pair of colours.
    @Test func blendModesFollowTheirFormulas() throws {
        let (below, above) = (Vector3(0.2, 0.5, 0.9), Vector3(0.7, 0.25, 0.6))
        let expected: [(BlendMode, Vector3)] = [
            (.multiply, Vector3(0.14, 0.125, 0.54)), (.screen, Vector3(0.76, 0.625, 0.96)), (.darken, Vector3(0.2, 0.25, 0.6)),
            (.lighten, Vector3(0.7, 0.5, 0.9)), (.difference, Vector3(0.5, 0.25, 0.3)), (.exclusion, Vector3(0.62, 0.5, 0.42)),
            (.hardLight, Vector3(0.52, 0.25, 0.92)), (.overlay, Vector3(0.28, 0.25, 0.92)), (.colorDodge, Vector3(0.66667, 0.66667, 1)),
            (.colorBurn, Vector3(0, 0, 0.83333)), (.softLight, Vector3(0.2992, 0.375, 0.90974)), (.normal, above),
        ]
        let studio = try LayerStudio()
        for (mode, color) in expected {
            let layer = Layer.box(0, 0, 4, 4, Color(red: above.x, green: above.y, blue: above.z))
            layer.blendMode = mode
            let root = Layer.root(4, 4, [Layer.box(0, 0, 4, 4, Color(red: below.x, green: below.y, blue: below.z)), layer])
            let pixel = try studio.pixels(root, 4, 4)[5]
            let seen = Vector3(sRGBFromLinear(pixel.x), sRGBFromLinear(pixel.y), sRGBFromLinear(pixel.z))
            #expect(length(seen - color) < 3e-3, "\(mode): \(seen), not \(color)")
        }
    }

    @Test func blendModesThatAreNotSeparableKeepLuminosity() throws {
        func lum(_ c: Vector3) -> Float { dot(c, Vector3(0.3, 0.59, 0.11)) }
        let (below, above) = (Vector3(0.3, 0.5, 0.6), Vector3(0.7, 0.4, 0.5))
        let studio = try LayerStudio()
        for (mode, luminosity) in [(BlendMode.hue, below), (.saturation, below), (.color, below), (.luminosity, above)] {
            let layer = Layer.box(0, 0, 4, 4, Color(red: above.x, green: above.y, blue: above.z))
            layer.blendMode = mode
            let pixel = try studio.pixels(
                .root(4, 4, [Layer.box(0, 0, 4, 4, Color(red: below.x, green: below.y, blue: below.z)), layer]), 4, 4)[5]
            let seen = Vector3(sRGBFromLinear(pixel.x), sRGBFromLinear(pixel.y), sRGBFromLinear(pixel.z))
            #expect(abs(lum(seen) - lum(luminosity)) < 3e-3)
        }
    }

    @Test func blendingChangesOnlyTheCoveredPart() throws {
        let layer = Layer.box(0, 0, 4, 4, .black)
        (layer.blendMode, layer.opacity) = (.multiply, 0.5)
        let pixel = try LayerStudio().pixels(.root(8, 4, [Layer.box(0, 0, 8, 4, .white), layer]), 8, 4)
        #expect(abs(pixel[1].x - 0.5) < 2e-3)
        #expect(abs(pixel[6].x - 1) < 2e-3)
        let light = Layer.box(0, 0, 4, 4, Color(linearRed: 0.5, green: 0.5, blue: 0.5))
        light.blendMode = .plusLighter
        let sum = try LayerStudio().pixels(.root(4, 4, [Layer.box(0, 0, 4, 4, Color(linearRed: 0.25, green: 0, blue: 0)), light]), 4, 4)[5]
        #expect(length(sum.xyz - Vector3(0.75, 0.5, 0.5)) < 2e-3)
    }

    @Test func aMaskMultipliesByItsAlpha() throws {
        let layer = Layer.box(0, 0, 20, 10)
        layer.add(Layer.box(0, 0, 20, 10, .black))
        let mask = Layer.box(10, 0, 10, 10, Color(linear: Vector4(1, 1, 1, 0.25)))
        layer.mask = mask
        let pixels = try LayerStudio().pixels(.root(20, 10, [layer]), 20, 10)
        #expect(pixels[105].w == 0)
        #expect(abs(pixels[115].w - 0.25) < 2e-3)
        mask.isHidden = true
        #expect(try LayerStudio().area(.root(20, 10, [layer]), 20, 10) == 0)
    }

    /// Variances: the measure of a blurred line.
    @Test(arguments: [Float(1.5), 4, 9, 24]) func blursHaveTheirWidth(deviation: Float) throws {
        let size = Float(16 * Int((deviation * 10 / 16).rounded(.up)) + 32)
        let line = Layer.box(size / 2 - 0.5, 0, 1, size)
        line.blur = deviation
        let pixels = try LayerStudio().pixels(.root(size, size, [line]), size, size)
        let count = Int(size)
        let row = pixels[count / 2 * count..<(count / 2 + 1) * count].map { Double($0.w) }
        let sum = row.reduce(0, +)
        var variance = 0.0
        for (x, value) in row.enumerated() {
            let d = Double(x) + 0.5 - Double(size) / 2
            variance += value * d * d
        }
        #expect(abs(sum - 1) < 0.02)
        // The line itself covers half of two pixels.
        #expect(abs((variance / sum - 0.25).squareRoot() / Double(deviation) - 1) < 0.04)
    }

    @Test func aShadowIsDrawnBehindItsLayer() throws {
        let layer = Layer.box(10, 10, 20, 20)
        layer.shadow = Shadow(.black, radius: 0, offset: [6, 4], opacity: 0.5)
        let pixels = try LayerStudio().pixels(.root(50, 50, [layer]), 50, 50)
        #expect(length(pixels[20 * 50 + 20] - Vector4(1, 1, 1, 1)) < 2e-3)
        #expect(length(pixels[32 * 50 + 33] - Vector4(0, 0, 0, 0.5)) < 2e-2)
        #expect(pixels[40 * 50 + 40].w == 0)
    }

    @Test func effectsChangeTheGroup() throws {
        let layer = Layer.box(0, 0, 16, 16, Color(linearRed: 1, green: 0, blue: 0))
        layer.add(Layer.box(0, 0, 8, 16, Color(linearRed: 0, green: 1, blue: 0)))
        layer.effects = [.color(ShaderLibrary.default.grayscale(.float(1)))]
        let studio = try LayerStudio()
        let pixels = try studio.pixels(.root(16, 16, [layer]), 16, 16)
        #expect(abs(pixels[20].x - pixels[20].y) < 2e-3)
        #expect(pixels[20].x > pixels[28].x)
        let shift = try ShaderLibrary(source: "fn shifted(position: vec2f) -> vec2f { return position - vec2f(8.0, 0.0); }")
        layer.effects = [.distortion(shift.shifted(), maxSampleOffset: [8, 0])]
        let moved = try studio.pixels(.root(32, 16, [layer]), 32, 16)
        #expect(moved[4].w < 0.01 && abs(moved[12].y - 1) < 2e-3 && abs(moved[20].x - 1) < 2e-3)
        layer.effects = [.color(ShaderLibrary.default.nowhere())]
        #expect(throws: LayerError.self) { try studio.pixels(.root(16, 16, [layer]), 16, 16) }
    }

    @Test func theSameTreeGivesTheSameBytes() throws {
        let layer = Layer.box(10, 10, 40, 30, Color(sRGB: 0x3366CC), radius: 8).tilted(30)
        layer.shadow = Shadow(radius: 4)
        let root = Layer.root(70, 60, [layer])
        let studio = try LayerStudio()
        let first = try studio.image(root, 70, 60)
        #expect(try studio.image(root, 70, 60).bytes == first.bytes)
        #expect(try LayerStudio().image(root, 70, 60).bytes == first.bytes)
    }
}
