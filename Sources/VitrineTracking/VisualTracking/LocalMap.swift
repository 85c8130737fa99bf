import VitrineMath
import VitrineVision

/// The map of visual tracking: keyframes and the landmarks triangulated from them.
///
/// The numbers of keyframes and landmarks are bounded. No result depends on the order of a dictionary.
struct LocalMap: Sendable {
    struct Keyframe: Sendable {
        /// The number of the keyframe, in ascending order of time.
        var serial: Int
        var time: Double
        var cameraFromWorld: RigidTransform
        /// The observations, by feature identifier.
        var observations: [Int: UndistortedCamera.Observation]
        /// nil without an image.
        var thumbnail: ImageThumbnail?

        var center: Vector3d { -(cameraFromWorld.rotation.transpose * cameraFromWorld.translation) }
    }

    struct Landmark: Sendable {
        var position: Vector3d
        /// Camera time of the newest observation.
        var lastObserved: Double
        /// nil without an image.
        var patch: LandmarkPatch?
    }

    static let maximumKeyframes = 48
    static let maximumLandmarks = 4000

    let camera: UndistortedCamera
    /// The keyframes, ordered by ascending serial number.
    private(set) var keyframes: [Keyframe] = []
    /// The landmarks, by feature identifier.
    private(set) var landmarks: [Int: Landmark] = [:]
    private var nextSerial = 0

    init(camera: UndistortedCamera) { self.camera = camera }

    func position(_ id: Int) -> Vector3d? { landmarks[id]?.position }

    /// Adds a landmark.
    mutating func add(_ id: Int, at position: Vector3d, time: Double) {
        landmarks[id] = Landmark(position: position, lastObserved: time)
    }

    mutating func setPatch(_ patch: LandmarkPatch?, of id: Int) { landmarks[id]?.patch = patch }

    mutating func setNewestThumbnail(_ thumbnail: ImageThumbnail) { keyframes[keyframes.count - 1].thumbnail = thumbnail }

    /// Merges two landmarks: the second one's observations go to the first.
    mutating func merge(_ other: Int, into id: Int) {
        for index in keyframes.indices {
            guard let observation = keyframes[index].observations.removeValue(forKey: other) else { continue }
            if keyframes[index].observations[id] == nil { keyframes[index].observations[id] = observation }
        }
        landmarks[other] = nil
    }

    mutating func move(_ id: Int, to position: Vector3d) { landmarks[id]?.position = position }

    mutating func remove(_ id: Int) {
        landmarks[id] = nil
        for index in keyframes.indices { keyframes[index].observations[id] = nil }
    }

    /// Records that landmarks were observed.
    mutating func observe(_ ids: some Sequence<Int>, time: Double) {
        for id in ids { landmarks[id]?.lastObserved = time }
    }

    mutating func append(
        time: Double, cameraFromWorld: RigidTransform, observations: [Int: UndistortedCamera.Observation], thumbnail: ImageThumbnail? = nil
    ) {
        keyframes.append(
            Keyframe(serial: nextSerial, time: time, cameraFromWorld: cameraFromWorld, observations: observations, thumbnail: thumbnail))
        nextSerial += 1
    }

    /// The median depth of landmarks in front of a camera, in the map's unit; nil for fewer than three.
    func medianDepth(_ cameraFromWorld: RigidTransform, of ids: some Sequence<Int>) -> Double? {
        var depths = ids.compactMap { id in position(id).map { (cameraFromWorld * $0).z } }.filter { $0 > 0 }
        guard depths.count >= 3 else { return nil }
        depths.sort()
        return depths[depths.count / 2]
    }

    /// Applies a transform of the world.
    mutating func transform(by change: SimilarityTransform) {
        for id in landmarks.keys {
            landmarks[id]!.position = change * landmarks[id]!.position
            landmarks[id]!.patch?.transform(by: change)
        }
        for index in keyframes.indices { keyframes[index].cameraFromWorld = change.moved(keyframes[index].cameraFromWorld) }
    }

