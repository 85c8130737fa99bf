/// Thin-film interference (KHR_materials_iridescence): Belcour and Barla, "A Practical Extension to Microfacet Theory for the Modeling of
/// Varying Iridescence", 2017. Light reflected at the film's two faces interferes; the colour is the spectrum's integral against the
/// eye's sensitivities, which the paper fits by Gaussians whose Fourier transforms are known.
let iridescenceShader = """
    fn reflectanceOfIndices(inside: vec3f, outside: f32) -> vec3f {
        let ratio = (inside - outside) / (inside + outside);
        return ratio * ratio;
    }

    // The index of refraction (against air) that reflects f0 straight on.
    fn indexOfReflectance(f0: vec3f) -> vec3f {
        let root = sqrt(clamp(f0, vec3f(0.0), vec3f(0.9999)));
        return (1.0 + root) / (1.0 - root);
    }

    // Fourier transform of the eye's sensitivities (CIE XYZ) at an optical path difference in nanometres, brought to linear Rec.709.
    fn filmSensitivity(path: f32, shift: vec3f) -> vec3f {
        let phase = 2.0 * PI * path * 1e-9;
        let squared = phase * phase;
        var xyz = vec3f(5.4856e-13, 4.4201e-13, 5.2481e-13) * sqrt(2.0 * PI * vec3f(4.3278e9, 9.3046e9, 6.6121e9))
            * cos(vec3f(1.6810e6, 1.7953e6, 2.2084e6) * phase + shift) * exp(-squared * vec3f(4.3278e9, 9.3046e9, 6.6121e9));
        xyz.x += 9.7470e-14 * sqrt(2.0 * PI * 4.5282e9) * cos(2.2399e6 * phase + shift.x) * exp(-4.5282e9 * squared);
        xyz /= 1.0685e-7;
        return vec3f(
            dot(vec3f(3.2404542, -1.5371385, -0.4985314), xyz), dot(vec3f(-0.9692660, 1.8760108, 0.0415560), xyz),
            dot(vec3f(0.0556434, -0.2040259, 1.0572252), xyz));
    }

    // Schlick's curve, whose end comes down where the media are nearly alike.
    fn boundary(f0: vec3f, c: f32) -> vec3f {
        let e = 1.0 - c;
        return f0 + (saturate(50.0 * f0) - f0) * (e * e * e * e * e);
    }

    // What a film over a surface of f0 reflects at the angle whose cosine is c; thickness in nanometres.
    fn filmReflectance(c: f32, ior: f32, thickness: f32, f0: vec3f) -> vec3f {
        // Where there is no film there is no step of index: it comes up over the first 0.03 nm.
        let film = mix(1.0, ior, smoothstep(0.0, 0.03, thickness));
        let inside = 1.0 - (1.0 - c * c) / (film * film);
        // Total reflection.
        if (inside < 0.0) { return vec3f(1.0); }
        let cosine = sqrt(inside);
        let first = boundary(reflectanceOfIndices(vec3f(film), 1.0), c).x;
        let through = 1.0 - first;
        let base = indexOfReflectance(f0);
        let second = boundary(reflectanceOfIndices(base, film), cosine);
        // Reflection at a denser medium turns the phase by half a wave.
        let firstShift = select(0.0, PI, film < 1.0);
        let shift = vec3f(PI - firstShift) + select(vec3f(0.0), vec3f(PI), base < vec3f(film));
        let path = 2.0 * film * thickness * cosine;
        let both = clamp(first * second, vec3f(0.0), vec3f(0.9999));
        let amplitude = sqrt(both);
        let series = through * through * second / (1.0 - both);
        var color = first + series;
        var term = series - through;
        for (var order = 1; order <= 2; order++) {
            term *= amplitude;
            color += 2.0 * term * filmSensitivity(f32(order) * path, f32(order) * shift);
        }
        return saturate(color);
    }

    // For light from all around: the film's reflectance at the eye's angle, as what a surface without film would reflect straight on.
    fn coverWithFilm(s: ptr<function, Surface>) {
        let nv = saturate(dot((*s).normal, (*s).view));
        let c = 1.0 - nv;
        let weight = min(c * c * c * c * c, 0.99);
        let dielectric = filmReflectance(nv, (*s).filmIor, (*s).filmThickness, (*s).dielectricF0);
        let metal = filmReflectance(nv, (*s).filmIor, (*s).filmThickness, (*s).metalF0);
        (*s).dielectricF0 = mix((*s).dielectricF0, saturate((dielectric - weight) / (1.0 - weight)), (*s).iridescence);
        (*s).dielectricF90 = mix((*s).dielectricF90, 1.0, (*s).iridescence);
        (*s).metalF0 = mix((*s).metalF0, saturate((metal - weight) / (1.0 - weight)), (*s).iridescence);
    }
    """
