import VitrineGPU
import VitrineMath

/// What is done to a group that has been put together: blur, mask, shadow.
final class FinishingPasses {
    private let device: GPUDevice
    private let pool: PicturePool
    let blur: GaussianBlur
    private let mask, shadow: CoverDraw

    init(_ device: GPUDevice, _ pool: PicturePool) throws(GPUError) {
        (self.device, self.pool) = (device, pool)
        blur = try GaussianBlur(device, pool)
        let entries: [GPUBindGroupLayoutEntry] = [
            .texture(0, .fragment, .unfilterableFloat), .texture(1, .fragment, .unfilterableFloat),
            .uniformBuffer(2, .fragment, minSize: 32),
        ]
        mask = try CoverDraw(device, "mask", entries, code: Self.maskCode)
        shadow = try CoverDraw(device, "shadow", entries, code: Self.shadowCode)
    }

    /// - Returns: From the pool; the source goes back there.
    func blurred(_ source: LayerPicture, _ deviation: Float, _ encoder: borrowing GPUCommandEncoder) throws(GPUError) -> LayerPicture {
        let result = try blur.draw(source, deviation: deviation, encoder)
        pool.giveBack(source)
        return result
    }

    /// The source times the alpha of `cut`, which is nothing outside of its texels.
    ///
    /// - Parameter offset: Where the source's first texel is among those of `cut`.
    func masked(
        _ source: LayerPicture, by cut: LayerPicture, offset: Vector2, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) -> LayerPicture {
        try combined(mask, source, cut, [Vector4(lowHalf: offset, highHalf: Vector2(0, 0)), Vector4()], encoder)
    }

    /// The source before its own shadow.
    func shadowed(
        _ source: LayerPicture, _ settings: Shadow, radius: Float, offset: Vector2, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) -> LayerPicture {
        let soft = try blur.draw(source, deviation: radius, encoder)
        let color = settings.color.drawn * clamp(settings.opacity, 0, 1)
        let result = try combined(shadow, source, soft, [Vector4(lowHalf: offset, highHalf: Vector2(0, 0)), color], encoder)
        pool.giveBack(soft)
        return result
    }

    private func combined(
        _ pass: CoverDraw, _ source: LayerPicture, _ other: LayerPicture, _ values: [Vector4], _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) -> LayerPicture {
        let region = PixelRectangle(x: 0, y: 0, width: source.texture.width, height: source.texture.height)
        let target = try pool.take(region, scale: 1)
        let uniforms = try device.makeBuffer("finishing", contents: values, usage: .uniform)
        try pass.draw([.texture(0, source.view), .texture(1, other.view), .buffer(2, uniforms)], to: target.view, encoder)
        pool.giveBack(source)
        return LayerPicture(target.texture, target.view, bounds: source.bounds, scale: source.scale)
    }

    private static let inputs = """
        struct Values { offset: vec2f, unused: vec2f, color: vec4f }
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
            @fragment fn fill(in: Covering) -> @location(0) vec4f {
                let top = textureLoad(source, vec2i(in.position.xy), 0);
                let place = in.position.xy - 0.5 - values.offset;
                let p = vec2i(floor(place));
                let t = place - floor(place);
                let upper = mix(texel(p).a, texel(p + vec2i(1, 0)).a, t.x);
                let lower = mix(texel(p + vec2i(0, 1)).a, texel(p + vec2i(1, 1)).a, t.x);
                return top + values.color * (mix(upper, lower, t.y) * (1.0 - top.a));
            }
            """
}
