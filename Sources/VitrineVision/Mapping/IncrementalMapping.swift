import VitrineGeometry

/// Incremental structure from motion: registers photo after photo (Snavely et al. 2006; Schönberger & Frahm 2016).
struct IncrementalMapping {
    let options: Mapper.Options
    let parallel: Parallel
    let isCancelled: () -> Bool
    /// Called with the number of registered photos.
    let registered: (Int) -> Void

    /// The number of photos up to which each new photo is followed by a global bundle adjustment.
    static let smallModel = 8
    /// A global bundle adjustment follows when the model has grown by this factor.
    static let growth = 1.25
    /// The number of photos in a local bundle adjustment.
    static let localPhotos = 6
    /// The number of photos above which a model determines the focal length even if parts of it are wrong.
    static let fewForLens = 5
    /// The number of candidates examined for the next registration.
    static let likeliest = 40

    /// Initializes a model from a pair. Returns nil if too few points remain.
    func start(_ empty: MapState, _ pair: InitialPair) -> MapState? {
        var state = empty
        state.poses[pair.first] = .identity
        state.poses[pair.second] = pair.secondFromFirst
        state.triangulate(photo: pair.first, MapState.TriangulationLimits())
        adjust(&state, iterations: 20)
        state.filter(maximumError: 4, minimumAngle: options.minimumAngle * .pi / 180)
        return state.pointCount >= options.minimumPoints ? state : nil
    }

    /// Initializes an empty model with given cameras and triangulates points. The cameras are fixed, or have priors with
    /// `options.knownCameraDeviation`.
    func register(_ known: [PosedCamera?], in state: inout MapState) {
        var limits = MapState.TriangulationLimits()
        for (photo, camera) in known.enumerated() {
            guard let camera else { continue }
            state.poses[photo] = camera.cameraFromWorld
            state.isPoseHeld[photo] = options.knownCameraDeviation == nil
            guard let deviation = options.knownCameraDeviation else { continue }
            let shift = deviation.rotation * camera.intrinsics.focal.x / state.pixelScale[photo]
            limits.maximumError = max(limits.maximumError, min(25, shift))
        }
        for photo in known.indices where known[photo] != nil { state.triangulate(photo: photo, limits) }
        if let deviation = options.knownCameraDeviation { addPriors(known, deviation, to: &state) }
        adjustGlobally(&state, rounds: 2)
    }

    private func addPriors(_ known: [PosedCamera?], _ deviation: KnownCameraDeviation, to state: inout MapState) {
        let depths = known.indices.map { photo -> [Double] in
            guard let pose = known[photo]?.cameraFromWorld else { return [] }
            return state.graph.features(of: photo).compactMap { feature in
                let point = Int(state.pointOfFeature[feature])
                return point >= 0 ? (pose * state.positions[point]).z : nil
            }
        }
        let typical = median(depths.flatMap { $0 })
        guard typical > 0 else { return }
        for (photo, camera) in known.enumerated() {
            guard let camera else { continue }
            let distance = depths[photo].isEmpty ? typical : median(depths[photo])
            let position = deviation.position * max(distance, 0.01 * typical)
            state.posePriors[photo] = BundleProblem.PosePrior(
                cameraFromWorld: camera.cameraFromWorld, rotationInformation: 1 / (deviation.rotation * deviation.rotation),
                positionInformation: 1 / (position * position))
        }
    }

    /// Registers as many photos as possible, at most `limit`.
    /// - Parameter allowed: Whether each photo may be registered.
    func grow(_ state: inout MapState, limit: Int = .max, allowed: [Bool]) {
        var (globalPhotos, globalPoints) = (state.registeredCount, state.pointCount)
        // The number of visible points at the last failed registration of a photo: retried when there are clearly more.
        var failedAt = [Int](repeating: 0, count: state.poses.count)
        var isLastRound = false
        while state.registeredCount < limit, !isCancelled() {
            if let photo = registerNext(&state, &failedAt, allowed) {
                isLastRound = false
                state.triangulate(photo: photo, MapState.TriangulationLimits())
                let count = state.registeredCount
                if count <= Self.smallModel || Double(count) >= Self.growth * Double(globalPhotos)
                    || Double(state.pointCount) >= Self.growth * Double(globalPoints)
                {
                    adjustGlobally(&state, rounds: 1)
                    (globalPhotos, globalPoints) = (state.registeredCount, state.pointCount)
                } else {
                    adjustLocally(&state, photo)
                }
                dropWeakPhotos(&state, &failedAt)
                registered(state.registeredCount)
            } else {
                // After the last photo, `finish` does the rest.
                if isLastRound || !state.poses.indices.contains(where: { state.poses[$0] == nil && allowed[$0] }) { break }
                isLastRound = true
                adjustGlobally(&state, rounds: 2)
                (globalPhotos, globalPoints) = (state.registeredCount, state.pointCount)
                failedAt = failedAt.map { $0 * 9 / 10 }
            }
        }
    }

    /// Registers the photo with the most and best distributed visible points; if none of the best candidates can be registered, one of the next.
    private func registerNext(_ state: inout MapState, _ failedAt: inout [Int], _ allowed: [Bool]) -> Int? {
        // A photo observes no more points than it has matches with registered photos.
        var waiting: [(bound: Int, photo: Int)] = []
        for photo in state.poses.indices where state.poses[photo] == nil && allowed[photo] {
            let bound = state.graph.pairs[photo].reduce(0) { $0 + (state.poses[$1.photo] == nil ? 0 : $1.matches) }
            if bound >= fewestPoints(failedAt[photo]) { waiting.append((bound, photo)) }
        }
        waiting.sort { ($0.bound, -$0.photo) > ($1.bound, -$1.photo) }
        for start in stride(from: 0, to: waiting.count, by: Self.likeliest) {
            let photos = waiting[start..<min(waiting.count, start + Self.likeliest)].map(\.photo)
            if let photo = registerBest(of: photos, &state, &failedAt) { return photo }
        }
        return nil
    }

