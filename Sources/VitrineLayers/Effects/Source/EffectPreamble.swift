/// The declarations before a shader library. Names that begin with `vitrine` are internal; the others are for users and listed in
/// `EffectSource.publicNames` and docs/effects.md.
let effectPreamble = """
    // Otherwise, browsers reject derivatives inside branches.
    diagnostic(off, derivative_uniformity);

    @group(0) @binding(0) var<storage, read> vitrineWords: array<vec4u>;
    @group(0) @binding(1) var vitrineSource: texture_2d<f32>;
    @group(0) @binding(2) var vitrineSampler: sampler;
    // The first vectors again: the geometry of the pass and one vector per argument. Uniforms are read at once for all pixels.
    @group(0) @binding(3) var<uniform> vitrineGiven: array<vec4u, vitrineGivenCount>;

    alias Image = texture_2d<f32>;

    // The input of a layer effect.
    struct Layer {
        // x, y, width and height in points of the area that can be sampled; transparent outside.
        bounds: vec4f,
        // Texels per point.
        scale: f32,
    }

    struct FloatArray { count: i32, vitrineFirst: u32 }
    struct ColorArray { count: i32, vitrineFirst: u32 }
    // `count` is in bytes.
    struct Data { count: i32, vitrineFirst: u32 }

    fn vitrineIsInside(index: i32, count: i32) -> bool { return index >= 0 && index < count; }
    fn vitrineIsFinite(v: vec4f) -> bool { return all((bitcast<vec4u>(v) & vec4u(0x7f800000u)) != vec4u(0x7f800000u)); }

    fn floatAt(values: FloatArray, index: i32) -> f32 {
        if !vitrineIsInside(index, values.count) { return 0.0; }
        return bitcast<f32>(vitrineWords[values.vitrineFirst + u32(index) / 4u][u32(index) % 4u]);
    }

    fn colorAt(colors: ColorArray, index: i32) -> vec4f {
        if !vitrineIsInside(index, colors.count) { return vec4f(0.0); }
        return bitcast<vec4f>(vitrineWords[colors.vitrineFirst + u32(index)]);
    }

    // The four bytes from byte 4 · index, the first in the lowest bits.
    fn wordAt(data: Data, index: i32) -> u32 {
        if !vitrineIsInside(index, (data.count + 3) / 4) { return 0u; }
        return vitrineWords[data.vitrineFirst + u32(index) / 4u][u32(index) % 4u];
    }

    fn byteAt(data: Data, index: i32) -> u32 {
        if !vitrineIsInside(index, data.count) { return 0u; }
        return (wordAt(data, index / 4) >> (8u * (u32(index) % 4u))) & 255u;
    }

    // uv is 0 to 1 across the image from the upper left corner; linear filter, clamped to the edges; premultiplied.
    fn sampleImage(image: Image, uv: vec2f) -> vec4f { return textureSampleLevel(image, vitrineSampler, uv, 0.0); }
    // The size in pixels.
    fn imageSize(image: Image) -> vec2f { return vec2f(textureDimensions(image)); }

    // Linear filter with transparent texels outside; returns transparent for a position that is not a number.
    fn sampleLayer(layer: Layer, position: vec2f) -> vec4f {
        let source = bitcast<vec4f>(vitrineGiven[1]);
        let texel = (position - source.xy) * layer.scale;
        if !vitrineIsFinite(vec4f(texel, 0.0, 0.0)) { return vec4f(0.0); }
        let covered = saturate(texel + 0.5) * saturate(source.zw - texel + 0.5);
        return textureSampleLevel(vitrineSource, vitrineSampler, texel / source.zw, 0.0) * covered.x * covered.y;
    }

    fn luminance(color: vec4f) -> f32 { return dot(color.rgb, vec3f(0.2126, 0.7152, 0.0722)); }

    fn vitrineEncode(x: vec3f) -> vec3f { return select(1.055 * pow(x, vec3f(1.0 / 2.4)) - 0.055, 12.92 * x, x <= vec3f(0.0031308)); }
    fn vitrineDecode(x: vec3f) -> vec3f { return select(pow((x + 0.055) / 1.055, vec3f(2.4)), x / 12.92, x <= vec3f(0.04045)); }

    // Encodes a premultiplied linear colour as premultiplied sRGB, and decodes it. Odd around zero. A component above alpha is coverage
    // plus light: the curve is applied to it as over black, which avoids a division by a small alpha.
    fn sRGBFromLinear(color: vec4f) -> vec4f {
        let x = abs(color.rgb);
        let a = vec3f(max(color.a, 0.0));
        let isCovered = x <= a;
        let encoded = vitrineEncode(select(x - a + vitrineDecode(a), x / max(a, vec3f(1e-6)), isCovered));
        return vec4f(sign(color.rgb) * select(encoded, encoded * a, isCovered), color.a);
    }

    fn linearFromSRGB(color: vec4f) -> vec4f {
        let x = abs(color.rgb);
        let a = vec3f(max(color.a, 0.0));
        let isCovered = x <= a;
        let decoded = vitrineDecode(select(x, x / max(a, vec3f(1e-6)), isCovered));
        return vec4f(sign(color.rgb) * select(a + decoded - vitrineDecode(a), decoded * a, isCovered), color.a);
    }

    @vertex fn vitrineCover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
        return vec4f(f32((index << 1u) & 2u) * 2.0 - 1.0, f32(index & 2u) * 2.0 - 1.0, 0.0, 1.0);
    }

    // Converts a colour of the working space to linear light, and back; each pass defines the working space.
    fn linearFromWorking(color: vec4f) -> vec4f { if vitrineIsLinear { return color; } return linearFromSRGB(color); }
    fn workingFromLinear(color: vec4f) -> vec4f { if vitrineIsLinear { return color; } return sRGBFromLinear(color); }

    // Values that are not finite become 0; the rest is clamped to half precision, with alpha at most 1.
    fn vitrineResult(color: vec4f) -> vec4f {
        return select(vec4f(0.0), clamp(color, vec4f(vec3f(-65504.0), 0.0), vec4f(vec3f(65504.0), 1.0)), vitrineIsFinite(color));
    }

    """
