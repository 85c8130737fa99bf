import VitrineMath

/// Tells whether the object turned before a camera that stood still, or whether something is printed over all photos: then there are
/// matches that don't move at all beside those that move, and they say nothing about the object.
enum StillBackground {
    /// Pairs of neighbours that are looked at.
    private static let sampleCount = 24
    /// The fewest matches that make a motion, or the lack of one.
    static let minimumMatches = 12

    /// How far a match must move to count, pixels of a photo with that longer side.
    static func stillness(longerSide: Double) -> Float { Float(max(1, 0.001 * longerSide)) }

    /// Whether it is so in at least a quarter of the pairs looked at, and in three (of fewer pairs, in all).
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
    /// Whether some of the coarse matches stand still, and others agree on a motion.
    func hasTwoMotions() -> Bool {
        let limit = StillBackground.stillness(longerSide: longerSide)
        let matches = coarseMatches()
        let moving = matches.filter { distance($0) >= limit }
        guard matches.count - moving.count >= StillBackground.minimumMatches, moving.count >= StillBackground.minimumMatches else {
            return false
        }
        // A camera that shook a little gives displacements around the limit: a motion is well beyond it.
        guard moving.map(distance).sorted()[moving.count / 2] > 4 * limit else { return false }
        return rough(moving, seed: 1) != nil
    }

    private func distance(_ match: DescriptorMatcher.Match) -> Float {
        length(second.features.positions[Int(match.second)] - first.features.positions[Int(match.first)])
    }

    /// Those that move.
    func withoutStill(_ matches: [DescriptorMatcher.Match]) -> [DescriptorMatcher.Match] {
        stillness > 0 ? matches.filter { distance($0) >= stillness } : matches
    }
}
