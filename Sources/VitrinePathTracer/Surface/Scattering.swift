import VitrineMath

/// Scattering at a surface: evaluation, density and sampling of all lobes together.
///
/// The layers are those of the real-time renderer (`ReflectanceShader`): metal and dielectric are two materials of which the surface has a share each; sheen
/// and coat lie on them and weaken the layers below by their own albedo. Differences: Fresnel's equations instead of Schlick's curve for dielectrics; diffuse
/// light is coupled to the reflection from both sides, so that it is reciprocal (Kelemen and Szirmay-Kalos 2001); albedos come from `EnergyTables`.
struct Scattering {
    /// The contribution of one direction: the lobes times the cosine, and the density of `sample`.
    struct Value {
        var weight = Vector3(repeating: 0)
        var density: Float = 0
    }

    private let s: SurfacePoint
    private let energy: EnergyReader
    private let v: Vector3
    private let coatFrame: (x: Vector3, y: Vector3)
    private let coatV: Vector3
    private let coatFacets: Microfacets
    /// Share that arrives below the coat, and below the fibres as far as the viewer's side decides.
    private let belowCoat: Float
    private let sheenAlbedo: Float
    private let sheenStrength: Float
    private let metalScale: Vector3
    private let glassScale: Float
    private let diffuseColor: Vector3
    private let transmitted: Vector3
    private let ownMean: Float
    /// Cumulative probabilities of the lobes: diffuse, microfacets, coat; the rest is sheen.
    private var cumulative: (Float, Float, Float) = (1, 1, 1)

    /// Prepares the lobes of a surface for one direction of view.
    ///
    /// - Parameter view: World frame, towards the viewer; above both normals.
    init(_ s: SurfacePoint, view: Vector3, energy: EnergyReader) {
        self.s = s
        self.energy = energy
        var local = s.local(view)
        local.z = max(local.z, 1e-4)
        v = unit(local)
        let white =
            s.anisotropy > 0
            ? AnisotropicEnergy.albedo(energy.anisotropic, v, roughness: s.roughness, strength: s.anisotropy)
            : energy.albedo(EnergyTables.white, v.z, s.roughness)
        // Coat.
        var kept: Float = 1
        var coatAlbedo: Float = 0
        coatFacets = Microfacets(roughness: s.coatRoughness)
        if s.coat > 0 {
            let x = anyPerpendicular(s.coatNormal)
            coatFrame = (x, cross(s.coatNormal, x))
            coatV = unit(Vector3(dot(view, coatFrame.x), dot(view, coatFrame.y), max(dot(view, s.coatNormal), 1e-4)))
            let progress = energy.albedo(EnergyTables.usual, coatV.z, s.coatRoughness)
            let all = energy.albedo(EnergyTables.white, coatV.z, s.coatRoughness)
            coatAlbedo = s.coat * (0.04 * (all - progress) + progress)
            kept = 1 - coatAlbedo
        } else {
            (coatFrame, coatV) = ((s.tangent, s.bitangent), v)
        }
        belowCoat = kept
        // Sheen.
        sheenStrength = largest(s.sheenColor)
        sheenAlbedo = sheenStrength > 0 ? energy.albedo(EnergyTables.sheen, v.z, s.sheenRoughness) : 0
        let belowSheen = max(1 - sheenStrength * min(sheenAlbedo, 1), 0)

        guard s.model == .physical else {
            (metalScale, glassScale, transmitted, ownMean) = (Vector3(repeating: 1), 1, Vector3(repeating: 0), 0)
            diffuseColor = s.model == .constant ? Vector3(repeating: 0) : s.baseColor
            cumulative = (1, 1, 1)
            return
        }
        // Metal: single scattering and all of it (Fdez-Agüera 2019).
        var metal = Vector3(repeating: 0)
        var scale = Vector3(repeating: 1)
        if s.metalness > 0 {
            let single: Vector3
            if s.film > 0 {
                single = mix(
                    Self.schlickAlbedo(s.baseColor, white, energy.albedo(EnergyTables.schlick, v.z, s.roughness)),
                    Self.filmed(s, v.z, s.baseColor, energy) * white, s.film)
            } else {
                single = Self.schlickAlbedo(s.baseColor, white, energy.albedo(EnergyTables.schlick, v.z, s.roughness))
            }
            let average = s.baseColor + (Vector3(repeating: 1) - s.baseColor) * (1 / 21)
            let missing = 1 - white
            scale = Vector3(repeating: 1) + average * missing / (Vector3(repeating: 1) - average * missing)
            metal = single * scale
        }
        metalScale = scale
        // Dielectric.
        var dielectric = Vector3(repeating: 0)
        var mean: Float = 0
        let share = 1 - s.metalness
        if share > 0 {
            let table = Int(s.dielectricTable)
            let progress = energy.albedo(table, v.z, s.roughness)
            dielectric = s.f0 * (white - progress) + Vector3(repeating: s.f90 * progress)
            let meanProgress = energy.mean(table, s.roughness)
            mean = largest(s.f0) * (energy.mean(EnergyTables.white, s.roughness) - meanProgress) + s.f90 * meanProgress
            if s.film > 0 {
                dielectric = mix(dielectric, Self.filmed(s, v.z, s.f0, energy) * white, s.film)
                mean = mix(mean, largest(Self.filmed(s, 0.6, s.f0, energy)), s.film)
            }
        }
        ownMean = min(mean, 0.999)
        diffuseColor = s.baseColor * (share * (1 - s.transmission))
        var passing = Vector3(repeating: 0)
        var gain: Float = 1
        if s.transmission > 0, share > 0 {
            // A body is passed twice: the colour applies once to both boundaries together.
            let tint = s.isThin ? s.baseColor : Vector3(s.baseColor.x.squareRoot(), s.baseColor.y.squareRoot(), s.baseColor.z.squareRoot())
            passing = tint * (share * s.transmission)
            let albedo = s.isThin ? white : energy.albedo(Int(s.glassTable), v.z, s.roughness)
            gain = 1 / max(albedo, 0.05)
        }
        (transmitted, glassScale) = (passing, gain)
        // Probabilities.
        let reflected =
            s.isFront || s.isThin || s.transmission == 0
            ? luminance(dielectric) : mix(luminance(dielectric), Dielectric.fresnel(v.z, s.ratio), s.transmission)
        let below = kept * belowSheen
        var weights: (Float, Float, Float, Float)
        weights.0 = luminance(diffuseColor) * max(1 - largest(dielectric), 0) * below
        weights.1 = (share * reflected + s.metalness * luminance(metal)) * below
        // Facets of a rough surface also transmit light beyond the angle of total reflection.
        weights.1 += luminance(passing) * max(1 - reflected, 0.05 * min(20 * s.roughness, 1)) * below
        weights.2 = coatAlbedo
        weights.3 = luminance(s.sheenColor) * min(sheenAlbedo, 1) * kept
        let sum = weights.0 + weights.1 + weights.2 + weights.3
        guard sum > 0 else {
            cumulative = (0, 1, 1)
            return
        }
        // The last lobe that can be chosen ends at 1 exactly.
        let ends = (weights.1 + weights.2 + weights.3, weights.2 + weights.3, weights.3)
        cumulative.0 = ends.0 > 0 ? weights.0 / sum : 1
        cumulative.1 = ends.1 > 0 ? cumulative.0 + weights.1 / sum : 1
        cumulative.2 = ends.2 > 0 ? cumulative.1 + weights.2 / sum : 1
    }

