import VitrineGPU

/// Fills the mip levels of radiance images: the mean of a multisampled image into the first level, then each level from the one before.
///
/// A level takes thirteen linear samples that weigh 36 texels of the one before (Jiménez, "Next Generation Post Processing in Call of Duty:
/// Advanced Warfare", 2014), so that neither glow nor frosted glass shows the grid.
final class MipChainPass {
    private let device: GPUDevice
    private let copies: [Int: CoverPass]
    private let reduction: CoverPass
    private let sampler: GPUSampler

    init(_ device: GPUDevice, _ pipelines: PipelineCache) throws(GPUError) {
        self.device = device
        var copies: [Int: CoverPass] = [:]
        for count in [1, 4] {
            copies[count] = CoverPass(
                device, pipelines, count > 1 ? "copy of samples" : "copy",
                [.texture(0, .fragment, .unfilterableFloat, isMultisampled: count > 1)],
                code: Self.copyCode(sampleCount: count))
        }
        self.copies = copies
        reduction = CoverPass(
            device, pipelines, "reduction", [.texture(0, .fragment), .sampler(1, .fragment)], code: Self.reductionCode)
        sampler = try device.makeSampler(GPUSamplerDescriptor("reduction"))
    }

    /// Writes the mean of each pixel's samples. Both textures have the same size.
    func copy(_ source: GPUTextureView, to target: GPUTextureView, _ encoder: borrowing GPUCommandEncoder) throws(GPUError) {
        let samples = source.texture.sampleCount
        guard let pass = copies[samples] else { throw .internal(resource: "copy", message: "\(samples) samples") }
        try pass.draw([.texture(0, source)], to: target, encoder)
    }

    /// Fills every level but the first.
    func fill(_ chain: FrameTexture, _ encoder: borrowing GPUCommandEncoder) throws(GPUError) {
        for level in 1..<max(chain.levels.count, 1) { try reduce(chain.levels[level - 1], to: chain.levels[level], encoder) }
    }

    /// Writes the image at half its size.
    func reduce(_ source: GPUTextureView, to target: GPUTextureView, _ encoder: borrowing GPUCommandEncoder) throws(GPUError) {
        try reduction.draw([.texture(0, source), .sampler(1, sampler)], to: target, encoder)
    }

    private static func copyCode(sampleCount: Int) -> String {
        """
        @group(0) @binding(0) var source: \(sampleCount > 1 ? "texture_multisampled_2d<f32>" : "texture_2d<f32>");

        @fragment fn fill(in: Covering) -> @location(0) vec4f {
            var sum = vec4f(0.0);
            for (var i = 0; i < \(sampleCount); i++) { sum += textureLoad(source, vec2i(in.position.xy), i); }
            return sum / \(sampleCount).0;
        }
        """
    }

    private static let reductionCode = """
        \(levelShader)
        @fragment fn fill(in: Covering) -> @location(0) vec4f {
            let t = 1.0 / vec2f(textureDimensions(source));
            let uv = in.uv;
            let inner = at(uv, vec2f(-1.0, -1.0), t) + at(uv, vec2f(1.0, -1.0), t) + at(uv, vec2f(-1.0, 1.0), t) + at(uv, vec2f(1.0, 1.0), t);
            let cross = at(uv, vec2f(0.0, -2.0), t) + at(uv, vec2f(-2.0, 0.0), t) + at(uv, vec2f(2.0, 0.0), t) + at(uv, vec2f(0.0, 2.0), t);
            let corners = at(uv, vec2f(-2.0, -2.0), t) + at(uv, vec2f(2.0, -2.0), t) + at(uv, vec2f(-2.0, 2.0), t) + at(uv, vec2f(2.0, 2.0), t);
            return inner * 0.125 + cross * 0.0625 + corners * 0.03125 + at(uv, vec2f(0.0), t) * 0.125;
        }
        """
}
