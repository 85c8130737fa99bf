import VitrineMath

/// GGX microfacets of two widths (Heitz 2014, "Understanding the Masking-Shadowing Function in Microfacet-Based BRDFs"). Directions are local: z along
/// the normal, x along the first width.
///
/// The real-time renderer's `ggx` and `anisotropicGGX` are the same functions.
struct Microfacets: BitwiseCopyable {
    /// A mirror is this rough: every lobe has a density that fits 32 bits.
    static let leastAlpha: Float = 1e-3

    let x, y: Float

    @inline(__always) init(_ x: Float, _ y: Float) { (self.x, self.y) = (max(x, Self.leastAlpha), max(y, Self.leastAlpha)) }

    /// Of a perceptual roughness.
    @inline(__always) init(roughness: Float) { self.init(roughness * roughness, roughness * roughness) }

    @inline(__always) func distribution(_ m: Vector3) -> Float {
        guard m.z > 0 else { return 0 }
        let (a, b) = (m.x / x, m.y / y)
        let p = a * a + b * b + m.z * m.z
        return 1 / (.pi * x * y * p * p)
    }

    /// Returns Smith's Λ.
    @inline(__always) func smith(_ w: Vector3) -> Float {
        let (a, b) = (x * w.x, y * w.y)
        let z = max(w.z * w.z, 1e-12)
        return 0.5 * ((1 + (a * a + b * b) / z).squareRoot() - 1)
    }

    /// The density of the microfacets that are visible from `v`, per steradian.
    @inline(__always) func visibleDensity(_ v: Vector3, _ m: Vector3) -> Float {
        max(dot(v, m), 0) * distribution(m) / ((1 + smith(v)) * max(abs(v.z), 1e-6))
    }

    /// A microfacet that is visible from `v` (Dupuy and Benyoub 2023, "Sampling Visible GGX Normals with Spherical Caps").
    @inline(__always) func sample(_ v: Vector3, _ u: Vector2) -> Vector3 {
        let stretched = unit(Vector3(v.x * x, v.y * y, v.z))
        let angle = 2 * Float.pi * u.x
        let z = (1 - u.y) * (1 + stretched.z) - stretched.z
        let sine = max(1 - z * z, 0).squareRoot()
        let h = Vector3(sine * cos(angle), sine * sin(angle), z) + stretched
        return unit(Vector3(h.x * x, h.y * y, max(h.z, 1e-7)))
    }
}

/// The boundary between two media.
enum Dielectric {
    /// The index of refraction that lobes of light through a volume use: 1 would have no microfacets.
    @inline(__always) static func ratio(_ ior: Float) -> Float { max(ior, 1.0005) }

    /// Reflectance straight on.
    @inline(__always) static func straightOn(_ ior: Float) -> Float {
        let ratio = (ior - 1) / (ior + 1)
        return ratio * ratio
    }

    /// The share of unpolarized light that is reflected at the angle whose cosine is `c`; `ratio`: index behind the boundary over index before it.
    @inline(__always) static func fresnel(_ c: Float, _ ratio: Float) -> Float {
        let squared = 1 - (1 - c * c) / (ratio * ratio)
        guard squared > 0 else { return 1 }
        let t = squared.squareRoot()
        let s = (c - ratio * t) / (c + ratio * t)
        let p = (ratio * c - t) / (ratio * c + t)
        return 0.5 * (s * s + p * p)
    }

    /// The interpolation of the reflectance from normal incidence (0) to grazing angles (1): exact, where Schlick's curve is (1 − c)⁵. It
    /// interpolates the colours of KHR_materials_specular, which defines both ends only.
    @inline(__always) static func progress(_ c: Float, _ ratio: Float, straightOn: Float) -> Float {
        straightOn < 0.9999 ? max((fresnel(c, ratio) - straightOn) / (1 - straightOn), 0) : 0
    }
}

