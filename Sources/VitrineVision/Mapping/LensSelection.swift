import VitrineGeometry

/// Model selection for each lens: fits a parameter only if the photos determine it.
struct LensSelection {
    let options: Mapper.Options
    let parallel: Parallel
    let isCancelled: () -> Bool

    /// The numbers of fitted parameters, and the smallest relative decrease of the cost for each. Feature positions have small systematic errors over
    /// the image, so that every parameter decreases the cost; p1, p2 and k3 correlate with the principal point, k1 and k2 so strongly that fitting
    /// them for a small gain would let these drift.
    private static let steps: [(parameters: Int, gain: Double)] = [(3, 0.002), (5, 0.005), (9, 0.01)]

    /// Fits successively richer lens models and selects one by Bayes' information criterion (Schwarz 1978): each parameter must decrease the sum of
    /// squared errors by more than log(observations) times the noise variance; by twice that, as errors of neighbouring features are correlated.
    ///
    /// Decides lenses with many photos one by one and the others together: each decision takes several global adjustments.
    func refine(_ state: inout MapState) {
        let observations = state.lenses.indices.map { lens in
            state.poses.indices.reduce(0) { $0 + (state.lensOfPhoto[$1] == lens ? state.observationCounts[$1] : 0) }
        }
        let total = max(1, observations.reduce(0, +))
        let chosen = state.lenses.indices.filter { lens in
            let photos = state.poses.indices.count { state.poses[$0] != nil && state.lensOfPhoto[$0] == lens }
            return !state.lenses[lens].isHeld && photos >= 3 && observations[lens] > 100
        }.sorted { (observations[$0], -$0) > (observations[$1], -$1) }
        var groups = chosen.prefix(Self.single).map { [$0] }
        if chosen.count > Self.single { groups.append(Array(chosen.dropFirst(Self.single))) }
        for lenses in groups {
            let seen = lenses.reduce(0) { $0 + observations[$1] }
            refine(lenses, observations: seen, share: Double(seen) / Double(total), &state)
        }
    }

    /// The number of lenses decided one by one.
    private static let single = 3

    private func refine(_ lenses: [Int], observations: Int, share: Double, _ state: inout MapState) {
        let most = lenses.map { options.richestLens.fittedCount ?? state.lenses[$0].intrinsics.parameterCount }.min() ?? 0
        for lens in lenses { state.lenses[lens].fitted = min(2, most) }
        var trial = state
        var best = (cost: fit(&trial).cost, parameters: 2, state: trial)
        for (richest, gain) in Self.steps where !isCancelled() {
            // A fisheye's last step has one parameter fewer.
            let count = richest == Self.steps.last!.parameters && most >= 8 ? most : richest
            guard count <= most else { continue }
            for lens in lenses { trial.lenses[lens].fitted = count }
            let (cost, variance) = fit(&trial)
            let perLens = Double(observations) / Double(lenses.count)
            let penalty = 2 * Double((count - best.parameters) * lenses.count) * log(perLens) * variance
            let isImproved = best.cost - cost > max(penalty, gain * share * best.cost)
            if isImproved, lenses.allSatisfy({ isPlausible(trial.lenses[$0]) }) {
                best = (cost, count, trial)
            } else {
                trial = best.state
            }
        }
        state = best.state
    }

    /// Adjusts the model; returns the cost and the noise variance.
    private func fit(_ state: inout MapState) -> (cost: Double, variance: Double) {
        var choice = MapState.BundleChoice()
        (choice.iterations, choice.tolerance) = (25, 1e-5)
        let summary = state.adjust(choice, parallel, isCancelled)
        let deviation = max(1e-3, state.noise())
        return (summary.finalCost, deviation * deviation)
    }

    /// Whether the parameters are those of a real lens.
    private func isPlausible(_ lens: MapState.LensState) -> Bool {
        let k = lens.intrinsics
        let size = Vector2d(Double(k.width), Double(k.height))
        let offset = (k.center - size / 2) / size
        guard abs(offset.x) < 0.15, abs(offset.y) < 0.15, abs(k.focal.y / k.focal.x - 1) < 0.05 else { return false }
        return k.distortion.isPlausible(corner: length(size / 2 / k.focal))
    }
}

extension MapState {
    /// Estimates the standard deviations of the focal lengths at the observed noise.
    mutating func estimateDeviations(_ parallel: Parallel) {
        let (problem, _, _) = problem(BundleChoice())
        let noise = noise()
        let deviations = BundleAdjuster().lensDeviations(problem, parallel: parallel)
        for lens in lenses.indices { lenses[lens].focalDeviation = (deviations[lens].first ?? 0) * noise }
    }
}
