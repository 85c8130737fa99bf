import VitrineScene

/// The text of a surface's shader: what all share, the lobes that the material has, its maps, and its surface function at the end.
struct SurfaceSource {
    let code: String
    /// The line of the module on which the surface function's own text begins, from 1; nil: there is none.
    let functionLine: Int?

    /// Writes the source of a program.
    ///
    /// - Parameter isDeferred: Whether the program can also shade an `AttributeBuffer`.
    init(_ key: SurfaceProgramKey, isDeferred: Bool = false) {
        var conditions = key.conditions
        if key.usesTangents { conditions.append("TANGENTS") }
        if isDeferred { conditions.append("DEFERRED_SHADING") }
        // A surface function may sample inside a branch, which browsers refuse otherwise.
        let directives = key.function == nil ? [] : ["diagnostic(off, derivative_uniformity);"]
        let code = ShaderText.assemble(
            directives + [
                frameShader, SurfaceFeatures.wgsl, srgbShader,
                EnvironmentShader.code(group: 0, firstBinding: FrameBindings.environment),
            ] + Self.material(key, isDeferred: isDeferred) + [
                vertexShader, surfaceStructShader, occlusionShader, screenOcclusionShader, microfacetShader,
            ] + Self.lobes(key.lobes) + [
                reflectanceShader, irradianceVolumeShader, environmentLightShader, shadowShader, environmentShadowShader, areaLightShader,
                areaReflectionShader,
                lightShader,
                shadowReceiverShader, toneMappingShader, debugShader, outputShader, surfaceShader, deferredShader, cutOutShader,
            ], defining: conditions)
        guard let function = key.function else {
            (self.code, functionLine) = (code, nil)
            return
        }
        var lines = 1
        for byte in code.utf8 where byte == UInt8(ascii: "\n") { lines += 1 }
        (self.code, functionLine) = (code + function.source, lines)
    }

    /// The sky's shader.
    static var sky: String {
        ShaderText.assemble(
            [
                frameShader, SurfaceFeatures.wgsl, srgbShader, EnvironmentShader.code(group: 0, firstBinding: FrameBindings.environment),
                toneMappingShader, outputShader, backgroundShader,
            ], defining: [])
    }

    private static func lobes(_ lobes: SurfaceLobes) -> [String] {
        var pieces: [String] = []
        if lobes.contains(.physical) { pieces.append(dielectricShader) }
        for lobe in MaterialLobe.all where lobes.contains(lobe.lobe) { pieces.append(lobe.shader.functions) }
        if !lobes.contains(.physical) { pieces.append(classicShader) }
        if lobes.contains(.function) { pieces.append(functionShader) }
        return pieces
    }

    // MARK: Group 1

    private static func material(_ key: SurfaceProgramKey, isDeferred: Bool) -> [String] {
        let count = key.samplers.count
        var text = "const TRANSFORM_ROWS = \(MaterialUniforms.transformRows(samples: count));\n"
        let layout = SurfaceBindings(key)
        for sample in 0..<count {
            text += "@group(1) @binding(\(layout.texture(sample))) var map\(sample): texture_2d<f32>;\n"
        }
        for sampler in 0..<key.samplerCount {
            text += "@group(1) @binding(\(layout.sampler(sampler))) var sampler\(sampler): sampler;\n"
        }
        if layout.isShadowReceiver {
            text += """
                @group(1) @binding(\(layout.keptShadow)) var keptShadow: texture_2d<f32>;
                @group(1) @binding(\(layout.keptShadow + 1)) var keptShadowSampler: sampler;
                // Scale and offset from the receiver's own x and y to texture coordinates.
                @group(1) @binding(\(layout.keptShadow + 2)) var<uniform> keptShadowPlacement: vec4f;

                """
        }
        return [materialShader, text + texels(key, isDeferred: isDeferred), functionDeclarations(key, layout)]
    }

