import VitrineMath
import VitrineScene

extension MaterialLobe {
    /// Thin-film interference (KHR_materials_iridescence): Belcour and Barla, "A Practical Extension to Microfacet Theory for the Modeling of
    /// Varying Iridescence", 2017. Light reflected at the film's two faces interferes; the colour is the spectrum's integral against the
    /// eye's sensitivities, which the paper fits by Gaussians whose Fourier transforms are known.
    static let iridescence = MaterialLobe(
        .iridescence, "IRIDESCENCE",
        maps: [
            MaterialMap(.iridescence, "iridescence") { $0.iridescence.factor.map },
            MaterialMap(.iridescenceThickness, "iridescenceThickness") { $0.iridescence.thicknessMap },
        ],
        uniforms: [
            Uniform("iridescence") { $0.iridescence.factor.channelFactors },
            // Index of refraction; nanometres where the texel is 0, and where it is 1 or everywhere without a map.
            Uniform("film") { Vector4($0.iridescence.ior, $0.iridescence.thickness.minimum, $0.iridescence.thickness.maximum, 0) },
        ],
        shader: Shader(
            members: """
                iridescence: f32,
                filmIor: f32,
                // Nanometres.
                filmThickness: f32,
                """,
            reading: """
                (*s).iridescence = saturate(dot(iridescenceTexel(t), material.iridescence));
                (*s).filmIor = material.film.x;
                (*s).filmThickness = mix(material.film.y, material.film.z, iridescenceThicknessTexel(t).g);
                """,
            limits: "(*s).iridescence = saturate((*s).iridescence);",
            functions: """
                // The index of refraction (against air) that reflects f0 straight on.
                fn indexOfReflectance(f0: vec3f) -> vec3f {
                    let root = sqrt(clamp(f0, vec3f(0.0), vec3f(0.9999)));
                    return (1.0 + root) / (1.0 - root);
                }

                // Fourier transform of the eye's sensitivities (CIE XYZ) at an optical path difference in nanometres, converted to linear Rec.709.
                fn filmSensitivity(path: f32) -> vec3f {
                    let phase = 2.0 * PI * path * 1e-9;
                    let squared = phase * phase;
                    var xyz = vec3f(5.4856e-13, 4.4201e-13, 5.2481e-13) * sqrt(2.0 * PI * vec3f(4.3278e9, 9.3046e9, 6.6121e9))
                        * cos(vec3f(1.6810e6, 1.7953e6, 2.2084e6) * phase) * exp(-squared * vec3f(4.3278e9, 9.3046e9, 6.6121e9));
                    xyz.x += 9.7470e-14 * sqrt(2.0 * PI * 4.5282e9) * cos(2.2399e6 * phase) * exp(-4.5282e9 * squared);
                    xyz /= 1.0685e-7;
                    return vec3f(
                        dot(vec3f(3.2404542, -1.5371385, -0.4985314), xyz), dot(vec3f(-0.9692660, 1.8760108, 0.0415560), xyz),
                        dot(vec3f(0.0556434, -0.2040259, 1.0572252), xyz));
                }

                // The reflectance of a film over a surface of f0 at the angle whose cosine is c; thickness in nanometres. The transmittance is Airy's
                // T = (1 − r²)(1 − q²) / |1 + r q exp(iφ)|² for the amplitudes r and q that its two faces reflect, whose Fourier series has the
                // powers of −r q. They have signs, which beyond Brewster's angle are others for the two polarizations: colours fade towards the rim.
                fn filmReflectance(c: f32, film: f32, thickness: f32, f0: vec3f) -> vec3f {
                    let squared = 1.0 - (1.0 - c * c) / (film * film);
                    // Total reflection.
                    if (squared < 0.0) { return vec3f(1.0); }
                    let inside = sqrt(squared);
                    let base = indexOfReflectance(f0);
                    let behind = sqrt(max(1.0 - (1.0 - c * c) / (base * base), vec3f(0.0)));
                    let path = 2.0 * film * thickness * inside;
                    let once = filmSensitivity(path);
                    let twice = filmSensitivity(2.0 * path);
                    let crossed = passingFilm((c - film * inside) / (c + film * inside), (film * inside - base * behind) / (film * inside + base * behind), once, twice);
                    let parallel = passingFilm((film * c - inside) / (film * c + inside), (base * inside - film * behind) / (base * inside + film * behind), once, twice);
                    return saturate(1.0 - 0.5 * (crossed + parallel));
                }

                // The transmittance of one polarization by the amplitudes of the two faces. Beyond two bounces the eye's sensitivities average all
                // colours out.
                fn passingFilm(outer: f32, inner: vec3f, once: vec3f, twice: vec3f) -> vec3f {
                    let x = clamp(outer * inner, vec3f(-0.9999), vec3f(0.9999));
                    let mean = (1.0 - outer * outer) * (1.0 - inner * inner) / (1.0 - x * x);
                    return mean * (1.0 - 2.0 * x * (once - x * twice));
                }

                // For uniform light: the reflectance at normal incidence with which a surface without film would reflect as much as the film does.
                // Rough surfaces show a film at other angles than the surface's: `weight` is the mean of Schlick's curve over the visible
                // microfacets, and determines the angle. A reflectance at normal incidence may be below 0 here: only the sum over the lobe is used.
                fn coverWithFilm(s: ptr<function, Surface>) {
                    // A film without thickness has no effect: it fades in over the first 0.03 nm.
                    (*s).iridescence *= smoothstep(0.0, 0.03, (*s).filmThickness);
                    let nv = max(dot((*s).normal, (*s).view), 1e-3);
                    let ab = directionalAlbedo((*s).roughness, nv);
                    let weight = min(ab.y / (ab.x + ab.y), 0.99);
                    let c = mix(nv, max(nv, 1.0 - pow(weight, 0.2)), (*s).roughness);
                    let dielectric = filmReflectance(c, (*s).filmIor, (*s).filmThickness, (*s).dielectricF0);
                    let metal = filmReflectance(c, (*s).filmIor, (*s).filmThickness, (*s).metalF0);
                    (*s).dielectricF0 = mix((*s).dielectricF0, (dielectric - weight) / (1.0 - weight), (*s).iridescence);
                    (*s).dielectricF90 = mix((*s).dielectricF90, 1.0, (*s).iridescence);
                    (*s).metalF0 = mix((*s).metalF0, (metal - weight) / (1.0 - weight), (*s).iridescence);
                }
                """)
    ) { $0.iridescence.factor.hasEffect || $0.functionSets("iridescence") }
}
