import Testing
import VitrineMath

@testable import VitrinePathTracer

/// The path tracer's lobes against exact integrals of the published ones: `scripts/quality/lobe_albedo.py` prints the numbers, by an integrator of its own with
/// exact Fresnel terms, films by wavelengths and microfacets with multiple scattering.
struct ExactLobeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let lobe: String
        /// The varied parameter of a row of `scripts/quality/lobe_rows.py`: roughness, factor, index or thickness.
        let value: Float
        /// The cosine of the viewer's direction.
        let cosine: Float
        /// Reflected light of white light from everywhere, then of light that grows as the square of the direction's component towards the mirrored side.
        let exact: [Float]

        init(_ lobe: String, _ value: Float, _ cosine: Float, _ exact: [Float]) {
            (self.lobe, self.value, self.cosine, self.exact) = (lobe, value, cosine, exact)
        }

        var testDescription: String { "\(lobe) \(value), cosine \(cosine)" }
    }

    static let cases = [
        Case("dielectric", 0.2, 0.3, [0.5998, 0.2405, 0.2645, 0.2287, 0.1855, 0.1884]),
        Case("dielectric", 0.2, 0.8, [0.5217, 0.0919, 0.1205, 0.0734, 0.0217, 0.0252]),
        Case("dielectric", 0.5, 0.3, [0.5523, 0.1501, 0.1769, 0.1314, 0.0819, 0.0852]),
        Case("dielectric", 0.5, 0.8, [0.5206, 0.0893, 0.1181, 0.0733, 0.0202, 0.0238]),
        Case("dielectric", 0.9, 0.3, [0.5206, 0.0896, 0.1183, 0.0742, 0.0206, 0.0242]),
        Case("dielectric", 0.9, 0.8, [0.5102, 0.0693, 0.0987, 0.0650, 0.0101, 0.0138]),
        Case("metal", 0.2, 0.3, [0.9156, 0.6637, 0.3709, 0.8060, 0.5863, 0.3303]),
        Case("metal", 0.2, 0.8, [0.8999, 0.5998, 0.2501, 0.3223, 0.2148, 0.0896]),
        Case("metal", 0.5, 0.3, [0.8974, 0.6028, 0.2839, 0.4645, 0.3255, 0.1686]),
        Case("metal", 0.5, 0.8, [0.8918, 0.5787, 0.2347, 0.2691, 0.1767, 0.0729]),
        Case("metal", 0.9, 0.3, [0.8646, 0.5135, 0.1938, 0.1431, 0.0905, 0.0397]),
        Case("metal", 0.9, 0.8, [0.8336, 0.4442, 0.1443, 0.1148, 0.0644, 0.0225]),
        Case("clearcoat", 0.2, 0.3, [0.6168, 0.2787, 0.3012, 0.2447, 0.2027, 0.2055]),
        Case("clearcoat", 0.2, 0.8, [0.5345, 0.1153, 0.1432, 0.0796, 0.0275, 0.0310]),
        Case("clearcoat", 0.5, 0.3, [0.5216, 0.1835, 0.2061, 0.1404, 0.0984, 0.1012]),
        Case("clearcoat", 0.5, 0.8, [0.5318, 0.1126, 0.1405, 0.0780, 0.0259, 0.0294]),
        Case("clearcoat", 0.9, 0.3, [0.4578, 0.1198, 0.1423, 0.0786, 0.0367, 0.0395]),
        Case("clearcoat", 0.9, 0.8, [0.5107, 0.0915, 0.1194, 0.0677, 0.0156, 0.0191]),
        Case("specular", 0.3, 0.3, [0.1541, 0.2011, 0.3420, 0.0658, 0.0716, 0.0891]),
        Case("specular", 0.3, 0.8, [0.1119, 0.1612, 0.3092, 0.0170, 0.0231, 0.0414]),
        Case("specular", 0.6, 0.3, [0.2083, 0.2522, 0.3841, 0.1192, 0.1245, 0.1406]),
        Case("specular", 0.6, 0.8, [0.1238, 0.1724, 0.3184, 0.0215, 0.0274, 0.0453]),
        Case("specular", 1, 0.3, [0.2804, 0.3203, 0.4401, 0.1903, 0.1951, 0.2095]),
        Case("specular", 1, 0.8, [0.1396, 0.1874, 0.3306, 0.0275, 0.0332, 0.0504]),
        Case("ior", 1.2, 0.3, [0.2037, 0.2479, 0.3805, 0.1153, 0.1207, 0.1368]),
        Case("ior", 1.2, 0.8, [0.1089, 0.1583, 0.3068, 0.0157, 0.0217, 0.0398]),
        Case("ior", 1.8, 0.3, [0.3180, 0.3559, 0.4694, 0.2265, 0.2311, 0.2447]),
        Case("ior", 1.8, 0.8, [0.1777, 0.2234, 0.3603, 0.0421, 0.0476, 0.0640]),
        Case("ior", 2.4, 0.3, [0.3604, 0.3959, 0.5024, 0.2668, 0.2711, 0.2839]),
        Case("ior", 2.4, 0.8, [0.2558, 0.2971, 0.4210, 0.0721, 0.0771, 0.0921]),
        Case("sheen", 0.4, 0.3, [0.3471, 0.2699, 0.2795, 0.0275, 0.0205, 0.0264]),
        Case("sheen", 0.4, 0.8, [0.1423, 0.0765, 0.1478, 0.0142, 0.0069, 0.0161]),
        Case("sheen", 0.7, 0.3, [0.4581, 0.3752, 0.3453, 0.0421, 0.0341, 0.0348]),
        Case("sheen", 0.7, 0.8, [0.2269, 0.1578, 0.1977, 0.0194, 0.0122, 0.0186]),
        Case("sheen", 1, 0.3, [0.5166, 0.4307, 0.3799, 0.0565, 0.0472, 0.0436]),
        Case("sheen", 1, 0.8, [0.2895, 0.2174, 0.2354, 0.0285, 0.0208, 0.0242]),
        Case("anisotropy 0.5", 0.25, 0.3, [0.8972, 0.6006, 0.2757, 0.3965, 0.2774, 0.1421]),
        Case("anisotropy 0.5", 0.25, 0.8, [0.8929, 0.5817, 0.2369, 0.2602, 0.1715, 0.0711]),
        Case("anisotropy 0.5", 0.5, 0.3, [0.8907, 0.5805, 0.2507, 0.2751, 0.1895, 0.0936]),
        Case("anisotropy 0.5", 0.5, 0.8, [0.8830, 0.5564, 0.2182, 0.2046, 0.1325, 0.0540]),
        Case("anisotropy 0.5", 0.8, 0.3, [0.8728, 0.5331, 0.2083, 0.1580, 0.1029, 0.0469]),
        Case("anisotropy 0.5", 0.8, 0.8, [0.8483, 0.4759, 0.1638, 0.1268, 0.0749, 0.0277]),
        Case("anisotropy 1", 0.25, 0.3, [0.8744, 0.5364, 0.2071, 0.1218, 0.0734, 0.0297]),
        Case("anisotropy 1", 0.25, 0.8, [0.8514, 0.4827, 0.1677, 0.1287, 0.0732, 0.0254]),
        Case("anisotropy 1", 0.5, 0.3, [0.8738, 0.5351, 0.2063, 0.1153, 0.0708, 0.0295]),
        Case("anisotropy 1", 0.5, 0.8, [0.8492, 0.4778, 0.1646, 0.1177, 0.0674, 0.0237]),
        Case("anisotropy 1", 0.8, 0.3, [0.8666, 0.5174, 0.1947, 0.1140, 0.0700, 0.0295]),
        Case("anisotropy 1", 0.8, 0.8, [0.8325, 0.4429, 0.1437, 0.1036, 0.0570, 0.0194]),
        Case("film on glass", 300, 0.3, [0.3126, 0.2832, 0.2241, 0.2730, 0.2463, 0.1926]),
        Case("film on glass", 300, 0.8, [0.1546, 0.0730, 0.1150, 0.0515, 0.0222, 0.0372]),
        Case("film on glass", 450, 0.3, [0.2665, 0.3006, 0.2343, 0.2309, 0.2619, 0.2017]),
        Case("film on glass", 450, 0.8, [0.1752, 0.0890, 0.1334, 0.0590, 0.0281, 0.0439]),
        Case("film on glass", 700, 0.3, [0.3049, 0.2497, 0.2695, 0.2659, 0.2158, 0.2338]),
        Case("film on glass", 700, 0.8, [0.0752, 0.1220, 0.1129, 0.0228, 0.0396, 0.0363]),
        Case("film on metal", 300, 0.3, [0.4930, 0.5229, 0.4068, 0.4325, 0.4624, 0.3625]),
        Case("film on metal", 300, 0.8, [0.5548, 0.3326, 0.3510, 0.2001, 0.1206, 0.1235]),
        Case("film on metal", 450, 0.3, [0.3666, 0.5165, 0.4655, 0.3215, 0.4558, 0.4118]),
        Case("film on metal", 450, 0.8, [0.5703, 0.5234, 0.2703, 0.2019, 0.1887, 0.0966]),
        Case("film on metal", 700, 0.3, [0.4843, 0.4560, 0.4651, 0.4292, 0.4016, 0.4126]),
        Case("film on metal", 700, 0.8, [0.6135, 0.4214, 0.4376, 0.2179, 0.1530, 0.1555]),
    ]

    /// Returns the tolerance of reflected white light, by channel. Films are taken as three colours instead of wavelengths; coats keep the
    /// light that their microfacets do not reflect, where the exact one uses the mean normal; anisotropic metal scatters again as its
    /// single lobe does.
    private static func tolerance(_ c: Case) -> Float {
        switch c.lobe {
        case "film on glass", "film on metal": 0.04
        case "clearcoat": c.value < 0.5 ? 0.01 : 0.12
        case "sheen": 0.02
        case "anisotropy 0.5", "anisotropy 1", "metal": 0.035
        default: 0.004
        }
    }

    /// The tables of all indices, which are computed once because they take long.
    private static let tables: EnergyTables = {
        var tables = EnergyTables()
        tables.prepareSheen()
        for c in cases where c.lobe == "ior" { _ = tables.dielectric(index: c.value) }
        return tables
    }()

    @Test(arguments: cases) func reflectsAsTheExactLobe(c: Case) {
        var tables = Self.tables
        var s = SurfacePoint(
            position: Vector3(0, 0, 0), geometricNormal: Vector3(0, 0, 1), tangent: Vector3(1, 0, 0), bitangent: Vector3(0, 1, 0),
            normal: Vector3(0, 0, 1), coatNormal: Vector3(0, 0, 1), isFront: true)
        Self.prepare(&s, c, &tables)
        let energy = Storage(tables.values)
        let reader = EnergyReader(values: energy.pointer, isAnisotropic: s.anisotropy > 0)
        let scattering = Scattering(s, view: Vector3((1 - c.cosine * c.cosine).squareRoot(), 0, c.cosine), energy: reader)
        var (even, side) = (SIMD3<Double>(repeating: 0), SIMD3<Double>(repeating: 0))
        let samples = 1 << 15
        for index in 0..<samples {
            let u = Self.numbers(index)
            guard let l = scattering.sample(u.x, Vector2(u.y, u.z)) else { continue }
            let value = scattering.evaluate(l)
            guard value.density > 0 else { continue }
            let light = SIMD3<Double>(value.weight * (1 / value.density))
            let across = Double(max(-l.x, 0))
            even += light
            side += light * (across * across)
        }
        let found = (0..<3).map { Float(even[$0]) / Float(samples) } + (0..<3).map { Float(side[$0]) / Float(samples) }
        for (index, pair) in zip(found, c.exact).enumerated() {
            #expect(abs(pair.0 - pair.1) < Self.tolerance(c), "number \(index): \(pair.0), exact \(pair.1)")
        }
    }

    /// Materials of `scripts/quality/lobe_rows.py`.
    private static func prepare(_ s: inout SurfacePoint, _ c: Case, _ tables: inout EnergyTables) {
        s.baseColor = Vector3(0.5, 0.05, 0.08)
        switch c.lobe {
        case "dielectric": s.roughness = c.value
        case "clearcoat": (s.roughness, s.coat, s.coatRoughness) = (0.8, 1, c.value)
        case "specular", "ior":
            (s.baseColor, s.roughness) = (Vector3(0.1, 0.15, 0.3), 0.2)
            if c.lobe == "ior" { s.ior = c.value } else { s.f90 = c.value }
            s.straightOn = Dielectric.straightOn(s.ior)
            s.f0 = Vector3(repeating: s.straightOn * s.f90)
        case "sheen":
            (s.baseColor, s.roughness) = (Vector3(0.1, 0.03, 0.12), 0.9)
            (s.sheenColor, s.sheenRoughness) = (Vector3(0.9, 0.8, 0.6), c.value)
        case "film on glass":
            (s.baseColor, s.roughness) = (Vector3(repeating: 0.02), 0.1)
            (s.film, s.filmIOR, s.filmThickness) = (1, 1.8, c.value)
        case "film on metal":
            (s.baseColor, s.roughness, s.metalness) = (Vector3(0.6, 0.55, 0.5), 0.2, 1)
            (s.film, s.filmIOR, s.filmThickness) = (1, 1.4, c.value)
        default:
            (s.baseColor, s.roughness, s.metalness) = (Vector3(0.9, 0.6, 0.25), c.value, 1)
            if c.lobe != "metal" { s.anisotropy = c.lobe == "anisotropy 1" ? 1 : 0.5 }
        }
        s.facets =
            s.anisotropy > 0
            ? AnisotropicEnergy.facets(roughness: s.roughness, strength: s.anisotropy) : Microfacets(roughness: s.roughness)
        s.dielectricTable = tables.dielectric(index: s.ior)
    }

    /// Evenly distributed in three dimensions: multiples of the powers of the root of x⁴ = x + 1 (Roberts 2018).
    private static func numbers(_ index: Int) -> Vector3 {
        let root = 1.220_744_084_605_76
        func number(_ step: Double) -> Float {
            let value = 0.5 + Double(index) * step
            return min(Float(value - value.rounded(.down)), 1 - .ulpOfOne / 2)
        }
        return Vector3(number(1 / root), number(1 / (root * root)), number(1 / (root * root * root)))
    }
}
