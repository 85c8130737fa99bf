extension Keypoint {
    /// Selects at most `count` keypoints, largest scale first.
    ///
    /// Half of them are the strongest, the other half the strongest of each cell of a grid in turn, so that they cover the image. Coarse keypoints (beyond
    /// the second octave) are few and are always kept: they match across the widest baselines.
    static func selected(_ keypoints: [Keypoint], count: Int, width: Int, height: Int) -> [Keypoint] {
        var kept = keypoints
        if keypoints.count > count {
            let strongest = keypoints.indices.sorted { a, b in
                (keypoints[a].response, -a) > (keypoints[b].response, -b)
            }
            var isKept = [Bool](repeating: false, count: keypoints.count)
            var left = count
            func keep(_ index: Int) {
                guard left > 0, !isKept[index] else { return }
                isKept[index] = true
                left -= 1
            }
            for index in strongest where keypoints[index].scale > 8 && left > count * 3 / 4 { keep(index) }
            for index in strongest {
                if left <= count / 2 { break }
                keep(index)
            }
            for index in byRankInCell(strongest.filter { !isKept[$0] }, keypoints, width: width, height: height) { keep(index) }
            kept = keypoints.indices.filter { isKept[$0] }.map { keypoints[$0] }
        }
        return kept.sorted { a, b in (a.scale, a.position.y, a.position.x) > (b.scale, b.position.y, b.position.x) }
    }

    /// First each cell's strongest, then each cell's second …
    private static func byRankInCell(_ strongest: [Int], _ keypoints: [Keypoint], width: Int, height: Int) -> [Int] {
        let cells = 16
        let cell = Float(max(width, height)) / Float(cells)
        var members = [Int](repeating: 0, count: cells * cells)
        let ranked = strongest.map { index -> (rank: Int, index: Int) in
            let x = min(cells - 1, max(0, Int(keypoints[index].position.x / cell)))
            let y = min(cells - 1, max(0, Int(keypoints[index].position.y / cell)))
            members[y * cells + x] += 1
            return (members[y * cells + x], index)
        }
        // The rank by strength breaks ties, so that the order is total.
        return ranked.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element.index)
    }
}
