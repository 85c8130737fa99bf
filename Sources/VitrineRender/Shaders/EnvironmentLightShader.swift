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

    #if SHEEN
    // The fibres' reflection, and in w the remaining share of the layers below.
    fn sheenLight(s: Surface) -> vec4f {
        let nv = max(dot(s.normal, s.view), 1e-3);
        let r = sheenRoughness(s);
        let albedo = sheenAlbedo(nv, r);
        let direction = sheenDirection(s, nv, r);
        var occlusion = s.occlusion;
    #if !OCCLUSION_MAP
        occlusion *= diffuseVisibility(s, direction);
    #endif
        let radiance = (environmentIrradiance(direction) / PI + frame.ambient.xyz) * occlusion;
        return vec4f(s.sheenColor * radiance * albedo, 1.0 - largest(s.sheenColor) * albedo);
    }
    #endif

    #if COAT
    // The coat's reflection, and in w the remaining share of the layers below.
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
    #endif
    """