    private func registerBest(of photos: [Int], _ state: inout MapState, _ failedAt: inout [Int]) -> Int? {
        let snapshot = state
        let observations = parallel.map(photos.count) { snapshot.visiblePoints(photos[$0]) }
        var candidates: [(score: Int, index: Int)] = []
        for index in photos.indices where observations[index].count >= fewestPoints(failedAt[photos[index]]) {
            candidates.append((state.spread(photos[index], observations[index]), index))
        }
        candidates.sort { ($0.score, -photos[$0.index]) > ($1.score, -photos[$1.index]) }
        for candidate in candidates {
            if isCancelled() { return nil }
            let photo = photos[candidate.index]
            if state.register(photo, observations[candidate.index], minimumPoints: options.minimumPoints, maximumError: 8) { return photo }
            failedAt[photo] = observations[candidate.index].count
        }
        return nil
    }

    /// The number of visible points needed to retry a photo that failed with `count`.
    private func fewestPoints(_ failedAt: Int) -> Int { max(options.minimumPoints, failedAt * 11 / 10 + 1) }

    private func adjust(_ state: inout MapState, iterations: Int, tolerance: Double = 1e-4) {
        var choice = MapState.BundleChoice()
        (choice.iterations, choice.tolerance) = (iterations, tolerance)
        state.adjust(choice, parallel, isCancelled)
    }

    private func adjustLocally(_ state: inout MapState, _ photo: Int) {
        var choice = MapState.BundleChoice()
        choice.photos = [photo] + state.covisible(with: photo, count: Self.localPhotos - 1)
        (choice.refinesLenses, choice.iterations, choice.tolerance) = (false, 8, 1e-3)
        state.adjust(choice, parallel, isCancelled)
        let points = state.points(seenBy: choice.photos!)
        let limit = filterLimit(state.medianError(of: points))
        state.filter(points, maximumError: limit, minimumAngle: options.minimumAngle * .pi / 180)
    }

    /// Adjusts all cameras, lenses and points, then triangulates again with the better cameras.
    func adjustGlobally(_ state: inout MapState, rounds: Int) {
        for _ in 0..<rounds where !isCancelled() {
            // `finish` converges fully; the lens of a small model must converge before more photos depend on it.
            adjust(&state, iterations: 20, tolerance: state.registeredCount > Self.smallModel ? 1e-3 : 1e-4)
            for lens in state.lenses.indices where state.registeredCount > 2 { state.lenses[lens].isCalibrated = true }
            state.filter(maximumError: filterLimit(state.medianError()), minimumAngle: options.minimumAngle * .pi / 180)
            retriangulate(&state)
            state.compact()
        }
    }

    func retriangulate(_ state: inout MapState) {
        state.mergePoints(maximumError: 4)
        state.completeTracks(maximumError: 4)
        var limits = MapState.TriangulationLimits()
        limits.maximumError = 4
        for photo in state.poses.indices where state.poses[photo] != nil { state.triangulate(photo: photo, limits) }
    }

    /// A tight threshold, but not so tight that a model far from convergence loses the observations that would correct it.
    private func filterLimit(_ medianError: Double) -> Double { min(12, max(4, 4 * medianError)) }

    /// Unregisters photos with too few remaining observations.
    private func dropWeakPhotos(_ state: inout MapState, _ failedAt: inout [Int]) {
        for photo in state.poses.indices where state.poses[photo] != nil && !state.isPoseHeld[photo] {
            guard state.observationCounts[photo] < options.minimumPoints, state.registeredCount > 2 else { continue }
            failedAt[photo] = max(failedAt[photo], state.observationCounts[photo] * 2)
            state.unregister(photo)
        }
    }

    /// Performs the final rounds: adjusts, triangulates again and filters until little changes; then refines the lenses.
    func finish(_ state: inout MapState, progress: (Double) -> Void) {
        settle(&state, rounds: 3, tolerance: 1e-4)
        progress(0.4)
        LensSelection(options: options, parallel: parallel, isCancelled: isCancelled).refine(&state)
        progress(0.7)
        settle(&state, rounds: 1, tolerance: 1e-5)
        progress(0.8)
        adjustFinally(&state)
        state.filter(maximumError: options.maximumError, minimumAngle: options.minimumAngle * .pi / 180)
        state.compact()
        state.estimateDeviations(parallel)
    }

    /// Adjusts with a loss that suits the remaining noise: Cauchy's threshold at 2.385 standard deviations keeps 95 % of least squares' efficiency
    /// on normal errors (Holland & Welsch 1977), while features with small errors have less influence than with the wide threshold of a growing model.
    private func adjustFinally(_ state: inout MapState) {
        var choice = MapState.BundleChoice()
        choice.loss = .cauchy(threshold: max(0.1, 2.385 * state.noise()))
        (choice.iterations, choice.tolerance) = (30, 1e-6)
        state.adjust(choice, parallel, isCancelled)
    }

    private func settle(_ state: inout MapState, rounds: Int, tolerance: Double) {
        for round in 0..<rounds where !isCancelled() {
            let before = state.observationCounts.reduce(0, +)
            adjust(&state, iterations: 30, tolerance: tolerance)
            retriangulate(&state)
            state.filter(maximumError: options.maximumError, minimumAngle: options.minimumAngle * .pi / 180)
            state.compact()
            let change = abs(state.observationCounts.reduce(0, +) - before)
            if round > 0, Double(change) < 0.002 * Double(before) { break }
        }
    }
}
