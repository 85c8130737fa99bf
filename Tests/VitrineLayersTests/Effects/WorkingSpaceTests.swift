import Testing
import VitrineMath
import VitrineScene

@testable import VitrineLayers

/// The working space of effects: its selection, and the converted values.
@Suite struct WorkingSpaceTests {
    /// Opaque, or not, levels of sRGB with straight alpha.
    static func image(_ bytes: [UInt8]) throws -> Image { try Image(width: bytes.count / 4, height: 1, format: .rgba8, bytes: bytes) }

    static func levels(_ effects: [ShaderEffect], over image: Image, _ bench: EffectBench? = nil) throws -> [UInt8] {
        let bench = try bench ?? EffectBench()
        return try bench.transfer.image(of: bench.draw(effects, over: image).surface).bytes
    }

    /// The ripple of SwiftUI's sample, ported unchanged: it adds to the encoded values.
    static let ported = """
        fn ripple(p: vec2f, layer: Layer, origin: vec2f, time: f32, amplitude: f32, frequency: f32, decay: f32, speed: f32) -> vec4f {
            let distance = length(p - origin);
            let t = max(0.0, time - distance / speed);
            let amount = amplitude * sin(frequency * t) * exp(-decay * t);
            let n = (p - origin) / max(distance, 1e-6);
            let color = sampleLayer(layer, p + amount * n);
            return vec4f(color.rgb + amount / amplitude * color.a, color.a);
        }
        """

    @Test func portedRippleHasTheReferencesPeak() throws {
        let black = try Image(
            width: 8, height: 8, format: .rgba8, bytes: Array(repeating: [0, 0, 0, 255] as [UInt8], count: 64).flatMap { $0 })
        let library = try ShaderLibrary(source: Self.ported)
        // sin(4 t) exp(-10 t) is largest where tan(4 t) = 0.4.
        let time = atan2(Float(0.4), 1) / 4
        let shader = library.ripple(.float2(4.5, 4.5), .float(time), .float(2), .float(4), .float(10), .float(800))
        let peak = (255 * sin(4 * time) * exp(-10 * time)).rounded()
        #expect(peak == 37)
        func drawn(_ effect: ShaderEffect) throws -> UInt8 {
            var effect = effect
            effect.maxSampleOffset = .zero
            return try Self.levels([effect], over: black)[(4 * 8 + 4) * 4]
        }
        #expect(try drawn(.layer(shader)) == 37)
        #expect(try drawn(.ripple(at: Vector2(4.5, 4.5), time: time)) == 37)
        #expect(try drawn(.layer(shader, workingSpace: .linear)) == 106)
    }

    @Test func precedenceIsEffectThenLibraryThenTextThenSRGB() throws {
        let text = "fn f(p: vec2f, c: vec4f) -> vec4f { return c; }"
        func space(_ source: String, _ library: ShaderEffect.WorkingSpace? = nil, _ effect: ShaderEffect.WorkingSpace? = nil) throws
            -> ShaderEffect.WorkingSpace
        { ShaderEffect.color(try ShaderLibrary(source: source, workingSpace: library).f(), workingSpace: effect).space }
        #expect(try space(text) == .sRGB)
        #expect(try space("// working-space: linear\n" + text) == .linear)
        #expect(try space(text + "  //working-space:  LINEAR") == .linear)
        #expect(try space("/* // working-space: linear */" + text) == .sRGB)
        #expect(try space("// working-space: linear\n" + text, .sRGB) == .sRGB)
        #expect(try space("// working-space: sRGB\n" + text, .linear) == .linear)
        #expect(try space("// working-space: linear\n" + text, .linear, .sRGB) == .sRGB)
    }

    @Test(arguments: [
        "// working-space: rec709", "// working-space:", "// working-space: linear light",
        "// working-space: sRGB\n// working-space: linear",
    ])
    func wrongCommentsAreErrors(_ source: String) throws {
        let error = #expect(throws: ShaderError.self) { try ShaderLibrary(source: source, name: "mine.wgsl", line: 0) }
        #expect(error?.description.hasPrefix("mine.wgsl:\(source.contains("\n") ? 2 : 1):1: ") == true, "\(error?.description ?? "")")
    }

