import VitrineGPU
import VitrineMath

/// Brings a picture of high dynamic range to its target: tone maps every sample, then takes their mean, so that edges of bright lights
/// stay smooth, and puts it over the background colour. A target of radiance gets the plain mean. Bloom and vignette are put on here.
///
/// Needed where blending must happen in linear radiance, or where something reads the picture before it is shown; other frames are tone
/// mapped as they are drawn (see `Renderer`).
final class ResolvePass {
    /// What is done to the picture on its way.
    struct Finish {
        /// As the target stores it, premultiplied.
        var background = Vector4(repeating: 0)
        var toneMapping: ToneMapping
        var bloom: Bloom?
        var vignette: Vignette?
    }

    private struct Key: Hashable {
        let sampleCount: Int
        let toneMapping: ToneMapping
        let isEncoded, isRadiance, hasBloom, hasVignette: Bool
    }

    private let device: GPUDevice
    private let pipelines: PipelineCache
    private let bloom: BloomPass
    private let nothing: GPUTextureView
    private let sampler: GPUSampler
    private var passes: [Key: CoverPass] = [:]

    init(_ device: GPUDevice, _ pipelines: PipelineCache, _ bloom: BloomPass, nothing: GPUTextureView) throws(GPUError) {
        (self.device, self.pipelines, self.bloom, self.nothing) = (device, pipelines, bloom, nothing)
        sampler = try device.makeSampler(GPUSamplerDescriptor("resolve"))
    }

    func draw(
        _ source: GPUTextureView, to target: GPUTextureView, _ finish: Finish, timestamps: GPUPassTimestamps?,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        let key = Key(
            sampleCount: source.texture.sampleCount, toneMapping: finish.toneMapping, isEncoded: target.format.holdsEncodedColor,
            isRadiance: target.format.isFloat, hasBloom: finish.bloom != nil, hasVignette: finish.vignette != nil)
        var glow = nothing
        if let options = finish.bloom { glow = try bloom.draw(source, options, encoder) }
        let uniforms = try device.makeBuffer(
            "resolve", contents: Self.values(finish, width: target.texture.width, height: target.texture.height), usage: .uniform)
        try pass(key).draw(
            [.texture(0, source), .buffer(1, uniforms), .texture(2, glow), .sampler(3, sampler)], to: target, timestamps: timestamps,
            encoder)
    }

    /// `Values` of the shader.
    private static func values(_ finish: Finish, width: Int, height: Int) -> [Vector4] {
        let diagonal = Vector2(Float(width), Float(height)) / length(Vector2(Float(width), Float(height)))
        let slope = finish.vignette.map { tan($0.cornerAngle.radians) } ?? 0
        return [
            finish.background,
            Vector4(finish.bloom?.intensity ?? 0, finish.bloom?.threshold ?? 0, finish.vignette?.strength ?? 0, 0),
            // From the middle of the picture to tan θ.
            Vector4(diagonal.x * slope * 2, diagonal.y * slope * 2, 0, 0),
        ]
    }

    private func pass(_ key: Key) -> CoverPass {
        if let known = passes[key] { return known }
        let made = CoverPass(
            device, pipelines, "resolve of \(key.sampleCount)",
            [
                .texture(0, .fragment, .unfilterableFloat, isMultisampled: key.sampleCount > 1),
                .uniformBuffer(1, .fragment, minSize: 48), .texture(2, .fragment), .sampler(3, .fragment),
            ],
            constants: [
                GPUConstant("TONE_MAPPING", Double(key.toneMapping.rawValue)), GPUConstant("ENCODED_OUTPUT", key.isEncoded),
                GPUConstant("RADIANCE_OUTPUT", key.isRadiance), GPUConstant("BLOOM", key.hasBloom),
                GPUConstant("VIGNETTE", key.hasVignette),
            ], code: Self.code(sampleCount: key.sampleCount))
        passes[key] = made
        return made
    }

    private static func code(sampleCount: Int) -> String {
        """
        override TONE_MAPPING: u32 = 0;
        override ENCODED_OUTPUT: bool = false;
        override RADIANCE_OUTPUT: bool = false;
        override BLOOM: bool = false;
        override VIGNETTE: bool = false;
        \(srgbShader)
        \(toneMappingShader)
        \(bloomShader)
        struct Values {
            background: vec4f,
            // Intensity and threshold of the bloom, strength of the vignette.
            effects: vec4f,
            corner: vec4f,
        }
        @group(0) @binding(0) var source: \(sampleCount > 1 ? "texture_multisampled_2d<f32>" : "texture_2d<f32>");
        @group(0) @binding(1) var<uniform> values: Values;
        @group(0) @binding(2) var glow: texture_2d<f32>;
        @group(0) @binding(3) var linear: sampler;

        fn display(sample: vec4f, background: vec4f) -> vec4f {
            if (RADIANCE_OUTPUT) { return sample + background * (1.0 - sample.a); }
            if (sample.a <= 0.0) { return background; }
            var color = toneMapped(sample.rgb / sample.a);
            if (ENCODED_OUTPUT) { color = encodeSRGB(color); }
            return vec4f(color * sample.a, sample.a) + background * (1.0 - sample.a);
        }

        fn decodeSRGB(c: vec3f) -> vec3f {
            return select(pow((c + 0.055) / 1.055, vec3f(2.4)), c / 12.92, c <= vec3f(0.04045));
        }

        fn darkened(background: vec4f, light: f32) -> vec4f {
            if (!ENCODED_OUTPUT) { return vec4f(background.rgb * light, background.a); }
            if (background.a <= 0.0) { return background; }
            return vec4f(encodeSRGB(decodeSRGB(background.rgb / background.a) * light) * background.a, background.a);
        }

        @fragment fn fill(in: Covering) -> @location(0) vec4f {
            var light = 1.0;
            var background = values.background;
            if (VIGNETTE) {
                let slope = (in.uv - 0.5) * values.corner.xy;
                let cosineSquared = 1.0 / (1.0 + dot(slope, slope));
                light = 1.0 - values.effects.z * (1.0 - cosineSquared * cosineSquared);
                background = darkened(background, light);
            }
            var scatteredLight = vec4f(0.0);
            if (BLOOM) { scatteredLight = textureSampleLevel(glow, linear, in.uv, 0.0); }
            var sum = vec4f(0.0);
            for (var i = 0; i < \(sampleCount); i++) {
                var sample = textureLoad(source, vec2i(in.position.xy), i);
                if (BLOOM) {
                    sample += values.effects.x * (scatteredLight - scattered(sample, values.effects.y));
                    sample.a = min(sample.a, 1.0);
                }
                sum += display(vec4f(sample.rgb * light, sample.a), background);
            }
            return sum / \(sampleCount).0;
        }
        """
    }
}

extension GPUTextureFormat {
    /// 8-bit formats that are shown as they are: values must be written through the sRGB curve by the shader.
    var holdsEncodedColor: Bool { self == .rgba8Unorm || self == .bgra8Unorm }
    /// Formats that take radiance above 1.
    var isFloat: Bool { self == .rgba16Float || self == .rgba32Float }
}
