import VitrineGPU

/// The shader source of a pass: the preamble, the pass, and the library's source at the end, so that its first line is known.
struct EffectSource {
    let code: String
    /// The line of the module where the library's source begins, from 1.
    let firstLine: Int

    /// Creates the source without a pass, to compile the library.
    init(_ library: ShaderCode) { self.init(library, pass: Self.constants(EffectArguments.headerCount, .linear)) }

    init(_ key: EffectProgramKey) {
        var images = Self.constants(EffectArguments.headerCount + key.givenCount, key.space)
        for index in 0..<key.imageCount {
            images += "@group(0) @binding(\(EffectBindings.image(index))) var vitrineImage\(index): texture_2d<f32>;\n"
        }
        self.init(key.library, pass: images + Self.pass(key))
    }

    private init(_ library: ShaderCode, pass: String) {
        let before = effectPreamble + pass
        var lines = 1
        for byte in before.utf8 where byte == UInt8(ascii: "\n") { lines += 1 }
        (code, firstLine) = (before + library.source, lines)
    }

    private static func constants(_ count: Int, _ space: ShaderEffect.WorkingSpace) -> String {
        "const vitrineGivenCount = \(count);\nconst vitrineIsLinear = \(space == .linear);\n"
    }

    /// Returns the name of the conversion function; empty for equal spaces.
    private static func conversion(_ source: ShaderEffect.WorkingSpace, _ target: ShaderEffect.WorkingSpace) -> String {
        source == target ? "" : target == .linear ? "linearFromSRGB" : "sRGBFromLinear"
    }

    // MARK: The pass

    private static func pass(_ key: EffectProgramKey) -> String {
        var calls = CallText()
        // Reserved names: a local `layer` would hide a function with that name.
        var body = """
                // A 0 that the compiler cannot know: Mesa's software GPU recompiles a shader for each value of a uniform on which a branch depends.
                let vitrineNone = vec4u(u32(vitrinePixel.x) >> 24u);
                let vitrineGrid = bitcast<vec4f>(vitrineGiven[0]);
                let vitrineFrom = bitcast<vec4f>(vitrineGiven[1]);
                let vitrinePosition = vitrineGrid.xy + vitrinePixel.xy * vitrineGrid.z;
                let vitrineLayer = Layer(vec4f(vitrineFrom.xy, vitrineFrom.zw * vitrineGrid.z), vitrineGrid.w);
                var vitrineColor = 
            """
        var calling = key.calls[...]
        switch key.calls.first?.kind ?? .color {
        case .color: body += "\(conversion(key.source, key.space))(textureLoad(vitrineSource, vec2i(vitrinePixel.xy), 0));\n"
        case .distortion: body += "sampleLayer(vitrineLayer, \(calls.call(calling.removeFirst(), "vitrinePosition")));\n"
        case .layer: body += "\(calls.call(calling.removeFirst(), "vitrinePosition, vitrineLayer"));\n"
        }
        for call in calling {
            body += "    vitrineColor = \(calls.call(call, "vitrinePosition, vitrineResult(vitrineColor)"));\n"
        }
        return "@fragment fn vitrineDraw(@builtin(position) vitrinePixel: vec4f) -> @location(0) vec4f {\n\(body)"
            + "    return \(result(key));\n}\n"
    }

    /// Decoded values may exceed half precision.
    private static func result(_ key: EffectProgramKey) -> String {
        let conversion = conversion(key.space, key.target)
        return conversion.isEmpty
            ? "vitrineResult(vitrineColor)"
            : "clamp(\(conversion)(vitrineResult(vitrineColor)), vec4f(vec3f(-65504.0), 0.0), vec4f(vec3f(65504.0), 1.0))"
    }

    /// Generates the calls in order; each reads the vectors and images after those of the previous one.
    private struct CallText {
        private var vector = EffectArguments.headerCount
        private var image = 0

        mutating func call(_ call: EffectProgramKey.Call, _ given: String) -> String {
            var text = call.name + "(" + given
            for slot in call.slots { text += ", " + argument(slot) }
            return text + ")"
        }

        private mutating func argument(_ slot: ShaderSignature.Slot) -> String {
            if slot == .image {
                image += 1
                return "vitrineImage\(image - 1)"
            }
            defer { vector += 1 }
            let words = "(vitrineGiven[\(vector)] ^ vitrineNone)"
            return switch slot {
            case .float: "bitcast<f32>(\(words).x)"
            case .float2: "bitcast<vec2f>(\(words).xy)"
            case .float3: "bitcast<vec3f>(\(words).xyz)"
            default: slot == .float4 ? "bitcast<vec4f>(\(words))" : "\(slot.type)(i32(\(words).x), \(words).y)"
            }
        }
    }

    // MARK: Names

    /// The names that users may call and must not declare.
    static let publicNames = [
        "Image", "Layer", "FloatArray", "ColorArray", "Data", "floatAt", "colorAt", "byteAt", "wordAt", "sampleImage", "imageSize",
        "sampleLayer", "luminance", "sRGBFromLinear", "linearFromSRGB", "linearFromWorking", "workingFromLinear",
    ]

    /// The WGSL names that the generated code uses: a declaration of the same name would hide them.
    private static let builtInNames = [
        "all", "abs", "array", "bitcast", "bool", "clamp", "dot", "f32", "i32", "max", "pow", "saturate", "select", "sign", "texture_2d",
        "textureDimensions", "textureLoad", "textureSampleLevel", "u32", "vec2f", "vec2i", "vec3f", "vec4f", "vec4u",
    ]

    static func checkNames(_ declarations: ShaderDeclarations) throws(ShaderSourceError) {
        for (name, location) in declarations.names {
            let isTaken = (publicNames + builtInNames).contains { $0.utf8.elementsEqual(name.utf8) }
            if isTaken || name.utf8.starts(with: "vitrine".utf8) { throw ShaderSourceError(location, .reservedName(name)) }
        }
    }
}

extension ShaderError {
    /// Returns the compiler's first message about the library, at its position in the library's file.
    static func compiling(_ library: ShaderCode, _ messages: [GPUShaderMessage], firstLine: Int) -> ShaderError {
        let message = messages.first { $0.line >= firstLine } ?? messages.first ?? GPUShaderMessage(line: 0, column: 0, text: "unknown")
        guard message.line >= firstLine else { return ShaderError(file: library.file, line: 0, .compiler(message.text)) }
        let number = message.line - firstLine
        let lines = library.source.utf8.split(separator: UInt8(ascii: "\n"), maxSplits: number + 1, omittingEmptySubsequences: false)
        let hint = number < lines.count ? ForeignShader.hint(line: lines[number].prefix(4096), declared: library.names) : nil
        let text = message.text + (hint.map { "; \($0)" } ?? "")
        return ShaderError(file: library.file, line: library.line + 1 + number, column: message.column, .compiler(text))
    }
}
