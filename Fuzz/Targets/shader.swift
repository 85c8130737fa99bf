// sources: Sources/VitrineLayers/Effects/WorkingSpace.swift Sources/VitrineLayers/Effects/Source/ShaderTokens.swift Sources/VitrineLayers/Effects/Source/ShaderDeclarations.swift Sources/VitrineLayers/Effects/Source/ForeignShader.swift Sources/VitrineGPU/WGSLLimits.swift Sources/VitrineGPU/WGSLArrays.swift

#if canImport(VitrineLayers)
    @testable import VitrineGPU
    @testable import VitrineLayers
#else
    /// The library's errors, without those of the GPU.
    enum ShaderError {
        enum Reason {
            case notAllowed(String)
            case otherLanguage(name: String, advice: String)
            case syntax(String)
        }
    }

    /// The namespace of `WorkingSpace`.
    enum ShaderEffect {}
#endif

/// The declarations of a WGSL text, which are parsed before compilation.
let shaderTarget = FuzzTarget(
    seeds: {
        [
            """
            // A light.
            alias Place = vec2<f32>; const strength: f32 = 1.5e-3;
            struct Ring { @size(16) middle: vec2f, width: f32 };
            var<private> seed: u32 = 0u;
            fn glow(position: Place, color: vec4f, at: vec2f, amount: f32) -> vec4<f32> { if (amount > 0) { return color; } return vec4f(); }
            """,
            "/* nested /* é */ */ fn ripple(position: vec2f, layer: Layer, image: texture_2d<f32>) -> vec4f { return sample(layer, position); }",
            "@must_use fn a(@builtin(position) p: vec4f, q: ptr<function, array<f32, 4>>) {}", "enable f16;", "override x: f32;",
            "@fragment fn main() {}", "// working-space: linear",
            "#include <metal_stdlib>\n[[ stitchable ]] half4 glow(float2 p, SwiftUI::Layer l, device const float *a, int n) { return l.sample(p); }",
            "fn f() { let a = array(b, (c), d<1>()); if x<y && a[1] >= ((-2)) { for (;;) { g(); } } else if z {} else {} } fn g() { f(); }",
        ].map { Array($0.utf8) }
    },
    run: { input in
        let text = String(decoding: input, as: UTF8.self)
        do throws(WGSLLimits.Violation) { try WGSLLimits.check(text) } catch { precondition(error.line > 0 && error.column > 0) }
        _ = ForeignShader.hint(line: input, declared: [])
        guard let found = try? ShaderDeclarations(text) else { return }
        for function in found.functions {
            precondition(function.location.line > 0 && function.location.column > 0)
            _ = found.resolved(function.result)
            for parameter in function.parameters { _ = found.resolved(parameter.type) }
        }
    })
