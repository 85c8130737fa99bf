import Dispatch
import VitrineMath

/// Directional albedos of the lobes by integration, on a grid of the root of the cosine and of the perceptual roughness.
///
/// The real-time renderer's `directionalAlbedo` is a polynomial fitted to the same integrals.
struct EnergyTables {
    static let size = 48
    /// The points of an integral: Fibonacci's lattice, which edges of visibility disturb less than a product of two rules.
    private static let lattice = (count: 1597, generator: 987)
    /// The lattice of glass, whose reflectance has an edge of its own.
    private static let fineLattice = (count: 4181, generator: 2584)

    /// `size`² values, row by row of roughness, then the cosine-weighted mean of each row.
    static let stride = size * size + size

    /// White microfacets; Schlick's curve over them.
    static let white = 0
    static let schlick = 1
    /// Zeros before `prepareSheen()`.
    static let sheen = 3

    private(set) var values: [Float]
    private var hasSheen = false
    private var dielectrics: [Float: Int32] = [:]
    private var glasses: [Float: Int32] = [:]

    /// The table of the index 1.5, always present: coats have it.
    static let usual = 2

    init() {
        values = Self.common + [Float](repeating: 0, count: Self.stride)
        dielectrics[1.5] = Int32(Self.usual)
    }

    /// Integrates the table of the sheen, a third of the time of all that are always there.
    mutating func prepareSheen() {
        guard !hasSheen else { return }
        values.replaceSubrange(Self.sheen * Self.stride..<(Self.sheen + 1) * Self.stride, with: Self.sheenTable)
        hasSheen = true
    }

    /// The table of `Dielectric.progress` for an index of refraction.
    mutating func dielectric(index: Float) -> Int32 {
        if let known = dielectrics[index] { return known }
        let straightOn = Dielectric.straightOn(index)
        let table = append(
            Self.tables(1) { cosine, roughness in
                Self.microfacetAlbedo(cosine, roughness) { c in Vector4(Dielectric.progress(c, index, straightOn: straightOn), 0, 0, 0) }
            })
        dielectrics[index] = table
        return table
    }

    /// The table of all light that a rough boundary reflects and transmits after one bounce.
    mutating func glass(ratio: Float) -> Int32 {
        if let known = glasses[ratio] { return known }
        let table = append(Self.tables(1) { cosine, roughness in Vector4(Self.glassAlbedo(cosine, roughness, ratio), 0, 0, 0) })
        glasses[ratio] = table
        return table
    }

    private mutating func append(_ table: [Float]) -> Int32 {
        let index = Int32(values.count / Self.stride)
        values += table
        return index
    }

    // MARK: Integrals

    private static let common: [Float] = {
        // White, Schlick's curve, the dielectric of index 1.5.
        tables(3) { cosine, roughness in
            microfacetAlbedo(cosine, roughness) { c in Vector4(1, pow5(1 - c), Dielectric.progress(c, 1.5, straightOn: 0.04), 0) }
        }
    }()

    private static let sheenTable = tables(1) { cosine, roughness in Vector4(sheenAlbedo(cosine, roughness), 0, 0, 0) }

    /// Computes up to four tables, one for each component of the albedos.
    private static func tables(_ count: Int, _ albedos: @Sendable (_ cosine: Float, _ roughness: Float) -> Vector4) -> [Float] {
        struct Rows: @unchecked Sendable {
            let base: UnsafeMutablePointer<Vector4>
        }
        let all = [Vector4](unsafeUninitializedCapacity: size * size) { out, written in
            // Each row is written by one thread.
            let rows = Rows(base: out.baseAddress.unsafelyUnwrapped)
            DispatchQueue.concurrentPerform(iterations: size) { row in
                for column in 0..<size {
                    let root = Float(column) / Float(size - 1)
                    (rows.base + row * size + column).initialize(to: albedos(max(root * root, 1e-4), Float(row) / Float(size - 1)))
                }
            }
            written = size * size
        }
        var result: [Float] = []
        for component in 0..<count {
            result += all.map { $0[component] }
            for row in 0..<size { result.append(mean(all[row * size..<(row + 1) * size].map { $0[component] })) }
        }
        return result
    }

