/// Exposed linear radiance to displayed linear light.
let toneMappingShader = """
    // Khronos PBR Neutral.
    fn toneMapNeutral(radiance: vec3f) -> vec3f {
        let startCompression = 0.8 - 0.04;
        let desaturation = 0.15;
        let x = min(radiance.r, min(radiance.g, radiance.b));
        let offset = select(0.04, x - 6.25 * x * x, x < 0.08);
        let color = radiance - offset;
        let peak = max(color.r, max(color.g, color.b));
        if (peak < startCompression) { return color; }
        let d = 1.0 - startCompression;
        let newPeak = 1.0 - d * d / (peak + d - startCompression);
        let g = 1.0 - 1.0 / (desaturation * (peak - newPeak) + 1.0);
        return mix(color * newPeak / peak, vec3f(newPeak), g);
    }

    fn toneMapped(radiance: vec3f) -> vec3f {
        if (TONE_MAPPING == 1u) { return saturate(toneMapNeutral(radiance)); }
        return saturate(radiance);
    }
    """
