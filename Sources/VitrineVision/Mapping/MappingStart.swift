import VitrineMath

/// Looks for the start that most photos can be joined to, rightly: other pairs and, where they weren't given as exact, other focal lengths
/// are tried while a good share of the photos stays out or contradicts the model.
struct MappingStart {
    let graph: MatchGraph
    let empty: MapState
    let mapping: IncrementalMapping

    /// Factors of the first guess of focal lengths that aren't known.
    private static let focalFactors = [0.6, 2]
    private static let pairsPerFocal = 3
    /// As many where photos are placed but contradict each other: then most starts lead astray.
    private static let pairsPerContradiction = 6
    /// The share of photos with matches that, once placed, ends the search.
    private static let enough = 0.85
    /// The share of matches between placed photos that must agree with the model to end it.
    private static let agreed = 0.85
    /// With more photos placed, contradictions don't start the search anew.
    private static let large = 30

    /// A model grown from a pair.
    private struct Grown {
        var state: MapState
        var agreement: PairAgreement
    }

    func best() -> MapState? {
        var best: Grown?
        if grow(from: empty, usesGivenPoses: true, pairs: Self.pairsPerFocal, &best) { return best?.state }
        // What a photo says of its focal length may be wrong too: of another zoom setting, or before cropping.
        guard empty.lenses.contains(where: { !$0.isHeld }) else { return best?.state }
        // A model that is wrong in places has found its focal length all the same: with it from the beginning, fewer photos go astray.
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

    /// Grows models from some of the best pairs, and keeps the best of them and `best`. True where that is good enough.
    private func grow(from start: MapState, usesGivenPoses: Bool, pairs count: Int, _ best: inout Grown?) -> Bool {
        let pairs = InitialPair.candidates(
            graph, start, usesGivenPoses: usesGivenPoses, allowed: { _ in true }, parallel: mapping.parallel)
        var tried = 0
        for pair in pairs where tried < (isContradicted(best) ? max(count, Self.pairsPerContradiction) : count) {
            if mapping.isCancelled() { return true }
            // What starts inside a model that is right as far as it goes would only find it again.
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

    /// Photos that have matches.
    private var matched: Int {
        empty.poses.indices.count { photo in empty.graph.pairs[photo].contains { $0.matches >= mapping.options.minimumPoints } }
    }

    private func isContradicted(_ grown: Grown?) -> Bool {
        guard let grown else { return false }
        return grown.agreement.share < Self.agreed && grown.state.registeredCount <= Self.large
    }

    private func isEnough(_ grown: Grown?) -> Bool {
        guard let grown, Double(grown.state.registeredCount) >= Self.enough * Double(matched) else { return false }
        // Growing a large model again takes long, and many photos seldom go astray together.
        return grown.agreement.share >= Self.agreed || grown.state.registeredCount > Self.large
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
