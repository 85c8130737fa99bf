import Testing
import VitrineMath

@testable import VitrinePathTracer

/// Each lobe against integrals of it.
struct ScatteringTests {
    /// The tables of all materials, which are computed once because they take long.
    private static let tables: EnergyTables = {
        var tables = EnergyTables()
        tables.prepareSheen()
        for ratio: Float in [1.5, 1 / 1.5, 2.4, 1 / 1.1] { _ = tables.glass(ratio: ratio) }
        for index: Float in [2.4, 1.1] { _ = tables.dielectric(index: index) }
        return tables
    }()

    /// A surface whose normal is +Z.
    private static func surface(_ change: (inout SurfacePoint, inout EnergyTables) -> Void = { _, _ in }) -> (SurfacePoint, Storage<Float>)
    {
        var tables = tables
        var s = SurfacePoint(
            position: Vector3(0, 0, 0), geometricNormal: Vector3(0, 0, 1), tangent: Vector3(1, 0, 0), bitangent: Vector3(0, 1, 0),
            normal: Vector3(0, 0, 1), coatNormal: Vector3(0, 0, 1), isFront: true)
        s.dielectricTable = tables.dielectric(index: 1.5)
        change(&s, &tables)
        s.facets = s.facets.x == 0.25 ? Microfacets(roughness: s.roughness) : s.facets
        return (s, Storage(tables.values))
    }

    private static func view(_ cosine: Float) -> Vector3 { Vector3((1 - cosine * cosine).squareRoot(), 0, cosine) }

    /// Light from everywhere that leaves towards the viewer, by the surface's own sampling.
    private static func albedo(_ s: SurfacePoint, _ energy: Storage<Float>, _ cosine: Float, samples: Int = 1 << 17) -> Vector3 {
        let scattering = Scattering(s, view: view(cosine), energy: EnergyReader(values: energy.pointer, isAnisotropic: true))
        var sum = SIMD3<Double>(repeating: 0)
        for index in 0..<samples {
            guard let l = scattering.sample(number(index, 0), Vector2(number(index, 1), number(index, 2))) else { continue }
            let value = scattering.evaluate(l)
            guard value.density > 0 else { continue }
            sum += SIMD3<Double>(value.weight * (1 / value.density))
        }
        return Vector3(sum / Double(samples))
    }

    /// Evenly distributed in three dimensions: multiples of the powers of the root of x⁴ = x + 1 (Roberts 2018).
    private static func number(_ index: Int, _ dimension: Int) -> Float {
        let root = 1.220_744_084_605_76
        let step = [1 / root, 1 / (root * root), 1 / (root * root * root)][dimension]
        let value = 0.5 + Double(index) * step
        return min(Float(value - value.rounded(.down)), 1 - .ulpOfOne / 2)
    }

    static let roughnesses: [Float] = [0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1]
    static let cosines: [Float] = [0.08, 0.15, 0.3, 0.5, 0.74, 0.95]

    @Test(arguments: roughnesses) func whiteDielectricKeepsAllLight(roughness: Float) {
        let (s, energy) = Self.surface { s, _ in s.roughness = roughness }
        for cosine in Self.cosines {
            let albedo = Self.albedo(s, energy, cosine)
            #expect(abs(albedo.x - 1) < 0.002, "\(roughness) \(cosine): \(albedo.x)")
        }
    }

    @Test(arguments: roughnesses) func whiteMetalKeepsAllLight(roughness: Float) {
        let (s, energy) = Self.surface { s, _ in (s.roughness, s.metalness) = (roughness, 1) }
        for cosine in Self.cosines {
            let albedo = Self.albedo(s, energy, cosine)
            #expect(abs(albedo.x - 1) < 0.002, "\(roughness) \(cosine): \(albedo.x)")
        }
    }

    /// Two lobes and a layer below: the noise of these samples is 0.3 % at grazing angles.
    @Test(arguments: roughnesses) func coatKeepsAllLight(roughness: Float) {
        let (s, energy) = Self.surface { s, _ in (s.roughness, s.coat, s.coatRoughness) = (0.5, 1, roughness) }
        for cosine in Self.cosines {
            let albedo = Self.albedo(s, energy, cosine)
            #expect(abs(albedo.x - 1) < 0.004, "\(roughness) \(cosine): \(albedo.x)")
        }
    }

    @Test(arguments: roughnesses) func glassKeepsAllLight(roughness: Float) {
        for (ior, isFront) in [(Float(1.5), true), (1.5, false), (2.4, true), (1.1, false)] {
            let (s, energy) = Self.surface { s, tables in
                (s.roughness, s.transmission, s.isThin, s.isFront) = (roughness, 1, false, isFront)
                (s.ior, s.straightOn) = (ior, Dielectric.straightOn(ior))
                s.f0 = Vector3(repeating: s.straightOn)
                s.dielectricTable = tables.dielectric(index: ior)
                s.ratio = isFront ? ior : 1 / ior
                s.glassTable = tables.glass(ratio: s.ratio)
            }
            for cosine in Self.cosines {
                let albedo = Self.albedo(s, energy, cosine)
                #expect(abs(albedo.x - 1) < 0.003, "\(ior) \(isFront) \(roughness) \(cosine): \(albedo.x)")
            }
        }
    }

    @Test(arguments: roughnesses) func thinGlassKeepsAllLight(roughness: Float) {
        let (s, energy) = Self.surface { s, _ in (s.roughness, s.transmission) = (roughness, 1) }
        for cosine in Self.cosines {
            let albedo = Self.albedo(s, energy, cosine)
            #expect(abs(albedo.x - 1) < 0.002, "\(roughness) \(cosine): \(albedo.x)")
        }
    }

