import Testing
import VitrineMath
import VitrineScene

@testable import VitrineLayers

/// The built-in effects against their formulas, computed here.
@Suite struct BuiltInEffectTests {
    static let pattern = EffectBench.image(width: 48, height: 24) { x, y in
        Vector4(0.5 + 0.4 * sin(x / 7), 0.5 + 0.4 * cos(y / 5), 0.3, y < 4 ? 0.5 : 1)
    }

    @Test(arguments: [0.05, 0.3, 0.7, 1] as [Float]) func glow(progress p: Float) throws {
        let bench = try EffectBench()
        let touch = Vector2(14, 9)
        let before = try Texels(bench.transfer.surface(of: Self.pattern))
        let after = try bench.draw([.glow(at: touch, progress: p)], over: Self.pattern).texels
        for (x, y) in [(14, 9), (13, 8), (20, 9), (0, 0), (47, 23), (30, 2)] {
            let uv = (Vector2(Float(x) + 0.5, Float(y) + 0.5) - touch) / Vector2(48, 24)
            let d = length(uv)
            let g = smoothstep(0, 1, p) * exp(-d * d) * 3 * smoothstep(0, 1, 1 - d / p)
            // Half precision has eleven bits.
            var expected = before.encoded[x, y] * g
            expected.w = min(expected.w, 1)
            #expect(distance(after.encoded[x, y], expected) < 1e-3 * max(1, length(expected)), "\(x), \(y)")
        }
    }

    @Test func glowWithoutProgressIsTransparent() throws {
        for progress: Float in [0, -1] {
            let after = try EffectBench().draw([.glow(at: .zero, progress: progress)], over: Self.pattern).texels
            #expect(after.values.allSatisfy { $0 == .zero })
        }
    }

    @Test(arguments: [0.01, 0.04, 0.1, 0.5, 0.99] as [Float]) func ripple(time: Float) throws {
        let bench = try EffectBench()
        let origin = Vector2(20.5, 10.5)
        let before = try Texels(bench.transfer.surface(of: Self.pattern))
        let (after, result) = try bench.draw([.ripple(at: origin, time: time)], over: Self.pattern)
        #expect(result.bounds == Rectangle(x: -2, y: -2, width: 52, height: 28))
        for (x, y) in [(20, 10), (21, 10), (26, 10), (20, 3), (44, 20), (2, 12), (0, 0)] {
            let position = Vector2(Float(x) + 0.5, Float(y) + 0.5)
            let d = distance(position, origin)
            let t = max(0, time - d / 800)
            let r = 2 * sin(4 * t) * exp(-10 * t)
            let displaced = position + r * normalize(position - origin)
            var expected = before.encoded.sample(displaced.x, displaced.y)
            expected = Vector4(expected.xyz + Vector3(repeating: r / 2 * expected.w), expected.w)
            for index in 0..<3 { expected[index] = max(expected[index], 0) }
            let got = after.encoded[x + 2, y + 2]
            // Filters of GPUs count 256ths of a texel.
            #expect(distance(got, expected) < 2e-3, "\(x), \(y): \(got) \(expected)")
        }
    }

