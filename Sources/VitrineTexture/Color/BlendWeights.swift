import VitrineMath

/// The weight of each photo at each vertex. Weights belong to the surface, not to the texture, so that charts meet without a seam.
///
/// Two sets for two bands (Burt and Adelson 1983): detail comes mostly from the photo selected for the surrounding triangles, so that little is
/// blurred by averaging; the low frequencies are the mean of all good photos, so that no photo's border is visible.
struct BlendWeights: Sendable {
    /// The weight for detail of an equally good photo that agrees with the selected one: the image noise averages out.
    private static let company: Float = 0.5
    /// A photo paints a triangle if the sum of its two weights exceeds this at one of the corners.
    static let least: Float = 1e-4

    let surface: SurfaceTopology
    let candidates: ViewCandidates
    /// The slot of each triangle's candidate, or −1.
    let labels: [Int32]
    private let vertexAreas: [Float]
    /// A visible triangle of a view, and its two weights times its area.
    private struct Entry {
        var triangle: Int32
        var weight: Vector2
    }
    /// The start of each view's entries; those of view v are `entries[offsets[v]..<offsets[v + 1]]`.
    private let offsets: [Int]
    private let entries: [Entry]

    init(_ surface: SurfaceTopology, _ candidates: ViewCandidates, labels: [Int32], sharpness: [Float]) {
        (self.surface, self.candidates, self.labels) = (surface, candidates, labels)
        var areas = [Float](repeating: 0, count: surface.positions.count)
        for (number, t) in surface.triangles.enumerated() { for k in 0..<3 { areas[Int(t[k])] += surface.areas[number] } }
        vertexAreas = areas
        var offsets = [Int](repeating: 0, count: sharpness.count + 1)
        for triangle in labels.indices { for slot in candidates.range(triangle) { offsets[Int(candidates.entries[slot].view) + 1] += 1 } }
        for view in sharpness.indices { offsets[view + 1] += offsets[view] }
        var next = offsets
        var entries = [Entry](repeating: Entry(triangle: 0, weight: .zero), count: offsets[sharpness.count])
        for triangle in labels.indices {
            let range = candidates.range(triangle)
            var best: Float = 1e-12
            for slot in range { best = max(best, candidates.entries[slot].quality * sharpness[Int(candidates.entries[slot].view)]) }
            for slot in range {
                let candidate = candidates.entries[slot]
                let quality = candidate.quality * sharpness[Int(candidate.view)] / best
                let share = candidate.agrees ? quality * quality : 0
                let weight = Vector2(labels[triangle] == Int32(slot) ? 1 : share * Self.company, share)
                entries[next[Int(candidate.view)]] = Entry(triangle: Int32(triangle), weight: weight * surface.areas[triangle])
                next[Int(candidate.view)] += 1
            }
        }
        (self.offsets, self.entries) = (offsets, entries)
    }

    /// Returns the weights of each vertex: x for detail, y for the wide band.
    func weights(of view: Int) -> [Vector2] {
        var sums = [Vector2](repeating: .zero, count: surface.positions.count)
        for index in offsets[view]..<offsets[view + 1] {
            let entry = entries[index]
            let t = surface.triangles[Int(entry.triangle)]
            sums[Int(t.x)] += entry.weight
            sums[Int(t.y)] += entry.weight
            sums[Int(t.z)] += entry.weight
        }
        for v in sums.indices where vertexAreas[v] > 0 { sums[v] /= vertexAreas[v] }
        return sums
    }

    /// A colour for each vertex, sRGB-encoded 0…255: the photos' mean, or, if no photo observes it, an interpolation of its neighbours.
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
