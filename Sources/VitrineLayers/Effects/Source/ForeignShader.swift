/// Detects Metal, GLSL and HLSL source, and suggests the WGSL code.
struct ForeignShader {
    private enum Language {
        case metal, glsl, hlsl

        var name: String {
            switch self {
            case .metal: "Metal"
            case .glsl: "GLSL"
            case .hlsl: "HLSL"
            }
        }
    }

    private let tokens: [ShaderTokens.Token]

    init(_ tokens: [ShaderTokens.Token]) { self.tokens = tokens }

    /// Returns the error if the token at `index`, at module scope, starts a declaration of another language; nil if it may be WGSL.
    func fault(at index: Int) -> ShaderSourceError? {
        guard begins(index), let language = language(index) else { return nil }
        let function = (index..<tokens.count).lazy.compactMap { signature(at: $0) }.first
        return ShaderSourceError(
            function?.location ?? tokens[index].location, .otherLanguage(name: language.name, advice: advice(language, function?.text)))
    }

    // MARK: Recognition

    private func reads(_ index: Int, _ word: StaticString) -> Bool { index < tokens.count && index >= 0 && tokens[index].reads(word) }
    private func isWord(_ index: Int) -> Bool { index < tokens.count && tokens[index].isWord }

    private func begins(_ index: Int) -> Bool {
        if reads(index, "#") || (reads(index, "[") && reads(index + 1, "[")) || signature(at: index) != nil { return true }
        let words: [StaticString] = [
            "using", "uniform", "varying", "precision", "layout", "cbuffer", "Texture2D", "SamplerState", "constant", "constexpr", "inline",
            "static",
            "template",
        ]
        return words.contains { tokens[index].reads($0) } && isWord(index + 1)
    }

    /// Determines the language by words that only one of the languages has.
    private func language(_ index: Int) -> Language? {
        for (at, token) in tokens.enumerated() where token.isWord {
            for word: StaticString in ["stitchable", "metal", "metal_stdlib", "SwiftUI", "half", "half2", "half3", "half4"]
            where token.reads(word) {
                return .metal
            }
            for word: StaticString in ["cbuffer", "SamplerState", "SV_Target", "SV_Position", "lerp", "frac"] where token.reads(word) {
                return .hlsl
            }
            for word: StaticString in [
                "version", "gl_FragColor", "gl_FragCoord", "fragColor", "mainImage", "varying", "precision", "uniform",
            ]
            where token.reads(word) { return .glsl }
            if isVector(token, prefix: "vec"), signature(at: at) != nil { return .glsl }
        }
        // `float4 f(float2 p)` is valid in both.
        return signature(at: index) == nil && !reads(index, "[") ? nil : .metal
    }

    /// Returns whether the token is `vec2`, `vec3` or `vec4`, or one of these with a prefix.
    private func isVector(_ token: ShaderTokens.Token, prefix: StaticString) -> Bool {
        guard token.text.count == prefix.utf8CodeUnitCount + 1, let last = token.text.last, (0x32...0x34).contains(last) else {
            return false
        }
        return prefix.withUTF8Buffer { token.text.starts(with: $0) }
    }

    // MARK: Types and signatures

    /// Returns the WGSL name of a type; nil if the word is not a type of those languages.
    static func type(_ name: String) -> String? {
        for (foreign, own) in types where foreign.utf8.elementsEqual(name.utf8) { return own }
        return nil
    }

    private static let types = [
        ("half", "f32"), ("float", "f32"), ("double", "f32"), ("half2", "vec2f"), ("half3", "vec3f"), ("half4", "vec4f"),
        ("float2", "vec2f"),
        ("float3", "vec3f"), ("float4", "vec4f"), ("vec2", "vec2f"), ("vec3", "vec3f"), ("vec4", "vec4f"), ("int", "i32"), ("uint", "u32"),
        ("int2", "vec2i"), ("int3", "vec3i"), ("int4", "vec4i"), ("uint2", "vec2u"), ("uint3", "vec3u"), ("uint4", "vec4u"),
        ("ivec2", "vec2i"),
        ("ivec3", "vec3i"), ("ivec4", "vec4i"), ("uvec2", "vec2u"), ("uvec3", "vec3u"), ("uvec4", "vec4u"), ("float2x2", "mat2x2f"),
        ("float3x3", "mat3x3f"), ("float4x4", "mat4x4f"), ("mat2", "mat2x2f"), ("mat3", "mat3x3f"), ("mat4", "mat4x4f"),
        ("sampler2D", "Image"),
        ("Texture2D", "Image"), ("texture2d", "Image"), ("Layer", "Layer"), ("void", ""), ("bool", "bool"),
    ]

