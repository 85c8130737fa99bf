/// What a surface does to light: to that from everywhere alike, and to that from one direction.
let reflectanceShader = """
    // What a surface reflects of light that is the same from everywhere.
    struct Reflectance {
        // After one bounce between the microfacets, and after several (Fdez-Agüera 2019).
        single: vec3f,
        multiple: vec3f,
        // What is left for the diffuse layer of the dielectric share.
        diffuse: vec3f,
        // Light of one direction scattered more than once leaves like that scattered once: times this.
        specularScale: vec3f,
    }

    // Metal and dielectric are two materials of which the surface has a share each (glTF 2.0, appendix B): each sends back all light when
    // it is white, and so does every mixture.
    fn reflectanceOf(s: Surface, ab: vec2f) -> Reflectance {
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
        r.specularScale = 1.0 + r.multiple / max(r.single, vec3f(1e-4));
        return r;
    }

    // As seen from the eye: the same for all lights, so once a pixel.
    fn reflectance(s: Surface) -> Reflectance {
        return reflectanceOf(s, directionalAlbedo(s.roughness, max(dot(s.normal, s.view), 1e-3)));
    }

    // What one light of one lux adds, on the base and the coat; the cosine is in it.
    fn reflectLight(s: Surface, r: Reflectance, toLight: vec3f) -> vec3f {
        let nl = dot(s.normal, toLight);
        let h = normalize(s.view + toLight);
        let vh = saturate(dot(s.view, h));
        let nv = max(dot(s.normal, s.view), 1e-3);
        var result = vec3f(0.0);
        if (nl > 0.0) {
            let alpha = max(s.roughness * s.roughness, 2e-3);
            let specular = fresnel(s.f0, vh) * ggx(saturate(dot(s.normal, h)), nv, nl, alpha) * r.specularScale;
            result = (r.diffuse / PI + specular) * nl;
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
    """
