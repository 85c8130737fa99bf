import VitrineGPU

/// Fills a texture's mip levels, each from the one above, by drawing.
///
/// The mean is taken of linear values: sRGB textures are read and written through the curve by the GPU.
final class MipmapGenerator {
    private let device: GPUDevice
    private let pipelines: PipelineCache
    private let layout: GPUBindGroupLayout
    private let pipelineLayout: GPUPipelineLayout
    private let sampler: GPUSampler

    init(_ device: GPUDevice, _ pipelines: PipelineCache) throws(GPUError) {
        (self.device, self.pipelines) = (device, pipelines)
        layout = try device.makeBindGroupLayout("mipmap", [.texture(0, .fragment), .sampler(1, .fragment)])
        pipelineLayout = try device.makePipelineLayout("mipmap", [layout])
        sampler = try device.makeSampler(GPUSamplerDescriptor("mipmap"))
    }

    /// Fills one level from the one above.
    func fill(_ texture: GPUTexture, level: Int, _ use: TextureUse) throws(GPUError) {
        guard level < texture.mipLevelCount, let pipeline = try pipeline(texture.format, use) else { return }
        let encoder = try device.makeCommandEncoder("mipmap")
        let group = try device.makeBindGroup(
            "mipmap", layout: layout, [.texture(0, try texture.makeView(mipLevels: level - 1..<level)), .sampler(1, sampler)])
        let target = GPUColorAttachment(try texture.makeView(mipLevels: level..<level + 1))
        encoder.renderPass(GPURenderPassDescriptor("mipmap", colors: [target])) { pass in
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            pass.draw(vertexCount: 3)
        }
        device.queue.submit(try encoder.finish())
    }

    /// nil where missing pipelines are only recorded.
    func pipeline(_ format: GPUTextureFormat, _ use: TextureUse) throws(GPUError) -> GPURenderPipeline? {
        let (label, function) =
            switch use {
            case .color, .data: ("mipmap", "mean")
            case .normal: ("mipmap of normals", "meanNormal")
            case .packedNormal: ("mipmap of packed normals", "meanPackedNormal")
            }
        let (device, pipelineLayout) = (device, pipelineLayout)
        return try pipelines.pipeline(.cover(CoverKey(label: label, constants: [], format: format))) { () throws(GPUError) in
            let module = try device.makeShader("mipmap.wgsl", wgsl: Self.code)
            return try device.makeRenderPipeline(
                GPURenderPipelineDescriptor(
                    label, layout: pipelineLayout, vertex: GPUShaderStage(module, "cover"),
                    fragment: GPUShaderStage(module, function), targets: [GPUColorTarget(format)]))
        }
    }

    private static let code = """
        @group(0) @binding(0) var source: texture_2d<f32>;
        @group(0) @binding(1) var linear: sampler;

        struct Varyings {
            @builtin(position) position: vec4f,
            @location(0) uv: vec2f,
        }

        @vertex fn cover(@builtin(vertex_index) index: u32) -> Varyings {
            let uv = vec2f(f32((index << 1u) & 2u), f32(index & 2u));
            return Varyings(vec4f(uv * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0), 0.0, 1.0), uv);
        }

        // Between four texels a linear sample is their mean.
        @fragment fn mean(in: Varyings) -> @location(0) vec4f { return textureSampleLevel(source, linear, in.uv, 0.0); }

        @fragment fn meanNormal(in: Varyings) -> @location(0) vec4f {
            let sum = textureSampleLevel(source, linear, in.uv, 0.0);
            let n = sum.xyz * 2.0 - 1.0;
            return vec4f(select(vec3f(0.5, 0.5, 1.0), normalize(n) * 0.5 + 0.5, dot(n, n) > 1e-6), sum.a);
        }

        @fragment fn meanPackedNormal(in: Varyings) -> @location(0) vec4f {
            let x = textureGather(0, source, linear, in.uv) * 2.0 - 1.0;
            let y = textureGather(1, source, linear, in.uv) * 2.0 - 1.0;
            let z = sqrt(max(1.0 - x * x - y * y, vec4f(0.0)));
            let n = vec3f(dot(x, vec4f(1.0)), dot(y, vec4f(1.0)), dot(z, vec4f(1.0)));
            let others = textureSampleLevel(source, linear, in.uv, 0.0).zw;
            return vec4f(select(vec2f(0.5), normalize(n).xy * 0.5 + 0.5, dot(n, n) > 1e-6), others);
        }
        """
}
