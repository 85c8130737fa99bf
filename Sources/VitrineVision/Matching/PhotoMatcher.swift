import VitrineMath

/// Why there is no match graph.
public enum MatchingError: Error, Sendable, Equatable {
    case cancelled
    /// Counts that don't fit together, or descriptors of another length.
    case invalidInput(String)
}

/// What is known of the order in which photos were taken.
public enum PhotoOrdering: Sendable, Equatable {
    case unordered
    /// Neighbours in the list show the same things.
    case sequential
}

/// Finds which photos show the same things, and where.
///
/// A pair's coarsest features are compared all with all; if a geometry explains enough of them, all features are compared along its epipolar
/// lines, and the geometry is estimated again from all.
public struct PhotoMatcher: Sendable {
    public struct Options: Sendable, Equatable {
        /// How many features of each photo, largest first, are compared all with all. Default 1,500.
        public var coarseCount = 1500
        /// The most that the nearest descriptor's distance may be of the second nearest's. Default 0.8.
        public var ratio: Float = 0.8
        /// How pairs are verified.
        public var geometry = TwoViewEstimator.Options()
        /// Up to so many photos all pairs are compared, beyond those that look alike or are neighbours. Default 100.
        public var exhaustiveCount = 100
        /// Of more photos: how many that look most alike each is compared with. Default 20.
        public var similarPhotos = 20
        /// Of photos taken in order: how many that follow each is compared with. Default 8.
        public var sequentialNeighbours = 8
        /// Of photos taken in order: how many others that look alike each is compared with, to close loops. Default 8.
        public var loopCandidates = 8
        /// Whether matches that don't move are left out where others do: a turntable before a fixed camera, a watermark. Default true.
        public var dropsStillBackground = true

        public init() {}
    }

    public var options: Options

    public init(_ options: Options = Options()) { self.options = options }

    /// - Parameters:
    ///   - features: one set a photo.
    ///   - guesses: one a photo.
    ///   - parallel: the result doesn't depend on its number of threads.
    ///   - progress: 0…1, rising.
    ///   - isCancelled: asked at least once a second; true makes the call throw `cancelled`.
    public func match(
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
        // Pieces short enough for progress and cancelling.
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
