import VitrineMath

/// The reasons for which matching fails.
package enum MatchingError: Error, Sendable, Equatable {
    case cancelled
    /// Inconsistent counts, or descriptors of another length.
    case invalidInput(String)
}

/// The order in which photos were taken.
package enum PhotoOrdering: Sendable, Equatable {
    case unordered
    /// Consecutive photos overlap.
    case sequential
}

/// Matches photos pairwise and verifies the matches geometrically.
///
/// The coarsest features of a pair are matched exhaustively. If an epipolar geometry explains enough of them, all features are matched along its
/// epipolar lines, and the geometry is estimated again from all matches. Features of fisheye photos are rectified first.
package struct PhotoMatcher: Sendable {
    package struct Options: Sendable, Equatable {
        /// The number of features of each photo, largest first, that are matched exhaustively. Default 1,500.
        package var coarseCount = 1500
        /// The ratio test: the largest ratio of the distances to the nearest and the second nearest descriptor. Default 0.8.
        package var ratio: Float = 0.8
        /// The settings of the geometric verification.
        package var geometry = TwoViewEstimator.Options()
        /// Up to this number of photos all pairs are matched, beyond it only similar photos and neighbours. Default 100.
        package var exhaustiveCount = 100
        /// With more photos: the number of most similar photos that each is matched with. Default 20.
        package var similarPhotos = 20
        /// For sequential photos: the number of following photos that each is matched with. Default 8.
        package var sequentialNeighbours = 8
        /// For sequential photos: the number of similar photos that each is matched with for loop closure. Default 8.
        package var loopCandidates = 8
        /// Whether static matches are dropped if others move: a turntable in front of a fixed camera, a watermark. Default true.
        package var dropsStillBackground = true

        package init() {}
    }

    package var options: Options

    package init(_ options: Options = Options()) { self.options = options }

    /// - Parameters:
    ///   - features: One set per photo.
    ///   - guesses: The initial intrinsics, one per photo.
    ///   - parallel: The result doesn't depend on its number of threads.
    ///   - progress: Called with the completed fraction, 0…1, never decreasing.
    ///   - isCancelled: Called at least once a second; true makes the call throw `cancelled`.
    package func match(
        features: [FeatureSet], guesses: [CameraGuess], ordering: PhotoOrdering = .unordered, parallel: Parallel = Parallel(),
        progress: (Double) -> Void = { _ in }, isCancelled: () -> Bool = { false }
    ) throws(MatchingError) -> MatchGraph {
        guard features.count == guesses.count else { throw .invalidInput("\(features.count) feature sets, \(guesses.count) cameras") }
        for (photo, set) in features.enumerated() {
            guard set.descriptors.count == set.count * FeatureSet.descriptorLength, set.orientations.count == set.count,
                set.scales.count == set.count
            else { throw .invalidInput("features of photo \(photo) are incomplete") }
        }
        let rectified = parallel.map(features.count) { RectifiedFeatures(features[$0], guesses[$0]) }
        let prepared = parallel.map(features.count) { photo in
            let camera = rectified[photo].guess.intrinsics
            return PreparedFeatures(rectified[photo].features, width: camera.width, height: camera.height)
        }
        if isCancelled() { throw .cancelled }
        let pairs = PairSelection(options: options, ordering: ordering).pairs(prepared, parallel: parallel)
        if isCancelled() { throw .cancelled }
        let options = options
        @Sendable func matcher(_ first: Int, _ second: Int) -> PairMatcher {
            PairMatcher(
                options: options, first: prepared[first], second: prepared[second], firstGuess: rectified[first].guess,
                secondGuess: rectified[second].guess)
        }
        let isStill = options.dropsStillBackground && StillBackground.isPresent(pairs: pairs, parallel: parallel, matcher)
        var graph = MatchGraph(photoCount: features.count)
        // Chunks that are short enough for progress and cancellation.
        let piece = 8 * parallel.threads
        for start in stride(from: 0, to: pairs.count, by: piece) {
            if isCancelled() { throw .cancelled }
            let found = parallel.map(min(piece, pairs.count - start)) { offset -> PhotoPair? in
                let pair = pairs[start + offset]
                var matcher = matcher(pair.first, pair.second)
                if isStill { matcher.stillness = StillBackground.stillness(longerSide: matcher.longerSide) }
                guard let result = matcher.match(seed: UInt64(pair.first) << 32 | UInt64(pair.second)) else { return nil }
                let geometry = RectifiedFeatures.geometry(result.geometry, rectified[pair.first], rectified[pair.second])
                return PhotoPair(first: pair.first, second: pair.second, matches: result.matches, geometry: geometry)
            }
            graph.pairs += found.compactMap { $0 }
            progress(Double(min(pairs.count, start + piece)) / Double(pairs.count))
        }
        return graph
    }
}
