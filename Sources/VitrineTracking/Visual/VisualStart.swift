import VitrineMath
import VitrineVision

/// Waits for two views that are far enough apart, and makes the first map from them.
///
/// The first view is kept as long as enough of it is still seen. The way between the views comes from all that both show: by the epipolar
/// geometry or by a plane's homography, whichever explains more (``TwoViewEstimator``); then everything is adjusted together with views between.
struct VisualStart: Sendable {
    struct View: Sendable {
        var time: Double
        /// As far as it is known by other means; where nothing is, the origin.
        var worldFromCamera: RigidTransform
        var sights: [Int: FlatCamera.Sight]
    }

    struct Settings: Sendable {
        /// Features that both views show, at least; and points that come of them.
        var leastShared = 25
        /// The median angle between a feature's rays, turn taken out, at which a try is worth while; in radians.
        var leastAngle = 1.0 * Double.pi / 180
        /// At the points themselves, at which the try is believed; more where one plane explains everything, which it does in two ways.
        var leastPointAngle = 1.5 * Double.pi / 180
        var leastPlanarAngle = 3.0 * Double.pi / 180
        /// The median distance of points from their places in the map, at most, in flat pixels.
        var largestError = 1.2
        var mostViews = 10
    }

    var settings = Settings()
    private(set) var views: [View] = []
    /// Tries that came to nothing.
    private(set) var refusals = 0
    private let camera: FlatCamera

    init(camera: FlatCamera) { self.camera = camera }

    mutating func removeAll() { views = [] }

    /// The world turned or moved before there is a map.
    mutating func transform(by change: RigidTransform) {
        for index in views.indices { views[index].worldFromCamera = change * views[index].worldFromCamera }
    }

    /// - Returns: a map whose unit is the way between its first and its last keyframe, in the first view's frame; and that view.
    mutating func add(_ view: View) -> (map: VisualMap, first: View)? {
        forgetUnshared(view)
        views.append(view)
        if views.count > settings.mostViews { thin() }
        guard views.count >= 2 else { return nil }
        let first = views[0]
        let shared = Self.shared(first, view)
        guard shared.count >= settings.leastShared, angle(first, view, shared) >= settings.leastAngle else { return nil }
        guard let map = map(first, view, shared) else {
            refusals += 1
            return nil
        }
        return (map, first)
    }

    /// Begins later where too little of the first view is seen.
    private mutating func forgetUnshared(_ view: View) {
        let keep = views.firstIndex { old in
            let count = Self.shared(old, view).count
            return count >= settings.leastShared && Double(count) >= 0.4 * Double(old.sights.count)
        }
        views.removeFirst(keep ?? views.count)
    }

    /// Every other view between the first and the newest goes.
    private mutating func thin() {
        let last = views.count - 1
        views = views.indices.filter { $0 == 0 || $0 == last || $0 % 2 == 0 }.map { views[$0] }
    }

    private static func shared(_ a: View, _ b: View) -> [Int] { a.sights.keys.filter { b.sights[$0] != nil }.sorted() }

    /// The median angle between rays, what the common turn does to them taken out.
    private func angle(_ a: View, _ b: View, _ shared: [Int]) -> Double {
        let first = shared.map { camera.ray(a.sights[$0]!.place) }
        let second = shared.map { camera.ray(b.sights[$0]!.place) }
        let check = EpipolarCheck(first: first, second: second, limit: 1.5 / camera.focal)
        guard let (motion, agree) = check.search(rotation: nil) else { return 0 }
        let angles = shared.indices.filter { agree[$0] }.map { length(second[$0] - motion.rotation * first[$0]) }.sorted()
        return angles.count >= settings.leastShared ? angles[angles.count / 2] : 0
    }

    private func map(_ first: View, _ last: View, _ shared: [Int]) -> VisualMap? {
        guard let way = way(first, last, shared) else { return nil }
        var two = VisualMap(camera: camera)
        var demands = VisualMap.PointDemands()
        demands.leastAngle *= 0.6
        two.append(time: first.time, cameraFromWorld: .identity, sights: first.sights)
        two.append(time: last.time, cameraFromWorld: way, sights: last.sights)
        guard two.triangulate(demands, time: last.time).count >= settings.leastShared else { return nil }
        var map = withViewsBetween(two, first, last)
        var window = VisualMap.Window()
        window.iterations = 20
        for _ in 0..<2 {
            map.adjust(window)
            map.triangulate(demands, time: last.time)
        }
        return isBelieved(map, shared) ? map : nil
    }

    /// The last view's camera from the first's, the way between them 1 long.
    private func way(_ first: View, _ last: View, _ shared: [Int]) -> RigidTransform? {
        var estimator = TwoViewEstimator()
        estimator.options.minimumInliers = settings.leastShared
        // The fewer there are, the more trials they are worth; an even choice of many is enough.
        estimator.options.maximumTrials = 500
        let guess = CameraGuess(intrinsics: camera.intrinsics, isFocalKnown: true)
        let places = shared.map { (SIMD2<Float>(first.sights[$0]!.place), SIMD2<Float>(last.sights[$0]!.place)) }
        guard let (geometry, _) = estimator.estimate(places, first: guess, second: guess, seed: 11), let pose = geometry.relativePose
        else { return nil }
        let least = geometry.kind == .planar ? settings.leastPlanarAngle : settings.leastPointAngle
        return geometry.kind != .rotation && geometry.medianAngle >= least ? pose : nil
    }

    /// The same with up to three views between the two, each placed by the points.
    private func withViewsBetween(_ two: VisualMap, _ first: View, _ last: View) -> VisualMap {
        let between = views.dropFirst().dropLast()
        let chosen = (1...3).map { between.startIndex + between.count * $0 / 4 }.filter { $0 < between.endIndex }
        var map = VisualMap(camera: camera)
        map.append(time: first.time, cameraFromWorld: .identity, sights: first.sights)
        var pose = RigidTransform.identity
        var fit = PoseFit(camera: camera)
        fit.rounds = 20
        fit.reach.first = 50
        var used = Set<Int>()
        for index in chosen where used.insert(index).inserted {
            let view = views[index]
            let points = view.sights.keys.sorted().compactMap { id in
                two.position(id).map { PoseFit.Point(position: $0, sight: view.sights[id]!) }
            }
            guard points.count >= 12 else { continue }
            pose = fit.refined(pose, points)
            guard fit.errors(pose, points).count(where: { $0 < 9 }) * 10 > points.count * 7 else { continue }
            map.append(time: view.time, cameraFromWorld: pose, sights: view.sights)
        }
        map.append(time: last.time, cameraFromWorld: two.keyframes[1].cameraFromWorld, sights: last.sights)
        for id in last.sights.keys.sorted() { if let position = two.position(id) { map.put(id, at: position, time: last.time) } }
        return map
    }

    private func isBelieved(_ map: VisualMap, _ shared: [Int]) -> Bool {
        guard let last = map.keyframes.last else { return false }
        let fit = PoseFit(camera: camera)
        var errors: [Double] = []
        for id in shared {
            guard let position = map.position(id), let sight = last.sights[id] else { continue }
            errors.append(fit.error(last.cameraFromWorld, .init(position: position, sight: sight)))
        }
        guard errors.count >= settings.leastShared, errors.count * 10 >= shared.count * 5 else { return false }
        errors.sort()
        return errors[errors.count / 2] < settings.largestError * settings.largestError
    }
}
