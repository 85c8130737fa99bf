/// The environment on a surface.
let environmentLightShader = """
    #if PHYSICAL
    fn reflectedLight(s: Surface) -> vec3f {
    #if ANISOTROPY
        return drawnOutEnvironment(s) + frame.ambient.xyz;
    #else
    #if NORMAL_MAP
        if (NORMAL_SAMPLES == 1u) { return reflectedAt(s, s.normal); }
        // A mip level's mean normal reflects one point of what the normals under the pixel reflect together: read several, a level finer.
        let dx = dpdx(s.normalUV);
        let dy = dpdy(s.normalUV);
        var sum = vec3f(0.0);
        for (var i = 0u; i < NORMAL_SAMPLES; i++) {
            // Two or four places of a rotated grid.
            let step = (f32(i) + 0.5) / f32(NORMAL_SAMPLES) - 0.5;
            let turned = select(select(-0.125, 0.375, i == 1u), select(-0.375, 0.125, i == 3u), i >= 2u);
            let uv = s.normalUV + dx * step + dy * turned;
            let texel = normalTexelAt(uv, dx * 0.5, dy * 0.5);
            let n = bend(unpackNormal(texel, material.normalScale), vec4f(s.tangent, s.handedness), s.geometricNormal);
            sum += reflectedAt(s, n);
        }
        return sum / f32(NORMAL_SAMPLES);
    #else
        return reflectedAt(s, s.normal);
    #endif
    #endif
    }

    fn reflectedAt(s: Surface, normal: vec3f) -> vec3f {
        let reflected = reflect(-s.view, normal);
        let radiance = environmentSpecular(reflected, s.roughness) + frame.ambient.xyz;
        return radiance * (horizon(reflected, s.geometricNormal) * visibility(s, reflected));
    }
    #endif

    fn environmentLight(s: Surface, r: Reflectance) -> vec3f {
        let nv = max(dot(s.normal, s.view), 1e-3);
        let irradiance = environmentIrradiance(s.normal) / PI + frame.ambient.xyz;
        var occlusion = s.occlusion;
    #if !OCCLUSION_MAP
        occlusion *= diffuseVisibility(s, s.normal);
    #endif
    #if PHYSICAL
        let occludedRadiance = reflectedLight(s) * specularOcclusion(nv, s.occlusion, s.roughness);
        return r.single * occludedRadiance + (r.multiple + r.diffuse) * irradiance * withBounces(occlusion, r.diffuse);
    #else
        return r.diffuse * irradiance * withBounces(occlusion, r.diffuse);
    #endif
    }
    """