    @Test func rippleIsOffOutsideItsDuration() throws {
        for time: Float in [-1, 0, 1, 2] { #expect(!ShaderEffect.ripple(at: .zero, time: time).isEnabled) }
        let still = ShaderLibrary.default.ripple(
            .float2(5, 5), .float(2), .float(2), .float(4), .float(10), .float(800), .float(1))
        let bench = try EffectBench()
        let before = try Texels(bench.transfer.surface(of: Self.pattern))
        let after = try bench.draw([.layer(still)], over: Self.pattern).texels
        for index in before.values.indices { #expect(distance(before.values[index], after.values[index]) < 2e-3) }
    }

    @Test func pixellateSamplesCellCentres() throws {
        let bench = try EffectBench()
        let before = try Texels(bench.transfer.surface(of: Self.pattern))
        let after = try bench.draw([.distortion(ShaderLibrary.pixellate(.float2(6, 6)))], over: Self.pattern).texels
        #expect(after[0, 6] == after[5, 11] && after[5, 11] != after[6, 11])
        #expect(distance(after[2, 8], before.sample(3, 9)) < 2e-3)
    }

    @Test func waveMovesUpAndDown() throws {
        let bench = try EffectBench()
        let before = try Texels(bench.transfer.surface(of: Self.pattern))
        let after = try bench.draw([.distortion(ShaderLibrary.wave(.float(0.25), .float(3), .float(16)))], over: Self.pattern).texels
        let y = 12.5 + 3 * sin(2 * Float.pi * (9.5 / 16 - 0.25))
        #expect(distance(after[9, 12], before.sample(9.5, y)) < 3e-3)
    }

    @Test func hueRotationKeepsGreysAndLuminance() throws {
        let after = try EffectBench().draw([.color(ShaderLibrary.hueRotation(.float(Float.pi)))], over: Self.pattern).texels
        let before = try Texels(EffectBench().transfer.surface(of: Self.pattern))
        let weights = Vector4(0.2126, 0.7152, 0.0722, 0)
        #expect(abs(dot(after[24, 12], weights) - dot(before[24, 12], weights)) < 2e-3)
        #expect(distance(after[24, 12], before[24, 12]) > 0.05)
        let grey = EffectBench.image(width: 2, height: 1) { _, _ in Vector4(0.5, 0.5, 0.5, 1) }
        let turned = try EffectBench().draw([.color(ShaderLibrary.hueRotation(.float(1)))], over: grey).texels
        #expect(distance(turned[0, 0], Vector4(0.5, 0.5, 0.5, 1)) < 1e-3)
    }

    @Test func grayscaleIsLuminance() throws {
        let after = try EffectBench().draw([.color(ShaderLibrary.grayscale(.float(1)))], over: Self.pattern).texels
        let before = try Texels(EffectBench().transfer.surface(of: Self.pattern))
        let luminance = dot(before[9, 2], Vector4(0.2126, 0.7152, 0.0722, 0))
        #expect(distance(after[9, 2], Vector4(luminance, luminance, luminance, before[9, 2].w)) < 1e-3)
    }

    @Test func invertComplementsLevels() throws {
        let bench = try EffectBench()
        let image = try Image(width: 2, height: 1, format: .rgba8, bytes: [200, 100, 0, 255, 255, 60, 128, 255])
        let (_, result) = try bench.draw([.color(ShaderLibrary.invert(.float(1)))], over: image)
        let levels = try bench.transfer.image(of: result).bytes
        for (got, expected) in zip(levels, [55, 155, 255, 255, 0, 195, 127, 255]) { #expect(abs(Int(got) - expected) <= 1) }
    }

    @Test func chromaticAberrationPartsTheChannels() throws {
        let bench = try EffectBench()
        let before = try Texels(bench.transfer.surface(of: Self.pattern))
        let after = try bench.draw([.layer(ShaderLibrary.chromaticAberration(.float2(3, 0)))], over: Self.pattern).texels
        let expected = Vector4(before[23, 12].x, before[20, 12].y, before[17, 12].z, 1)
        #expect(distance(after[20, 12], expected) < 1e-3)
    }

    @Test func grainIsSeeded() throws {
        let bench = try EffectBench()
        let grain = { (seed: Float) in ShaderEffect.color(ShaderLibrary.grain(.float(0.2), .float(1), .float(seed))) }
        let first = try bench.draw([grain(1)], over: Self.pattern).texels
        #expect(try bench.draw([grain(1)], over: Self.pattern).texels.values == first.values)
        let second = try bench.draw([grain(2)], over: Self.pattern).texels
        #expect(zip(first.values, second.values).count { $0.0 != $0.1 } > first.values.count / 2)
        // Over many texels it neither lightens nor darkens.
        let before = try Texels(bench.transfer.surface(of: Self.pattern))
        let change = zip(first.values, before.values).reduce(Float(0)) { $0 + $1.0.y - $1.1.y } / Float(before.values.count)
        #expect(abs(change) < 0.02)
    }

    @Test func everyBuiltInFunctionHasAKind() throws {
        let names = ShaderLibrary.default.functions.map { $0.name }
        #expect(
            names == [
                "glow", "ripple", "pixellate", "wave", "chromaticAberration", "hueRotation", "grayscale", "invert", "grain",
            ])
        try ShaderLibrary.default.compile(with: EffectBench().device)
    }
}
