import VitrineGPU
import VitrineMath

/// Brings a picture of high dynamic range to its target: tone maps every sample, then takes their mean, so that edges of bright lights
/// stay smooth, and puts it over the background colour. A target of radiance gets the plain mean.
///
/// Needed where blending must happen in linear radiance, or where something reads the picture before it is shown; other frames are tone
/// mapped as they are drawn (see `Renderer`).
final class ResolvePass {
    private struct Key: Hashable {
        let format: GPUTextureFormat
        let sampleCount: Int
        let toneMapping: ToneMapping
        let isEncoded, isRadiance: Bool
    }

    private let device: GPUDevice
    private let layouts: [Int: GPUBindGroupLayout]
    private var pipelines: [Key: GPURenderPipeline] = [:]

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        var layouts: [Int: GPUBindGroupLayout] = [:]
        for count in [1, 4] {
            layouts[count] = try device.makeBindGroupLayout(
                "resolve",
                [.texture(0, .fragment, .unfilterableFloat, isMultisampled: count > 1), .uniformBuffer(1, .fragment, minSize: 16)])
        }
        self.layouts = layouts
    }

    /// - Parameter background: as the target stores it, premultiplied.
    func draw(
        _ source: GPUTextureView, to target: GPUTextureView, background: Vector4, toneMapping: ToneMapping,
        timestamps: GPUPassTimestamps?, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        let samples = source.texture.sampleCount
        guard let layout = layouts[samples] else { throw .internal(resource: "resolve", message: "\(samples) samples") }
        let key = Key(
            format: target.format, sampleCount: samples, toneMapping: toneMapping, isEncoded: target.format.holdsEncodedColor,
            isRadiance: target.format.isFloat)
        let pipeline = try pipeline(key, layout)
        let uniforms = try device.makeBuffer("resolve", contents: [background], usage: .uniform)
        let group = try device.makeBindGroup("resolve", layout: layout, [.texture(0, source), .buffer(1, uniforms)])
        let attachment = GPUColorAttachment(target)
        encoder.renderPass(GPURenderPassDescriptor("resolve", colors: [attachment], timestamps: timestamps)) { pass in
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            pass.draw(vertexCount: 3)
        }
    }

    private func pipeline(_ key: Key, _ layout: GPUBindGroupLayout) throws(GPUError) -> GPURenderPipeline {
        if let known = pipelines[key] { return known }
        let module = try device.makeShader("resolve.wgsl", wgsl: Self.code(sampleCount: key.sampleCount))
        let constants = [
            GPUConstant("TONE_MAPPING", Double(key.toneMapping.rawValue)), GPUConstant("ENCODED_OUTPUT", key.isEncoded),
            GPUConstant("RADIANCE_OUTPUT", key.isRadiance),
        ]
        let made = try device.makeRenderPipeline(
            GPURenderPipelineDescriptor(
                "resolve", layout: try device.makePipelineLayout("resolve", [layout]), vertex: GPUShaderStage(module, "cover"),
                fragment: GPUShaderStage(module, "resolve", constants: constants), targets: [GPUColorTarget(key.format)]))
        pipelines[key] = made
        return made
    }

    private static func code(sampleCount: Int) -> String {
        """
        override TONE_MAPPING: u32 = 0;
        override ENCODED_OUTPUT: bool = false;
        override RADIANCE_OUTPUT: bool = false;
        \(srgbShader)
        \(toneMappingShader)
        @group(0) @binding(0) var source: \(sampleCount > 1 ? "texture_multisampled_2d<f32>" : "texture_2d<f32>");
        @group(0) @binding(1) var<uniform> background: vec4f;

        @vertex fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
            return vec4f(vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0, 0.0, 1.0);
        }

        fn display(sample: vec4f) -> vec4f {
            if (RADIANCE_OUTPUT) { return sample + background * (1.0 - sample.a); }
            if (sample.a <= 0.0) { return background; }
            var color = toneMapped(sample.rgb / sample.a);
            if (ENCODED_OUTPUT) { color = encodeSRGB(color); }
            return vec4f(color * sample.a, sample.a) + background * (1.0 - sample.a);
        }

        @fragment fn resolve(@builtin(position) position: vec4f) -> @location(0) vec4f {
            var sum = vec4f(0.0);
            for (var i = 0; i < \(sampleCount); i++) { sum += display(textureLoad(source, vec2i(position.xy), i)); }
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