    /// Indices of the six keyframes nearest to a pose in position and direction, without the newest three.
    /// - Parameter depth: The median depth of the scene.
    func nearestKeyframes(to pose: RigidTransform, depth: Double) -> [Int] {
        let costs = keyframes.dropLast(3).map { keyframe in
            let turn = 3 - (keyframe.cameraFromWorld.rotation * pose.rotation).trace
            return length(keyframe.center - pose.translation) / depth + turn
        }
        let near = costs.indices.filter { costs[$0] < 1 }.sorted { (costs[$0], $0) < (costs[$1], $1) }
        return near.prefix(6).sorted()
    }

    // MARK: Pruning

    /// Removes excess keyframes, the most redundant first, and excess landmarks, those unobserved for longest first.
    mutating func prune() {
        while keyframes.count > Self.maximumKeyframes { keyframes.remove(at: mostRedundantKeyframe()) }
        if landmarks.count > Self.maximumLandmarks {
            let order = landmarks.keys.sorted { (landmarks[$0]!.lastObserved, $0) < (landmarks[$1]!.lastObserved, $1) }
            for id in order.prefix(landmarks.count - Self.maximumLandmarks) { remove(id) }
        }
    }

    /// The keyframe whose neighbours are nearest to each other, except for the first and the newest ten.
    private func mostRedundantKeyframe() -> Int {
        var best = (index: 1, cost: Double.infinity)
        for index in 1..<max(2, keyframes.count - 10) {
            let (a, b) = (keyframes[index - 1], keyframes[index + 1])
            let turn = 3 - (a.cameraFromWorld.rotation * b.cameraFromWorld.rotation.transpose).trace
            let depth = medianDepth(keyframes[index].cameraFromWorld, of: keyframes[index].observations.keys) ?? 1
            let cost = lengthSquared(a.center - b.center) / (depth * depth) + turn
            if cost < best.cost { best = (index, cost) }
        }
        return best.index
    }
}

// MARK: - Triangulation

extension LocalMap {
    /// Requirements for a new landmark.
    struct TriangulationLimits: Sendable {
        /// Smallest angle between two rays in radians.
        var minimumAngle = 1.2 * Double.pi / 180
        /// Largest reprojection error in undistorted pixels.
        var maximumError = 2.0
    }

    /// Triangulates features of the newest keyframe that have no landmark.
    /// - Returns: The identifiers of the new landmarks, ascending.
    @discardableResult
    mutating func triangulate(_ limits: TriangulationLimits = TriangulationLimits(), time: Double) -> [Int] {
        guard let newest = keyframes.last else { return [] }
        var found: [Int] = []
        for id in newest.observations.keys.sorted() where landmarks[id] == nil {
            guard let position = triangulated(id, limits) else { continue }
            add(id, at: position, time: time)
            found.append(id)
        }
        return found
    }

    /// The intersection of a feature's rays; nil if they do not meet or the angle is too small.
    private func triangulated(_ id: Int, _ limits: TriangulationLimits) -> Vector3d? {
        var (views, weights): ([PixelObservation], [Double]) = ([], [])
        for keyframe in keyframes.suffix(12) {
            guard let observation = keyframe.observations[id] else { continue }
            let posed = PosedCamera(intrinsics: camera.intrinsics, cameraFromWorld: keyframe.cameraFromWorld)
            views.append(PixelObservation(camera: posed, pixel: observation.position))
            weights.append(observation.information)
        }
        guard views.count >= 2, let first = views.first else { return nil }
        // The largest angle is usually to the first observation.
        let cosine = views.dropFirst().map { dot(first.ray, $0.ray) }.min() ?? 1
        guard cosine < cos(limits.minimumAngle), let start = Triangulation.midpoint(views) else { return nil }
        let point = Triangulation.refined(start, views)
        let limit = limits.maximumError * limits.maximumError
        for (view, weight) in zip(views, weights) {
            guard view.squaredError(point) * weight <= limit else { return nil }
        }
        return point
    }
}

// MARK: - Bundle adjustment

extension LocalMap {
    /// Options of the local bundle adjustment.
    struct Window: Sendable {
        /// Number of the newest keyframes, which are adjusted, and of older ones, which are fixed.
        var free = 8, fixed = 6
        var iterations = 6
        /// Loss scale, and largest error of an observation that is kept, in undistorted pixels.
        var robustness = 1.5, maximumError = 3.5
    }

