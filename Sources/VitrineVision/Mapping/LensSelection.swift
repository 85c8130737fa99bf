import VitrineMath

/// Decides how much of each lens to model: a parameter is fitted only where the photos determine it.
struct LensSelection {
    let options: Mapper.Options
    let parallel: Parallel
    let isCancelled: () -> Bool

    /// The steps: how many parameters are fitted, and which share of the cost they must save at the least. Features lie a little beside
    /// the point in a way that depends on where in the picture they are, so that any parameter saves something; p1, p2 and k3 resemble a
    /// shift of the centre and k1, k2 so much that a small gain would only let these drift.
    private static let steps: [(parameters: Int, gain: Double)] = [(3, 0.002), (5, 0.005), (9, 0.01)]

    /// Tries richer and richer lenses and keeps what Bayes' information criterion prefers (Schwarz 1978): each parameter must lower the
    /// sum of squared errors by more than log(observations) times the noise's variance. Twice that is asked for, as errors of
    /// neighbouring features aren't independent.
    func refine(_ state: inout MapState) {
        let most = Self.fitted(options.richestLens)
        for lens in state.lenses.indices where !state.lenses[lens].isHeld {
            let photos = state.poses.indices.filter { state.poses[$0] != nil && state.lensOfPhoto[$0] == lens }
            guard photos.count >= 3 else { continue }
            let observations = photos.reduce(0) { $0 + state.observationCounts[$1] }
            guard observations > 100 else { continue }
            state.lenses[lens].fitted = min(2, most)
            var trial = state
            var best = (cost: fit(&trial).cost, parameters: 2, state: trial)
            for (count, gain) in Self.steps where count <= most && !isCancelled() {
                trial.lenses[lens].fitted = count
                let (cost, variance) = fit(&trial)
                let penalty = 2 * Double(count - best.parameters) * log(Double(observations)) * variance
                if best.cost - cost > max(penalty, gain * best.cost), isPlausible(trial.lenses[lens]) {
                    best = (cost, count, trial)
                } else {
                    trial = best.state
                }
            }
            state = best.state
        }
    }

    private static func fitted(_ model: LensModel) -> Int {
        switch model {
        case .pinhole: 1
        case .simpleRadial: 2
        case .radial: 3
        case .rich: 9
        }
    }

    /// Fits, and returns the cost and the noise's variance.
    private func fit(_ state: inout MapState) -> (cost: Double, variance: Double) {
        var choice = MapState.BundleChoice()
        (choice.iterations, choice.tolerance) = (25, 1e-5)
        let summary = state.adjust(choice, parallel, isCancelled)
        let deviation = max(1e-3, state.noise())
        return (summary.finalCost, deviation * deviation)
    }

    /// A lens that a camera could have.
    private func isPlausible(_ lens: MapState.LensState) -> Bool {
        let k = lens.intrinsics
        let size = Vector2d(Double(k.width), Double(k.height))
        let offset = (k.center - size / 2) / size
        guard abs(offset.x) < 0.15, abs(offset.y) < 0.15, abs(k.focal.y / k.focal.x - 1) < 0.05 else { return false }
        guard abs(k.tangential.x) < 0.05, abs(k.tangential.y) < 0.05 else { return false }
        // Distortion must rise with the radius, out to the corners.
        let corner = length(size / 2 / k.focal)
        return (1...10).allSatisfy { step in
            let s = (corner * Double(step) / 10) * (corner * Double(step) / 10)
            return 1 + s * (3 * k.radial.x + s * (5 * k.radial.y + s * 7 * k.radial.z)) > 0.2
        }
    }
}

extension MapState {
    /// The focal lengths' standard deviations, at the noise that the observations show.
    mutating func estimateDeviations(_ parallel: Parallel) {
        let (problem, _, _) = problem(BundleChoice())
        let noise = noise()
        let deviations = BundleAdjuster().lensDeviations(problem, parallel: parallel)
        for lens in lenses.indices { lenses[lens].focalDeviation = (deviations[lens].first ?? 0) * noise }
    }
}
