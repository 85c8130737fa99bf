import VitrineMath

/// Directional albedos of white microfacets of two widths: by roughness, strength of the anisotropy, azimuth of the viewer and root of the cosine.
///
/// No isotropic width has the same albedo: the nearest one, the root mean square, is off by up to a half.
enum AnisotropicEnergy {
    private static let roughnesses = 16
    private static let strengths = 9
    private static let azimuths = 5
    private static let cosines = 16
    private static let samples = 128

    /// Microfacets of a roughness, elongated along x (KHR_materials_anisotropy).
    static func facets(roughness: Float, strength: Float) -> Microfacets {
        let alpha = roughness * roughness
        return Microfacets(mix(alpha, 1, strength * strength), alpha)
    }

    /// Made on first use.
    static let table: Storage<Float> = {
        var values: [Float] = []
        for roughness in 0..<roughnesses {
            for strength in 0..<strengths {
                let facets = facets(
                    roughness: Float(roughness) / Float(roughnesses - 1), strength: Float(strength) / Float(strengths - 1))
                for azimuth in 0..<azimuths {
                    let angle = Float(azimuth) / Float(azimuths - 1) * .pi / 2
                    for cosine in 0..<cosines {
                        let root = Float(cosine) / Float(cosines - 1)
                        let z = max(root * root, 1e-4)
                        let across = max(1 - z * z, 0).squareRoot()
                        values.append(albedo(facets, Vector3(across * cos(angle), across * sin(angle), z)))
                    }
                }
            }
        }
        return Storage(values)
    }()

    private static func albedo(_ facets: Microfacets, _ v: Vector3) -> Float {
        let seen = 1 + facets.smith(v)
        var sum: Float = 0
        for index in 0..<samples {
            let u = Vector2(
                (Float(index) + 0.5) / Float(samples),
                SampleSequence.unitFloat(SampleSequence.reversed(UInt32(index))) + 0.5 / Float(samples))
            let m = facets.sample(v, u)
            let l = m * (2 * dot(v, m)) - v
            if l.z > 0 { sum += seen / (seen + facets.smith(l)) }
        }
        return sum / Float(samples)
    }

    /// Interpolated between 16 entries.
    static func albedo(_ table: UnsafePointer<Float>, _ v: Vector3, roughness: Float, strength: Float) -> Float {
        func cell(_ value: Float, _ count: Int) -> (Int, Float) {
            let x = saturate(value) * Float(count - 1)
            let index = min(Int(x), count - 2)
            return (index, x - Float(index))
        }
        let (r, fr) = cell(roughness, roughnesses)
        let (s, fs) = cell(strength, strengths)
        let (a, fa) = cell(atan2(abs(v.y), abs(v.x)) / (.pi / 2), azimuths)
        let (c, fc) = cell(v.z.squareRoot(), cosines)
        var sum: Float = 0
        for corner in 0..<8 {
            let (dr, ds, da) = (corner & 1, corner >> 1 & 1, corner >> 2)
            let weight = (dr == 1 ? fr : 1 - fr) * (ds == 1 ? fs : 1 - fs) * (da == 1 ? fa : 1 - fa)
            let row = table + (((r + dr) * strengths + s + ds) * azimuths + a + da) * cosines + c
            sum += weight * (row[0] * (1 - fc) + row[1] * fc)
        }
        return sum
    }
}
