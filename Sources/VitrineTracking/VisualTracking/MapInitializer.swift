import VitrineMath
import VitrineVision

/// One frame's observations and its approximate pose.
struct ObservedFrame: Sendable {
    /// Seconds on the camera's clock.
    var time: Double
    var worldFromCamera: RigidTransform
    /// The observations, by feature identifier.
    var observations: [Int: UndistortedCamera.Observation]
}

/// Initializes a map from two views with enough parallax.
///
/// The first view is kept while enough of its features are tracked. The relative pose comes from the essential matrix or the homography with
/// more inliers (``TwoViewEstimator``), and is adjusted together with views between the two.
struct MapInitializer: Sendable {
    struct Settings: Sendable {
        /// Smallest number of common features, and of triangulated landmarks.
        var minimumShared = 25
        /// Smallest median parallax for an attempt, in radians.
        var minimumAngle = 1.0 * Double.pi / 180
        /// Smallest median triangulation angle for success, in radians; larger for planar scenes, which are ambiguous.
        var minimumPointAngle = 1.5 * Double.pi / 180
        var minimumPlanarAngle = 3.0 * Double.pi / 180
        /// Largest median reprojection error in undistorted pixels.
        var maximumError = 1.2
        var maximumViews = 10
    }

    private let settings = Settings()
    private var views: [ObservedFrame] = []
    /// Number of failed attempts.
    private(set) var failures = 0
    /// Whether too few features stay in view for a map.
    private(set) var hasFewFeatures = false
    private let camera: UndistortedCamera

    init(camera: UndistortedCamera) { self.camera = camera }

    mutating func removeAll() { views = [] }

    /// Applies a transform of the world.
    mutating func transform(by change: RigidTransform) {
        for index in views.indices { views[index].worldFromCamera = change * views[index].worldFromCamera }
    }

    /// Adds a view.
    /// - Returns: The map in the first view's frame, its unit being the distance between first and last keyframe; and the first view.
    mutating func add(_ view: ObservedFrame) -> (map: LocalMap, first: ObservedFrame)? {
        removeUnrelated(view)
        views.append(view)
        if views.count > settings.maximumViews { thin() }
        hasFewFeatures = view.observations.count < settings.minimumShared
        guard views.count >= 2 else { return nil }
        let first = views[0]
        let shared = Self.shared(first, view)
        guard shared.count >= settings.minimumShared, angle(first, view, shared) >= settings.minimumAngle else { return nil }
        guard let map = map(first, view, shared) else {
            failures += 1
            return nil
        }
        return (map, first)
    }

    /// Removes early views that have too few features in common with the newest.
    private mutating func removeUnrelated(_ view: ObservedFrame) {
        let keep = views.firstIndex { old in
            let count = Self.shared(old, view).count
            return count >= settings.minimumShared && Double(count) >= 0.4 * Double(old.observations.count)
        }
        views.removeFirst(keep ?? views.count)
    }

    /// Removes every other view between the first and the newest.
    private mutating func thin() {
        let last = views.count - 1
        views = views.indices.filter { $0 == 0 || $0 == last || $0 % 2 == 0 }.map { views[$0] }
    }

    private static func shared(_ a: ObservedFrame, _ b: ObservedFrame) -> [Int] {
        a.observations.keys.filter { b.observations[$0] != nil }.sorted()
    }

    /// The median parallax between two views, without rotation, in radians.
    private func angle(_ a: ObservedFrame, _ b: ObservedFrame, _ shared: [Int]) -> Double {
        let first = shared.map { camera.ray(a.observations[$0]!.position) }
        let second = shared.map { camera.ray(b.observations[$0]!.position) }
        let check = EpipolarCheck(first: first, second: second, limit: 1.5 / camera.focal)
        guard let (motion, inliers) = check.search(rotation: nil) else { return 0 }
        let angles = shared.indices.filter { inliers[$0] }.map { length(second[$0] - motion.rotation * first[$0]) }.sorted()
        return angles.count >= settings.minimumShared ? angles[angles.count / 2] : 0
    }

