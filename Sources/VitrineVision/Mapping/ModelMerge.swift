import VitrineMath

extension IncrementalMapping {
    /// The fewest common points for merging two models.
    static let commonPoints = 12

    /// Maps the unregistered photos separately and merges the parts that have points in common with the model.
    ///
    /// A part larger than the model replaces it. Parts that cannot be merged are discarded.
    func addParts(to state: inout MapState, graph: MatchGraph, empty: MapState) {
        var isFree = state.poses.map { $0 == nil }
        for _ in 0..<4 where !isCancelled() {
            let left = isFree
            guard left.filter({ $0 }).count >= 3 else { return }
            let pairs = InitialPair.candidates(graph, empty, allowed: { left[$0.first] && left[$0.second] }, parallel: parallel)
            var part: MapState?
            for pair in pairs.prefix(2) where part == nil {
                guard var trial = start(withLenses(of: state, empty), pair) else { continue }
                grow(&trial, allowed: left)
                if trial.registeredCount >= 3 { part = trial }
            }
            guard var found = part else { return }
            for photo in isFree.indices where found.poses[photo] != nil { isFree[photo] = false }
            if found.registeredCount > state.registeredCount { swap(&found, &state) }
            if join(found, to: &state) {
                adjustGlobally(&state, rounds: 2)
                grow(&state, allowed: Array(repeating: true, count: state.poses.count))
            }
        }
    }

    /// The empty state with the calibrated lenses of another.
    func withLenses(of state: MapState, _ empty: MapState) -> MapState {
        var result = empty
        for lens in state.lenses.indices where state.lenses[lens].isCalibrated { result.lenses[lens] = state.lenses[lens] }
        return result
    }

    /// Merges a part by its common points with the model. Returns false without changes if no similarity transform explains enough of them.
    func join(_ part: MapState, to state: inout MapState) -> Bool {
        let common = commonPoints(part, state)
        guard common.count >= Self.commonPoints else { return false }
        var random = SplitMix64(seed: 4242)
        var best: [Int] = []
        for _ in 0..<500 {
            let (a, b, c) = random.triple(below: common.count)
            let sample = [common[a], common[b], common[c]]
            guard let moved = similarity(sample, part, state) else { continue }
            let inliers = common.indices.filter { fits(common[$0], moved, part, state) }
            if inliers.count > best.count { best = inliers }
        }
        for _ in 0..<3 where best.count >= 3 {
            guard let moved = similarity(best.map { common[$0] }, part, state) else { break }
            best = common.indices.filter { fits(common[$0], moved, part, state) }
        }
        guard best.count >= max(Self.commonPoints, common.count / 5), let moved = similarity(best.map { common[$0] }, part, state) else {
            return false
        }
        let used = Set(state.poses.indices.filter { state.poses[$0] != nil }.map { state.lensOfPhoto[$0] })
        for photo in part.poses.indices where part.poses[photo] != nil && state.poses[photo] == nil {
            state.poses[photo] = moved.moved(part.poses[photo]!)
            let lens = state.lensOfPhoto[photo]
            if !used.contains(lens) { state.lenses[lens] = part.lenses[lens] }
        }
        for point in part.tracks.indices {
            let track = part.tracks[point].filter { state.pointOfFeature[Int($0)] < 0 }
            if track.count > 1 { state.addPoint(moved * part.positions[point], track) }
        }
        return true
    }

    /// Pairs of points whose features are matched; each point at most once.
    func commonPoints(_ part: MapState, _ state: MapState) -> [(part: Int, state: Int)] {
        var result: [(part: Int, state: Int)] = []
        var isUsed = [Bool](repeating: false, count: state.tracks.count)
        for point in part.tracks.indices {
            var (best, bestVotes) = (-1, 0)
            let partners = part.tracks[point].flatMap { feature in
                part.graph.partnerRange(Int(feature)).map { Int(state.pointOfFeature[Int(part.graph.partners[$0])]) }
            }.filter { $0 >= 0 }
            for other in partners where other != best {
                let votes = partners.reduce(0) { $0 + ($1 == other ? 1 : 0) }
                if votes > bestVotes { (best, bestVotes) = (other, votes) }
            }
            if best >= 0, !isUsed[best] {
                isUsed[best] = true
                result.append((point, best))
            }
        }
        return result
    }

    private func similarity(_ pairs: [(part: Int, state: Int)], _ part: MapState, _ state: MapState) -> SimilarityTransform? {
        SimilarityTransform.aligning(pairs.map { part.positions[$0.part] }, to: pairs.map { state.positions[$0.state] })
    }

    /// Whether the transformed point of the part projects onto the features of the model's point.
    private func fits(_ pair: (part: Int, state: Int), _ moved: SimilarityTransform, _ part: MapState, _ state: MapState) -> Bool {
        let position = moved * part.positions[pair.part]
        return state.tracks[pair.state].prefix(3).allSatisfy { feature in
            let limit = 8 * state.pixelScale[state.graph.photo(of: Int(feature))]
            return state.squaredError(Int(feature), position) < limit * limit
        }
    }
}
