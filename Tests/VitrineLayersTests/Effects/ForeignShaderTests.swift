import Testing

@testable import VitrineLayers

/// Shaders in another language are recognized, and the error contains the replacement.
@Suite struct ForeignShaderTests {
    private func message(_ source: String) throws -> String {
        try #require(#expect(throws: ShaderError.self) { try ShaderLibrary(source: source, name: "mine.metal", line: 0) }).description
    }

    @Test func aStitchableFunction() throws {
        let text = try message(
            """
            #include <metal_stdlib>
            #include <SwiftUI/SwiftUI_Metal.h>
            using namespace metal;

            [[ stitchable ]] half4 glow(float2 position, half4 color, float2 touch, device const float *levels, int count) {
                return color * half(exp(-dot(position, touch)));
            }
            """)
        #expect(text.hasPrefix("mine.metal:5:18: this is Metal, and effects are written in WGSL: "), "\(text)")
        #expect(text.contains("declare 'fn glow(position: vec2f, color: vec4f, touch: vec2f, levels: FloatArray) -> vec4f'"), "\(text)")
        #expect(text.contains("remove '[[ stitchable ]]'") && text.contains("sampleLayer(layer, p) for layer.sample(p)"))
    }

    @Test func aLayerEffectWithoutItsHeader() throws {
        let text = try message("\n[[stitchable]] half4 Ripple(float2 p, SwiftUI::Layer layer, float time) { return layer.sample(p); }")
        #expect(text.hasPrefix("mine.metal:2:16: this is Metal"), "\(text)")
        #expect(text.contains("fn Ripple(p: vec2f, layer: Layer, time: f32) -> vec4f"), "\(text)")
    }

    @Test func otherLanguages() throws {
        let glsl = try message("#version 450\nuniform vec4 tint;\nvec4 effect(vec2 p, vec4 c) { return c * tint; }")
        #expect(glsl.hasPrefix("mine.metal:3:1: this is GLSL") && glsl.contains("fn effect(p: vec2f, c: vec4f) -> vec4f"), "\(glsl)")
        let toy = try message("void mainImage(out vec4 fragColor, in vec2 fragCoord) { fragColor = vec4(1.0); }")
        #expect(toy.hasPrefix("mine.metal:1:1: this is GLSL"), "\(toy)")
        let hlsl = try message("float4 main(float2 uv : TEXCOORD0) : SV_Target { return lerp(a, b, uv.x); }")
        #expect(hlsl.hasPrefix("mine.metal:1:1: this is HLSL"), "\(hlsl)")
        let plain = try message("float2 wave(float2 position, float time) { return position; }")
        #expect(
            plain.hasPrefix("mine.metal:1:1: this is Metal") && plain.contains("fn wave(position: vec2f, time: f32) -> vec2f"), "\(plain)")
    }

    /// A function whose head was ported, and whose body was not.
    @Test(arguments: [
        ("half4 x = c;", "'half4' is 'vec4f' in WGSL"), ("var x = c.x > 0.5 ? 1.0 : 0.0;", "select(b, a, c)"),
        ("let x = lerp(c.x, 1.0, 0.5);", "as mix"),
        ("let x = float2(1.0, 2.0);", "'float2' is 'vec2f'"), ("let x = l.sample(p);", "sampleLayer(layer, p)"),
    ]) func foreignFunctionBodiesGetAHint(line: String, hint: String) throws {
        let library = try ShaderLibrary(
            source: "fn f(p: vec2f, l: Layer) -> vec4f {\n    let c = sampleLayer(l, p);\n    \(line)\n    return c;\n}", name: "mine.wgsl",
            line: 0)
        let error = #expect(throws: ShaderError.self) { try library.compile(with: EffectBench().device) }
        #expect(error?.line == 3 && error?.description.contains(hint) == true, "\(error?.description ?? "")")
    }

    @Test func validTextIsNotMistakenForAnotherLanguage() throws {
        for source in [
            "alias float2 = vec2f; alias half4 = vec4f; fn f(p: float2, c: half4) -> half4 { return c; }",
            "struct uniform_ { static_: f32 } const constant = 1.0; fn f(p: vec2f) -> vec2f { return p; }",
            "// [[ stitchable ]] half4 f(float2 p)\nfn f(p: vec2f) -> vec2f { let half = 1.0; return p * half; }", "fn", "fn f(", "[", "#",
        ] { _ = try ShaderLibrary(source: source) }
        let library = try ShaderLibrary(
            source: "alias float2 = vec2f; fn f(p: float2, c: vec4f) -> vec4f { let half = 0.5; return c * half; }")
        try library.compile(with: EffectBench().device)
    }
}