    /// The mean of a piecewise linear function of the cosine's root r: ∫ f(r²) 2 c dc = ∫ f 4 r³ dr.
    private static func mean(_ values: [Float]) -> Float {
        var mean: Float = 0
        for column in 0..<size - 1 {
            let (a, b) = (Float(column) / Float(size - 1), Float(column + 1) / Float(size - 1))
            let (a4, b4) = (a * a * a * a, b * b * b * b)
            let whole = b4 - a4
            let weighted = (4.0 / 5) * (b4 * b - a4 * a)
            let share = (weighted - a * whole) / (b - a)
            mean += values[column] * (whole - share) + values[column + 1] * share
        }
        return mean
    }

    /// Microfacets that a viewer sees, evenly by their share of the view; half of them, because both halves of the azimuth are equal.
    @inline(__always) private static func forMicrofacets(
        _ facets: Microfacets, _ v: Vector3, _ lattice: (count: Int, generator: Int), _ body: (Vector3) -> Void
    ) {
        let (count, generator) = lattice
        for index in 0..<count {
            let u = Vector2((Float(index) + 0.5) / Float(2 * count), (Float(index * generator % count) + 0.5) / Float(count))
            body(facets.sample(v, u))
        }
    }

    /// The mean of functions of the microfacets' cosine, over those that are seen and not shadowed.
    @inline(__always) private static func microfacetAlbedo(_ cosine: Float, _ roughness: Float, _ share: (Float) -> Vector4) -> Vector4 {
        let facets = Microfacets(roughness: roughness)
        let v = Vector3(max(1 - cosine * cosine, 0).squareRoot(), 0, cosine)
        let seen = 1 + facets.smith(v)
        var sum = Vector4(repeating: 0)
        forMicrofacets(facets, v, lattice) { m in
            let c = dot(v, m)
            let l = m * (2 * c) - v
            if l.z > 0 { sum += share(saturate(c)) * (seen / (seen + facets.smith(l))) }
        }
        return sum / Float(lattice.count)
    }

    private static func glassAlbedo(_ cosine: Float, _ roughness: Float, _ ratio: Float) -> Float {
        let facets = Microfacets(roughness: roughness)
        let v = Vector3(max(1 - cosine * cosine, 0).squareRoot(), 0, cosine)
        let seen = 1 + facets.smith(v)
        var sum: Float = 0
        forMicrofacets(facets, v, fineLattice) { m in
            let c = saturate(dot(v, m))
            let reflected = Dielectric.fresnel(c, ratio)
            let l = m * (2 * c) - v
            if l.z > 0 { sum += reflected * seen / (seen + facets.smith(l)) }
            if reflected < 1, let t = refracted(v, m, ratio), t.z < 0 { sum += (1 - reflected) / (1 + facets.smith(t)) }
        }
        return max(sum / Float(fineLattice.count), 1e-3)
    }

    private static func sheenAlbedo(_ cosine: Float, _ roughness: Float) -> Float {
        let roughness = max(roughness, SheenLobe.leastRoughness)
        let v = Vector3(max(1 - cosine * cosine, 0).squareRoot(), 0, cosine)
        var sum: Float = 0
        let (count, generator) = lattice
        for index in 0..<count {
            let z = (Float(index * generator % count) + 0.5) / Float(count)
            let (r, angle) = (max(1 - z * z, 0).squareRoot(), Float.pi * (Float(index) + 0.5) / Float(count))
            let l = Vector3(r * cos(angle), r * sin(angle), z)
            sum += SheenLobe.value(nh: saturate(unit(v + l).z), nv: cosine, nl: z, roughness: roughness) * z
        }
        return sum * 2 * .pi / Float(count)
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

/// Reads values of `EnergyTables`, interpolated.
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
