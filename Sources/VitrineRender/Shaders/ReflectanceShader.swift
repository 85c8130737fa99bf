/// Reflection by a surface: of uniform light, and of light from one direction.
let reflectanceShader = """
    // Reflection of uniform light.
    struct Reflectance {
        // After one bounce between the microfacets, and after several (Fdez-Agüera 2019).
        single: vec3f,
        multiple: vec3f,
        // The remaining light for the diffuse layer of the dielectric share, and for transmission.
        diffuse: vec3f,
        transmitted: vec3f,
        // The factor for multiple scattering of light from one direction, which leaves in the same directions as singly scattered light.
        specularScale: vec3f,
    }

    fn largest(v: vec3f) -> f32 { return max(v.x, max(v.y, v.z)); }

    #if PHYSICAL
    // Metal and dielectric are two materials of which the surface has a share each (glTF 2.0, appendix B): each reflects all light if it is white,
    // and so does every mixture.
    fn reflectanceOf(s: Surface, ab: vec2f) -> Reflectance {
        let missing = 1.0 - (ab.x + ab.y);
        let dielectric = s.dielectricF0 * ab.x + s.dielectricF90 * ab.y;
        let dielectricAverage = max(s.dielectricF0 + (s.dielectricF90 - s.dielectricF0) / 21.0, vec3f(0.0));
        let dielectricMultiple = missing * dielectric * dielectricAverage / (1.0 - dielectricAverage * missing);
        let metal = s.metalF0 * ab.x + ab.y;
        let metalAverage = max(s.metalF0 + (1.0 - s.metalF0) / 21.0, vec3f(0.0));
        let metalMultiple = missing * metal * metalAverage / (1.0 - metalAverage * missing);
        var r: Reflectance;
        r.single = mix(dielectric, metal, s.metalness);
        r.multiple = mix(dielectricMultiple, metalMultiple, s.metalness);
        // A coloured reflection removes the same share of all colours from the layers below, which would otherwise be tinted in the complementary
        // colour.
        let below = s.baseColor * ((1.0 - s.metalness) * (1.0 - largest(dielectric + dielectricMultiple)));
    #if TRANSMISSION
        r.diffuse = below * (1.0 - s.transmission);
        r.transmitted = below * s.transmission;
    #else
        r.diffuse = below;
    #endif
        r.specularScale = 1.0 + r.multiple / max(r.single, vec3f(1e-4));
        return r;
    }

    // For the view direction: equal for all lights, so computed once per pixel.
    fn reflectance(s: Surface) -> Reflectance {
        let nv = max(dot(s.normal, s.view), 1e-3);
    #if ANISOTROPY
        // The root mean square of the two widths has nearly the same albedo: within 0.04, but for the most elongated lobes at grazing angles.
        var r = reflectanceOf(s, directionalAlbedo(sqrt(length(s.alphas) * 0.70710678), nv));
        // Where the microfacets lean only along one direction, light that they scatter several times stays in the plane of the lobe.
        let kept = r.multiple * (1.0 - s.alphas.y / s.alphas.x);
        r.single += kept;
        r.multiple -= kept;
        return r;
    #else
        return reflectanceOf(s, directionalAlbedo(s.roughness, nv));
    #endif
    }
    #else
    fn reflectance(s: Surface) -> Reflectance {
        var r: Reflectance;
        r.diffuse = s.baseColor;
        return r;
    }
    #endif

    // Reflection of light from one direction by the microfacets, without cosine and colour.
    fn microfacets(s: Surface, h: vec3f, nv: f32, nl: f32, toLight: vec3f) -> f32 {
    #if ANISOTROPY
        var v = aroundDrawn(s, s.view);
        v.z = nv;
        return anisotropicGGX(aroundDrawn(s, h), v, aroundDrawn(s, toLight), s.alphas);
    #else
        return ggx(saturate(dot(s.normal, h)), nv, nl, max(s.roughness * s.roughness, 2e-3));
    #endif
    }

    // The reflected light of one light of one lux by all layers, including the cosine.
    fn reflectLight(s: Surface, r: Reflectance, toLight: vec3f) -> vec3f {
    #if PHYSICAL
        let nl = dot(s.normal, toLight);
        let h = normalize(s.view + toLight);
        let vh = saturate(dot(s.view, h));
        let nv = max(dot(s.normal, s.view), 1e-3);
        var result = vec3f(0.0);
        if (nl > 0.0) {
            let specular = reflectedShare(s, vh) * microfacets(s, h, nv, nl, toLight) * r.specularScale;
            result = (r.diffuse / PI + specular) * nl;
        }
    \(MaterialLobe.statements { $0.direction })
        return result;
    #else
        return classicLight(s, toLight);
    #endif
    }
    """
