/// The reflection models before microfacets: Lambert's cosine, Phong's highlight (1975) around the mirrored direction, Blinn's (1977) around the
/// half vector. Light keeps its unit: one lux leaves the base colour over π straight on, and the highlight's colour over π where it is
/// brightest. The environment lights them diffusely; they do not mirror it.
let classicShader = """
    fn highlightOf(s: Surface, toLight: vec3f) -> vec3f {
    #if PHONG
        let c = saturate(dot(reflect(-toLight, s.normal), s.view));
        return s.highlight * pow(max(c, 1e-5), s.shininess);
    #else
    #if BLINN
        let c = saturate(dot(normalize(s.view + toLight), s.normal));
        return s.highlight * pow(max(c, 1e-5), s.shininess);
    #else
        return vec3f(0.0);
    #endif
    #endif
    }

    fn classicLight(s: Surface, toLight: vec3f) -> vec3f {
        let nl = dot(s.normal, toLight);
        if (nl <= 0.0) { return vec3f(0.0); }
        return (s.baseColor * nl + highlightOf(s, toLight)) / PI;
    }
    """
