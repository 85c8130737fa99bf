import VitrineGPU

/// Scatters an image's light: a chain of smaller and smaller copies, blended together again from the coarsest.
final class BloomPass {
    private let device: GPUDevice
    private let mipChains: MipChainPass
    private let gather: [Int: CoverPass]
    private let widening: CoverPass
    private let sampler: GPUSampler

    init(_ device: GPUDevice, _ pipelines: PipelineCache, _ mipChains: MipChainPass) throws(GPUError) {
        (self.device, self.mipChains) = (device, mipChains)
        var gather: [Int: CoverPass] = [:]
        for count in [1, 4] {
            gather[count] = CoverPass(
                device, pipelines, count > 1 ? "bloom source of samples" : "bloom source",
                [.texture(0, .fragment, .unfilterableFloat, isMultisampled: count > 1), .uniformBuffer(1, .fragment, minSize: 16)],
                code: Self.gatherCode(sampleCount: count))
        }
        self.gather = gather
        let mix = GPUBlendComponent(.constant, .add, .oneMinusConstant)
        widening = CoverPass(
            device, pipelines, "bloom", [.texture(0, .fragment), .sampler(1, .fragment)], blend: GPUBlendState(color: mix, alpha: mix),
            code: Self.wideningCode)
        sampler = try device.makeSampler(GPUSamplerDescriptor("bloom"))
    }

    /// Adds the passes that scatter an image's light above the threshold.
    ///
    /// - Parameters:
    ///   - source: Radiance times exposure, with any number of samples.
    ///   - width, height: The size of `source` in pixels.
    /// - Returns: The scattered light at half the size, in level 0.
    func addPasses(
        to graph: inout FrameGraph, _ source: FrameGraph.Handle, width: Int, height: Int, _ bloom: Bloom
    ) -> FrameGraph.Handle {
        let flat = graph.texture("bloom source", .mipChain(width: width, height: height, levelCount: 1))
        let half = (width: max((width + 1) / 2, 1), height: max((height + 1) / 2, 1))
        // The coarsest level has two to three texels along the shorter side: a glow as wide as the image.
        let levels = max(GPUTexture.fullMipLevelCount(width: min(half.width, half.height), height: 1) - 1, 1)
        let scattered = graph.texture("bloom", .mipChain(width: half.width, height: half.height, levelCount: levels))
        graph.addPass("bloom source", reads: [source], writes: [flat]) { [self] encoder, textures throws(GPUError) in
            let (source, target) = (textures.view(source), textures[flat].levels[0])
            let samples = source.texture.sampleCount
            guard let gather = gather[samples] else { throw .internal(resource: "bloom", message: "\(samples) samples") }
            let threshold = try device.makeBuffer("bloom", contents: [bloom.threshold, 0, 0, 0], usage: .uniform)
            try gather.draw([.texture(0, source), .buffer(1, threshold)], to: target, encoder)
        }
        graph.addPass("bloom", reads: [flat], writes: [scattered]) { [self] encoder, textures throws(GPUError) in
            let chain = textures[scattered]
            try mipChains.reduce(textures[flat].levels[0], to: chain.levels[0], encoder)
            try mipChains.fill(chain, encoder)
            for level in (0..<chain.levels.count - 1).reversed() {
                try widening.draw(
                    [.texture(0, chain.levels[level + 1]), .sampler(1, sampler)], to: chain.levels[level],
                    blendConstant: Double(bloom.spread), encoder)
            }
        }
        return scattered
    }

    private static func gatherCode(sampleCount: Int) -> String {
        """
        @group(0) @binding(0) var source: \(sampleCount > 1 ? "texture_multisampled_2d<f32>" : "texture_2d<f32>");
        @group(0) @binding(1) var<uniform> values: vec4f;
        \(bloomShader)

        @fragment fn fill(in: Covering) -> @location(0) vec4f {
            var sum = vec4f(0.0);
            for (var i = 0; i < \(sampleCount); i++) { sum += scattered(textureLoad(source, vec2i(in.position.xy), i), values.x); }
            return min(sum / \(sampleCount).0, vec4f(65000.0));
        }
        """
    }

    /// The next coarser level through a tent three of its texels wide.
    private static let wideningCode = """
        \(levelShader)
        @fragment fn fill(in: Covering) -> @location(0) vec4f {
            let t = 1.0 / vec2f(textureDimensions(source));
            let uv = in.uv;
            let corners = at(uv, vec2f(-1.0, -1.0), t) + at(uv, vec2f(1.0, -1.0), t) + at(uv, vec2f(-1.0, 1.0), t) + at(uv, vec2f(1.0, 1.0), t);
            let sides = at(uv, vec2f(0.0, -1.0), t) + at(uv, vec2f(-1.0, 0.0), t) + at(uv, vec2f(1.0, 0.0), t) + at(uv, vec2f(0.0, 1.0), t);
            return corners * 0.0625 + sides * 0.125 + at(uv, vec2f(0.0), t) * 0.25;
        }
        """
}

/// The scattered part of a sample: all of it without a threshold.
let bloomShader = """
    fn scattered(sample: vec4f, threshold: f32) -> vec4f {
        if (threshold <= 0.0) { return sample; }
        let peak = max(sample.r, max(sample.g, sample.b));
        return sample * (max(peak - threshold, 0.0) / max(peak, 1e-6));
    }
    """
