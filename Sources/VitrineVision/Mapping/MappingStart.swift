import VitrineMath

/// Initialization of the mapping: tries initial pairs, and other focal lengths unless they were given, until a model registers most photos and
/// agrees with their matches.
struct MappingStart {
    let graph: MatchGraph
    let empty: MapState
    let mapping: IncrementalMapping

    /// Factors of the initial focal length if it is not known.
    private static let focalFactors = [0.6, 2]
    private static let pairsPerFocal = 3
    /// The number of pairs to try if registered photos contradict each other, because then most initializations fail.
    private static let pairsPerContradiction = 6
    /// The share of registered photos, of those with matches, at which the search ends.
    private static let enough = 0.85
    /// The share of matches between registered photos that must agree with the model.
    private static let agreed = 0.85
    /// The number of registered photos above which contradictions do not restart the search.
    private static let large = 30

    /// A model grown from a pair.
    private struct Grown {
        var state: MapState
        var agreement: PairAgreement
    }

    func best() -> MapState? {
        var best: Grown?
        if grow(from: empty, usesGivenPoses: true, pairs: Self.pairsPerFocal, &best) { return best?.state }
        // The focal length in the metadata can be wrong too: of another zoom setting, or before cropping.
        guard empty.lenses.contains(where: { !$0.isHeld }) else { return best?.state }
        // Even a partly wrong model has a good focal length: initialized with it, fewer photos are registered wrongly.
        if let first = best?.state, first.registeredCount > IncrementalMapping.fewForLens,
            grow(from: mapping.withLenses(of: first, empty), usesGivenPoses: false, pairs: 2, &best)
        {
            return best?.state
        }
        for factor in Self.focalFactors {
            if grow(from: scaled(factor), usesGivenPoses: false, pairs: Self.pairsPerFocal, &best) { break }
        }
        return best?.state
    }

    /// Grows models from some of the best pairs and keeps the best. Returns true if it is good enough.
    private func grow(from start: MapState, usesGivenPoses: Bool, pairs count: Int, _ best: inout Grown?) -> Bool {
        let pairs = InitialPair.candidates(
            graph, start, usesGivenPoses: usesGivenPoses, allowed: { _ in true }, parallel: mapping.parallel)
        var tried = 0
        for pair in pairs where tried < (isContradicted(best) ? max(count, Self.pairsPerContradiction) : count) {
            if mapping.isCancelled() { return true }
            // A pair inside a correct partial model would reproduce it.
            if tried > 0, let best, best.agreement.share >= Self.agreed, best.state.poses[pair.first] != nil,
                best.state.poses[pair.second] != nil, best.state.registeredCount * 2 > matched
            {
                continue
            }
            tried += 1
            guard var state = mapping.start(start, pair) else { continue }
            mapping.grow(&state, allowed: Array(repeating: true, count: state.poses.count))
            guard isPlausible(state), state.registeredCount >= 2 else { continue }
            let grown = Grown(state: state, agreement: state.agreement(with: graph, parallel: mapping.parallel))
            if grown.agreement.agreeing > best?.agreement.agreeing ?? 0 { best = grown }
            if isEnough(best) { return true }
        }
        return false
    }

    /// The number of photos with matches.
    private var matched: Int {
        empty.poses.indices.count { photo in empty.graph.pairs[photo].contains { $0.matches >= mapping.options.minimumPoints } }
    }

    private func isContradicted(_ grown: Grown?) -> Bool {
        guard let grown else { return false }
        return grown.agreement.share < Self.agreed && grown.state.registeredCount <= Self.large
    }

    private func isEnough(_ grown: Grown?) -> Bool {
        guard let grown, Double(grown.state.registeredCount) >= Self.enough * Double(matched) else { return false }
        // Growing a large model again takes long, and large models are rarely wrong.
        return grown.agreement.share >= Self.agreed || grown.state.registeredCount > Self.large
    }

    /// Whether the focal lengths are those of real cameras: fields of view between 3° and 130° across the longer side of a pinhole camera.
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