    @Test(arguments: [Float(0.2), 0.5, 1]) func sheenAndFilmAndAnisotropyAddNoLight(value: Float) {
        let (sheen, sheenEnergy) = Self.surface { s, _ in (s.sheenColor, s.sheenRoughness) = (Vector3(repeating: 1), value) }
        let (film, filmEnergy) = Self.surface { s, _ in (s.film, s.filmThickness, s.roughness) = (1, value * 700, value) }
        let (drawn, drawnEnergy) = Self.surface { s, _ in
            (s.metalness, s.roughness) = (1, value)
            s.anisotropy = 0.7
            s.facets = AnisotropicEnergy.facets(roughness: value, strength: 0.7)
        }
        for cosine in Self.cosines {
            #expect(Self.albedo(sheen, sheenEnergy, cosine).x < 1.002)
            #expect(Self.albedo(film, filmEnergy, cosine).max() < 1.05)
            let albedo = Self.albedo(drawn, drawnEnergy, cosine).x
            #expect(abs(albedo - 1) < 0.02, "\(value) \(cosine): \(albedo)")
        }
    }

    /// The density integrates to the share of samples that are directions, and samples are distributed by the density (chi-square).
    @Test func samplingMatchesItsDensity() {
        var kinds: [(String, (inout SurfacePoint, inout EnergyTables) -> Void)] = []
        kinds.append(("plastic", { s, _ in s.roughness = 0.4 }))
        kinds.append(("metal", { s, _ in (s.metalness, s.roughness) = (1, 0.5) }))
        kinds.append(
            (
                "drawn metal",
                { s, _ in
                    (s.metalness, s.roughness) = (1, 0.5)
                    s.facets = Microfacets(0.7, 0.25)
                }
            ))
        kinds.append(
            (
                "coat and sheen",
                { s, _ in
                    (s.coat, s.coatRoughness, s.sheenColor, s.sheenRoughness) = (1, 0.4, Vector3(0.5, 0.5, 0.5), 0.4)
                }
            ))
        kinds.append(("thin glass", { s, _ in (s.transmission, s.roughness) = (0.7, 0.5) }))
        for isFront in [true, false] {
            kinds.append(
                (
                    "glass",
                    { s, tables in
                        (s.transmission, s.roughness, s.isThin, s.isFront) = (1, 0.5, false, isFront)
                        s.ratio = isFront ? 1.5 : 1 / 1.5
                        s.glassTable = tables.glass(ratio: s.ratio)
                    }
                ))
        }
        for (name, change) in kinds {
            let (s, energy) = Self.surface(change)
            let scattering = Scattering(s, view: Self.view(0.7), energy: EnergyReader(values: energy.pointer, isAnisotropic: true))
            let (rows, columns, count) = (20, 10, 40_000)
            var expected = [Double](repeating: 0, count: rows * columns)
            let steps = 24
            for cell in 0..<rows * columns {
                for step in 0..<steps * steps {
                    let z = -1 + 2 * (Float(cell / columns) + (Float(step / steps) + 0.5) / Float(steps)) / Float(rows)
                    let angle = 2 * Float.pi * (Float(cell % columns) + (Float(step % steps) + 0.5) / Float(steps)) / Float(columns)
                    let r = (1 - z * z).squareRoot()
                    expected[cell] += Double(scattering.evaluate(Vector3(r * cos(angle), r * sin(angle), z)).density)
                }
                expected[cell] *= 4 * Double.pi / Double(rows * columns * steps * steps) * Double(count)
            }
            var found = [Double](repeating: 0, count: rows * columns)
            var generator = SplitMix64(seed: 5)
            func number() -> Float { Float(generator.next() >> 40) / 16_777_216 }
            var missed = 0
            for _ in 0..<count {
                guard let l = scattering.sample(number(), Vector2(number(), number())) else {
                    missed += 1
                    continue
                }
                let row = min(Int((l.z + 1) / 2 * Float(rows)), rows - 1)
                let turn = atan2(l.y, l.x) / (2 * .pi)
                found[row * columns + min(Int((turn < 0 ? turn + 1 : turn) * Float(columns)), columns - 1)] += 1
            }
            var (chi, cells) = (0.0, 0.0)
            for (e, f) in zip(expected, found) where e > 8 {
                chi += (f - e) * (f - e) / e
                cells += 1
            }
            // Six standard deviations of a chi-square of that many cells.
            #expect(chi < cells + 6 * (2 * cells).squareRoot(), "\(name): chi-square \(chi) of \(cells) cells")
            #expect(abs(expected.reduce(0, +) + Double(missed) - Double(count)) < 0.01 * Double(count), "\(name)")
        }
    }

    /// Reciprocity of the lobes that reflect without a layer over them.
    @Test func plasticIsReciprocal() {
        let (s, energy) = Self.surface { s, _ in s.roughness = 0.4 }
        let (a, b) = (unit(Vector3(0.6, 0.1, 0.5)), unit(Vector3(-0.3, 0.4, 0.8)))
        let reader = EnergyReader(values: energy.pointer, isAnisotropic: true)
        let forward = Scattering(s, view: a, energy: reader).evaluate(b).weight.x / b.z
        let backward = Scattering(s, view: b, energy: reader).evaluate(a).weight.x / a.z
        #expect(abs(forward / backward - 1) < 0.001)
    }
}