    private func map(_ first: ObservedFrame, _ last: ObservedFrame, _ shared: [Int]) -> LocalMap? {
        guard let pose = relativePose(first, last, shared) else { return nil }
        var two = LocalMap(camera: camera)
        var limits = LocalMap.TriangulationLimits()
        limits.minimumAngle *= 0.6
        two.append(time: first.time, cameraFromWorld: .identity, observations: first.observations)
        two.append(time: last.time, cameraFromWorld: pose, observations: last.observations)
        guard two.triangulate(limits, time: last.time).count >= settings.minimumShared else { return nil }
        var map = withViewsBetween(two, first, last)
        var window = LocalMap.Window()
        window.iterations = 20
        for _ in 0..<2 {
            map.adjust(window)
            map.triangulate(limits, time: last.time)
        }
        return isAccurate(map, shared) ? map : nil
    }

    /// The last view's camera from the first's, with a translation of length 1.
    private func relativePose(_ first: ObservedFrame, _ last: ObservedFrame, _ shared: [Int]) -> RigidTransform? {
        var estimator = TwoViewEstimator()
        estimator.options.minimumInliers = settings.minimumShared
        estimator.options.maximumTrials = 500
        let guess = CameraGuess(intrinsics: camera.intrinsics, isFocalKnown: true)
        let positions = shared.map { (SIMD2<Float>(first.observations[$0]!.position), SIMD2<Float>(last.observations[$0]!.position)) }
        guard let (geometry, _) = estimator.estimate(positions, first: guess, second: guess, seed: 11), let pose = geometry.relativePose
        else { return nil }
        let minimum = geometry.kind == .planar ? settings.minimumPlanarAngle : settings.minimumPointAngle
        return geometry.kind != .rotation && geometry.medianAngle >= minimum ? pose : nil
    }

    /// Adds up to three views between the two, with poses from the landmarks.
    private func withViewsBetween(_ two: LocalMap, _ first: ObservedFrame, _ last: ObservedFrame) -> LocalMap {
        let between = views.dropFirst().dropLast()
        let chosen = (1...3).map { between.startIndex + between.count * $0 / 4 }.filter { $0 < between.endIndex }
        var map = LocalMap(camera: camera)
        map.append(time: first.time, cameraFromWorld: .identity, observations: first.observations)
        var pose = RigidTransform.identity
        var refinement = PoseRefinement(camera: camera)
        refinement.iterations = 20
        refinement.lossScale.first = 50
        var used = Set<Int>()
        for index in chosen where used.insert(index).inserted {
            let view = views[index]
            let points = view.observations.keys.sorted().compactMap { id in
                two.position(id).map { PoseRefinement.Point(position: $0, observation: view.observations[id]!) }
            }
            guard points.count >= 12 else { continue }
            pose = refinement.refined(pose, points)
            guard refinement.errors(pose, points).count(where: { $0 < 9 }) * 10 > points.count * 7 else { continue }
            map.append(time: view.time, cameraFromWorld: pose, observations: view.observations)
        }
        map.append(time: last.time, cameraFromWorld: two.keyframes[1].cameraFromWorld, observations: last.observations)
        for id in last.observations.keys.sorted() { if let position = two.position(id) { map.add(id, at: position, time: last.time) } }
        return map
    }

    private func isAccurate(_ map: LocalMap, _ shared: [Int]) -> Bool {
        guard let last = map.keyframes.last else { return false }
        let refinement = PoseRefinement(camera: camera)
        var errors: [Double] = []
        for id in shared {
            guard let position = map.position(id), let observation = last.observations[id] else { continue }
            errors.append(refinement.error(last.cameraFromWorld, .init(position: position, observation: observation)))
        }
        guard errors.count >= settings.minimumShared, errors.count * 10 >= shared.count * 5 else { return false }
        errors.sort()
        return errors[errors.count / 2] < settings.maximumError * settings.maximumError
    }
}
