import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineLayers

/// All errors of shaders are reported with their position.
@Suite struct ShaderErrorTests {
    static let file = "Effects/mine.wgsl"

    static func library(_ source: String) throws -> ShaderLibrary { try ShaderLibrary(source: source, name: file, line: 0) }

    /// The error of drawing an effect with this text.
    static func message(
        _ source: String, _ kind: ShaderEffect.Kind = .color, _ name: String = "f", _ arguments: [Shader.Argument] = [],
        maxSampleOffset: Vector2 = .zero
    ) throws -> String {
        do {
            let shader = Shader(function: try library(source)[name], arguments: arguments)
            let effect = ShaderEffect(kind, shader, maxSampleOffset: maxSampleOffset)
            _ = try EffectBench().draw([effect], over: EffectArgumentTests.blank)
            return "nothing"
        } catch let error as ShaderError {
            return error.description
        }
    }

    @Test func unknownFunctionsThrow() throws {
        let source = """
            fn waves(position: vec2f) -> vec2f { return position; }
            fn helper(x: f32) -> f32 { return x; }
            fn ripple(position: vec2f, layer: Layer) -> vec4f { return sampleLayer(layer, position); }
            """
        #expect(
            try Self.message(source, .layer, "riple")
                == "Effects/mine.wgsl: there is no function 'riple' for effects: the library has 'ripple', 'waves'")
        #expect(try Self.message("", .layer, "f") == "Effects/mine.wgsl: there is no function 'f' for effects: the library has none")
    }

    @Test func wrongKind() throws {
        let source = "\n  fn f(p: vec2f, c: vec4f) -> vec4f { return c; }"
        #expect(
            try Self.message(source, .distortion)
                == "Effects/mine.wgsl:2:6: 'f' is not a distortion effect (position: vec2f, …) -> vec2f: "
                + "its declaration is 'fn f(p: vec2f, c: vec4f) -> vec4f'")
        #expect(try Self.message("fn f() {}").contains("'f' is not a colour effect"))
        #expect(try Self.message("fn f(p: vec2f, l: Layer) -> vec4f { return vec4f(); }").contains("'f' is not a colour effect"))
    }

    @Test func wrongArguments() throws {
        let source = "fn f(p: vec2f, c: vec4f, time: f32, tint: vec4f) -> vec4f { return c; }"
        #expect(
            try Self.message(source, .color, "f", [.float(1)])
                == "Effects/mine.wgsl:1:4: 'f' takes 2 arguments (time: f32, tint: vec4f), not 1")
        #expect(
            try Self.message(source, .color, "f", [.float(1), .float2(1, 2)])
                == "Effects/mine.wgsl:1:4: argument 2 of 'f' ('tint') must be color, float4 or boundingRect, not float2")
        #expect(
            try Self.message(source, .color, "f", [.float(.nan), .boundingRect])
                == "Effects/mine.wgsl:1:4: argument 1 of 'f' ('time') is not a finite number")
        #expect(
            try Self.message("fn f(p: vec2f, c: vec4f, n: i32) -> vec4f { return c; }", .color, "f", [.float(1)])
                .contains("parameter 'n' of 'f' has the type i32, which no argument has"))
        #expect(
            try Self.message("fn f(p: vec2f, c: vec4f, a: FloatArray) -> vec4f { return c; }", .color, "f", [.floatArray([1, .infinity])])
                .contains("not a finite number"))
    }

    @Test func compilerMessagesHaveTheLocation() throws {
        let source = """
            fn f(p: vec2f, c: vec4f) -> vec4f {
                return c * undefined;
            }
            """
        let message = try Self.message(source)
        #expect(message.hasPrefix("Effects/mine.wgsl:2:16: ") && message.contains("undefined"), "\(message)")
        // A literal in Swift: counted from the line that it opens on.
        let library = try ShaderLibrary(source: source, name: "Here.swift", line: 40)
        let error = #expect(throws: ShaderError.self) { try library.compile(with: EffectBench().device) }
        #expect(error?.line == 42 && error?.column == 16)
        #expect(try Self.message("fn f(p: vec2f, c: vec4f) -> vec4f { return c").hasPrefix("Effects/mine.wgsl:1:"))
        #expect(try Self.message("fn f(p: vec2f, c: vec4f) -> vec4f { return p; }").hasPrefix("Effects/mine.wgsl:1:"))
    }

    /// Text that would overflow the compiler's stack.
    @Test func textThatIsTooDeepIsRefused() throws {
        for (kind, parameter) in [(ShaderEffect.Kind.color, "c: vec4f"), (.layer, "c: Layer")] {
            for (text, reason) in [
                (String(repeating: "(", count: 3000) + "1.0" + String(repeating: ")", count: 3000), "the limit of 200 nested"),
                (String(repeating: "array<", count: 20_000), "the limit of 200 nested"),
                ("1.0" + String(repeating: " + 1.0", count: 20_000), "the limit of 1000 operators"),
            ] {
                let message = try Self.message(
                    "fn f(p: vec2f, \(parameter)) -> vec4f {\n    let x = \(text);\n    return vec4f(x);\n}", kind)
                #expect(message.hasPrefix("Effects/mine.wgsl:2:") && message.contains(reason), "\(message.prefix(200))")
            }
        }
    }

    @Test func recursiveStructuresThrow() throws {
        let message = try Self.message(
            "fn g(x: f32) -> f32 { return f(vec2f(x), vec4f()).x; }\nfn f(p: vec2f, c: vec4f) -> vec4f { return c * g(p.x); }")
        #expect(message.hasPrefix("Effects/mine.wgsl:"), "\(message)")
    }

    @Test(arguments: [
        "fn sampleLayer(x: f32) -> f32 { return x; }", "struct Layer { x: f32 }", "const vitrineWords = 1;", "alias Image = f32;",
        "var<private> floatAt: f32;", "@must_use fn luminance(c: vec4f) -> f32 { return 1.0; }", "fn all(x: f32) {}",
    ]) func reservedNamesThrow(_ source: String) throws {
        #expect(try Self.message(source).contains("is a reserved name of effects"))
    }

    /// The names in the pass hide no function.
    @Test func localNamesOfThePassMayBeDeclared() throws {
        for name in ["layer", "color", "position", "source", "place", "values", "texel", "mix", "length"] {
            let source = "fn \(name)(p: vec2f, c: vec4f) -> vec4f { return c; }"
            #expect(try Self.message(source, .color, name) == "nothing")
        }
    }

    @Test(arguments: [
        "@fragment fn main() {}", "@ vertex fn main() {}", "@compute @workgroup_size(1) fn main() {}",
        "@group(0) @binding(0) var<uniform> u: f32;", "@binding(7) var t: texture_2d<f32>;", "var<workgroup> w: f32;",
        "var s: sampler;", "override gain: f32 = 1.0;", "@id(3) override gain: f32;", "enable f16;", "diagnostic(off, x);", "requires y;",
    ]) func declarationsOfThePassThrow(_ source: String) throws {
        #expect(try Self.message(source).hasPrefix("Effects/mine.wgsl:1:1: a shader library must not contain "))
    }

    @Test func reservedNamesMayBeLocal() throws {
        let source = """
            /* @fragment /* override */ enable */ struct Mine { fragment: f32, vertex: f32, }
            const requires_nothing = 1.0; // @group(0)
            fn f(p: vec2f, c: vec4f) -> vec4f { var t = Mine(1.0, 2.0); let group = t.fragment; return c * group; }
            """
        #expect(try Self.message(source) == "nothing")
    }

    @Test func offsets() throws {
        let source = "fn f(p: vec2f) -> vec2f { return p; }"
        for offset in [Vector2(-1, 0), Vector2(.nan, 0), Vector2(0, .infinity)] {
            #expect(try Self.message(source, .distortion, maxSampleOffset: offset).contains("two finite distances"))
        }
        #expect(try Self.message(source, .distortion, maxSampleOffset: Vector2(1e6, 0)).contains("the GPU does not support"))
        #expect(try Self.message(source, .distortion, maxSampleOffset: Vector2(3e38, 3e38)).contains("the GPU does not support"))
    }

    @Test func tooManyImages() throws {
        let bench = try EffectBench()
        let count = bench.renderer.imageLimit + 1
        guard count < 200 else { return }
        var parameters = ""
        for index in 0..<count { parameters += ", i\(index): Image" }
        let image = EffectArgumentTests.blank
        let message = try Self.message(
            "fn f(p: vec2f, c: vec4f\(parameters)) -> vec4f { return c; }", .color, "f", Array(repeating: .image(image), count: count))
        #expect(message.contains("takes \(count) images"))
    }

    @Test func errorsAreCachedAndLaterDrawsSucceed() throws {
        let bench = try EffectBench()
        let wrong = ShaderEffect.color(try Self.library("fn f(p: vec2f, c: vec4f) -> vec4f { return oops; }").f())
        for _ in 0..<3 { #expect(throws: ShaderError.self) { try bench.draw([wrong], over: EffectArgumentTests.blank) } }
        let right = try bench.draw([.color(ShaderLibrary.grayscale(.float(1)))], over: EffectArgumentTests.blank).texels
        #expect(right.values.allSatisfy { $0 == .zero })
        try bench.device.checkErrors()
    }

    @Test func compilingBeforeItIsNeeded() throws {
        let bench = try EffectBench()
        let effects = [ShaderEffect.color(ShaderLibrary.grayscale(.float(1))), .layer(ShaderLibrary.chromaticAberration(.float2(1, 0)))]
        let work = try bench.renderer.missingWork(for: effects)
        #expect(work.count == 2)
        for piece in work { bench.renderer.take(piece.run()) }
        #expect(try bench.renderer.missingWork(for: effects).isEmpty)
        _ = try bench.draw(effects, over: EffectArgumentTests.blank)
    }

    @Test func declarationsAreListed() throws {
        let library = try Self.library(
            "fn helper() {}\nfn wave(position: vec2f, time: f32, colors: ColorArray) -> vec2f { return position; }")
        let functions = library.functions
        #expect(functions.count == 1 && functions[0].kind == .distortion && functions[0].line == 2)
        #expect(functions[0].text == "fn wave(position: vec2f, time: f32, colors: ColorArray) -> vec2f")
        #expect(functions[0].parameters.map { $0.arguments } == ["float", "colorArray"])
    }

    /// Text that was cut, doubled and stirred is read to its end or refused, never more than that.
    @Test func invalidTextIsParsedToItsEnd() throws {
        let seeds = [
            "fn f(p: vec2f, c: vec4f, a: array<vec2<f32>, 4>) -> vec4f { if (p.x < 1.0) { return c; } return c / 2.0; } // end",
            "/* /* */ */ struct S { a: f32 } const x = S(1.0); alias A = B; alias B = A; var<private> y: A; @must_use fn g(@x q: A) -> @y A {",
            "fn é(π: vec2f)->vec2f{return π;}fn(}{)<>:;@,->fn fn struct alias const var var< @ @( fn x( fn y(a: b<c<d fn",
        ].map { Array($0.utf8) }
        var random = SplitMix64(seed: 5)
        for round in 0..<3000 {
            var text = seeds[round % seeds.count]
            for _ in 0...random.below(6) {
                let (from, to) = (random.below(text.count), random.below(text.count))
                switch random.below(4) {
                case 0: text.removeSubrange(min(from, to)..<max(from, to))
                case 1: text.insert(contentsOf: text[min(from, to)..<max(from, to)], at: from)
                case 2: text.swapAt(from, to)
                default: text[from] = UInt8(random.below(256))
                }
                if text.isEmpty { text = [0x66] }
            }
            _ = try? Self.library(String(decoding: text, as: UTF8.self))
        }
        #expect(throws: ShaderError.self) { try Self.library("fn f() {} /* /* */") }
        #expect(throws: ShaderError.self) { try Self.library(String(repeating: "/", count: 2 << 20)) }
        _ = try Self.library(String(repeating: "(<{", count: 50_000) + "fn f(a: " + String(repeating: "<", count: 50_000))
    }
}
