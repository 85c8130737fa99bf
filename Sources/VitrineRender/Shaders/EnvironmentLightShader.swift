/// The environment on a surface.
let environmentLightShader = """
    #if PHYSICAL
    fn reflectedLight(s: Surface) -> vec3f {
    #if ANISOTROPY
        return drawnOutEnvironment(s) + ambientRadiance();
    #else
    #if NORMAL_MAP
        if (NORMAL_SAMPLES == 1u) { return reflectedAt(s, s.normal); }
        // The mean normal of a mip level reflects one point, the normals under the pixel several: reads several normals of the next finer level.
        let dx = dpdx(s.normalUV);
        let dy = dpdy(s.normalUV);
        var sum = vec3f(0.0);
        for (var i = 0u; i < NORMAL_SAMPLES; i++) {
            // Two or four positions of a rotated grid.
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
        let radiance = environmentSpecular(lobeMiddle(reflected, normal, s.roughness), s.roughness) + ambientRadiance();
        return radiance * (horizon(reflected, s.geometricNormal) * lobeVisibility(s, reflected, s.roughness));
    }
    #endif

    // The light of the environment that a white matte surface reflects.
    fn diffuseLight(s: Surface, r: Reflectance) -> vec3f {
    #if LIGHT_MAP
        var light = s.lightMap;
    #if NORMAL_MAP
        // Baked for the geometry's normal; for a mapped normal it is scaled by the ratio of the unoccluded irradiances, which is 1 in the dark.
        let ratio = (environmentIrradiance(s.normal) + 1e-6) / (environmentIrradiance(s.geometricNormal) + 1e-6);
        light *= clamp(ratio, vec3f(0.5), vec3f(2.0));
    #endif
        return light;
    #else
        let irradiance = environmentIrradiance(openDirection(s, s.normal)) / PI + ambientRadiance();
        var occlusion = s.occlusion;
    #if !OCCLUSION_MAP
        occlusion *= diffuseVisibility(s, s.normal);
    #endif
        if (has(ENVIRONMENT_SHADOWS)) {
            let share = arrivingIrradiance(s.normal, occlusion);
            return environmentIrradiance(s.normal) / PI * share + ambientRadiance() * occlusion + irradiance * (withBounces(occlusion, r.diffuse) - occlusion);
        }
        return irradiance * withBounces(occlusion, r.diffuse);
    #endif
    }

    fn environmentLight(s: Surface, r: Reflectance) -> vec3f {
    #if !LIGHT_MAP
        if (has(IRRADIANCE_VOLUME)) {
            let v = volumeLight(s);
            return mix(openEnvironmentLight(s, r), enclosedLight(s, r, v), v.weight);
        }
    #endif
        return openEnvironmentLight(s, r);
    }

    fn openEnvironmentLight(s: Surface, r: Reflectance) -> vec3f {
        let diffuse = diffuseLight(s, r);
    #if PHYSICAL
        let nv = max(dot(s.normal, s.view), 1e-3);
        var occludedRadiance = reflectedLight(s) * lobeOcclusion(s, nv, s.roughness);
        if (has(ENVIRONMENT_SHADOWS)) {
            // Reflected surfaces have the same material and, because they face this one, half of its light.
            occludedRadiance += 0.5 * (1.0 - shareInLobe) * (r.single + r.multiple + r.diffuse) * max(diffuse, vec3f(0.0));
        }
        return r.single * occludedRadiance + (r.multiple + r.diffuse) * diffuse;
    #else
        return r.diffuse * diffuse;
    #endif
    }
    """