    @inline(__always) private static func schlickAlbedo(_ f0: Vector3, _ white: Float, _ schlick: Float) -> Vector3 {
        f0 * (white - schlick) + Vector3(repeating: schlick)
    }

    /// A film over a rough surface, seen at the mean angle of its microfacets.
    private static func filmed(_ s: SurfacePoint, _ cosine: Float, _ f0: Vector3, _ energy: EnergyReader) -> Vector3 {
        let white = energy.albedo(EnergyTables.white, cosine, s.roughness)
        let weight = min(energy.albedo(EnergyTables.schlick, cosine, s.roughness) / max(white, 1e-3), 0.99)
        let c = mix(cosine, max(cosine, 1 - pow(weight, 0.2)), s.roughness)
        return ThinFilm.reflectance(c, film: s.filmIOR, thickness: s.filmThickness, f0: f0)
    }

    /// The transmittance of the fibres on the way in and out.
    @inline(__always) private func belowSheen(_ cosine: Float) -> Float {
        guard sheenStrength > 0 else { return 1 }
        let other = energy.albedo(EnergyTables.sheen, abs(cosine), s.sheenRoughness)
        return max(1 - sheenStrength * min(max(sheenAlbedo, other), 1), 0)
    }

    /// The share of light that one microfacet of the dielectric reflects.
    @inline(__always) private func dielectricShare(_ c: Float) -> Vector3 {
        var share: Vector3
        if s.transmission > 0, !s.isThin {
            let exact = Dielectric.fresnel(c, s.ratio)
            if exact >= 1 { return Vector3(repeating: 1) }
            let progress = s.straightOn < 0.9999 ? max((exact - s.straightOn) / (1 - s.straightOn), 0) : 0
            share = s.f0 + (Vector3(repeating: s.f90) - s.f0) * progress
        } else {
            let progress = Dielectric.progress(c, s.ior, straightOn: s.straightOn)
            share = s.f0 + (Vector3(repeating: s.f90) - s.f0) * progress
        }
        if s.film > 0 {
            share = mix(share, ThinFilm.reflectance(c, film: s.filmIOR, thickness: s.filmThickness, f0: s.f0), s.film)
        }
        return share
    }

