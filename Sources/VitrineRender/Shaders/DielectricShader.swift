/// The reflectance of metal and dielectric at normal incidence and at grazing angles (KHR_materials_ior, KHR_materials_specular).
let dielectricShader = """
    // Schlick's two limits from the surface's parameters.
    fn findReflectances(s: ptr<function, Surface>) {
    #if SPECULAR
        let ratio = ((*s).ior - 1.0) / ((*s).ior + 1.0);
        let f0 = ratio * ratio;
        (*s).dielectricF0 = min(f0 * (*s).specularColor, vec3f(1.0)) * (*s).specular;
        // Schlick's curve always ends at 1, but a boundary between equal media does not reflect at any angle: below 2 % the end is lowered by a root,
        // which matches the exact term at 60° to 80° for indices of 1.05 to 1.3.
        (*s).dielectricF90 = sqrt(saturate(50.0 * f0)) * (*s).specular;
    #else
        (*s).dielectricF0 = vec3f(0.04);
        (*s).dielectricF90 = 1.0;
    #endif
        (*s).metalF0 = (*s).baseColor;
        (*s).f0 = mix((*s).dielectricF0, (*s).metalF0, (*s).metalness);
        (*s).f90 = mix((*s).dielectricF90, 1.0, (*s).metalness);
    #if IRIDESCENCE
        coverWithFilm(s);
    #endif
    }

    // The share of light that one microfacet reflects at the angle whose cosine is vh.
    fn reflectedShare(s: Surface, vh: f32) -> vec3f {
        let share = fresnelBetween(s.f0, s.f90, vh);
    #if IRIDESCENCE
        // f0 is the reflectance of the bare surface: the film's colours depend on this angle.
        return mix(share, filmReflectance(vh, s.filmIor, s.filmThickness, s.f0), s.iridescence);
    #else
        return share;
    #endif
    }
    """
