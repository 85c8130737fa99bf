import VitrineMath

/// Matches one pair of photos.
struct PairMatcher {
    let options: PhotoMatcher.Options
    let first, second: PreparedFeatures
    let firstGuess, secondGuess: CameraGuess

    /// Nil where too little agrees.
    func match(seed: UInt64) -> (matches: [SIMD2<UInt32>], geometry: TwoViewGeometry)? {
        guard let rough = rough(seed: seed) else { return nil }
        return guided(by: rough, seed: seed)
    }

    /// What the coarsest features tell.
    private struct Rough {
        var fundamental: Matrix3d
        /// The median turn of the features' directions.
        var turn: Float
    }

    private var longerSide: Double {
        let (a, b) = (firstGuess.intrinsics, secondGuess.intrinsics)
        return Double(max(a.width, a.height, b.width, b.height))
    }

    private func rough(seed: UInt64) -> Rough? {
        let coarse = options.coarseCount
        var matches = DescriptorMatcher.mutual(first, coarse, second, coarse, ratio: options.ratio)
        matches.sort { ($0.ratio, $0.first) < ($1.ratio, $1.first) }
        var settings = options.geometry
        settings.minimumInliers = min(settings.minimumInliers, 10)
        guard matches.count >= settings.minimumInliers else { return nil }
        let estimator = TwoViewEstimator(settings)
        guard let found = estimator.fundamental(places(matches), first: firstGuess, second: secondGuess, seed: seed) else { return nil }
        let agreeing = matches.indices.filter { found.inliers[$0] }.map { matches[$0] }
        return Rough(fundamental: found.fundamental, turn: medianTurn(agreeing))
    }

    private func guided(by rough: Rough, seed: UInt64) -> (matches: [SIMD2<UInt32>], geometry: TwoViewGeometry)? {
        let tolerance = Float(2 * options.geometry.tolerance * longerSide)
        let guided = GuidedMatcher(
            first: first, second: second, fundamental: rough.fundamental, distance: tolerance, turn: rough.turn,
            turnTolerance: .pi / 4, ratio: options.ratio, stillness: 0)
        var matches = guided.run()
        matches.sort { ($0.ratio, $0.first) < ($1.ratio, $1.first) }
        let estimator = TwoViewEstimator(options.geometry)
        guard
            let result = estimator.estimate(
                places(matches), first: firstGuess, second: secondGuess, start: rough.fundamental, seed: seed)
        else { return nil }
        let kept = matches.indices.filter { result.inliers[$0] }
            .map { SIMD2(UInt32(matches[$0].first), UInt32(matches[$0].second)) }
            .sorted { $0.x < $1.x }
        return (kept, result.geometry)
    }

    private func places(_ matches: [DescriptorMatcher.Match]) -> [(SIMD2<Float>, SIMD2<Float>)] {
        matches.map { (first.features.positions[Int($0.first)], second.features.positions[Int($0.second)]) }
    }

    /// The median on a circle: about the mean direction.
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
