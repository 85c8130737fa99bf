/// What a surface does to light: to that from everywhere alike, and to that from one direction.
let reflectanceShader = """
    // What a surface does to light that is the same from everywhere.
    struct Reflectance {
        // After one bounce between the microfacets, and after several (Fdez-Agüera 2019).
        single: vec3f,
        multiple: vec3f,
        // The remaining light for the diffuse layer of the dielectric share, and for transmission.
        diffuse: vec3f,
        transmitted: vec3f,
        // Light of one direction scattered more than once leaves like that scattered once: times this.
        specularScale: vec3f,
    }

    fn largest(v: vec3f) -> f32 { return max(v.x, max(v.y, v.z)); }

    #if PHYSICAL
    // Metal and dielectric are two materials of which the surface has a share each (glTF 2.0, appendix B): each sends back all light when
    // it is white, and so does every mixture.
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
        // A coloured reflection takes the same share of all colours from the layers below, which else would be tinted in the complementary colour.
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

    // As seen from the eye: the same for all lights, so once a pixel.
    fn reflectance(s: Surface) -> Reflectance {
        return reflectanceOf(s, directionalAlbedo(s.roughness, max(dot(s.normal, s.view), 1e-3)));
    }
    #else
    fn reflectance(s: Surface) -> Reflectance {
        var r: Reflectance;
        r.diffuse = s.baseColor;
        return r;
    }
    #endif

    // What the microfacets send of light from one direction, cosine and colour left out.
    fn microfacets(s: Surface, h: vec3f, nv: f32, nl: f32, toLight: vec3f) -> f32 {
    #if ANISOTROPY
        var v = aroundDrawn(s, s.view);
        v.z = nv;
        return anisotropicGGX(aroundDrawn(s, h), v, aroundDrawn(s, toLight), s.alphas);
    #else
        return ggx(saturate(dot(s.normal, h)), nv, nl, max(s.roughness * s.roughness, 2e-3));
    #endif
    }

    // What one light of one lux adds, all layers together; the cosine is in it.
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