    @inline(__always) private func reflectedShare(_ c: Float) -> Vector3 {
        var share = Vector3(repeating: 0)
        if s.metalness < 1 {
            let gain = s.transmission > 0 ? mix(Float(1), glassScale, s.transmission) : 1
            share += dielectricShare(c) * ((1 - s.metalness) * gain)
        }
        if s.metalness > 0 {
            var metal = s.baseColor + (Vector3(repeating: 1) - s.baseColor) * pow5(1 - c)
            if s.film > 0 {
                metal = mix(metal, ThinFilm.reflectance(c, film: s.filmIOR, thickness: s.filmThickness, f0: s.baseColor), s.film)
            }
            share += metal * metalScale * s.metalness
        }
        return share
    }

    /// The probability that a microfacet at the angle whose cosine is `c` reflects a path instead of transmitting it: by the light of both.
    @inline(__always) private func reflectingChance(_ c: Float, _ share: Vector3) -> Float {
        guard s.transmission > 0, transmitted != Vector3(repeating: 0) else { return 1 }
        let passing = luminance(transmitted * saturate(Vector3(repeating: 1) - dielectricShare(c))) * glassScale
        guard passing > 0 else { return 1 }
        return luminance(share) / (luminance(share) + passing)
    }

    /// Returns the albedo of the largest channel, for the light that is left to the diffuse layer.
    @inline(__always) private func left(_ cosine: Float) -> Float {
        let white = energy.albedo(EnergyTables.white, cosine, s.roughness)
        let progress = energy.albedo(Int(s.dielectricTable), cosine, s.roughness)
        var albedo = largest(s.f0) * (white - progress) + s.f90 * progress
        if s.film > 0 { albedo = mix(albedo, largest(Self.filmed(s, cosine, s.f0, energy)) * white, s.film) }
        return 1 - albedo
    }

    // MARK: Evaluation

    /// Light of one direction (world frame, away from the surface) scattered to the viewer, including the cosine, and its density in `sample`.
    func evaluate(_ direction: Vector3) -> Value {
        let l = s.local(direction)
        let geometric = dot(direction, s.geometricNormal)
        // Shading normals must not transmit light.
        if geometric > 0 { return reflected(direction, l) }
        return l.z < -1e-6 ? passed(l) : Value()
    }

    private func reflected(_ direction: Vector3, _ l: Vector3) -> Value {
        guard s.model == .physical else {
            guard s.model != .constant, l.z > 0 else { return Value() }
            return Value(weight: diffuseColor * (l.z / .pi), density: l.z / .pi)
        }
        var value = l.z > 1e-6 ? belowTheCoat(l) : Value()
        value.weight *= belowCoat
        if s.coat > 0 {
            let cl = Vector3(dot(direction, coatFrame.x), dot(direction, coatFrame.y), dot(direction, s.coatNormal))
            if cl.z > 0 {
                let ch = unit(coatV + cl)
                let (seen, lit) = (coatFacets.smith(coatV), coatFacets.smith(cl))
                let distribution = coatFacets.distribution(ch)
                let share = Dielectric.fresnel(saturate(dot(coatV, ch)), 1.5)
                value.weight += Vector3(repeating: s.coat * share * distribution / ((1 + seen + lit) * 4 * coatV.z))
                value.density += (cumulative.2 - cumulative.1) * distribution / ((1 + seen) * 4 * coatV.z)
            }
        }
        return value
    }

    /// Evaluates all reflecting lobes but the coat.
    @inline(__always) private func belowTheCoat(_ l: Vector3) -> Value {
        var value = Value()
        let h = unit(v + l)
        let c = saturate(dot(v, h))
        let below = belowSheen(l.z)
        if cumulative.0 > 0 {
            let coupling = left(v.z) * left(l.z) / (1 - ownMean)
            value.weight += diffuseColor * (coupling * l.z / .pi)
            value.density += cumulative.0 * l.z / .pi
        }
        let specular = cumulative.1 - cumulative.0
        if specular > 0 {
            let distribution = s.facets.distribution(h)
            let (seen, lit) = (s.facets.smith(v), s.facets.smith(l))
            let share = reflectedShare(c)
            value.weight += share * (distribution / ((1 + seen + lit) * 4 * v.z))
            value.density += specular * reflectingChance(c, share) * distribution / ((1 + seen) * 4 * v.z)
        }
        value.weight *= below
        if sheenStrength > 0 {
            // At grazing angles narrow fibres would reflect more light than they receive.
            let bound = 1 / max(sheenAlbedo, 1)
            value.weight += s.sheenColor * (SheenLobe.value(nh: saturate(h.z), nv: v.z, nl: l.z, roughness: s.sheenRoughness) * l.z * bound)
            value.density += (1 - cumulative.2) * l.z / .pi
        }
        return value
    }

