import VitrineGPU
import VitrineMath
import VitrineScene

/// Converts images to surfaces and back: sRGB with straight alpha in images, linear with premultiplied alpha in surfaces.
package final class ImageTransfer {
    private let device: GPUDevice
    private var pipelines: [Variant: Pipeline] = [:]

    /// The input and output formats.
    private struct Variant: Hashable {
        /// Whether the texture has integer components.
        var readsIntegers: Bool
        /// Whether the target is a surface; otherwise the source is.
        var isUpload: Bool
        var curve: Curve
        var format: GPUTextureFormat
    }

    /// The transfer function that is applied to straight components.
    private enum Curve {
        case none
        /// Decodes sRGB to linear values.
        case decode
        /// Encodes linear values as sRGB.
        case encode
    }

    private struct Pipeline {
        let layout: GPUBindGroupLayout
        let pipeline: GPURenderPipeline
    }

    package init(_ device: GPUDevice) { self.device = device }

    // MARK: Upload

    /// Uploads an image to a surface with the upper left corner at the origin. Integer formats are sRGB, floats linear.
    ///
    /// - Parameter scale: The number of pixels of the image per point.
    package func surface(of image: Image, scale: Float = 1) throws(GPUError) -> LayerSurface {
        try surface(of: image, scale: scale, in: .linear)
    }

    /// Uploads an image to a surface in another encoding.
    func surface(of image: Image, scale: Float = 1, in space: ShaderEffect.WorkingSpace) throws(GPUError) -> LayerSurface {
        let size = Vector2(Float(image.width), Float(image.height))
        let surface = try LayerSurface(device, bounds: Rectangle(size: size / scale), scale: scale, label: image.name)
        let format: GPUTextureFormat =
            switch image.format {
            case .rgba8: .rgba8Uint
            case .rgba16: .rgba16Uint
            case .rgba32Float: .rgba32Float
            }
        let source = try device.makeTexture(
            GPUTextureDescriptor(
                image.name, size: GPUExtent(image.width, image.height), format: format, usage: [.textureBinding, .copyDestination]))
        device.queue.write(image.bytes, to: source.copyInfo())
        let isFloat = image.format == .rgba32Float
        let curve: Curve = isFloat == (space == .linear) ? .none : isFloat ? .encode : .decode
        let variant = Variant(readsIntegers: !isFloat, isUpload: true, curve: curve, format: LayerSurface.format)
        let largest: Float = image.format == .rgba8 ? 255 : 65535
        try draw(variant, from: try source.makeView(), to: surface.view, largest: largest)
        return surface
    }

    // MARK: Reading back

    /// Reads back a surface, waiting for the GPU: sRGB in integer formats, linear in floats; straight alpha.
    package func image(of surface: LayerSurface, format: PixelFormat = .rgba8) throws(GPUError) -> Image {
        let target: GPUTextureFormat =
            switch format {
            case .rgba8: .rgba8Uint
            case .rgba16: .rgba16Uint
            case .rgba32Float: .rgba32Float
            }
        let (width, height) = (surface.texture.width, surface.texture.height)
        let texture = try device.makeTexture(
            GPUTextureDescriptor(
                surface.texture.label, size: GPUExtent(width, height), format: target, usage: [.renderAttachment, .copySource]))
        let isFloat = format == .rgba32Float
        let variant = Variant(readsIntegers: false, isUpload: false, curve: isFloat ? .none : .encode, format: target)
        try draw(variant, from: surface.view, to: try texture.makeView(), largest: format == .rgba8 ? 255 : 65535)
        let bytes = try texture.read()
        do throws(ImageError) {
            return try Image(width: width, height: height, format: format, bytes: bytes, name: surface.texture.label)
        } catch {
            throw .mapping(resource: surface.texture.label, message: "not enough memory for \(width) × \(height) pixels")
        }
    }

    // MARK: The pass

    private func draw(_ variant: Variant, from source: GPUTextureView, to target: GPUTextureView, largest: Float) throws(GPUError) {
        let pipeline = try pipeline(variant)
        let number = try device.makeBuffer("largest value", contents: [Vector4(largest, 0, 0, 0)], usage: .uniform)
        let group = try device.makeBindGroup("transfer", layout: pipeline.layout, [.texture(0, source), .buffer(1, number)])
        let encoder = try device.makeCommandEncoder("transfer")
        encoder.renderPass(GPURenderPassDescriptor("transfer", colors: [GPUColorAttachment(target)])) { pass in
            pass.setPipeline(pipeline.pipeline)
            pass.setBindGroup(0, group)
            pass.draw(vertexCount: 3)
        }
        device.queue.submit(try encoder.finish())
    }

    private func pipeline(_ variant: Variant) throws(GPUError) -> Pipeline {
        if let known = pipelines[variant] { return known }
        let layout = try device.makeBindGroupLayout(
            "transfer",
            [
                .texture(0, .fragment, variant.readsIntegers ? .unsignedInteger : .unfilterableFloat),
                .uniformBuffer(1, .fragment, minSize: 16),
            ])
        let module = try device.makeShader("transfer.wgsl", wgsl: Self.code(variant))
        let made = Pipeline(
            layout: layout,
            pipeline: try device.makeRenderPipeline(
                GPURenderPipelineDescriptor(
                    "transfer", layout: try device.makePipelineLayout("transfer", [layout]), vertex: GPUShaderStage(module, "cover"),
                    fragment: GPUShaderStage(module, "transfer"), targets: [GPUColorTarget(variant.format)])))
        pipelines[variant] = made
        return made
    }

    private static func code(_ variant: Variant) -> String {
        let isInteger = variant.format == .rgba8Uint || variant.format == .rgba16Uint
        let read = variant.readsIntegers ? "vec4f(texel) / number.x" : "texel"
        let convert = variant.isUpload ? "toSurface" : "fromSurface"
        let curve =
            switch variant.curve {
            case .none: ""
            case .decode: "decode"
            case .encode: "encode"
            }
        return """
            @group(0) @binding(0) var source: texture_2d<\(variant.readsIntegers ? "u32" : "f32")>;
            @group(0) @binding(1) var<uniform> number: vec4f;

            fn decode(x: vec3f) -> vec3f { return select(pow((x + 0.055) / 1.055, vec3f(2.4)), x / 12.92, x <= vec3f(0.04045)); }
            // Odd around zero.
            fn encode(x: vec3f) -> vec3f {
                let y = abs(x);
                return sign(x) * select(1.055 * pow(y, vec3f(1.0 / 2.4)) - 0.055, 12.92 * y, y <= vec3f(0.0031308));
            }
            // Half precision ends at 65,504; values that are not finite become 0.
            fn held(x: vec4f) -> vec4f {
                let isNumber = (bitcast<vec4u>(x) & vec4u(0x7fffffffu)) <= vec4u(0x7f800000u);
                return select(vec4f(0.0), clamp(x, vec4f(-65504.0), vec4f(65504.0)), isNumber);
            }
            fn toSurface(c: vec4f) -> vec4f {
                let color = held(c);
                return vec4f(\(curve)(color.rgb) * saturate(color.a), saturate(color.a));
            }
            fn fromSurface(c: vec4f) -> vec4f {
                let color = held(c);
                let alpha = saturate(color.a);
                return vec4f(\(curve)(color.rgb / select(1.0, alpha, alpha > 0.0)) * select(0.0, 1.0, alpha > 0.0), alpha);
            }

            @vertex fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
                return vec4f(f32((index << 1u) & 2u) * 2.0 - 1.0, f32(index & 2u) * 2.0 - 1.0, 0.0, 1.0);
            }

            @fragment fn transfer(@builtin(position) pixel: vec4f) -> @location(0) vec4\(isInteger ? "u" : "f") {
                let texel = textureLoad(source, vec2i(pixel.xy), 0);
                let color = \(convert)(\(read));
                return \(isInteger ? "vec4u(saturate(color) * number.x + 0.5)" : "color");
            }
            """
    }
}
