/// The WGSL of microfacets: reflection of light from one direction, and of uniform light.
let microfacetShader = """
    // GGX distribution times height-correlated Smith visibility (Heitz 2014).
    fn ggx(nh: f32, nv: f32, nl: f32, alpha: f32) -> f32 {
        let a2 = alpha * alpha;
        let d = (nh * a2 - nh) * nh + 1.0;
        let v = nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2);
        return a2 / (PI * d * d) * 0.5 / max(v, 1e-6);
    }

    // Schlick 1994, from f0 straight on to f90 at grazing angles.
    fn fresnelBetween(f0: vec3f, f90: f32, vh: f32) -> vec3f {
        let c = 1.0 - vh;
        let c2 = c * c;
        return f0 + (f90 - f0) * (c2 * c2 * c);
    }

    fn fresnel(f0: vec3f, vh: f32) -> vec3f { return fresnelBetween(f0, 1.0, vh); }

    // Scale and bias of F0 in the directional albedo of GGX with height-correlated Smith masking, for perceptual roughness r. Their sum is a
    // polynomial of r and the root of the cosine, fitted to 48 × 48 integrals of 4,096 samples (root mean square error 0.009). The bias gives an
    // index of 1.5 the albedo of the exact Fresnel term, whose logarithm is a polynomial as well (33 × 33 integrals; off by 4 % where a surface is
    // seen straight on, 8 % at grazing angles): Schlick's curve has 20 % less than it around 50°, and a bias fitted for itself is off by half of the
    // little that smooth plastic reflects straight on. The white furnace does not depend on the fits: the energy they lack goes to multiple
    // scattering.
    fn directionalAlbedo(r: f32, nv: f32) -> vec2f {
        let u = sqrt(nv);
        var sum = -1.22270 * r + 0.56027;
        sum = sum * u + ((4.05612 * r + -0.89276) * r + -0.96605);
        sum = sum * u + (((-5.35545 * r + -0.69756) * r + 3.43502) * r + 0.34203);
        sum = sum * u + ((((4.33343 * r + -0.36094) * r + -2.79340) * r + -1.07605) * r + 0.09080);
        sum = sum * u + ((((-2.27377 * r + 1.86291) * r + 0.58158) * r + -0.29237) * r + 0.96971);
        var exact = -2.05500;
        exact = exact * nv + (-3.74817 * r + 7.10559);
        exact = exact * nv + ((3.60899 * r + 0.51240) * r + -4.02258);
        exact = exact * nv + (((-6.08020 * r + 2.94026) * r + 3.89300) * r + -4.12728);
        exact = exact * nv + ((((-0.13922 * r + 4.27341) * r + -5.44408) * r + -1.03285) * r + -0.08553);
        sum = clamp(sum, 0.05, 1.0);
        let bias = clamp((exp(exact) - 0.04 * sum) / 0.96, 0.0, sum);
        return vec2f(sum - bias, bias);
    }
    """