    /// Returns the code that samples each texture once; slots that share it use its channels.
    private static func texels(_ key: SurfaceProgramKey, isDeferred: Bool) -> String {
        var members = ""
        var reads = ""
        var known: [UInt8] = []
        for map in MaterialMap.all {
            let sample = key.samples[map.slot.rawValue]
            if sample == SurfaceProgramKey.none || known.contains(sample) { continue }
            known.append(sample)
            members += " t\(sample): vec4f,"
            let arguments = "map\(sample), sampler\(key.samplers[Int(sample)]), mapUV(\(sample)u, uv)"
            let read = "t.t\(sample) = textureSampleBias(\(arguments), frame.mipBias);"
            if isDeferred {
                let derivatives = "mapDerivative(\(sample)u, storedDx), mapDerivative(\(sample)u, storedDy)"
                if known.count == 1 {
                    reads += "    var level = 0.0;\n"
                    reads += "    if (has(DEFERRED) && has(EQUAL_MAPS)) { level = mapLevel(textureDimensions(map\(sample))); }\n"
                }
                reads += "    if (has(DEFERRED)) {\n"
                reads += "        if (has(EQUAL_MAPS)) { t.t\(sample) = textureSampleLevel(\(arguments), level); }\n"
                reads += "        else { t.t\(sample) = textureSampleGrad(\(arguments), \(derivatives)); }\n"
                reads += "    } else { \(read) }\n"
            } else {
                reads += "    \(read)\n"
            }
        }
        var text = "struct Texels {\(members.isEmpty ? " none: f32," : members) }\n"
        text += "fn readMaps(uv: vec4f) -> Texels {\n    var t: Texels;\n\(reads)    return t;\n}\n"
        for map in MaterialMap.all {
            var value = key[map.slot].map { "t.t\($0)" } ?? "vec4f(1.0)"
            if map.slot == .normal, key.packsNormal { value = "unpackedNormal(\(value))" }
            text += "fn \(map.name)Texel(t: Texels) -> vec4f { return \(value); }\n"
        }
        // Of the four factors only one is not 0. A software GPU takes a third of a nanosecond a pixel to read each number of a uniform block.
        for (name, channel) in [
            ("roughness", key.roughnessChannel), ("metalness", key.metalnessChannel), ("occlusion", key.occlusionChannel),
        ] {
            let member = ["x", "y", "z", "w"][channel]
            text += "fn \(name)Value(t: Texels) -> f32 { return \(name)Texel(t).\(member) * material.\(name).\(member); }\n"
        }
        let tangentUV = key.tangentSlot.flatMap { key[$0] }.map { "mapUV(\($0)u, uv)" } ?? "uv.xy"
        text += "fn tangentUV(uv: vec4f) -> vec2f { return \(tangentUV); }\n"
        if let normal = key[.normal] {
            text += "fn normalTexelAt(uv: vec2f, dx: vec2f, dy: vec2f) -> vec4f { "
            let value = "textureSampleGrad(map\(normal), sampler\(key.samplers[normal]), uv, dx, dy)"
            text += "return \(key.packsNormal ? "unpackedNormal(\(value))" : value); }\n"
        }
        return text
    }

    /// The declarations that a surface function uses beside its input: uniforms, textures, and the call.
    private static func functionDeclarations(_ key: SurfaceProgramKey, _ layout: SurfaceBindings) -> String {
        guard let function = key.function else { return "" }
        var text = ""
        if function.hasUniforms {
            var members = ""
            for uniform in function.uniforms { members += " @align(16) \(uniform.name): \(uniform.type)," }
            text += "struct Uniforms {\(members) }\n@group(1) @binding(\(layout.uniforms)) var<uniform> uniforms: Uniforms;\n"
        }
        for named in key.named {
            let sampler = key.samplers[Int(named.sample)]
            text += "fn \(named.name)(uv: vec2f) -> vec4f { "
            text += "return textureSampleBias(map\(named.sample), sampler\(sampler), uv, frame.mipBias); }\n"
        }
        return text + "fn callSurfaceFunction(in: SurfaceInput, s: ptr<function, Surface>) { \(function.name)(in, s); }\n"
    }
}

/// The bindings of group 1: block, textures, samplers, the surface function's uniforms; of shadow receivers also the kept shadow, its sampler and its
/// placement.
struct SurfaceBindings {
    let textureCount, samplerCount: Int
    let hasUniforms, isShadowReceiver: Bool

    init(_ key: SurfaceProgramKey) {
        textureCount = key.samplers.count
        samplerCount = key.samplerCount
        hasUniforms = key.function?.hasUniforms ?? false
        isShadowReceiver = key.lobes.contains(.shadowReceiver)
    }

    static let block = 0
    func texture(_ index: Int) -> Int { 1 + index }
    func sampler(_ index: Int) -> Int { 1 + textureCount + index }
    var uniforms: Int { 1 + textureCount + samplerCount }
    var keptShadow: Int { uniforms + (hasUniforms ? 1 : 0) }
}