    /// Adjusts the newest keyframes and their landmarks.
    ///
    /// Older keyframes that observe the same landmarks are fixed. Without any, the first keyframe is fixed, and the scale is kept by the mean
    /// distance of the landmarks from it.
    mutating func adjust(_ window: Window = Window()) {
        let first = max(0, keyframes.count - window.free)
        let ids = Set(keyframes[first...].flatMap(\.observations.keys)).filter { landmarks[$0] != nil }.sorted()
        let fixed = fixedKeyframes(of: ids, before: first, most: window.fixed)
        let used = fixed + Array(first..<keyframes.count)
        guard used.count >= 2, ids.count >= 8 else { return }
        var problem = BundleProblem()
        problem.lenses = [.init(intrinsics: camera.intrinsics, freeParameters: 0)]
        problem.cameras = used.enumerated().map { slot, index in
            let isFixed = index < first || fixed.isEmpty && slot == 0
            return .init(cameraFromWorld: keyframes[index].cameraFromWorld, lens: 0, isFixed: isFixed)
        }
        var adjusted: [Int] = []
        for id in ids {
            let observations = used.indices.compactMap { slot in keyframes[used[slot]].observations[id].map { (slot, $0) } }
            guard observations.count >= 2, let position = position(id) else { continue }
            adjusted.append(id)
            problem.appendPoint(position)
            for (slot, observation) in observations {
                problem.appendObservation(camera: slot, pixel: observation.position, information: observation.information)
            }
        }
        guard adjusted.count >= 8 else { return }
        var adjuster = BundleAdjuster()
        adjuster.options.loss = .cauchy(threshold: window.robustness)
        adjuster.options.maximumIterations = window.iterations
        adjuster.options.costTolerance = 1e-4
        adjuster.adjust(&problem, parallel: Parallel(threads: 1))
        if fixed.count < 2 { Self.keepScale(&problem, about: problem.cameras[0].cameraFromWorld, as: adjusted.map { position($0)! }) }
        for (slot, index) in used.enumerated() { keyframes[index].cameraFromWorld = problem.cameras[slot].cameraFromWorld }
        for (slot, id) in adjusted.enumerated() { move(id, to: problem.points[slot]) }
        removeErrors(adjusted, in: used, beyond: window.maximumError)
    }

    /// Older keyframes with the most observations of the landmarks, by ascending index.
    private func fixedKeyframes(of ids: [Int], before first: Int, most: Int) -> [Int] {
        let counts = (0..<first).map { index in ids.count { keyframes[index].observations[$0] != nil } }
        let order = (0..<first).filter { counts[$0] >= 8 }.sorted { (counts[$1], $1) < (counts[$0], $0) }
        return order.prefix(most).sorted()
    }

    /// Restores the geometric mean of the points' distances from a camera: with one fixed camera the scale is free.
    private static func keepScale(_ problem: inout BundleProblem, about cameraFromWorld: RigidTransform, as before: [Vector3d]) {
        let center = cameraFromWorld.inverse.translation
        var sum = 0.0
        for (old, new) in zip(before, problem.points) {
            let (a, b) = (length(old - center), length(new - center))
            if a > 0, b > 0 { sum += log(a / b) }
        }
        let scale = exp(sum / Double(max(1, before.count)))
        guard scale.isFinite, scale > 0 else { return }
        let change = SimilarityTransform(scale: scale, rotation: .identity, translation: center * (1 - scale))
        for index in problem.points.indices { problem.points[index] = change * problem.points[index] }
        for index in problem.cameras.indices {
            problem.cameras[index].cameraFromWorld = change.moved(problem.cameras[index].cameraFromWorld)
        }
    }

    /// Removes observations with large errors, and landmarks with fewer than two observations left.
    private mutating func removeErrors(_ ids: [Int], in used: [Int], beyond limit: Double) {
        let fit = PoseRefinement(camera: camera)
        for id in ids {
            guard let position = position(id) else { continue }
            for index in used {
                guard let observation = keyframes[index].observations[id] else { continue }
                let error = fit.error(keyframes[index].cameraFromWorld, .init(position: position, observation: observation))
                if !(error <= limit * limit) { keyframes[index].observations[id] = nil }
            }
            if keyframes.count(where: { $0.observations[id] != nil }) < 2 { remove(id) }
        }
    }
}
