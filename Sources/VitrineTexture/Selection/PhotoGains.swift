import VitrineMath
import VitrineVision

/// The factors of each photo's channels, in linear light, that make photos of the same surface agree: exposure and white balance compensation.
///
/// Alternating robust least squares on logarithms: each triangle's colour is the median over its photos, each photo's gain the mean over
/// its triangles, with lower weights for outliers (Huber 1964). A weak prior of 1 determines the gains that the photos leave open.
enum PhotoGains {
    private static let rounds = 12
    /// The difference, in natural logarithms, beyond which a triangle has a lower weight.
    private static let threshold: Float = 0.15
    private static let maximumTriangles = 20_000
    /// Gains are limited to a factor of 4 in both directions.
    private static let limit: Float = 1.3863

    static func estimate(_ candidates: ViewCandidates, viewCount: Int) -> [Vector3] {
        let triangleCount = candidates.counts.count
        let stride = max(1, triangleCount / maximumTriangles)
        var logs: [(view: Int, value: Vector3, weight: Float)] = []
        var offsets = [0]
        for triangle in Swift.stride(from: 0, to: triangleCount, by: stride) where candidates.counts[triangle] >= 2 {
            let begin = logs.count
            for slot in candidates.range(triangle) {
                let c = candidates.entries[slot].color
                // Black and clipped colours carry no information.
                guard min(c.x, min(c.y, c.z)) >= 6, max(c.x, max(c.y, c.z)) <= 249 else { continue }
                let table = TransferFunction.linearFromByte
                let value = Vector3(log(table[Int(c.x)]), log(table[Int(c.y)]), log(table[Int(c.z)]))
                logs.append((Int(candidates.entries[slot].view), value, min(20, candidates.entries[slot].quality)))
            }
            if logs.count - begin >= 2 { offsets.append(logs.count) } else { logs.removeSubrange(begin...) }
        }
        var gains = [Vector3](repeating: .zero, count: viewCount)
        guard offsets.count > 1 else { return gains.map { _ in Vector3(repeating: 1) } }
        for _ in 0..<rounds {
            var sums = [Vector3](repeating: .zero, count: viewCount)
            var weights = sums
            for group in 0..<offsets.count - 1 {
                let range = offsets[group]..<offsets[group + 1]
                var center = Vector3.zero
                for k in 0..<3 { center[k] = median(range.map { logs[$0].value[k] + gains[logs[$0].view][k] }) }
                for index in range {
                    let (view, value, weight) = logs[index]
                    let target = center - value
                    let difference = (target - gains[view]).magnitude
                    let trust = Vector3(repeating: threshold) / pointwiseMax(difference, Vector3(repeating: threshold)) * weight
                    sums[view] += target * trust
                    weights[view] += trust
                }
            }
            var mean = Vector3.zero
            var total = Vector3.zero
            for view in 0..<viewCount {
                let pull = weights[view] * 0.02 + Vector3(repeating: 1e-6)
                gains[view] = (sums[view] / (weights[view] + pull)).clamped(
                    lowerBound: Vector3(repeating: -limit), upperBound: Vector3(repeating: limit))
                mean += gains[view] * weights[view]
                total += weights[view]
            }
            // The mean brightness stays.
            let shift = mean / pointwiseMax(total, Vector3(repeating: 1e-12))
            for view in 0..<viewCount where weights[view].x > 0 { gains[view] -= shift }
        }
        return gains.map { Vector3(exp($0.x), exp($0.y), exp($0.z)) }
    }
}

extension Vector3 {
    var magnitude: Vector3 { replacing(with: -self, where: self .< 0) }
}
