/// The output of `DebugView`; the numbers are its raw values.
let debugShader = """
    fn direction(v: vec3f) -> vec3f { return v * 0.5 + 0.5; }

    fn debugColor(s: Surface, in: Varyings, isFront: bool) -> vec3f {
        switch DEBUG_VIEW {
            case 1u: { return direction(s.normal); }
            case 2u: { return direction(s.geometricNormal); }
            case 3u: { return direction(s.tangent); }
            case 4u: { return vec3f(fract(in.uv.xy), 0.0); }
            case 5u: { return s.baseColor; }
            case 6u: { return vec3f(s.metalness); }
            case 7u: { return vec3f(s.roughness); }
            case 8u: { return vec3f(s.occlusion); }
            case 9u: { return s.emission; }
            case 10u: { return vec3f(s.alpha); }
            case 11u: { return vec3f(s.coat); }
            case 12u: { return vec3f(s.coatRoughness); }
            case 13u: { return direction(s.coatNormal); }
            case 14u: { return s.color.rgb; }
            case 15u: { return select(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), isFront); }
            case 16u: { return environmentIrradiance(s.normal) / PI; }
            case 17u: { return environmentSpecular(reflect(-s.view, s.normal), s.roughness); }
            case 18u: {
                let count = f32(clusters[clusterOf(in.clip.xy, s.position)].y) / 32.0;
                return select(saturate(vec3f(2.0 * count - 1.0, 1.0 - abs(2.0 * count - 1.0), 1.0 - 2.0 * count)), vec3f(0.0), count == 0.0);
            }
            default: { return vec3f(1.0); }
        }
    }

    // Colours are sRGB-encoded like images; directions and numbers are written unchanged.
    fn debugOutput(s: Surface, in: Varyings, isFront: bool) -> vec4f {
        let color = saturate(debugColor(s, in, isFront));
        let isColor = DEBUG_VIEW == 5u || DEBUG_VIEW == 9u || DEBUG_VIEW == 14u || DEBUG_VIEW == 16u || DEBUG_VIEW == 17u;
        if (has(ENCODED_OUTPUT)) { return vec4f(select(color, encodeSRGB(color), isColor), 1.0); }
        return vec4f(select(decodeSRGB(color), color, isColor), 1.0);
    }

    fn decodeSRGB(c: vec3f) -> vec3f {
        return select(pow((c + 0.055) / 1.055, vec3f(2.4)), c / 12.92, c <= vec3f(0.04045));
    }
    """