/// Thin-film interference (Belcour and Barla 2017), the real-time renderer's `filmReflectance`.
enum ThinFilm {
    /// The reflectance of a film over a surface of `f0` at the angle whose cosine is `c`.
    ///
    /// - Parameter thickness: nanometres.
    static func reflectance(_ c: Float, film: Float, thickness: Float, f0: Vector3) -> Vector3 {
        let squared = 1 - (1 - c * c) / (film * film)
        guard squared >= 0 else { return Vector3(repeating: 1) }
        let inside = squared.squareRoot()
        let path = 2 * film * thickness * inside
        let (once, twice) = (sensitivity(path), sensitivity(2 * path))
        var result = Vector3(repeating: 0)
        for channel in 0..<3 {
            let root = clamp(f0[channel], 0, 0.9999).squareRoot()
            let base = (1 + root) / (1 - root)
            let behind = max(1 - (1 - c * c) / (base * base), 0).squareRoot()
            let crossed = passing(
                (c - film * inside) / (c + film * inside), (film * inside - base * behind) / (film * inside + base * behind), once[channel],
                twice[channel])
            let parallel = passing(
                (film * c - inside) / (film * c + inside), (base * inside - film * behind) / (base * inside + film * behind), once[channel],
                twice[channel])
            result[channel] = saturate(1 - 0.5 * (crossed + parallel))
        }
        return result
    }

    /// The transmittance of one polarization (Airy), by the amplitudes of the film's two faces.
    @inline(__always) private static func passing(_ outer: Float, _ inner: Float, _ once: Float, _ twice: Float) -> Float {
        let x = clamp(outer * inner, -0.9999, 0.9999)
        let mean = (1 - outer * outer) * (1 - inner * inner) / (1 - x * x)
        return mean * (1 - 2 * x * (once - x * twice))
    }

    /// Fourier transform of the eye's sensitivities at an optical path difference in nanometres, in linear Rec.709.
    private static func sensitivity(_ path: Float) -> Vector3 {
        let phase = 2 * Float.pi * path * 1e-9
        let squared = phase * phase
        func term(_ value: Float, _ position: Float, _ variance: Float) -> Float {
            value * (2 * .pi * variance).squareRoot() * cos(position * phase) * exp(-squared * variance)
        }
        let x = (term(5.4856e-13, 1.6810e6, 4.3278e9) + term(9.7470e-14, 2.2399e6, 4.5282e9)) / 1.0685e-7
        let y = term(4.4201e-13, 1.7953e6, 9.3046e9) / 1.0685e-7
        let z = term(5.2481e-13, 2.2084e6, 6.6121e9) / 1.0685e-7
        return Vector3(
            3.240_454_2 * x - 1.537_138_5 * y - 0.498_531_4 * z, -0.969_266_0 * x + 1.876_010_8 * y + 0.041_556_0 * z,
            0.055_643_4 * x - 0.204_025_9 * y + 1.057_225_2 * z)
    }
}

/// Fine fibres (Estevez and Kulla 2017), the real-time renderer's `sheenLobe`.
enum SheenLobe {
    /// The least roughness of the lobe, which is narrower than any cloth below it.
    static let leastRoughness: Float = 0.1

    @inline(__always) private static func maskingFit(_ x: Float, _ alpha: Float) -> Float {
        let t = (1 - alpha) * (1 - alpha)
        let a = mix(Float(21.5473), 25.3245, t)
        let b = mix(Float(3.82987), 3.32435, t)
        let c = mix(Float(0.19823), 0.16801, t)
        let d = mix(Float(-1.97760), -1.27393, t)
        let e = mix(Float(-4.32054), -4.85967, t)
        return a / (1 + b * pow(x, c)) + d * x + e
    }

    @inline(__always) private static func masking(_ cosine: Float, _ alpha: Float) -> Float {
        if cosine < 0.5 { return exp(maskingFit(max(cosine, 1e-4), alpha)) }
        return exp(2 * maskingFit(0.5, alpha) - maskingFit(max(1 - cosine, 1e-4), alpha))
    }

    /// The white lobe, without the cosine.
    static func value(nh: Float, nv: Float, nl: Float, roughness: Float) -> Float {
        let alpha = roughness * roughness
        let sine = max(1 - nh * nh, 1e-8).squareRoot()
        let distribution = (2 + 1 / alpha) * pow(sine, 1 / alpha) / (2 * .pi)
        return distribution / ((1 + masking(nv, alpha) + masking(nl, alpha)) * 4 * max(nv, 1e-3) * max(nl, 1e-3))
    }
}
