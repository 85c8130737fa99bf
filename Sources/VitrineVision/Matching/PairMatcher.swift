import VitrineMath

/// Matches the features of two photos.
struct PairMatcher {
    let options: PhotoMatcher.Options
    let first, second: PreparedFeatures
    let firstGuess, secondGuess: CameraGuess
    /// Matches with a smaller displacement in pixels are dropped.
    var stillness: Float = 0

    /// The verified matches with their geometry; nil with too few inliers.
    ///
    /// - Parameter neighbors: The neighbours among the coarsest features; nil: they are searched here.
    func match(seed: UInt64, _ neighbors: DescriptorNeighbors? = nil) -> (matches: [SIMD2<UInt32>], geometry: TwoViewGeometry)? {
        guard let rough = rough(withoutStill(coarseMatches(neighbors)), seed: seed) else { return nil }
        return guided(by: rough, seed: seed)
    }

    /// The initial geometry from the coarsest features.
    struct Rough {
        var fundamental: Matrix3d
        /// The median rotation of the features' orientations.
        var turn: Float
    }

    var longerSide: Double {
        let (a, b) = (firstGuess.intrinsics, secondGuess.intrinsics)
        return Double(max(a.width, a.height, b.width, b.height))
    }

    /// The matches of the coarsest features, most reliable first.
    func coarseMatches(_ neighbors: DescriptorNeighbors? = nil) -> [DescriptorMatcher.Match] {
        let matches =
            neighbors.map { DescriptorMatcher.mutual($0, ratio: options.ratio) }
            ?? DescriptorMatcher.mutual(first, options.coarseCount, second, options.coarseCount, ratio: options.ratio)
        return matches.sorted { ($0.ratio, $0.first) < ($1.ratio, $1.first) }
    }

    func rough(_ matches: [DescriptorMatcher.Match], seed: UInt64) -> Rough? {
        var settings = options.geometry
        settings.minimumInliers = min(settings.minimumInliers, 10)
        guard matches.count >= settings.minimumInliers else { return nil }
        let estimator = TwoViewEstimator(settings)
        guard let found = estimator.fundamental(pixelPairs(matches), first: firstGuess, second: secondGuess, seed: seed) else { return nil }
        let agreeing = matches.indices.filter { found.inliers[$0] }.map { matches[$0] }
        return Rough(fundamental: found.fundamental, turn: medianTurn(agreeing))
    }

    /// Matches all features along the epipolar lines of an initial geometry, and estimates the geometry again.
    func guided(by rough: Rough, seed: UInt64) -> (matches: [SIMD2<UInt32>], geometry: TwoViewGeometry)? {
        var guided = GuidedMatcher(
            first: first, second: second, fundamental: rough.fundamental,
            distance: Float(1.5 * options.geometry.tolerance * longerSide), turn: rough.turn, turnTolerance: .pi / 4,
            ratio: options.ratio, stillness: stillness)
        var matches = guided.run().filter { $0.distance < Self.farthest * Self.farthest }
        if matches.count < Self.controlCount {
            guided.aside = 4 * guided.distance
            guard let limit = Self.limit(of: matches, control: guided.run(), least: options.geometry.minimumInliers) else { return nil }
            matches.removeAll { $0.distance >= limit }
        }
        matches.sort { ($0.ratio, $0.first) < ($1.ratio, $1.first) }
        let estimator = TwoViewEstimator(options.geometry)
        guard
            let result = estimator.estimate(
                pixelPairs(matches), first: firstGuess, second: secondGuess, start: rough.fundamental, seed: seed)
        else { return nil }
        let kept = matches.indices.filter { result.inliers[$0] }
            .map { SIMD2(UInt32(matches[$0].first), UInt32(matches[$0].second)) }
            .sorted { $0.x < $1.x }
        return (kept, result.geometry)
    }

    /// Half the descriptors' length: beyond this distance, matches along a line are wrong as often as right.
    private static let farthest: Int32 = 256
    /// The number of matches below which the share of random matches is estimated.
    private static let controlCount = 600
    /// The largest share of random matches.
    private static let chanceShare = 0.25

    /// The largest squared descriptor distance at which most matches are not random, estimated from control matches in bands beside the epipolar lines. Nil
    /// if there is none, or too few matches remain: then the geometry is random too.
    private static func limit(
        of matches: [DescriptorMatcher.Match], control: [DescriptorMatcher.Match], least: Int
    ) -> Int32? {
        for distance in stride(from: farthest, to: 128, by: -16) {
            let limit = distance * distance
            let count = matches.count { $0.distance < limit }
            let chance = control.count { $0.distance < limit }
            let isMore = Double(count - chance) >= 3 * Double(count + chance).squareRoot()
            if count - chance >= least, isMore, Double(chance) <= chanceShare * Double(count) { return limit }
        }
        return nil
    }

    func pixelPairs(_ matches: [DescriptorMatcher.Match]) -> [(SIMD2<Float>, SIMD2<Float>)] {
        matches.map { (first.features.positions[Int($0.first)], second.features.positions[Int($0.second)]) }
    }

    /// The median angle, relative to the mean direction.
    private func medianTurn(_ matches: [DescriptorMatcher.Match]) -> Float {
        let turns = matches.map { second.features.orientations[Int($0.second)] - first.features.orientations[Int($0.first)] }
        var sum = SIMD2<Float>.zero
        for turn in turns { sum += SIMD2(VitrineMath.cos(turn), VitrineMath.sin(turn)) }
        let mean = VitrineMath.atan2(sum.y, sum.x)
        let offsets = turns.map { turn -> Float in
            let off = turn - mean
            return off - 2 * .pi * (off / (2 * .pi)).rounded()
        }
        return mean + (offsets.isEmpty ? 0 : offsets.sorted()[offsets.count / 2])
    }
}
