import VitrineMath
import VitrineVision

/// The light of the photos on a diffuse surface, estimated from the surface's colours: the divisor of the base colour.
///
/// Irradiance as a function of the normal, in spherical harmonics of order 2 (Ramamoorthi and Hanrahan 2001), times a power of the visible
/// fraction of the sky. It is fitted to ratios of luminance, in which the albedo cancels: of nearby parts of the surface with
/// different normals (a smooth albedo; edges of the texture are outliers, as in Land's Retinex), and, where the object turns
/// on a turntable, of the same part in several photos. The mean brightness is kept: no photo determines the absolute albedo.
package struct ShadingEstimate: Sendable, Equatable {
    /// The frame in which the light is at rest.
    package enum Frame: Int, Sendable {
        /// The camera walked around the object.
        case world = 0
        /// The object turned about the vertical axis before the camera: +Z is the horizontal part of the camera's direction, +Y is up.
        case turntable = 1
    }

    package var frame: Frame
    /// The coefficients of the eight functions of `basis` without the constant 1.
    package var coefficients: SIMD8<Float>
    /// The power of the visible fraction of the sky, 0…1.
    package var occlusionPower: Float
    /// The share of the variation of luminance between nearby parts that the light explains, 0…1.
    package var explainedShare: Float
    /// The factor between the brightest and the darkest twentieth of the surface's light.
    package var contrast: Float = 1

    package init(frame: Frame, coefficients: SIMD8<Float>, occlusionPower: Float, explainedShare: Float) {
        (self.frame, self.coefficients) = (frame, coefficients)
        (self.occlusionPower, self.explainedShare) = (occlusionPower, explainedShare)
    }

    /// The light is divided out within these bounds around its mean.
    package static let bounds: ClosedRange<Float> = 1 / 3...3
    /// A light that explains less than this is not divided out.
    static let minimumShare: Float = 0.05
    /// The least light, relative to the mean over all directions.
    private static let floor: Float = 0.1

    /// Orders 1 and 2 of the real spherical harmonics, without their factors.
    @inline(__always) static func basis(_ n: Vector3) -> SIMD8<Float> {
        SIMD8(n.x, n.y, n.z, n.x * n.y, n.y * n.z, n.z * n.x, (3 * n.y * n.y - 1) / 2, (n.z * n.z - n.x * n.x) / 2)
    }

    /// The rotation from the world to the light's frame on a turntable, for a camera's direction in the world.
    static func turn(_ direction: Vector3) -> Matrix3 {
        let flat = Vector3(direction.x, 0, direction.z)
        let ahead = length(flat) > 1e-3 ? normalize(flat) : Vector3(0, 0, 1)
        let side = cross(.up, ahead)
        return Matrix3(side, .up, ahead).transpose
    }

    /// The light on a surface with this normal, in the light's frame, relative to the mean over all directions.
    func light(_ normal: Vector3, visibility: Float) -> Float {
        max(Self.floor, 1 + (coefficients * Self.basis(normal)).sum()) * pow(max(0.05, visibility), occlusionPower)
    }
}

/// Fits a `ShadingEstimate` to the triangles' colours in the photos.
struct ShadingFit {
    let surface: SurfaceTopology
    let candidates: ViewCandidates
    /// The normal of each triangle, averaged from its vertices, which is less noisy than the triangle's own.
    private let normals: [Vector3]
    /// The visible fraction of the sky of each triangle.
    private let visibility: [Float]
    /// The rotation from the world to the light's frame on a turntable, for each view.
    private let turns: [Matrix3]

    private static let maximumTriangles = 12_000
    private static let partners = 6
    private static let rounds = 15

    /// Prepares the fit of the photos' light.
    ///
    /// - Parameters:
    ///   - normals: The normals of the vertices.
    ///   - visibility: The visible fraction of the sky at the vertices.
    ///   - directions: The direction of each view's camera in the world.
    init(_ surface: SurfaceTopology, _ candidates: ViewCandidates, normals: [Vector3], visibility: [Float], directions: [Vector3]) {
        (self.surface, self.candidates, turns) = (surface, candidates, directions.map { ShadingEstimate.turn($0) })
        self.normals = surface.triangles.map { normalize(normals[Int($0.x)] + normals[Int($0.y)] + normals[Int($0.z)]) }
        self.visibility = surface.triangles.map { (visibility[Int($0.x)] + visibility[Int($0.y)] + visibility[Int($0.z)]) / 3 }
    }

    /// Two observations whose albedo is the same, or likely so.
    private struct Pair {
        var first, second: SIMD8<Float>
        /// The logarithm of the ratio of luminance, and of visibility.
        var luminance, visibility: Float
        var weight: Float
    }

