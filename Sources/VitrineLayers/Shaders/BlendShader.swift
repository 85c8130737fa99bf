/// The blend modes: W3C Compositing and Blending Level 1, sections 5 (source over) and 10 (blending).
///
/// `co = cs·αs·(1 − αb) + cb·αb·(1 − αs) + αs·αb·B(cb, cs)`; B in sRGB-encoded values.
enum BlendShader {
    /// Returns the WGSL function `blended(source, behind)` for one mode; both colours are premultiplied and linear.
    static func code(_ mode: BlendMode) -> String {
        common + formula(mode) + """

            fn blended(source: vec4f, behind: vec4f) -> vec4f {
                let cs = blendEncoded(source.rgb / max(source.a, 1e-6));
                let cb = blendEncoded(behind.rgb / max(behind.a, 1e-6));
                let mixed = blendDecoded(clamp(mode(cb, cs), vec3f(0.0), vec3f(1.0)));
                let rgb = source.rgb * (1.0 - behind.a) + behind.rgb * (1.0 - source.a) + source.a * behind.a * mixed;
                return vec4f(rgb, source.a + behind.a * (1.0 - source.a));
            }

            """
    }

    private static let common = """
        fn blendEncoded(c: vec3f) -> vec3f {
            let a = clamp(c, vec3f(0.0), vec3f(1.0));
            return select(1.055 * pow(a, vec3f(1.0 / 2.4)) - 0.055, a * 12.92, a <= vec3f(0.0031308));
        }
        fn blendDecoded(c: vec3f) -> vec3f { return select(pow((c + 0.055) / 1.055, vec3f(2.4)), c / 12.92, c <= vec3f(0.04045)); }
        fn hardLight(cb: vec3f, cs: vec3f) -> vec3f {
            let twice = 2.0 * cs - 1.0;
            return select(cb + twice - cb * twice, cb * 2.0 * cs, cs <= vec3f(0.5));
        }
        fn lum(c: vec3f) -> f32 { return dot(c, vec3f(0.3, 0.59, 0.11)); }
        fn sat(c: vec3f) -> f32 { return max(c.r, max(c.g, c.b)) - min(c.r, min(c.g, c.b)); }
        fn withinGamut(c: vec3f) -> vec3f {
            let l = lum(c);
            let low = min(c.r, min(c.g, c.b));
            let high = max(c.r, max(c.g, c.b));
            var kept = c;
            if (low < 0.0) { kept = l + (kept - l) * l / max(l - low, 1e-6); }
            if (high > 1.0) { kept = l + (kept - l) * (1.0 - l) / max(high - l, 1e-6); }
            return kept;
        }
        fn setLum(c: vec3f, l: f32) -> vec3f { return withinGamut(c + (l - lum(c))); }
        // Stretched so that the least channel is 0 and the greatest `s`.
        fn setSat(c: vec3f, s: f32) -> vec3f {
            let low = min(c.r, min(c.g, c.b));
            return (c - low) * (s / max(sat(c), 1e-6)) * select(0.0, 1.0, sat(c) > 1e-6);
        }

        """

    /// Returns the WGSL function `mode(cb, cs)` of the colours behind and in front.
    private static func formula(_ mode: BlendMode) -> String {
        let body =
            switch mode {
            case .normal, .plusLighter: "return cs;"
            case .multiply: "return cb * cs;"
            case .screen: "return cb + cs - cb * cs;"
            case .overlay: "return hardLight(cs, cb);"
            case .darken: "return min(cb, cs);"
            case .lighten: "return max(cb, cs);"
            case .colorDodge:
                "return select(select(min(vec3f(1.0), cb / max(1.0 - cs, vec3f(1e-6))), vec3f(1.0), cs >= vec3f(1.0)), vec3f(0.0), cb <= vec3f(0.0));"
            case .colorBurn:
                "return select(select(1.0 - min(vec3f(1.0), (1.0 - cb) / max(cs, vec3f(1e-6))), vec3f(0.0), cs <= vec3f(0.0)), vec3f(1.0), cb >= vec3f(1.0));"
            case .hardLight: "return hardLight(cb, cs);"
            case .softLight:
                """
                let d = select(sqrt(cb), ((16.0 * cb - 12.0) * cb + 4.0) * cb, cb <= vec3f(0.25));
                return select(cb + (2.0 * cs - 1.0) * (d - cb), cb - (1.0 - 2.0 * cs) * cb * (1.0 - cb), cs <= vec3f(0.5));
                """
            case .difference: "return abs(cb - cs);"
            case .exclusion: "return cb + cs - 2.0 * cb * cs;"
            case .hue: "return setLum(setSat(cs, sat(cb)), lum(cb));"
            case .saturation: "return setLum(setSat(cb, sat(cs)), lum(cb));"
            case .color: "return setLum(cs, lum(cb));"
            case .luminosity: "return setLum(cb, lum(cs));"
            }
        return "fn mode(cb: vec3f, cs: vec3f) -> vec3f {\n\(body)\n}"
    }
}
