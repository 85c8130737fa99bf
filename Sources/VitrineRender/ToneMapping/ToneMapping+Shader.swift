/// `ToneMapping.apply` in WGSL: `toneMapped(radiance: vec3f) -> vec3f`, exposed linear radiance to displayed linear light. The shader
/// that takes it in declares `override TONE_MAPPING: u32`, the raw value.
let toneMappingShader = """
    fn toneMapNeutral(radiance: vec3f) -> vec3f {
        let compressionStart = 0.8 - 0.04;
        let desaturation = 0.15;
        let low = min(radiance.r, min(radiance.g, radiance.b));
        let color = radiance - select(0.04, low - 6.25 * low * low, low < 0.08);
        let peak = max(color.r, max(color.g, color.b));
        if (peak < compressionStart) { return color; }
        let room = 1.0 - compressionStart;
        let newPeak = 1.0 - room * room / (peak + room - compressionStart);
        let white = 1.0 - 1.0 / (desaturation * (peak - newPeak) + 1.0);
        return mix(color * (newPeak / peak), vec3f(newPeak), white);
    }

    fn toneMapAgX(radiance: vec3f) -> vec3f {
        let inset = mat3x3f(0.84247906, 0.042328242, 0.042375655, 0.0784336, 0.87846864, 0.0784336, 0.079223745, 0.079166127, 0.87914297);
        let outset = mat3x3f(1.196879, -0.052896852, -0.052971636, -0.098020881, 1.1519031, -0.09804345, -0.099029744, -0.098961177, 1.15107367);
        let x = saturate((log2(max(inset * radiance, vec3f(1e-10))) + 12.473931) / 16.5);
        let pivot = 10.0 / 16.5;
        let isShoulder = x > vec3f(pivot);
        let power = select(vec3f(3.0), vec3f(3.25), isShoulder);
        // 4^p − end^−p for the toe and the shoulder.
        let bend = select(vec3f(59.507875), vec3f(69.862789), isShoulder);
        let display = 0.5 + 2.0 * (x - pivot) * pow(1.0 + bend * pow(abs(x - pivot), power), -1.0 / power);
        return pow(max(outset * display, vec3f(0.0)), vec3f(2.2));
    }

    fn toneMapACES(radiance: vec3f) -> vec3f {
        let v = mat3x3f(0.59719, 0.07600, 0.02840, 0.35458, 0.90834, 0.13383, 0.04823, 0.01566, 0.83777) * radiance;
        let fitted = (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.432951) + 0.238081);
        return mat3x3f(1.60475, -0.10208, -0.00327, -0.53108, 1.10813, -0.07276, -0.07367, -0.00605, 1.07602) * fitted;
    }

    fn toneMapped(radiance: vec3f) -> vec3f {
        switch TONE_MAPPING {
            case 1u: { return saturate(toneMapNeutral(radiance)); }
            case 2u: { return saturate(toneMapAgX(radiance)); }
            case 3u: { return saturate(toneMapACES(radiance)); }
            default: { return saturate(radiance); }
        }
    }
    """