    @Test func colorEffectsSeeLevels() throws {
        let library = try ShaderLibrary(source: "fn half(p: vec2f, c: vec4f) -> vec4f { return vec4f(c.rgb * 0.5, c.a); }")
        let image = try Self.image([200, 100, 50, 255, 200, 100, 50, 128])
        let bytes = try Self.levels([.color(library.half())], over: image)
        for (got, expected) in zip(bytes, [100, 50, 25, 255, 100, 50, 25, 128]) { #expect(abs(Int(got) - expected) <= 1) }
    }

    @Test func layersAreFilteredInTheWorkingSpace() throws {
        let source =
            "fn shift(p: vec2f) -> vec2f { return p + vec2f(0.5, 0.0); }\n"
            + "fn mean(p: vec2f, l: Layer) -> vec4f { return sampleLayer(l, p + vec2f(0.5, 0.0)); }"
        let library = try ShaderLibrary(source: source)
        let image = try Self.image([0, 0, 0, 255, 255, 255, 255, 255])
        for shader in [ShaderEffect.distortion(library.shift()), .layer(library.mean())] {
            var effect = shader
            #expect(abs(Int(try Self.levels([effect], over: image)[0]) - 128) <= 1)
            effect.workingSpace = .linear
            #expect(abs(Int(try Self.levels([effect], over: image)[0]) - 188) <= 1)
        }
    }

    @Test func argumentsArriveInTheWorkingSpace() throws {
        let source = """
            fn given(p: vec2f, c: vec4f, one: vec4f, many: ColorArray, image: Image, hdr: Image) -> vec4f {
                if p.x < 1.0 { return one; }
                if p.x < 2.0 { return colorAt(many, 1); }
                return select(sampleImage(hdr, vec2f(0.5)), sampleImage(image, vec2f(0.5)), p.x < 3.0);
            }
            """
        let color = Color(red: 0.8, green: 0.4, blue: 0.2, alpha: 0.5)
        let sample = try Self.image([204, 102, 51, 128])
        let hdr = EffectBench.image(width: 1, height: 1) { _, _ in color.linear }
        for space in [ShaderEffect.WorkingSpace.sRGB, .linear] {
            let shader = try ShaderLibrary(source: source).given(.color(color), .colorArray([.black, color]), .image(sample), .image(hdr))
            let bytes = try Self.levels([.color(shader, workingSpace: space)], over: Self.image(Array(repeating: 0, count: 16)))
            for (index, got) in bytes.enumerated() { #expect(abs(Int(got) - [204, 102, 51, 128][index % 4]) <= 1, "\(space) \(index)") }
        }
        // The numbers themselves.
        let numbers = try ShaderLibrary(
            source: "fn f(p: vec2f, c: vec4f, a: vec4f) -> vec4f { return vec4f(vec3f(select(0.0, 1.0, abs(a.r - 0.4) < 1e-5)), 1.0); }")
        #expect(try Self.levels([.color(numbers.f(.color(color)))], over: Self.image([0, 0, 0, 0]))[0] == 255)
    }

    /// Each effect of a chain computes in its own space, any the ones before and after it do.
    @Test func effectsOfDifferentWorkingSpacesCombine() throws {
        let source = """
            fn add(p: vec2f, c: vec4f) -> vec4f { return vec4f(c.rgb + 0.1 * c.a, c.a); }
            fn stay(p: vec2f, l: Layer) -> vec4f { return sampleLayer(l, p); }
            """
        let library = try ShaderLibrary(source: source)
        var expected: Float = 60 / 255
        let effects: [ShaderEffect] = [
            .color(library.add(), workingSpace: .linear), .color(library.add()), .layer(library.stay()),
            .layer(library.stay(), workingSpace: .linear),
            .color(library.add(), workingSpace: .linear), .color(library.add()),
        ]
        for effect in effects where effect.kind == .color {
            expected = effect.space == .sRGB ? expected + 0.1 : sRGBFromLinear(linearFromSRGB(expected) + 0.1)
        }
        #expect(abs(Float(try Self.levels(effects, over: Self.image([60, 60, 60, 255]))[0]) - 255 * expected) <= 1)
        #expect(try EffectPlan([.layer(library.stay())], imageLimit: 15).passes.count == 2)
        #expect(try EffectPlan([.layer(library.stay(), workingSpace: .linear)], imageLimit: 15).passes.count == 1)
        #expect(try EffectPlan([.color(library.add()), .layer(library.stay())], imageLimit: 15).passes.count == 2)
    }

    /// Light that is added at low coverage is not brighter than over black.
    @Test func lightAboveAlphaStaysFinite() throws {
        let library = try ShaderLibrary(source: "fn add(p: vec2f, c: vec4f) -> vec4f { return c + vec4f(0.5, 0.5, 0.5, 0.0); }")
        let image = try Self.image([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 128, 0, 0, 0, 255])
        let drawn = try EffectBench().draw([.color(library.add())], over: image).texels
        for index in 0..<4 { #expect(drawn[index, 0].x >= linearFromSRGB(0.5) - 1e-3 && drawn[index, 0].x < 0.51) }
        #expect(abs(drawn[0, 0].x - linearFromSRGB(0.5)) < 1e-3 && abs(drawn[3, 0].x - linearFromSRGB(0.5)) < 1e-3)
        // There and back.
        let same = try ShaderLibrary(
            source: "fn f(p: vec2f, c: vec4f) -> vec4f { return linearFromSRGB(sRGBFromLinear(c)); }", workingSpace: .linear)
        let bench = try EffectBench()
        let light = try bench.draw([.color(library.add())], over: image)
        let encoder = try bench.device.makeCommandEncoder("again")
        let again = try bench.renderer.apply([.color(same.f())], to: light.surface, with: encoder)
        bench.device.queue.submit(try encoder.finish())
        for (a, b) in zip(try Texels(again).values, light.texels.values) { #expect(distance(a, b) < 1e-3) }
    }

    @Test func luminanceFunctionsAgreeInBothWorkingSpaces() throws {
        let image = try Self.image([200, 100, 50, 255, 10, 120, 240, 200])
        for shader in [ShaderLibrary.hueRotation(.float(1)), ShaderLibrary.grayscale(.float(0.7))] {
            let bytes = try Self.levels([.color(shader)], over: image)
            for (a, b) in zip(bytes, try Self.levels([.color(shader, workingSpace: .linear)], over: image)) {
                #expect(abs(Int(a) - Int(b)) <= 1)
            }
        }
    }
}
