import VitrineGeometry

/// An estimate of the surface's roughness, by vertex, 0…1.
///
/// A rough surface has the same brightness in all photos; on a smooth surface some photos have a highlight. The measure is the excess of the
/// brightest photo of a triangle over their median, in linear light: no excess gives 0.9, twice the median 0.45. The light is not known,
/// so that this only separates shiny parts from matte parts.
enum RoughnessEstimate {
    private static let smoothings = 12

    static func vertices(_ surface: SurfaceTopology, _ candidates: ViewCandidates) -> [Float] {
        var known = [Vector4](repeating: .zero, count: surface.positions.count)
        for (number, t) in surface.triangles.enumerated() where candidates.counts[number] >= 4 {
            let table = TransferFunction.linearFromByte
            let lights = candidates.range(number).map { slot -> Float in
                let c = candidates.entries[slot].color
                return 0.2126 * table[Int(c.x)] + 0.7152 * table[Int(c.y)] + 0.0722 * table[Int(c.z)]
            }.sorted()
            let median = lights[lights.count / 2]
            let excess = (lights[lights.count - 1] - median) / max(0.02, median)
            let roughness = max(0.3, 0.9 - 0.45 * min(1.4, max(0, excess - 0.15)))
            for k in 0..<3 { known[Int(t[k])] += Vector4(roughness, 0, 0, 1) * surface.areas[number] }
        }
        guard known.contains(where: { $0.w > 0 }) else { return Array(repeating: 0.8, count: known.count) }
        var values = SurfaceFill.fill(surface, known).map { $0.x }
        for _ in 0..<smoothings {
            var (sums, weights) = (values, [Float](repeating: 1, count: values.count))
            for t in surface.triangles {
                let sum = values[Int(t.x)] + values[Int(t.y)] + values[Int(t.z)]
                for k in 0..<3 {
                    sums[Int(t[k])] += sum - values[Int(t[k])]
                    weights[Int(t[k])] += 2
                }
            }
            values = zip(sums, weights).map { $0 / $1 }
        }
        return values
    }
}