    /// Returns the WGSL declaration of the function `TYPE NAME(…)` that starts at `index`.
    private func signature(at index: Int) -> (text: String, location: ShaderLocation)? {
        guard isWord(index), isWord(index + 1), reads(index + 2, "("), let result = Self.type(tokens[index].string) else { return nil }
        var text = "fn \(tokens[index + 1].string)("
        var (at, words, hasPointer) = (index + 3, [String](), false)
        var names: [(name: String, type: String)] = []
        var isAfterArray = false
        // HLSL semantics follow a parameter's colon.
        var isSemantic = false
        func close() {
            // The type is the last known one, the name is the last word: `device const float *levels`, `SwiftUI::Layer layer`.
            guard let type = words.dropLast().reversed().lazy.compactMap({ Self.type($0) }).first, let name = words.last else { return }
            // Arrays have a count.
            if isAfterArray, !hasPointer, type.utf8.elementsEqual("i32".utf8) { return }
            names.append((name, hasPointer ? "FloatArray" : type))
            isAfterArray = hasPointer
        }
        while at < tokens.count, !reads(at, ")"), at < index + 200 {
            if reads(at, ",") {
                close()
                (words, hasPointer, isSemantic) = ([], false, false)
            } else if reads(at, ":"), !reads(at - 1, ":"), !reads(at + 1, ":") {
                isSemantic = true
            } else if isWord(at), !isSemantic {
                words.append(tokens[at].string)
            } else if reads(at, "*") {
                hasPointer = true
            }
            at += 1
        }
        close()
        for (number, parameter) in names.enumerated() { text += (number == 0 ? "" : ", ") + "\(parameter.name): \(parameter.type)" }
        return (text + ")" + (result.isEmpty ? "" : " -> \(result)"), tokens[index].location)
    }

    // MARK: Advice

    private func advice(_ language: Language, _ signature: String?) -> String {
        let declare = signature.map { "declare '\($0)'" } ?? "declare functions as 'fn NAME(position: vec2f, color: vec4f) -> vec4f'"
        return declare + "; " + Self.replacements(language) + " (docs/migration/swiftui.md has the table)"
    }

    private static func replacements(_ language: Language) -> String {
        switch language {
        case .metal:
            "remove '[[ stitchable ]]', '#include' and 'using'; write vec4f for half4 and float4, vec2f for float2, f32 for float, 'let x =' or 'var x =' "
                + "for 'float x =', sampleLayer(layer, p) for layer.sample(p), select(b, a, c) for c ? a : b"
        case .glsl:
            "remove '#version', 'uniform' and 'precision'; write vec4f for vec4, vec2f for vec2, f32 for float, 'let x =' or 'var x =' for 'float x =', "
                + "sampleImage(image, uv) for texture(image, uv), a % b for mod(a, b), select(b, a, c) for c ? a : b"
        case .hlsl:
            "remove 'cbuffer' and semantics; write vec4f for float4, vec2f for float2, f32 for float, 'let x =' or 'var x =' for 'float x =', "
                + "sampleImage(image, uv) for image.Sample(s, uv), mix for lerp, fract for frac, a % b for fmod(a, b), select(b, a, c) for c ? a : b"
        }
    }

    /// Returns advice about a line with a compile error; nil if the line contains no code of another language.
    ///
    /// - Parameter declared: The names that the source declares, such as `alias float2 = vec2f`.
    static func hint(line: some Collection<UInt8>, declared: [String]) -> String? {
        guard let tokens = try? ShaderTokens(String(decoding: line, as: UTF8.self)).tokens else { return nil }
        for (index, token) in tokens.enumerated() {
            let name = token.string
            if declared.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { continue }
            if token.isWord, let type = type(name), !type.isEmpty, !type.utf8.elementsEqual(name.utf8) {
                return "'\(name)' is '\(type)' in WGSL, and a declaration is 'let NAME = …' or 'var NAME = …'"
            }
            if token.reads("?") { return "WGSL writes 'c ? a : b' as select(b, a, c)" }
            guard index > 0, tokens[index - 1].reads(".") else {
                for (foreign, own) in functions where name.utf8.elementsEqual(foreign.utf8) { return "WGSL writes '\(foreign)' as \(own)" }
                continue
            }
            if token.reads("sample") || token.reads("Sample") { return "WGSL writes layer.sample(p) as sampleLayer(layer, p)" }
        }
        return nil
    }

    private static let functions = [
        ("fmod", "a % b"), ("mod", "a % b"), ("lerp", "mix"), ("frac", "fract"), ("rsqrt", "inverseSqrt"), ("atan2f", "atan2"),
        ("powr", "pow"),
        ("texture", "sampleImage(image, uv)"), ("texture2D", "sampleImage(image, uv)"), ("dFdx", "dpdx"), ("dFdy", "dpdy"), ("ddx", "dpdx"),
        ("ddy", "dpdy"),
    ]
}
