import VitrineGPU
import VitrineGeometry
import VitrineMath
import VitrineRender

/// The passes over a composited group: blur, mask, shadow.
final class FinishingPasses {
    private let device: GPUDevice
    private let pool: SurfacePool
    let blur: GaussianBlur
    private let mask, shadow: CoverDraw
    private let sampler: GPUSampler

    init(_ device: GPUDevice, _ pool: SurfacePool) throws(GPUError) {
        (self.device, self.pool) = (device, pool)
        blur = try GaussianBlur(device, pool)
        let entries: [GPUBindGroupLayoutEntry] = [
            .texture(0, .fragment, .unfilterableFloat), .texture(1, .fragment, .unfilterableFloat),
            .uniformBuffer(2, .fragment, minSize: FinishingUniforms.byteCount),
        ]
        mask = try CoverDraw(device, "mask", entries, code: Self.maskCode)
        shadow = try CoverDraw(
            device, "shadow",
            [
                .texture(0, .fragment, .unfilterableFloat), .texture(1, .fragment),
                .uniformBuffer(2, .fragment, minSize: FinishingUniforms.byteCount),
                .sampler(3, .fragment),
            ], code: Self.shadowCode)
        sampler = try device.makeSampler(GPUSamplerDescriptor("shadow"))
    }

    /// Blurs a surface.
    ///
    /// - Returns: A surface of the pool. The source is returned to the pool.
    func blurred(_ source: LayerSurface, _ deviation: Float, _ encoder: borrowing GPUCommandEncoder) throws(GPUError) -> LayerSurface {
        let result = try blur.draw(source, deviation: deviation, encoder)
        pool.recycle(source)
        return result
    }

    /// Multiplies the source by the alpha of `cut`, which is 0 outside its texels.
    ///
    /// - Parameter offset: The position of the source's first texel in `cut`.
    func masked(
        _ source: LayerSurface, by cut: LayerSurface, offset: Vector2, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) -> LayerSurface {
        try combined(mask, source, cut, FinishingUniforms(offset: offset), encoder)
    }

    /// Composites the source over its shadow.
    func shadowed(
        _ source: LayerSurface, _ settings: Shadow, radius: Float, offset: Vector2, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) -> LayerSurface {
        let (soft, factor) = try blur.drawSmall(source, deviation: radius, encoder)
        let color = settings.color.drawn * clamp(settings.opacity, 0, 1)
        let values = FinishingUniforms(offset: offset, factor: factor, color: color)
        let result = try combined(shadow, source, soft, values, encoder, [.sampler(3, sampler)])
        pool.recycle(soft)
        return result
    }

    private func combined(
        _ pass: CoverDraw, _ source: LayerSurface, _ other: LayerSurface, _ values: FinishingUniforms,
        _ encoder: borrowing GPUCommandEncoder,
        _ more: [GPUBindGroupEntry] = []
    ) throws(GPUError) -> LayerSurface {
        let region = PixelRectangle(x: 0, y: 0, width: source.texture.width, height: source.texture.height)
        let target = try pool.take(region, scale: 1)
        let uniforms = try device.makeBuffer("finishing", contents: [values], usage: .uniform)
        try pass.draw([.texture(0, source.view), .texture(1, other.view), .buffer(2, uniforms)] + more, to: target.view, encoder)
        pool.recycle(source)
        return LayerSurface(target.texture, target.view, bounds: source.bounds, scale: source.scale)
    }

    private static let inputs =
        FinishingUniforms.wgsl + """
            @group(0) @binding(0) var source: texture_2d<f32>;
            @group(0) @binding(1) var other: texture_2d<f32>;
            @group(0) @binding(2) var<uniform> values: Values;

            fn texel(p: vec2i) -> vec4f {
                if (any(p < vec2i(0)) || any(p >= vec2i(textureDimensions(other)))) { return vec4f(0.0); }
                return textureLoad(other, p, 0);
            }

            """

    private static let maskCode =
        inputs + """
            @fragment fn fill(in: Covering) -> @location(0) vec4f {
                let p = vec2i(in.position.xy);
                return textureLoad(source, p, 0) * texel(p + vec2i(round(values.offset))).a;
            }
            """

    private static let shadowCode =
        inputs + """
            @group(0) @binding(3) var linear: sampler;
            @fragment fn fill(in: Covering) -> @location(0) vec4f {
                let top = textureLoad(source, vec2i(in.position.xy), 0);
                let uv = (in.position.xy - values.offset) * values.factor / vec2f(textureDimensions(other));
                let isWithin = all(uv >= vec2f(0.0)) && all(uv <= vec2f(1.0));
                let share = select(0.0, textureSampleLevel(other, linear, uv, 0.0).a, isWithin);
                return top + values.color * (share * (1.0 - top.a));
            }
            """
}

/// The uniforms of a mask or shadow pass.
struct FinishingUniforms: ShaderStructure {
    /// The position of the source's first texel in a mask, or the offset of a shadow in texels.
    var offset: Vector2
    /// The number of texels of a shadow's blurred surface per texel of the source.
    var factor: Float = 0
    /// The colour of a shadow, premultiplied.
    var color = Vector4()

    static let name = "Values"
    static let fields: [ShaderField<FinishingUniforms>] = [
        .init("offset") { $0.offset }, .init("factor") { $0.factor }, .init("color") { $0.color },
    ]
}
