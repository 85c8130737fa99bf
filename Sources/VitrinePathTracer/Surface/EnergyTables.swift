import VitrineMath

/// Directional albedos of the lobes by integration, on a grid of the root of the cosine and of the perceptual roughness.
///
/// The real-time renderer's `directionalAlbedo` is a polynomial fitted to the same integrals.
struct EnergyTables {
    static let size = 32
    private static let samples = 256

    /// `size`² values, row by row of roughness, then the cosine-weighted mean of each row.
    static let stride = size * size + size

    /// White microfacets; Schlick's curve over them; the sheen.
    static let white = 0
    static let schlick = 1
    static let sheen = 2

    private(set) var values: [Float]
    private var dielectrics: [Float: Int32] = [:]
    private var glasses: [Float: Int32] = [:]

    /// Of the index 1.5, always there: coats have it.
    static let usual = 3

    init() {
        values = Self.common
        dielectrics[1.5] = Int32(Self.usual)
    }

    /// The table of `Dielectric.progress` for an index of refraction.
    mutating func dielectric(index: Float) -> Int32 {
        if let known = dielectrics[index] { return known }
        let straightOn = Dielectric.straightOn(index)
        let table = append { Self.microfacetRow($0, $1) { c in Dielectric.progress(c, index, straightOn: straightOn) } }
        dielectrics[index] = table
        return table
    }

    /// The table of all light that a rough boundary reflects and lets through after one bounce.
    mutating func glass(ratio: Float) -> Int32 {
        if let known = glasses[ratio] { return known }
        let table = append { Self.glassAlbedo($0, $1, ratio) }
        glasses[ratio] = table
        return table
    }

    private mutating func append(_ albedo: (Float, Float) -> Float) -> Int32 {
        let index = Int32(values.count / Self.stride)
        values += Self.table(albedo)
        return index
    }

    // MARK: Integrals

    private static let common: [Float] =
        table { microfacetRow($0, $1) { _ in 1 } } + table { microfacetRow($0, $1) { pow5(1 - $0) } } + table(sheenAlbedo)
        + table { microfacetRow($0, $1) { Dielectric.progress($0, 1.5, straightOn: 0.04) } }

    private static func table(_ albedo: (Float, Float) -> Float) -> [Float] {
        var result: [Float] = []
        var means: [Float] = []
        for row in 0..<size {
            let roughness = Float(row) / Float(size - 1)
            var values: [Float] = []
            for column in 0..<size {
                let root = Float(column) / Float(size - 1)
                values.append(albedo(max(root * root, 1e-4), roughness))
            }
            // The mean of a piecewise linear function of the cosine's root r: ∫ f(r²) 2 c dc = ∫ f 4 r³ dr.
            var mean: Float = 0
            for column in 0..<size - 1 {
                let (a, b) = (Float(column) / Float(size - 1), Float(column + 1) / Float(size - 1))
                let (a4, b4) = (a * a * a * a, b * b * b * b)
                let whole = b4 - a4
                let weighted = (4.0 / 5) * (b4 * b - a4 * a)
                let share = (weighted - a * whole) / (b - a)
                mean += values[column] * (whole - share) + values[column + 1] * share
            }
            result += values
            means.append(mean)
        }
        return result + means
    }

    private static func point(_ index: Int) -> Vector2 {
        Vector2(
            (Float(index) + 0.5) / Float(samples),
            SampleSequence.unitFloat(SampleSequence.reversed(UInt32(index))) + 0.5 / Float(samples))
    }

    /// The mean of a function of the microfacets' cosine, over those that are seen and not shadowed.
    private static func microfacetRow(_ cosine: Float, _ roughness: Float, _ share: (Float) -> Float) -> Float {
        let facets = Microfacets(roughness: roughness)
        let v = Vector3(max(1 - cosine * cosine, 0).squareRoot(), 0, cosine)
        let seen = 1 + facets.smith(v)
        var sum: Float = 0
        for index in 0..<samples {
            let m = facets.sample(v, point(index))
            let c = dot(v, m)
            let l = m * (2 * c) - v
            if l.z > 0 { sum += share(saturate(c)) * seen / (seen + facets.smith(l)) }
        }
        return sum / Float(samples)
    }

