/// Reflections drawn out along a direction (KHR_materials_anisotropy): GGX with two widths, Heitz 2014, "Understanding the
/// Masking-Shadowing Function in Microfacet-Based BRDFs".
let anisotropyShader = """
    // The two widths and their axes around the shading normal.
    fn findAnisotropy(s: ptr<function, Surface>) {
        let alpha = max((*s).roughness * (*s).roughness, 2e-3);
        let strength = saturate((*s).anisotropy);
        (*s).alphas = vec2f(mix(alpha, 1.0, strength * strength), alpha);
        let bitangent = cross((*s).normal, (*s).tangent) * (*s).handedness;
        let along = (*s).tangent * (*s).anisotropyDirection.x + bitangent * (*s).anisotropyDirection.y;
        let projected = along - (*s).normal * dot(along, (*s).normal);
        (*s).drawnAlong = projected * inverseSqrt(max(dot(projected, projected), 1e-12));
        (*s).drawnAcross = cross((*s).normal, (*s).drawnAlong);
    }

    // Distribution times height-correlated visibility; vectors in the frame of along, across, normal.
    fn anisotropicGGX(h: vec3f, v: vec3f, l: vec3f, alphas: vec2f) -> f32 {
        let p = vec3f(h.xy / alphas, h.z);
        let squared = dot(p, p);
        let d = 1.0 / (PI * alphas.x * alphas.y * squared * squared);
        let g = l.z * length(vec3f(alphas * v.xy, v.z)) + v.z * length(vec3f(alphas * l.xy, l.z));
        return d * 0.5 / max(g, 1e-6);
    }

    fn aroundDrawn(s: Surface, d: vec3f) -> vec3f { return vec3f(dot(s.drawnAlong, d), dot(s.drawnAcross, d), dot(s.normal, d)); }

    // One narrow lobe whose normal is tilted along the direction; its weight in w.
    fn drawnSample(s: Surface, spread: f32, roughness: f32, u: f32) -> vec4f {
        let n = normalize(s.normal + s.drawnAlong * (spread * u * inverseSqrt(1.0 - u * u)));
        let reflected = reflect(-s.view, n);
        let weight = max(dot(s.normal, reflected), 0.0) * max(dot(n, s.view), 0.0);
        return vec4f(environmentSpecular(reflected, roughness) * visibility(s, reflected), 1.0) * weight;
    }

    // The environment in a lobe that is wider along than across: eight lobes as wide as the narrow side, whose normals are spread along
    // the direction as the slopes of GGX are (their cumulative share is (1 + x / √(1 + x²)) / 2), weighted by their cosine.
    fn drawnOutEnvironment(s: Surface) -> vec3f {
        let spread = sqrt(max(s.alphas.x * s.alphas.x - s.alphas.y * s.alphas.y, 0.0));
        // Each lobe also covers the gap to its neighbours.
        let roughness = sqrt(sqrt(s.alphas.y * s.alphas.y + spread * spread * (1.0 / 64.0)));
        // Written out: Mesa 22.3's compiler crashes on the loop.
        let sum = drawnSample(s, spread, roughness, -0.875) + drawnSample(s, spread, roughness, -0.625)
            + drawnSample(s, spread, roughness, -0.375) + drawnSample(s, spread, roughness, -0.125)
            + drawnSample(s, spread, roughness, 0.125) + drawnSample(s, spread, roughness, 0.375)
            + drawnSample(s, spread, roughness, 0.625) + drawnSample(s, spread, roughness, 0.875);
        return sum.rgb / max(sum.w, 1e-4);
    }
    """