    /// nil if the light explains too little.
    func estimate() -> ShadingEstimate? {
        let samples = sampledTriangles()
        guard samples.count >= 50 else { return nil }
        // Differences of a part's colour between photos come from noise and reflections if the light is at rest in the world.
        let sameParts = samePartPairs(samples)
        if sameParts.count >= 200, let fit = fit(sameParts + nearbyPairs(samples, onTurntable: true), power: 0, .turntable) {
            if cost(sameParts, fit) < 0.6 * cost(sameParts, nil) { return bestPower(samples, .turntable) }
        }
        return bestPower(samples, .world)
    }

    /// The occlusion is one of the unknowns: its power is tried, as the best fits decide.
    private func bestPower(_ samples: [Int], _ frame: ShadingEstimate.Frame) -> ShadingEstimate? {
        let nearby = nearbyPairs(samples, onTurntable: frame == .turntable)
        let pairs = frame == .turntable ? samePartPairs(samples) + nearby : nearby
        let none = cost(pairs, nil)
        var best: (estimate: ShadingEstimate, cost: Float)?
        for power in [Float(0), 0.5, 1] {
            guard var estimate = fit(pairs, power: power, frame) else { continue }
            let cost = cost(pairs, estimate)
            estimate.explainedShare = none > 0 ? max(0, 1 - cost / none) : 0
            // A small gain may be the albedo of hollows.
            if best.map({ cost < 0.98 * $0.cost }) ?? true { best = (estimate, cost) }
        }
        return best.flatMap { $0.estimate.explainedShare >= ShadingEstimate.minimumShare ? $0.estimate : nil }
    }

    // MARK: Observations

    private func luminance(_ slot: Int) -> Float? {
        let (c, table) = (candidates.entries[slot].color, TransferFunction.linearFromByte)
        // Black and clipped colours carry no information.
        guard min(c.x, min(c.y, c.z)) >= 4, max(c.x, max(c.y, c.z)) <= 250 else { return nil }
        return 0.2126 * table[Int(c.x)] + 0.7152 * table[Int(c.y)] + 0.0722 * table[Int(c.z)]
    }

    /// The median over the photos: without their highlights.
    private func luminance(triangle: Int) -> Float? {
        let values = candidates.range(triangle).filter { candidates.entries[$0].agrees }.compactMap { luminance($0) }
        return values.isEmpty ? nil : median(values)
    }

    private func sampledTriangles() -> [Int] {
        let seen = candidates.counts.indices.filter { candidates.counts[$0] > 0 && surface.areas[$0] > 0 && luminance(triangle: $0) != nil }
        let stride = max(1, seen.count / Self.maximumTriangles)
        return Swift.stride(from: 0, to: seen.count, by: stride).map { seen[$0] }
    }

    private func pair(
        _ a: (normal: Vector3, luminance: Float), _ b: (normal: Vector3, luminance: Float), visibility: Float, _ weight: Float
    )
        -> Pair
    {
        Pair(
            first: ShadingEstimate.basis(a.normal), second: ShadingEstimate.basis(b.normal), luminance: log(a.luminance / b.luminance),
            visibility: visibility, weight: weight)
    }

    /// The same triangle in two photos, normals in the light's frame.
    private func samePartPairs(_ samples: [Int]) -> [Pair] {
        var pairs: [Pair] = []
        for triangle in samples {
            let slots = candidates.range(triangle).filter { luminance($0) != nil }
            for (index, slot) in slots.enumerated() {
                let other = slots[(index + slots.count / 2) % slots.count]
                guard other > slot else { continue }
                let (a, b) = (observation(triangle, slot), observation(triangle, other))
                pairs.append(pair(a, b, visibility: 0, 1))
            }
        }
        return pairs
    }

    private func observation(_ triangle: Int, _ slot: Int) -> (normal: Vector3, luminance: Float) {
        (turns[Int(candidates.entries[slot].view)] * normals[triangle], luminance(slot) ?? 1)
    }

    /// Different triangles near each other, at three distances: the nearer, the likelier is the same albedo.
    private func nearbyPairs(_ samples: [Int], onTurntable: Bool) -> [Pair] {
        var pairs: [Pair] = []
        let light = samples.map { luminance(triangle: $0) ?? 1 }
        let best = samples.map { triangle in
            candidates.range(triangle).filter { luminance($0) != nil }.max {
                candidates.entries[$0].quality < candidates.entries[$1].quality
            }
        }
        let middles = samples.map { triangle in
            let t = surface.triangles[triangle]
            return (surface.positions[Int(t.x)] + surface.positions[Int(t.y)] + surface.positions[Int(t.z)]) / 3
        }
        for (size, weight) in [(Float(0.04), Float(1)), (0.12, 0.5), (0.5, 0.15)] {
            let side = size * surface.diameter
            var members: [SIMD3<Int32>: [Int]] = [:]
            for index in samples.indices {
                let cell = (middles[index] / side).rounded(.down)
                members[SIMD3<Int32>(Int32(cell.x), Int32(cell.y), Int32(cell.z)), default: []].append(index)
            }
            for index in samples.indices {
                let cell = (middles[index] / side).rounded(.down)
                let near = members[SIMD3<Int32>(Int32(cell.x), Int32(cell.y), Int32(cell.z))] ?? []
                guard near.count > 1 else { continue }
                for step in 1...Self.partners {
                    let other = near[(index &* 7919 &+ step &* 104_729) % near.count]
                    guard other != index else { continue }
                    let (a, b) = (samples[index], samples[other])
                    let shade = log(max(0.05, visibility[a]) / max(0.05, visibility[b]))
                    if !onTurntable {
                        pairs.append(pair((normals[a], light[index]), (normals[b], light[other]), visibility: shade, weight))
                    } else if let first = best[index], let second = best[other] {
                        pairs.append(pair(observation(a, first), observation(b, second), visibility: shade, 0.3 * weight))
                    }
                }
            }
        }
        return pairs
    }