    private static func glassAlbedo(_ cosine: Float, _ roughness: Float, _ ratio: Float) -> Float {
        let facets = Microfacets(roughness: roughness)
        let v = Vector3(max(1 - cosine * cosine, 0).squareRoot(), 0, cosine)
        let seen = 1 + facets.smith(v)
        var sum: Float = 0
        for index in 0..<samples {
            let m = facets.sample(v, point(index))
            let c = saturate(dot(v, m))
            let reflected = Dielectric.fresnel(c, ratio)
            let l = m * (2 * c) - v
            if l.z > 0 { sum += reflected * seen / (seen + facets.smith(l)) }
            if reflected < 1, let t = refracted(v, m, ratio), t.z < 0 { sum += (1 - reflected) / (1 + facets.smith(t)) }
        }
        return max(sum / Float(samples), 1e-3)
    }

    private static func sheenAlbedo(_ cosine: Float, _ roughness: Float) -> Float {
        let roughness = max(roughness, SheenLobe.leastRoughness)
        let v = Vector3(max(1 - cosine * cosine, 0).squareRoot(), 0, cosine)
        var sum: Float = 0
        for index in 0..<samples * 2 {
            let u = Vector2((Float(index) + 0.5) / Float(samples * 2), SampleSequence.unitFloat(SampleSequence.reversed(UInt32(index))))
            let z = u.x
            let (r, angle) = (max(1 - z * z, 0).squareRoot(), 2 * Float.pi * u.y)
            let l = Vector3(r * cos(angle), r * sin(angle), z)
            sum += SheenLobe.value(nh: saturate(unit(v + l).z), nv: cosine, nl: z, roughness: roughness) * z
        }
        return sum * 2 * .pi / Float(samples * 2)
    }
}

/// The direction behind a boundary of the light that a facet `m` refracts towards `v`; nil: total reflection.
///
/// - Parameter ratio: Index behind the boundary over index before it.
@inline(__always) func refracted(_ v: Vector3, _ m: Vector3, _ ratio: Float) -> Vector3? {
    let c = dot(v, m)
    let squared = 1 - (1 - c * c) / (ratio * ratio)
    guard squared > 0 else { return nil }
    return m * (c / ratio - squared.squareRoot()) - v * (1 / ratio)
}

/// Reads `EnergyTables`.
struct EnergyReader: BitwiseCopyable {
    let values: UnsafePointer<Float>
    /// `AnisotropicEnergy.table`; only read for anisotropic surfaces.
    let anisotropic: UnsafePointer<Float>

    /// - Parameter isAnisotropic: Whether any surface is.
    init(values: UnsafePointer<Float>, isAnisotropic: Bool = false) {
        self.values = values
        anisotropic = isAnisotropic ? AnisotropicEnergy.table.pointer : values
    }

    @inline(__always) func albedo(_ table: Int, _ cosine: Float, _ roughness: Float) -> Float {
        let size = EnergyTables.size
        let base = values + table * EnergyTables.stride
        let x = saturate(cosine).squareRoot() * Float(size - 1)
        let y = saturate(roughness) * Float(size - 1)
        let (i, j) = (min(Int(x), size - 2), min(Int(y), size - 2))
        let (fx, fy) = (x - Float(i), y - Float(j))
        let row = base + j * size + i
        return (row[0] * (1 - fx) + row[1] * fx) * (1 - fy) + (row[size] * (1 - fx) + row[size + 1] * fx) * fy
    }

    /// The mean over all directions, weighted by the cosine.
    @inline(__always) func mean(_ table: Int, _ roughness: Float) -> Float {
        let size = EnergyTables.size
        let base = values + table * EnergyTables.stride + size * size
        let y = saturate(roughness) * Float(size - 1)
        let j = min(Int(y), size - 2)
        return base[j] + (base[j + 1] - base[j]) * (y - Float(j))
    }
}
