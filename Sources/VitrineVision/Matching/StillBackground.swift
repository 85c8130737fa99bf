import VitrineMath

/// Detects photo sets with a static background (an object rotating in front of a fixed camera) or an overlay on all photos: some matches do not move
/// while others do.
enum StillBackground {
    /// The number of neighbouring pairs to examine.
    private static let sampleCount = 24
    /// The fewest matches for a motion or a static background.
    static let minimumMatches = 12

    /// The smallest displacement of a moving match in pixels of a photo with the given longer side.
    static func stillness(longerSide: Double) -> Float { Float(max(1, 0.001 * longerSide)) }

    /// Whether at least a quarter of the examined pairs, and three of them, have a static background (of fewer pairs, all).
    static func isPresent(pairs: [(first: Int, second: Int)], parallel: Parallel, _ matcher: @Sendable (Int, Int) -> PairMatcher) -> Bool {
        let neighbours = pairs.filter { $0.second == $0.first + 1 }
        let step = max(1, neighbours.count / sampleCount)
        let sample = stride(from: 0, to: neighbours.count, by: step).map { neighbours[$0] }
        guard !sample.isEmpty else { return false }
        let both = parallel.map(sample.count) { matcher(sample[$0].first, sample[$0].second).hasTwoMotions() }.count { $0 }
        return both >= min(3, sample.count) && 4 * both >= sample.count
    }
}

extension PairMatcher {
    /// Whether some coarse matches are static, and others agree on a motion.
    func hasTwoMotions() -> Bool {
        let limit = StillBackground.stillness(longerSide: longerSide)
        let matches = coarseMatches()
        let moving = matches.filter { distance($0) >= limit }
        guard matches.count - moving.count >= StillBackground.minimumMatches, moving.count >= StillBackground.minimumMatches else {
            return false
        }
        // Slight camera shake gives displacements around the limit: a motion is well beyond it.
        guard moving.map(distance).sorted()[moving.count / 2] > 4 * limit else { return false }
        return rough(moving, seed: 1) != nil
    }

    private func distance(_ match: DescriptorMatcher.Match) -> Float {
        length(second.features.positions[Int(match.second)] - first.features.positions[Int(match.first)])
    }

    /// The moving matches.
    func withoutStill(_ matches: [DescriptorMatcher.Match]) -> [DescriptorMatcher.Match] {
        stillness > 0 ? matches.filter { distance($0) >= stillness } : matches
    }
}
