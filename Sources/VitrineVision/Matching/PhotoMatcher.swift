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
        /// The number of photos up to which all pairs are matched; with more photos only similar ones and neighbours are matched. Default
        /// 64.
        package var exhaustiveCount = 64
        /// The number of the most similar photos that each photo is matched with, if there are more than `exhaustiveCount`. Default 20.
        package var similarPhotos = 20
        /// The number of following photos that each of several sequential photos is matched with. Default 8.
        package var sequentialNeighbours = 8
        /// The number of similar photos that each of several sequential photos is matched with for loop closure. Default 8.
        package var loopCandidates = 8
        /// Whether static matches are dropped if others move: a turntable in front of a fixed camera, a watermark. Default true.
        package var dropsStillBackground = true

        package init() {}
    }

    package var options: Options
    /// Searches the matches of the coarsest features; nil: the processor. The result is the same.
    package var search: (any DescriptorSearch)?

    package init(_ options: Options = Options(), search: (any DescriptorSearch)? = nil) {
        (self.options, self.search) = (options, search)
    }

    /// The plan of matching: the pairs of photos, and a property of all photos.
    package struct Plan: Sendable, Equatable {
        /// The pairs as indices of photos, first < second, in ascending order.
        package var pairs: [SIMD2<UInt32>]
        /// Whether static matches are dropped.
        package var dropsStill: Bool

        package init(pairs: [SIMD2<UInt32>], dropsStill: Bool) { (self.pairs, self.dropsStill) = (pairs, dropsStill) }
    }

    /// Matches the photos and verifies the matches.
    ///
    /// - Parameters:
    ///   - features: One set per photo.
    ///   - guesses: The initial intrinsics, one per photo.
    ///   - parallel: The result does not depend on its number of threads.
    ///   - progress: Called with the completed fraction, 0…1, never decreasing.
    ///   - isCancelled: Called at least once a second; true makes the call throw `cancelled`.
    /// - Throws: `MatchingError`, and the errors of `search`.
    package func match(
        features: [FeatureSet], guesses: [CameraGuess], ordering: PhotoOrdering = .unordered, parallel: Parallel = Parallel(),
        progress: (Double) -> Void = { _ in }, isCancelled: () -> Bool = { false }
    ) throws -> MatchGraph {
        let photos = try prepare(features, guesses, parallel)
        let plan = try plan(photos, ordering, parallel, isCancelled)
        return MatchGraph(
            photoCount: features.count, pairs: try match(plan.pairs[...], plan.dropsStill, photos, parallel, progress, isCancelled))
    }

    /// Selects the pairs to match. `match(_:of:features:guesses:)` then matches any part of them, also in another process.
    package func plan(
        features: [FeatureSet], guesses: [CameraGuess], ordering: PhotoOrdering, parallel: Parallel, isCancelled: () -> Bool
    ) throws(MatchingError) -> Plan {
        try plan(try prepare(features, guesses, parallel), ordering, parallel, isCancelled)
    }

    /// Matches some of the planned pairs: those of all parts together are the pairs of `match(features:guesses:)`.
    ///
    /// - Parameters:
    ///   - part: Indices into `plan.pairs`.
    ///   - features: The features of each photo; nil for photos that are in none of these pairs.
    /// - Throws: `MatchingError`, and the errors of `search`.
    package func match(
        _ part: Range<Int>, of plan: Plan, features: [FeatureSet?], guesses: [CameraGuess], parallel: Parallel,
        progress: (Double) -> Void, isCancelled: () -> Bool
    ) throws -> [PhotoPair] {
        let pairs = plan.pairs[part]
        for pair in pairs where features[Int(pair.x)] == nil || features[Int(pair.y)] == nil {
            throw MatchingError.invalidInput("no features of photo \(features[Int(pair.x)] == nil ? pair.x : pair.y)")
        }
        let photos = try prepare(features.map { $0 ?? FeatureSet() }, guesses, parallel)
        return try match(pairs, plan.dropsStill, photos, parallel, progress, isCancelled)
    }

    /// A photo with its features as matching needs them.
    private struct PreparedPhoto: Sendable {
        let rectified: RectifiedFeatures
        let prepared: PreparedFeatures
    }

    private func prepare(
        _ features: [FeatureSet], _ guesses: [CameraGuess], _ parallel: Parallel
    ) throws(MatchingError) -> [PreparedPhoto] {
        guard features.count == guesses.count else { throw .invalidInput("\(features.count) feature sets, \(guesses.count) cameras") }
        for (photo, set) in features.enumerated() {
            guard set.descriptors.count == set.count * FeatureSet.descriptorLength, set.orientations.count == set.count,
                set.scales.count == set.count
            else { throw .invalidInput("features of photo \(photo) are incomplete") }
        }
        return parallel.map(features.count) { photo in
            let rectified = RectifiedFeatures(features[photo], guesses[photo])
            let camera = rectified.guess.intrinsics
            return PreparedPhoto(
                rectified: rectified, prepared: PreparedFeatures(rectified.features, width: camera.width, height: camera.height))
        }
    }

    private func matcher(_ photos: [PreparedPhoto], _ first: Int, _ second: Int) -> PairMatcher {
        PairMatcher(
            options: options, first: photos[first].prepared, second: photos[second].prepared, firstGuess: photos[first].rectified.guess,
            secondGuess: photos[second].rectified.guess)
    }

    private func plan(
        _ photos: [PreparedPhoto], _ ordering: PhotoOrdering, _ parallel: Parallel, _ isCancelled: () -> Bool
    ) throws(MatchingError) -> Plan {
        if isCancelled() { throw .cancelled }
        let pairs = PairSelection(options: options, ordering: ordering).pairs(photos.map(\.prepared), parallel: parallel)
        if isCancelled() { throw .cancelled }
        let isStill =
            options.dropsStillBackground && StillBackground.isPresent(pairs: pairs, parallel: parallel) { matcher(photos, $0, $1) }
        return Plan(pairs: pairs.map { SIMD2(UInt32($0.first), UInt32($0.second)) }, dropsStill: isStill)
    }

    private func match(
        _ pairs: ArraySlice<SIMD2<UInt32>>, _ dropsStill: Bool, _ photos: [PreparedPhoto], _ parallel: Parallel,
        _ progress: (Double) -> Void, _ isCancelled: () -> Bool
    ) throws -> [PhotoPair] {
        var result: [PhotoPair] = []
        // Chunks that are short enough for progress and cancellation.
        let piece = (search == nil ? 8 : 32) * parallel.threads
        for start in stride(from: pairs.startIndex, to: pairs.endIndex, by: piece) {
            if isCancelled() { throw MatchingError.cancelled }
            let neighbors = try search.map { try searchCoarse(pairs[start..<min(pairs.endIndex, start + piece)], photos, $0, isCancelled) }
            let found = parallel.map(min(piece, pairs.endIndex - start)) { offset -> PhotoPair? in
                let (first, second) = (Int(pairs[start + offset].x), Int(pairs[start + offset].y))
                var matcher = self.matcher(photos, first, second)
                if dropsStill { matcher.stillness = StillBackground.stillness(longerSide: matcher.longerSide) }
                guard let result = matcher.match(seed: UInt64(first) << 32 | UInt64(second), neighbors?[offset]) else { return nil }
                let geometry = RectifiedFeatures.geometry(result.geometry, photos[first].rectified, photos[second].rectified)
                return PhotoPair(first: first, second: second, matches: result.matches, geometry: geometry)
            }
            result += found.compactMap { $0 }
            progress(Double(min(pairs.endIndex, start + piece) - pairs.startIndex) / Double(pairs.count))
        }
        return result
    }

    /// The neighbours among the coarsest features of each pair.
    private func searchCoarse(
        _ pairs: ArraySlice<SIMD2<UInt32>>, _ photos: [PreparedPhoto], _ search: any DescriptorSearch, _ isCancelled: () -> Bool
    ) throws -> [DescriptorNeighbors] {
        var sets: [DescriptorSet] = []
        var setIndices: [UInt32: Int] = [:]
        func setIndex(_ photo: UInt32) -> Int {
            if let known = setIndices[photo] { return known }
            sets.append(DescriptorSet(first: options.coarseCount, of: photos[Int(photo)].prepared))
            setIndices[photo] = sets.count - 1
            return sets.count - 1
        }
        let all = pairs.map { (first: setIndex($0.x), second: setIndex($0.y)) }
        // As on the processor: two descriptors are needed for the ratio test.
        let searched = all.indices.filter { sets[all[$0].first].count > 0 && sets[all[$0].second].count > 1 }
        var result = [DescriptorNeighbors](repeating: DescriptorNeighbors(nearest: [], owners: []), count: all.count)
        let found = try search.neighbors(searched.map { all[$0] }, of: sets, isCancelled: isCancelled)
        for (index, neighbors) in zip(searched, found) { result[index] = neighbors }
        return result
    }
}
