import VitrineGeometry

/// Loop closure: pairs of photos whose matches contradict the model because errors accumulated along the chain of photos between them.
extension IncrementalMapping {
    /// The contradicting matches of a photo with which loops are closed: at least this number, and this share of its matches.
    private static let openMatches = 60
    private static let openShare = 0.1
    private static let loopRounds = 3
    /// The thresholds of the loss while a loop closes, in pixels of an image 1,000 pixels long: each moves the cameras so near that the next one
    /// suffices.
    private static let lossThresholds = [32.0, 16, 8, 4]

    /// Closes loops: connects the points of photos whose verified matches contradict the model, and adjusts, first with a wide threshold.
    ///
    /// A growing model merges points whose errors are at most 4 pixels. A ring of photos with larger errors stays open where its ends overlap
    /// without common points. A closed model is kept only if it explains clearly more matches.
    func closeLoops(_ state: inout MapState, graph: MatchGraph) {
        for _ in 0..<Self.loopRounds where !isCancelled() {
            let open = OpenPairs(state, graph, parallel)
            guard open.shares.indices.contains(where: { open.shares[$0] >= Self.openShare && open.counts[$0].x >= Self.openMatches }) else {
                return
            }
            func agreeing(_ state: MapState) -> Int { state.agreement(with: graph, maximumError: open.limit, parallel: parallel).agreeing }
            var trial = state
            for entry in open.pairs { trial.connect(entry.pair, maximumError: 4 * Self.lossThresholds[0]) }
            for threshold in Self.lossThresholds where !isCancelled() {
                var choice = MapState.BundleChoice()
                choice.loss = .cauchy(threshold: threshold)
                (choice.iterations, choice.tolerance) = (20, 1e-4)
                trial.adjust(choice, parallel, isCancelled)
                trial.filter(maximumError: 4 * threshold, minimumAngle: options.minimumAngle * .pi / 180)
                retriangulate(&trial)
                trial.compact()
            }
            adjustGlobally(&trial, rounds: 2)
            let gained = agreeing(trial) - agreeing(state)
            let isWhole = state.poses.indices.allSatisfy { state.poses[$0] == nil || trial.observationCounts[$0] >= options.minimumPoints }
            guard isWhole, 4 * gained > open.contradicting else { return }
            state = trial
        }
    }
}

/// Pairs of photos whose own relative pose explains clearly more of their matches than the model's does, though both are near each other: the model is
/// wrong there. Poses that are far from each other come from repeated texture.
struct OpenPairs {
    /// The pairs in ascending order, with the number of matches that only their own pose explains.
    private(set) var pairs: [(pair: PhotoPair, contradicting: Int)] = []
    /// The contradicting matches of each photo, and all of its matches with photos of near poses.
    private(set) var counts: [SIMD2<Int>]
    /// The largest Sampson distance of a match that agrees with a pose, in pixels of an image 1,000 pixels long.
    let limit: Double

    /// The fewest verified matches of a pair.
    private static let fewest = 40
    /// The largest angle between a pair's own relative rotation and the model's, radians; before the own one was refined, twice this angle.
    private static let largestAngle = 20 * Double.pi / 180
    /// The share of a pair's matches that only its own pose explains, above which it is open.
    private static let share = 0.15

    init(_ state: MapState, _ graph: MatchGraph, _ parallel: Parallel) {
        let limit = max(1, 4 * state.noise())
        self.limit = limit
        counts = Array(repeating: .zero, count: graph.photoCount)
        let candidates = graph.pairs.filter { pair in
            state.poses[pair.first] != nil && state.poses[pair.second] != nil && pair.matches.count >= Self.fewest
                && pair.geometry.kind == .general
        }
        // nil for pairs whose own pose is far from the model's.
        let contradicting = parallel.map(candidates.count) { index -> Int? in
            let pair = candidates[index]
            let explained = state.agreeingShare(of: pair, maximumError: limit)
            guard explained < 1 - Self.share else { return 0 }
            let rotation = state.poses[pair.second]!.rotation * state.poses[pair.first]!.rotation.transpose
            func angle(_ own: RigidTransform) -> Double { acos(min(1, max(-1, ((own.rotation * rotation.transpose).trace - 1) / 2))) }
            if let rough = pair.geometry.relativePose, angle(rough) > 2 * Self.largestAngle { return nil }
            guard let own = InitialPair.examine(pair, state, usesGivenPose: false)?.secondFromFirst, angle(own) <= Self.largestAngle else {
                return nil
            }
            let gain = state.agreeingShare(of: pair, secondFromFirst: own, maximumError: limit) - explained
            return gain > Self.share ? Int((gain * Double(pair.matches.count)).rounded()) : 0
        }
        for (pair, contradicting) in zip(candidates, contradicting) {
            guard let contradicting else { continue }
            for photo in [pair.first, pair.second] { counts[photo] &+= SIMD2(contradicting, pair.matches.count) }
            if contradicting > 0 { pairs.append((pair, contradicting)) }
        }
    }

    /// The number of contradicting matches.
    var contradicting: Int { pairs.reduce(0) { $0 + $1.contradicting } }
    /// The share of contradicting matches of each photo, 0…1.
    var shares: [Double] { counts.map { $0.y == 0 ? 0 : Double($0.x) / Double($0.y) } }
}

extension MapState {
    /// Makes the matched features of a pair observe the same points, also with large reprojection errors.
    ///
    /// - Parameter maximumError: The largest error in pixels of an image 1,000 pixels long.
    fileprivate mutating func connect(_ pair: PhotoPair, maximumError: Double) {
        for match in pair.matches {
            let (a, b) = (graph.photoStarts[pair.first] + Int(match.x), graph.photoStarts[pair.second] + Int(match.y))
            let (first, second) = (Int(pointOfFeature[a]), Int(pointOfFeature[b]))
            if first >= 0, second >= 0 {
                if first != second { merge(first, second, maximumError) }
            } else if first >= 0 {
                connect(b, first, maximumError)
            } else if second >= 0 {
                connect(a, second, maximumError)
            } else if let point = Triangulation.midpoint([observation(a), observation(b)]),
                isNear(a, point, maximumError), isNear(b, point, maximumError)
            {
                addPoint(point, [UInt32(a), UInt32(b)])
            }
        }
    }

    private mutating func connect(_ feature: Int, _ point: Int, _ maximumError: Double) {
        if !sees(graph.photo(of: feature), point), isNear(feature, positions[point], maximumError) { addObservation(feature, point) }
    }

    private func isNear(_ feature: Int, _ point: Vector3d, _ maximumError: Double) -> Bool {
        let limit = maximumError * pixelScale[graph.photo(of: feature)]
        return squaredError(feature, point) <= limit * limit
    }
}
