/// Converts radiance to the target's values.
let outputShader = """
    // Exposed, tone mapped and encoded as the target requires, premultiplied.
    fn output(radiance: vec3f, alpha: f32) -> vec4f {
        let exposed = radiance * frame.exposure;
        if (has(HDR_OUTPUT)) { return vec4f(min(exposed, vec3f(65000.0)) * alpha, alpha); }
        return displayed(exposed, alpha);
    }

    fn displayed(exposed: vec3f, alpha: f32) -> vec4f {
        var color = toneMapped(exposed);
        // Alpha multiplies the stored values, as compositing expects.
        if (has(ENCODED_OUTPUT)) { color = encodeSRGB(color); }
        return vec4f(color * alpha, alpha);
    }
    """
