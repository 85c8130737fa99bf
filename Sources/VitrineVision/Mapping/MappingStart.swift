import VitrineMath

/// Looks for the start that most photos can be joined to: other pairs and, where they weren't given as exact, other focal lengths are tried
/// while a good share of the photos stays out.
struct MappingStart {
    let graph: MatchGraph
    let empty: MapState
    let mapping: IncrementalMapping

    /// Factors of the first guess of focal lengths that aren't known.
    private static let focalFactors = [1, 0.6, 2]
    private static let pairsPerFocal = 3
    /// The share of photos with matches that, once placed, ends the search.
    private static let enough = 0.85

    func best() -> MapState? {
        let matched = empty.poses.indices.filter { photo in
            empty.graph.pairs[photo].contains { $0.matches >= mapping.options.minimumPoints }
        }.count
        // What a photo says of its focal length may be wrong too: of another zoom setting, or before cropping.
        let isFocalOpen = empty.lenses.contains { !$0.isHeld }
        var best: MapState?
        for factor in Self.focalFactors where factor == 1 || isFocalOpen {
            let start = scaled(factor)
            let pairs = InitialPair.candidates(
                graph, start, usesGivenPoses: factor == 1, allowed: { _ in true }, parallel: mapping.parallel)
            var tried: [InitialPair] = []
            for pair in pairs where tried.count < Self.pairsPerFocal {
                if mapping.isCancelled() { return nil }
                // What starts inside a model already found would only find it again.
                if let best, best.poses[pair.first] != nil, best.poses[pair.second] != nil, best.registeredCount * 2 > matched { continue }
                tried.append(pair)
                guard var state = mapping.start(start, pair) else { continue }
                mapping.grow(&state, allowed: Array(repeating: true, count: state.poses.count))
                guard isPlausible(state) else { continue }
                if isBetter(state, than: best) { best = state }
                if Double(best?.registeredCount ?? 0) >= Self.enough * Double(matched) { return best }
            }
        }
        return best
    }

    private func isBetter(_ state: MapState, than other: MapState?) -> Bool {
        guard let other else { return state.registeredCount >= 2 }
        func measure(_ state: MapState) -> (Int, Int) { (state.registeredCount, state.observationCounts.reduce(0, +)) }
        return measure(state) > measure(other)
    }

    /// Focal lengths that cameras have: fields of view between 3° and 130° over the longer side.
    private func isPlausible(_ state: MapState) -> Bool {
        state.lenses.allSatisfy { lens in
            let ratio = lens.intrinsics.focal.x / Double(max(lens.intrinsics.width, lens.intrinsics.height))
            return lens.isHeld || (0.23...20).contains(ratio)
        }
    }

    private func scaled(_ factor: Double) -> MapState {
        var state = empty
        for lens in state.lenses.indices where !state.lenses[lens].isHeld {
            state.lenses[lens].intrinsics.focal *= factor
            state.lenses[lens].guess.focal *= factor
        }
        return state
    }
}
