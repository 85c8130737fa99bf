import VitrineGPU
import VitrineMath

/// Numbers of the resolve shader.
struct ResolveUniforms: ShaderStructure {
    /// The background colour as the target stores it, premultiplied.
    var background: Vector4
    /// The factor from a position relative to the image's centre to tan θ of the vignette.
    var cornerSlope: Vector2
    var bloomIntensity: Float
    var bloomThreshold: Float
    var vignetteStrength: Float

    static let name = "ResolveUniforms"
    static let fields: [ShaderField<ResolveUniforms>] = [
        .init("background") { $0.background }, .init("cornerSlope") { $0.cornerSlope }, .init("bloomIntensity") { $0.bloomIntensity },
        .init("bloomThreshold") { $0.bloomThreshold }, .init("vignetteStrength") { $0.vignetteStrength },
    ]
}

/// Converts an image of high dynamic range to its target: tone maps every sample, then averages, so that edges of bright lights stay smooth, and
/// composites over the background colour. A target of radiance gets the plain mean. Bloom and vignette are applied here.
///
/// Needed where blending must happen in linear radiance, or where another pass reads the image first; other frames are tone mapped as they
/// are drawn (see `Renderer`).
final class ResolvePass {
    /// Effects applied to the image.
    struct Finish {
        /// The background colour as the target stores it, premultiplied.
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
    private let black: GPUTextureView
    private let sampler: GPUSampler
    private var passes: [Key: CoverPass] = [:]

    /// Creates the pass.
    ///
    /// - Parameter black: Bound in place of the glow of a frame without bloom.
    init(_ device: GPUDevice, _ pipelines: PipelineCache, _ bloom: BloomPass, black: GPUTextureView) throws(GPUError) {
        (self.device, self.pipelines, self.bloom, self.black) = (device, pipelines, bloom, black)
        sampler = try device.makeSampler(GPUSamplerDescriptor("resolve"))
    }

    /// Adds the pass that writes `target`, after those of the bloom. All textures have the size of the target.
    func addPasses(
        to graph: inout FrameGraph, from source: FrameGraph.Handle, to target: FrameGraph.Handle, width: Int, height: Int, _ finish: Finish,
        _ timer: GPUTimer?
    ) {
        let glow = finish.bloom.map { bloom.addPasses(to: &graph, source, width: width, height: height, $0) }
        graph.addPass("resolve", reads: [source] + (glow.map { [$0] } ?? []), writes: [target]) {
            [self] encoder, textures throws(GPUError) in
            let (source, target) = (textures.view(source), textures.view(target))
            let uniforms = try device.makeBuffer(
                "resolve", contents: [ResolveUniforms(finish, width: width, height: height)], usage: .uniform)
            let key = Key(
                sampleCount: source.texture.sampleCount, toneMapping: finish.toneMapping, isEncoded: target.format.holdsEncodedColor,
                isRadiance: target.format.isFloat, hasBloom: finish.bloom != nil, hasVignette: finish.vignette != nil)
            let glowView = glow.map { textures[$0].levels[0] } ?? black
            try pass(key).draw(
                [.texture(0, source), .buffer(1, uniforms), .texture(2, glowView), .sampler(3, sampler)], to: target,
                timestamps: timer?.span("resolve"), encoder)
        }
    }

    private func pass(_ key: Key) -> CoverPass {
        if let known = passes[key] { return known }
        let made = CoverPass(
            device, pipelines, "resolve of \(key.sampleCount)",
            [
                .texture(0, .fragment, .unfilterableFloat, isMultisampled: key.sampleCount > 1),
                .uniformBuffer(1, .fragment, minSize: ResolveUniforms.byteCount), .texture(2, .fragment), .sampler(3, .fragment),
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
        \(ResolveUniforms.wgsl)
        @group(0) @binding(0) var source: \(sampleCount > 1 ? "texture_multisampled_2d<f32>" : "texture_2d<f32>");
        @group(0) @binding(1) var<uniform> values: ResolveUniforms;
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
                let slope = (in.uv - 0.5) * values.cornerSlope;
                let cosineSquared = 1.0 / (1.0 + dot(slope, slope));
                light = 1.0 - values.vignetteStrength * (1.0 - cosineSquared * cosineSquared);
                background = darkened(background, light);
            }
            var scatteredLight = vec4f(0.0);
            if (BLOOM) { scatteredLight = textureSampleLevel(glow, linear, in.uv, 0.0); }
            var sum = vec4f(0.0);
            for (var i = 0; i < \(sampleCount); i++) {
                var sample = textureLoad(source, vec2i(in.position.xy), i);
                if (BLOOM) {
                    sample += values.bloomIntensity * (scatteredLight - scattered(sample, values.bloomThreshold));
                    sample.a = min(sample.a, 1.0);
                }
                sum += display(vec4f(sample.rgb * light, sample.a), background);
            }
            return sum / \(sampleCount).0;
        }
        """
    }
}

extension ResolveUniforms {
    fileprivate init(_ finish: ResolvePass.Finish, width: Int, height: Int) {
        let diagonal = Vector2(Float(width), Float(height)) / length(Vector2(Float(width), Float(height)))
        let slope = finish.vignette.map { tan($0.cornerAngle.radians) } ?? 0
        background = finish.background
        cornerSlope = Vector2(diagonal.x * slope * 2, diagonal.y * slope * 2)
        (bloomIntensity, bloomThreshold) = (finish.bloom?.intensity ?? 0, finish.bloom?.threshold ?? 0)
        vignetteStrength = finish.vignette?.strength ?? 0
    }
}

extension GPUTextureFormat {
    /// Whether shaders must write sRGB-encoded values: 8-bit formats without an sRGB suffix, which are shown unchanged.
    var holdsEncodedColor: Bool { self == .rgba8Unorm || self == .bgra8Unorm }
    /// Whether the format stores radiance above 1.
    var isFloat: Bool { self == .rgba16Float || self == .rgba32Float }
}
