/// Reflection models: environment and punctual lights on a surface.
let lightShader = """
    struct Surface {
        baseColor: vec3f,
        alpha: f32,
        metalness: f32,
        roughness: f32,
        occlusion: f32,
        normal: vec3f,
        geometricNormal: vec3f,
        tangent: vec3f,
        emission: vec3f,
        coat: f32,
        coatRoughness: f32,
        coatNormal: vec3f,
        position: vec3f,
        view: vec3f,
        f0: vec3f,
        color: vec4f,
        occlusion0: vec4f,
        occlusion1: vec4f,
        occlusion2: f32,
        // Where the normal map is read, and the sign of the bitangent.
        normalUV: vec2f,
        handedness: f32,
    }

    // Of a reflection that is kept off this share arrives all the same, from the surfaces that keep it off.
    const INTERREFLECTION = 0.1;

    // How much of the light from direction d arrives. A few harmonics draw an obstacle's edge too soft: they are steepened.
    fn visibility(s: Surface, d: vec3f) -> f32 {
        if (!has(VERTEX_OCCLUSION)) { return 1.0; }
        let blocked = dot(s.occlusion0, vec4f(d, 1.0)) + occlusionSquare(s, d);
        return mix(INTERREFLECTION, 1.0, smoothstep(0.2, 0.8, 1.0 - blocked));
    }

    // The same, weighted by the cosine around the normal: the bands of the cosine are 1, 2/3 and 1/4 of its mean.
    fn diffuseVisibility(s: Surface, n: vec3f) -> f32 {
        if (!has(VERTEX_OCCLUSION)) { return 1.0; }
        let blocked = s.occlusion0.w + dot(s.occlusion0.xyz, n) * (2.0 / 3.0) + occlusionSquare(s, n) * 0.25;
        // What touches is lit by what it touches: nothing is black.
        return clamp(1.0 - blocked, 0.15, 1.0);
    }

    // What reaches the eye where `open` of the light arrives and the surfaces that keep the rest off are lit and coloured alike, all
    // bounces added up: a geometric series.
    fn withBounces(open: f32, color: vec3f) -> vec3f { return open / (1.0 - color * (1.0 - open)); }

    fn occlusionSquare(s: Surface, d: vec3f) -> f32 {
        let q = s.occlusion1;
        return q.x * d.x * d.x + q.y * d.y * d.y - (q.x + q.y) * d.z * d.z
            + 2.0 * (q.z * d.x * d.y + q.w * d.y * d.z + s.occlusion2 * d.x * d.z);
    }

    // Scale and bias of F0 in the directional albedo of GGX with height-correlated Smith masking, for perceptual roughness r: their sum and
    // the bias as polynomials of r and the root of the cosine, fitted to 48 × 48 integrals of 4,096 samples (root mean square error
    // 0.009 and 0.008). The white furnace does not depend on the fit: what it lacks goes to multiple scattering.
    fn directionalAlbedo(r: f32, nv: f32) -> vec2f {
        let u = sqrt(nv);
        var sum = -1.22270 * r + 0.56027;
        sum = sum * u + ((4.05612 * r + -0.89276) * r + -0.96605);
        sum = sum * u + (((-5.35545 * r + -0.69756) * r + 3.43502) * r + 0.34203);
        sum = sum * u + ((((4.33343 * r + -0.36094) * r + -2.79340) * r + -1.07605) * r + 0.09080);
        sum = sum * u + ((((-2.27377 * r + 1.86291) * r + 0.58158) * r + -0.29237) * r + 0.96971);
        var bias = 8.24871 * r + -6.44487;
        bias = bias * u + ((-2.33459 * r + -18.63627) * r + 16.18982);
        bias = bias * u + (((-2.52799 * r + 11.60490) * r + 7.54829) * r + -12.07226);
        bias = bias * u + ((((5.49451 * r + -8.54968) * r + -4.62249) * r + 4.42811) * r + 1.42448);
        bias = bias * u + ((((-4.58193 * r + 9.00585) * r + -3.07565) * r + -2.01749) * r + 0.92705);
        sum = clamp(sum, 0.05, 1.0);
        bias = clamp(bias, 0.0, sum);
        return vec2f(sum - bias, bias);
    }

    // Lagarde and de Rousiers 2014: how much of the reflected light gets past what occludes diffuse light.
    fn specularOcclusion(nv: f32, occlusion: f32, roughness: f32) -> f32 {
        return saturate(pow(nv + occlusion, exp2(-16.0 * roughness * roughness - 1.0)) - 1.0 + occlusion);
    }

    // Reflections that a normal map sends below the geometry's horizon fade out.
    fn horizon(reflected: vec3f, geometricNormal: vec3f) -> f32 {
        let h = saturate(1.0 + dot(reflected, geometricNormal));
        return h * h;
    }

    // What a surface reflects of light that is the same from everywhere.
    struct Reflectance {
        // After one bounce between the microfacets, and after several (Fdez-Agüera 2019).
        single: vec3f,
        multiple: vec3f,
        // What is left for the diffuse layer of the dielectric share.
        diffuse: vec3f,
    }

    // Metal and dielectric are two materials of which the surface has a share each (glTF 2.0, appendix B): each sends back all light when
    // it is white, and so does every mixture.
    fn reflectance(s: Surface, ab: vec2f) -> Reflectance {
        let missing = 1.0 - (ab.x + ab.y);
        let dielectric = 0.04 * ab.x + ab.y;
        let dielectricAverage = 0.04 + 0.96 / 21.0;
        let dielectricMultiple = missing * dielectric * dielectricAverage / (1.0 - dielectricAverage * missing);
        let metal = s.baseColor * ab.x + ab.y;
        let metalAverage = s.baseColor + (1.0 - s.baseColor) / 21.0;
        let metalMultiple = missing * metal * metalAverage / (1.0 - metalAverage * missing);
        var r: Reflectance;
        r.single = mix(vec3f(dielectric), metal, s.metalness);
        r.multiple = mix(vec3f(dielectricMultiple), metalMultiple, s.metalness);
        r.diffuse = s.baseColor * ((1.0 - s.metalness) * (1.0 - dielectric - dielectricMultiple));
        return r;
    }

    fn reflectedLight(s: Surface) -> vec3f {
        if (NORMAL_SAMPLES == 1u || !has(NORMAL)) { return reflectedAt(s, s.normal); }
        // A mip level's mean normal reflects one point of what the normals under the pixel reflect together: read several, a level finer.
        let dx = dpdx(s.normalUV);
        let dy = dpdy(s.normalUV);
        var sum = vec3f(0.0);
        for (var i = 0u; i < NORMAL_SAMPLES; i++) {
            // Two or four places of a rotated grid.
            let step = (f32(i) + 0.5) / f32(NORMAL_SAMPLES) - 0.5;
            let turned = select(select(-0.125, 0.375, i == 1u), select(-0.375, 0.125, i == 3u), i >= 2u);
            let uv = s.normalUV + dx * step + dy * turned;
            let texel = textureSampleGrad(normalMap, normalSampler, uv, dx * 0.5, dy * 0.5);
            let n = bend(unpackNormal(texel, material.scales.x), vec4f(s.tangent, s.handedness), s.geometricNormal);
            sum += reflectedAt(s, n);
        }
        return sum / f32(NORMAL_SAMPLES);
    }

    fn reflectedAt(s: Surface, normal: vec3f) -> vec3f {
        let reflected = reflect(-s.view, normal);
        let radiance = environmentSpecular(reflected, s.roughness) + frame.ambient.xyz;
        return radiance * (horizon(reflected, s.geometricNormal) * visibility(s, reflected));
    }

    fn environmentLight(s: Surface) -> vec3f {
        let nv = max(dot(s.normal, s.view), 1e-3);
        let r = reflectance(s, directionalAlbedo(s.roughness, nv));
        let irradiance = environmentIrradiance(s.normal) / PI + frame.ambient.xyz;
        let occludedRadiance = reflectedLight(s) * specularOcclusion(nv, s.occlusion, s.roughness);
        var occlusion = s.occlusion;
        if (!hasOcclusionMap()) { occlusion *= diffuseVisibility(s, s.normal); }
        return r.single * occludedRadiance + (r.multiple + r.diffuse) * irradiance * withBounces(occlusion, r.diffuse);
    }

    // The coat's reflection, and in w how much of what lies below it still shows.
    fn coatLight(s: Surface) -> vec4f {
        let nv = max(dot(s.coatNormal, s.view), 1e-3);
        let ab = directionalAlbedo(s.coatRoughness, nv);
        let albedo = s.coat * (0.04 * ab.x + ab.y);
        let reflected = reflect(-s.view, s.coatNormal);
        let radiance = environmentSpecular(reflected, s.coatRoughness) + frame.ambient.xyz;
        let occlusion = specularOcclusion(nv, s.occlusion, s.coatRoughness) * horizon(reflected, s.geometricNormal)
            * visibility(s, reflected);
        return vec4f(radiance * (albedo * occlusion), 1.0 - albedo);
    }

    // GGX distribution times height-correlated Smith visibility (Heitz 2014).
    fn ggx(nh: f32, nv: f32, nl: f32, alpha: f32) -> f32 {
        let a2 = alpha * alpha;
        let d = (nh * a2 - nh) * nh + 1.0;
        let v = nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2);
        return a2 / (PI * d * d) * 0.5 / max(v, 1e-6);
    }

    fn fresnel(f0: vec3f, vh: f32) -> vec3f {
        let c = 1.0 - vh;
        let c2 = c * c;
        return f0 + (1.0 - f0) * (c2 * c2 * c);
    }

    // What one light of one lux adds, on the base and the coat; the cosine is in it.
    fn reflectLight(s: Surface, toLight: vec3f, specularScale: vec3f, diffuse: vec3f) -> vec3f {
        let nl = dot(s.normal, toLight);
        let h = normalize(s.view + toLight);
        let vh = saturate(dot(s.view, h));
        let nv = max(dot(s.normal, s.view), 1e-3);
        var result = vec3f(0.0);
        if (nl > 0.0) {
            let alpha = max(s.roughness * s.roughness, 2e-3);
            let specular = fresnel(s.f0, vh) * ggx(saturate(dot(s.normal, h)), nv, nl, alpha) * specularScale;
            result = (diffuse / PI + specular) * nl;
        }
        if (has(CLEARCOAT)) {
            let coatNL = saturate(dot(s.coatNormal, toLight));
            let coatNV = max(dot(s.coatNormal, s.view), 1e-3);
            let alpha = max(s.coatRoughness * s.coatRoughness, 2e-3);
            let f = fresnel(vec3f(0.04), vh).x * s.coat;
            result = result * (1.0 - f) + f * ggx(saturate(dot(s.coatNormal, h)), coatNV, coatNL, alpha) * coatNL;
        }
        return result;
    }

    fn punctualLight(s: Surface, light: Light, specularScale: vec3f, diffuse: vec3f) -> vec3f {
        // Infinitely far.
        if (light.position.w < 0.0) { return light.color.rgb * reflectLight(s, light.position.xyz, specularScale, diffuse); }
        let offset = light.position.xyz - s.position;
        let squared = max(dot(offset, offset), 1e-8);
        let toLight = offset * inverseSqrt(squared);
        // KHR_lights_punctual: inverse square, faded to nothing at the range.
        let ratio = squared * light.position.w;
        let fade = saturate(1.0 - ratio * ratio) / squared;
        let cone = saturate(dot(-toLight, light.axis.xyz) * light.color.w + light.axis.w);
        let strength = fade * cone * cone;
        if (strength <= 0.0) { return vec3f(0.0); }
        return light.color.rgb * strength * reflectLight(s, toLight, specularScale, diffuse);
    }

    fn clusterOf(fragment: vec2f, position: vec3f) -> u32 {
        let depth = max(dot(frame.forward.xyz, position) + frame.forward.w, 1e-6);
        let slice = clamp(log2(depth) * frame.slices.x + frame.slices.y, 0.0, frame.clusters.z - 1.0);
        let tile = min(floor(fragment * frame.viewport.zw * frame.clusters.xy), frame.clusters.xy - 1.0);
        return u32(tile.x) + u32(frame.clusters.x) * (u32(tile.y) + u32(frame.clusters.y) * u32(slice));
    }

    fn punctualLights(s: Surface, fragment: vec2f, categories: u32) -> vec3f {
        let nv = max(dot(s.normal, s.view), 1e-3);
        let ab = directionalAlbedo(s.roughness, nv);
        let r = reflectance(s, ab);
        // Light scattered more than once leaves like that scattered once.
        let specularScale = 1.0 + r.multiple / max(r.single, vec3f(1e-4));
        var sum = vec3f(0.0);
        for (var i = 0u; i < u32(frame.parameters.y); i++) {
            if ((lights[i].categories & categories) != 0u) { sum += punctualLight(s, lights[i], specularScale, r.diffuse); }
        }
        if (frame.clusters.w > 0.0) {
            let cluster = clusters[clusterOf(fragment, s.position)];
            for (var i = 0u; i < cluster.y; i++) {
                let light = lightIndices[cluster.x + i];
                if ((lights[light].categories & categories) != 0u) { sum += punctualLight(s, lights[light], specularScale, r.diffuse); }
            }
        }
        return sum;
    }
    """
