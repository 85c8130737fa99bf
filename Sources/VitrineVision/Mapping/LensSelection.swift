import VitrineGeometry

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
    ///
    /// Lenses with many photos are decided one by one, the others all together: each decision costs adjustments of the whole model.
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

    /// Lenses decided one by one.
    private static let single = 3

    private func refine(_ lenses: [Int], observations: Int, share: Double, _ state: inout MapState) {
        let most = lenses.map { Self.fitted(options.richestLens, state.lenses[$0].intrinsics) }.min() ?? 0
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
            let isWorth = best.cost - cost > max(penalty, gain * share * best.cost)
            if isWorth, lenses.allSatisfy({ isPlausible(trial.lenses[$0]) }) {
                best = (cost, count, trial)
            } else {
                trial = best.state
            }
        }
        state = best.state
    }

    /// The number of parameters to fit at most for a lens.
    private static func fitted(_ model: LensModel, _ intrinsics: CameraIntrinsics) -> Int {
        switch model {
        case .pinhole, .equidistant: 1
        case .simpleRadial: 2
        case .radial: 3
        case .brownConrady, .openCVFisheye: intrinsics.parameterCount
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
        guard case .brownConrady(let radial, let tangential) = k.distortion else { return isMonotonicFisheye(k) }
        guard abs(tangential.x) < 0.05, abs(tangential.y) < 0.05 else { return false }
        // Distortion must rise with the radius, out to the corners.
        let corner = length(size / 2 / k.focal)
        return (1...10).allSatisfy { step in
            let s = (corner * Double(step) / 10) * (corner * Double(step) / 10)
            return 1 + s * (3 * radial.x + s * (5 * radial.y + s * 7 * radial.z)) > 0.2
        }
    }

    /// Whether the distance from the principal point increases with the angle off the axis, out to the image's corners.
    private func isMonotonicFisheye(_ intrinsics: CameraIntrinsics) -> Bool {
        guard case .kannalaBrandt(let k) = intrinsics.distortion else { return true }
        let corner = min(.pi, length(Vector2d(Double(intrinsics.width), Double(intrinsics.height)) / 2 / intrinsics.focal))
        return (1...10).allSatisfy { step in
            let angle = corner * Double(step) / 10
            return LensDistortion.angleSlope(squared: angle * angle, k) > 0.2
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
