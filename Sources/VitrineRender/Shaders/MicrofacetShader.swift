/// Microfacets: what one direction, and what all together, reflect.
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
    """