    // MARK: Fit

    /// Gauss–Newton on logarithms of ratios, with Cauchy's loss at the residuals' own scale.
    private func fit(_ pairs: [Pair], power: Float, _ frame: ShadingEstimate.Frame) -> ShadingEstimate? {
        var x = SIMD8<Double>.zero
        let total = pairs.reduce(0.0) { $0 + Double($1.weight) }
        for _ in 0..<Self.rounds {
            let current = SIMD8<Float>(x)
            let residuals = pairs.map { residual($0, current, power) }
            let scale = max(0.03, 1.48 * median(residuals.map(abs)))
            var system = SmallSymmetricSystem(count: 8)
            for (pair, residual) in zip(pairs, residuals) {
                let (a, b) = (Self.light(pair.first, current), Self.light(pair.second, current))
                let jacobian = pair.second / b - pair.first / a
                let ratio = residual / scale
                system.add(SIMD8<Double>(jacobian), Double(residual), weight: Double(pair.weight / (1 + ratio * ratio)))
            }
            // A weak prior of uniform light.
            for index in 0..<8 {
                var unit = SIMD8<Double>.zero
                unit[index] = 1
                system.add(unit, x[index], weight: (index < 3 ? 1e-3 : 4e-3) * total)
            }
            guard let step = system.solve() else { return nil }
            let length = (step * step).sum().squareRoot()
            x += step * min(1, 0.5 / max(length, 1e-12))
            if length < 1e-5 { break }
        }
        return ShadingEstimate(frame: frame, coefficients: SIMD8<Float>(x), occlusionPower: power, explainedShare: 0)
    }

    private static func light(_ basis: SIMD8<Float>, _ coefficients: SIMD8<Float>) -> Float { max(0.1, 1 + (basis * coefficients).sum()) }

    private func residual(_ pair: Pair, _ coefficients: SIMD8<Float>, _ power: Float) -> Float {
        pair.luminance - log(Self.light(pair.first, coefficients) / Self.light(pair.second, coefficients)) - power * pair.visibility
    }

    /// The mean robust residual, by one scale for all lights.
    private func cost(_ pairs: [Pair], _ estimate: ShadingEstimate?) -> Float {
        var (sum, total) = (Float(0), Float(1e-12))
        for pair in pairs {
            let residual = residual(pair, estimate?.coefficients ?? .zero, estimate?.occlusionPower ?? 0)
            sum += pair.weight * log(1 + residual * residual / 0.04)
            total += pair.weight
        }
        return sum / total
    }
}

extension ShadingEstimate {
    /// The light in the texture at each vertex, around a mean of 1, within `bounds`. Vertices that no photo observes get that of their
    /// surroundings, as their colours.
    ///
    /// Stores the contrast in `self`.
    mutating func vertexLight(
        _ surface: SurfaceTopology, normals: [Vector3], visibility: [Float], weights: BlendWeights, views: [Int], directions: [Vector3]
    ) -> [Float] {
        var known = [Vector4](repeating: .zero, count: surface.positions.count)
        for view in views {
            let turn = Self.turn(directions[view])
            for (vertex, weight) in weights.weights(of: view).enumerated() where weight.y > 0 {
                let normal = frame == .turntable ? turn * normals[vertex] : normals[vertex]
                known[vertex] += Vector4(log(light(normal, visibility: visibility[vertex])), 0, 0, 1) * weight.y
            }
        }
        let logs = SurfaceFill.fill(surface, known).map(\.x)
        var (sum, total) = (Float(0), Float(1e-30))
        for (number, t) in surface.triangles.enumerated() {
            for k in 0..<3 where known[Int(t[k])].w > 0 {
                sum += logs[Int(t[k])] * surface.areas[number]
                total += surface.areas[number]
            }
        }
        let light = logs.map { min(Self.bounds.upperBound, max(Self.bounds.lowerBound, exp($0 - sum / total))) }
        let sorted = known.indices.filter { known[$0].w > 0 }.map { light[$0] }.sorted()
        if !sorted.isEmpty { contrast = quantile(sorted: sorted, 0.95) / quantile(sorted: sorted, 0.05) }
        return light
    }
}
