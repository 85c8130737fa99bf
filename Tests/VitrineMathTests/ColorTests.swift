import Testing
import VitrineMath

@Suite struct ColorTests {
    @Test func transferFunctionMatchesPublishedValues() {
        for (encoded, linear) in [(0, 0), (0.04045, 0.003_130_8), (0.5, 0.214_041), (0.735_357, 0.5), (0.461_356, 0.18), (1, 1)]
            as [(Float, Float)]
        {
            #expect(abs(linearFromSRGB(encoded) - linear) < 2e-6)
            #expect(abs(sRGBFromLinear(linear) - encoded) < 4e-6)
            #expect(linearFromSRGB(-encoded) == -linearFromSRGB(encoded))
        }
        for level in 0...255 {
            let value = Float(level) / 255
            #expect(abs(sRGBFromLinear(linearFromSRGB(value)) - value) < 1e-6)
        }
    }

    @Test func hexColours() {
        let orange = Color(sRGB: 0xFF8000)
        #expect(orange.linear.x == 1 && abs(orange.linear.y - 0.215_861) < 1e-5 && orange.linear.z == 0 && orange.linear.w == 1)
        #expect(abs(Color.white.luminance - 1) < 1e-6)
        let half = Color(linearRed: 0.4, green: 0.6, blue: 1, alpha: 0.5)
        #expect(half.premultiplied == Vector4(0.2, 0.3, 0.5, 0.5))
    }

    /// Chromaticities of the black body as colour science publishes them (2,856 K is CIE illuminant A).
    @Test(arguments: [
        (2000, 0.5267, 0.4133), (2856, 0.4476, 0.4074), (4000, 0.3805, 0.3768), (6500, 0.3135, 0.3237), (10_000, 0.2807, 0.2884),
    ])
    func theBlackBodyHasItsPublishedColour(_ kelvin: Float, _ x: Float, _ y: Float) {
        let c = linearColor(temperature: kelvin)
        #expect(c.max() == 1 && c.min() >= 0)
        let big = 0.412_456 * c.x + 0.357_576 * c.y + 0.180_438 * c.z
        let luminance = 0.212_673 * c.x + 0.715_152 * c.y + 0.072_175 * c.z
        let blue = 0.019_334 * c.x + 0.119_192 * c.y + 0.950_304 * c.z
        let sum = big + luminance + blue
        #expect(abs(big / sum - x) < 0.002 && abs(luminance / sum - y) < 0.002, "\(big / sum) \(luminance / sum)")
    }

    @Test func temperaturesAreClamped() {
        #expect(linearColor(temperature: 100) == linearColor(temperature: 1667))
        #expect(linearColor(temperature: 1e6) == linearColor(temperature: 25_000))
        #expect(linearColor(temperature: 3000).x > linearColor(temperature: 3000).z)
        #expect(linearColor(temperature: 12_000).z > linearColor(temperature: 12_000).x)
    }
}

@Suite struct FunctionTests {
    @Test func vectors() {
        #expect(cross(Vector3.right, Vector3.up) == Vector3(0, 0, 1))
        #expect(normalize(Vector3.zero) == .zero)
        #expect(normalize(Vector3(.nan, 0, 0)) == .zero)
        #expect(reflect(Vector3(1, -1, 0), .up) == Vector3(1, 1, 0))
        #expect(Vector3(-1, 2, -0.0).magnitudes == Vector3(1, 2, 0))
        #expect(!Vector3(1, .infinity, 0).isFinite && Vector3(1, 2, 3).isFinite)
        var random = TestRandom(seed: 10)
        for _ in 0..<100 {
            let unit = normalize(random.vector3())
            let side = anyPerpendicular(unit)
            #expect(abs(dot(unit, side)) < 1e-6 && abs(length(side) - 1) < 1e-5)
        }
    }

    /// The squares of such components overflow or underflow; the direction must survive.
    @Test func tinyAndHugeVectorsNormalize() {
        for size: Float in [1e-30, 1e-22, 1e-19, 1, 1e18, 1e25, 1e37] {
            #expect(distance(normalize(Vector3(3, 0, 4) * size), Vector3(0.6, 0, 0.8)) < 1e-5, "\(size)")
        }
    }

    @Test func scalars() {
        #expect(clamp(5, 0, 3) == 3 && clamp(-1, 0, 3) == 0 && mix(2 as Float, 4, 0.25) == 2.5)
        #expect(smoothstep(0 as Float, 2, 1) == 0.5 && smoothstep(0 as Float, 1, -3) == 0 && smoothstep(0 as Float, 1, 7) == 1)
        #expect(abs(Angle.degrees(180).radians - .pi) < 1e-6 && abs(Angle.radians(.pi / 2).degrees - 90) < 1e-5)
        #expect(abs(VitrineMath.atan2(1 as Float, -1) - 2.356_194_5) < 1e-6)
    }
}
