import VitrineMath

/// How much each photo counts at each vertex. Weights belong to the surface, not to the texture, so that charts meet without a seam.
///
/// Two sets, for two bands (Burt and Adelson 1983): detail comes from the photo chosen for the triangles around, so that nothing is
/// blurred by averaging; the colour of the surroundings is the mean of all good photos, so that no photo's border shows.
struct BlendWeights: Sendable {
    let surface: SurfaceTopology
    let candidates: ViewCandidates
    /// By triangle: the slot of its candidate, or −1.
    let labels: [Int32]
    private let vertexAreas: [Float]
    private let sharpness: [Float]

    init(_ surface: SurfaceTopology, _ candidates: ViewCandidates, labels: [Int32], sharpness: [Float]) {
        (self.surface, self.candidates, self.labels, self.sharpness) = (surface, candidates, labels, sharpness)
        var areas = [Float](repeating: 0, count: surface.positions.count)
        for (number, t) in surface.triangles.enumerated() { for k in 0..<3 { areas[Int(t[k])] += surface.areas[number] } }
        vertexAreas = areas
    }

    /// By vertex: x the weight for detail, y for the wide band.
    func weights(of view: Int) -> [Vector2] {
        var sums = [Vector2](repeating: .zero, count: surface.positions.count)
        for (number, t) in surface.triangles.enumerated() {
            let range = candidates.range(number)
            guard let slot = range.first(where: { candidates.entries[$0].view == UInt16(view) }) else { continue }
            let area = surface.areas[number]
            var weight = Vector2.zero
            if labels[number] == Int32(slot) { weight.x = area }
            if candidates.entries[slot].agrees {
                var best: Float = 0
                for other in range {
                    best = max(best, candidates.entries[other].quality * sharpness[Int(candidates.entries[other].view)])
                }
                let quality = candidates.entries[slot].quality * sharpness[view] / best
                weight.y = area * quality * quality
            }
            for k in 0..<3 { sums[Int(t[k])] += weight }
        }
        for v in sums.indices where vertexAreas[v] > 0 { sums[v] /= vertexAreas[v] }
        return sums
    }

    /// A colour for every vertex, sRGB-encoded 0…255: the photos' mean, and where none sees it, what its surroundings ask for.
    func fillColors() -> [Vector3] {
        var sums = [Vector4](repeating: .zero, count: surface.positions.count)
        for (number, t) in surface.triangles.enumerated() {
            for slot in candidates.range(number) where candidates.entries[slot].agrees {
                let (c, q) = (candidates.entries[slot].color, candidates.entries[slot].quality)
                for k in 0..<3 { sums[Int(t[k])] += Vector4(Float(c.x), Float(c.y), Float(c.z), 1) * q }
            }
        }
        return SurfaceFill.fill(surface, sums)
    }
}
