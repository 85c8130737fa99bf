/// The share of the environment's light that reaches an occluded point.
let occlusionShader = """
    // The share of an occluded reflection that still arrives, from the surfaces that occlude it.
    const INTERREFLECTION = 0.1;

    // The last result of `lobeVisibility`.
    var<private> shareInLobe: f32;

    // The share of the light around direction d that arrives.
    fn lobeVisibility(s: Surface, d: vec3f, roughness: f32) -> f32 {
        shareInLobe = visibility(s, d);
        if (has(ENVIRONMENT_SHADOWS)) { shareInLobe = arrivingShare(d, s.geometricNormal, roughness, shareInLobe); }
        return shareInLobe;
    }

    // The share of the light from direction d that arrives. A few harmonics blur the edge of an obstacle: the curve is steepened.
    fn visibility(s: Surface, d: vec3f) -> f32 {
        if (!has(VERTEX_OCCLUSION)) { return 1.0; }
        let blocked = dot(s.occlusion0, vec4f(d, 1.0)) + occlusionSquare(s, d);
        return mix(INTERREFLECTION, 1.0, smoothstep(0.2, 0.8, 1.0 - blocked));
    }

    // The same, weighted by the cosine around the normal: the bands of the cosine are 1, 2/3 and 1/4 of its mean.
    fn diffuseVisibility(s: Surface, n: vec3f) -> f32 {
        if (!has(VERTEX_OCCLUSION)) { return 1.0; }
        let blocked = s.occlusion0.w + dot(s.occlusion0.xyz, n) * (2.0 / 3.0) + occlusionSquare(s, n) * 0.25;
        // Surfaces in contact light each other and never become black.
        return clamp(1.0 - blocked, 0.15, 1.0);
    }

    // The mean direction of the unoccluded light around n (bent normal, Landis 2002), from which most of the light arrives. Not of unit length.
    fn openDirection(s: Surface, n: vec3f) -> vec3f {
        if (!has(VERTEX_OCCLUSION)) { return n; }
        let l = s.occlusion0.xyz;
        return n * max(1.0 - s.occlusion0.w, 0.1) - (l - n * dot(l, n)) * (2.0 / 3.0);
    }

    // The reflected light where the share `open` of the light arrives and the occluding surfaces have the same light and colour: the sum of all
    // bounces, a geometric series.
    fn withBounces(open: f32, color: vec3f) -> vec3f { return open / (1.0 - color * (1.0 - open)); }

    fn occlusionSquare(s: Surface, d: vec3f) -> f32 {
        let q = s.occlusion1;
        return q.x * d.x * d.x + q.y * d.y * d.y - (q.x + q.y) * d.z * d.z
            + 2.0 * (q.z * d.x * d.y + q.w * d.y * d.z + s.occlusion2 * d.x * d.z);
    }

    // Lagarde and de Rousiers 2014: the share of reflected light where diffuse light is occluded.
    fn specularOcclusion(nv: f32, occlusion: f32, roughness: f32) -> f32 {
        return saturate(pow(nv + occlusion, exp2(-16.0 * roughness * roughness - 1.0)) - 1.0 + occlusion);
    }

    // The same for a lobe of the surface. Shadows of the environment contain it, and no occlusion map weakens them.
    fn lobeOcclusion(s: Surface, nv: f32, roughness: f32) -> f32 {
        if (has(ENVIRONMENT_SHADOWS)) { return 1.0; }
        return specularOcclusion(nv, s.occlusion, roughness);
    }

    // The direction in which to read the prefiltered environment for a reflection: far enough above the horizon that the lobe, which grows with
    // roughness, does not extend below it. Microfacets do not reflect light from below the horizon. Not of unit length.
    fn lobeMiddle(reflected: vec3f, normal: vec3f, roughness: f32) -> vec3f {
        return reflected + normal * max(0.0, 1.5 * roughness * roughness - dot(normal, reflected));
    }

    // Reflections that a normal map sends below the geometry's horizon fade out.
    fn horizon(reflected: vec3f, geometricNormal: vec3f) -> f32 {
        let h = saturate(1.0 + dot(reflected, geometricNormal));
        return h * h;
    }
    """