    private func passed(_ l: Vector3) -> Value {
        let probability = cumulative.1 - cumulative.0
        guard probability > 0, transmitted != Vector3(repeating: 0) else { return Value() }
        let below = belowCoat * belowSheen(l.z)
        if s.isThin {
            // A thin rough sheet scatters to the back as if mirrored.
            let mirrored = Vector3(l.x, l.y, -l.z)
            let h = unit(v + mirrored)
            let (seen, lit) = (s.facets.smith(v), s.facets.smith(mirrored))
            let density = s.facets.distribution(h) / ((1 + seen) * 4 * v.z)
            let c = saturate(dot(v, h))
            let share = saturate(Vector3(repeating: 1) - dielectricShare(c))
            return Value(
                weight: transmitted * share * (density * glassScale * below * (1 + seen) / (1 + seen + lit)),
                density: probability * (1 - reflectingChance(c, reflectedShare(c))) * density)
        }
        var h = v + l * s.ratio
        h = unit(s.ratio > 1 ? -h : h)
        let (vh, lh) = (dot(v, h), dot(l, h))
        guard h.z > 0, vh > 0, lh < 0 else { return Value() }
        let sum = vh + s.ratio * lh
        let density = s.facets.visibleDensity(v, h) * (s.ratio * s.ratio * abs(lh) / max(sum * sum, 1e-20))
        let lit = s.facets.smith(l)
        let share = saturate(Vector3(repeating: 1) - dielectricShare(vh))
        return Value(
            weight: transmitted * share * (density * glassScale * below / (1 + lit)),
            density: probability * (1 - reflectingChance(vh, reflectedShare(vh))) * density)
    }

    // MARK: Sampling

    /// A direction, world frame; nil where the lobe that was chosen points into the surface.
    ///
    /// - Parameters:
    ///   - choice: 0 ..< 1, chooses the lobe.
    ///   - u: 0 ..< 1 each.
    func sample(_ choice: Float, _ u: Vector2) -> Vector3? {
        if choice < cumulative.0 { return s.world(Warp.cosine(u)) }
        if choice < cumulative.1 {
            let m = s.facets.sample(v, u)
            let c = dot(v, m)
            let reflection = m * (2 * c) - v
            if s.transmission == 0 { return reflection.z > 0 ? s.world(reflection) : nil }
            let part = (choice - cumulative.0) / (cumulative.1 - cumulative.0)
            let cosine = saturate(c)
            if part < reflectingChance(cosine, reflectedShare(cosine)) { return reflection.z > 0 ? s.world(reflection) : nil }
            if s.isThin { return reflection.z > 0 ? s.world(Vector3(reflection.x, reflection.y, -reflection.z)) : nil }
            guard let l = refracted(v, m, s.ratio), l.z < 0 else { return nil }
            return s.world(l)
        }
        if choice < cumulative.2 {
            let m = coatFacets.sample(coatV, u)
            let l = m * (2 * dot(coatV, m)) - coatV
            return l.z > 0 ? coatFrame.x * l.x + coatFrame.y * l.y + s.coatNormal * l.z : nil
        }
        return s.world(Warp.cosine(u))
    }

    // MARK: Properties

    /// The transmittance of the coat for emitted light.
    var emissionShare: Float { belowCoat }

    /// The highlight of Phong's and Blinn's models for a light, over π; not in `evaluate`, because they mirror lights only.
    func highlight(_ direction: Vector3) -> Vector3 {
        let l = s.local(direction)
        guard l.z > 0 else { return Vector3(repeating: 0) }
        let c: Float =
            switch s.model {
            case .phong: saturate(dot(Vector3(-l.x, -l.y, l.z), v))
            case .blinn: saturate(unit(v + l).z)
            default: 0
            }
        guard s.model == .phong || s.model == .blinn else { return Vector3(repeating: 0) }
        return s.highlight * (pow(max(c, 1e-5), s.shininess) / .pi)
    }

    /// The colour of the surface for a denoiser: approximately the reflectance under uniform white light.
    var albedo: Vector3 {
        guard s.model == .physical else { return s.baseColor }
        return mix(diffuseColor + transmitted, s.baseColor, s.metalness)
    }
}
