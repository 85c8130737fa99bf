import VitrineMath

/// Selects a photo for each triangle: good photos, in few patches.
///
/// Minimizes Σ area · −ln(quality / best) + λ · Σ length of the edges between different photos, by sequential tree-reweighted message passing
/// (TRW-S, Kolmogorov 2006) over the triangles in their order, whose bound increases with each sweep.
struct PottsLabeling {
    private static let sweeps = 12
    private static let capacity = ViewCandidates.capacity
    /// The additional cost of a photo with which the others disagree.
    private static let disagreement: Float = 6

    private let surface: SurfaceTopology
    private let candidates: ViewCandidates
    private var costs: [Float]
    /// The messages from the neighbour across edge k of triangle t, for each of t's candidates, at (3 t + k) · capacity.
    private var messages: [Float]
    /// The cost of different photos on both sides of the edge 3 t + k.
    private var penalties: [Float]
    /// The index of the edge 3 t + k in the neighbour.
    private var reverse: [Int8]
    private var gammas: [Float]

    /// Returns the slot of each triangle's candidate; −1 without one.
    ///
    /// - Parameters:
    ///   - sharpness: The factor of each view's quality.
    ///   - smoothness: λ, in units of a hundredth of the surface's diameter.
    static func labels(_ surface: SurfaceTopology, _ candidates: ViewCandidates, sharpness: [Float], smoothness: Float = 1) -> [Int32] {
        var labeling = PottsLabeling(surface, candidates, sharpness, smoothness)
        for _ in 0..<sweeps {
            labeling.sweep(forward: true)
            labeling.sweep(forward: false)
        }
        return labeling.decide()
    }

    private init(_ surface: SurfaceTopology, _ candidates: ViewCandidates, _ sharpness: [Float], _ smoothness: Float) {
        (self.surface, self.candidates) = (surface, candidates)
        let unit = surface.diameter / 100
        costs = Array(repeating: 0, count: candidates.entries.count)
        messages = Array(repeating: 0, count: candidates.entries.count * 3)
        penalties = Array(repeating: 0, count: surface.triangleCount * 3)
        reverse = Array(repeating: 0, count: surface.triangleCount * 3)
        gammas = Array(repeating: 1, count: surface.triangleCount)
        for triangle in 0..<surface.triangleCount {
            let range = candidates.range(triangle)
            let qualities = range.map { candidates.entries[$0].quality * sharpness[Int(candidates.entries[$0].view)] }
            let best = qualities.max() ?? 1
            let area = surface.areas[triangle] / (unit * unit)
            for (slot, quality) in zip(range, qualities) {
                let extra = candidates.entries[slot].agrees ? 0 : Self.disagreement
                costs[slot] = area * (min(8, -log(max(1e-6, quality / best))) + extra)
            }
            var (before, after) = (0, 0)
            for k in 0..<3 {
                let neighbor = Int(surface.neighbors[3 * triangle + k])
                guard neighbor >= 0, candidates.counts[neighbor] > 0 else { continue }
                penalties[3 * triangle + k] = smoothness * surface.edgeLength(triangle, k) / unit
                for j in 0..<3 where surface.neighbors[3 * neighbor + j] == Int32(triangle) {
                    // Two triangles may share two edges: uses the one of the opposite direction.
                    if surface.triangles[neighbor][j] == surface.triangles[triangle][(k + 1) % 3] { reverse[3 * triangle + k] = Int8(j) }
                }
                if neighbor < triangle { before += 1 } else { after += 1 }
            }
            gammas[triangle] = 1 / Float(max(1, max(before, after)))
        }
    }

    private mutating func sweep(forward: Bool) {
        let count = surface.triangleCount
        var beliefs = [Float](repeating: 0, count: Self.capacity)
        for step in 0..<count {
            let triangle = forward ? step : count - 1 - step
            let own = candidates.range(triangle)
            guard !own.isEmpty else { continue }
            for (index, slot) in own.enumerated() {
                var sum = costs[slot]
                for k in 0..<3 { sum += messages[(3 * triangle + k) * Self.capacity + index] }
                beliefs[index] = sum
            }
            for k in 0..<3 {
                let penalty = penalties[3 * triangle + k]
                let neighbor = Int(surface.neighbors[3 * triangle + k])
                guard penalty > 0, forward ? neighbor > triangle : neighbor < triangle else { continue }
                send(triangle, k, to: neighbor, penalty, beliefs, own)
            }
        }
    }

    private mutating func send(
        _ triangle: Int, _ k: Int, to neighbor: Int, _ penalty: Float, _ beliefs: [Float], _ own: Range<Int>
    ) {
        let incoming = (3 * triangle + k) * Self.capacity
        let outgoing = (3 * neighbor + Int(reverse[3 * triangle + k])) * Self.capacity
        let gamma = gammas[triangle]
        var least = Float.infinity
        for index in 0..<own.count { least = min(least, gamma * beliefs[index] - messages[incoming + index]) }
        var smallest = Float.infinity
        for (index, slot) in candidates.range(neighbor).enumerated() {
            let view = candidates.entries[slot].view
            var value = least + penalty
            for (mine, ownSlot) in own.enumerated() where candidates.entries[ownSlot].view == view {
                value = min(value, gamma * beliefs[mine] - messages[incoming + mine])
            }
            messages[outgoing + index] = value
            smallest = min(smallest, value)
        }
        for index in 0..<Int(candidates.counts[neighbor]) { messages[outgoing + index] -= smallest }
    }

    /// Decodes the labels in order: the cheapest choice of each triangle given the earlier ones and the messages from the later ones.
    private func decide() -> [Int32] {
        var labels = [Int32](repeating: -1, count: surface.triangleCount)
        for triangle in 0..<surface.triangleCount {
            var best = Float.infinity
            for (index, slot) in candidates.range(triangle).enumerated() {
                var cost = costs[slot]
                for k in 0..<3 {
                    let neighbor = Int(surface.neighbors[3 * triangle + k])
                    let penalty = penalties[3 * triangle + k]
                    guard penalty > 0 else { continue }
                    if neighbor > triangle {
                        cost += messages[(3 * triangle + k) * Self.capacity + index]
                    } else if candidates.entries[Int(labels[neighbor])].view != candidates.entries[slot].view {
                        cost += penalty
                    }
                }
                if cost < best { (best, labels[triangle]) = (cost, Int32(slot)) }
            }
        }
        return labels
    }
}
