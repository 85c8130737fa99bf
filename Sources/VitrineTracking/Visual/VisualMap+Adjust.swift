import VitrineMath
import VitrineVision

extension VisualMap {
    struct Window: Sendable {
        /// Newest keyframes that are moved, and older ones that hold the world in its place.
        var free = 8, held = 6
        var iterations = 6
        /// In flat pixels: from where on a place loses its say, and from where on it is forgotten.
        var robustness = 1.5, largestError = 3.5
    }

    /// Bundle adjustment of the newest keyframes and what they show.
    ///
    /// Older keyframes that show the same points hold the world. While there are none, the first keyframe does, and the scale stays by the mean
    /// distance of the points from it.
    mutating func adjust(_ window: Window = Window()) {
        let first = max(0, keyframes.count - window.free)
        let ids = Set(keyframes[first...].flatMap(\.sights.keys)).filter { points[$0] != nil }.sorted()
        let held = holders(of: ids, before: first, most: window.held)
        let used = held + Array(first..<keyframes.count)
        guard used.count >= 2, ids.count >= 8 else { return }
        var problem = BundleProblem()
        problem.lenses = [.init(intrinsics: camera.intrinsics, freeParameters: 0)]
        problem.cameras = used.enumerated().map { place, index in
            let isFixed = index < first || held.isEmpty && place == 0
            return .init(cameraFromWorld: keyframes[index].cameraFromWorld, lens: 0, isFixed: isFixed)
        }
        var adjusted: [Int] = []
        for id in ids {
            let sights = used.indices.compactMap { place in keyframes[used[place]].sights[id].map { (place, $0) } }
            guard sights.count >= 2, let position = position(id) else { continue }
            adjusted.append(id)
            problem.appendPoint(position)
            for (place, sight) in sights { problem.appendObservation(camera: place, pixel: sight.place, information: sight.information) }
        }
        guard adjusted.count >= 8 else { return }
        var adjuster = BundleAdjuster()
        adjuster.options.loss = .cauchy(threshold: window.robustness)
        adjuster.options.maximumIterations = window.iterations
        adjuster.options.costTolerance = 1e-4
        adjuster.adjust(&problem, parallel: Parallel(threads: 1))
        if held.count < 2 { Self.keepScale(&problem, about: problem.cameras[0].cameraFromWorld, as: adjusted.map { position($0)! }) }
        for (place, index) in used.enumerated() { keyframes[index].cameraFromWorld = problem.cameras[place].cameraFromWorld }
        for (place, id) in adjusted.enumerated() { move(id, to: problem.points[place]) }
        forgetErrors(adjusted, in: used, beyond: window.largestError)
    }

    /// Older keyframes that show most of the points, by rising serial.
    private func holders(of ids: [Int], before first: Int, most: Int) -> [Int] {
        let counts = (0..<first).map { index in ids.count { keyframes[index].sights[$0] != nil } }
        let order = (0..<first).filter { counts[$0] >= 8 }.sorted { (counts[$1], $1) < (counts[$0], $0) }
        return order.prefix(most).sorted()
    }

    /// With one camera held, the size of everything is open: takes the geometric mean of the points' distances back to what it was.
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

    /// Takes back sights that lie far off their points, and points that fewer than two sights are left of.
    private mutating func forgetErrors(_ ids: [Int], in used: [Int], beyond limit: Double) {
        let fit = PoseFit(camera: camera)
        for id in ids {
            guard let position = position(id) else { continue }
            for index in used {
                guard let sight = keyframes[index].sights[id] else { continue }
                let error = fit.error(keyframes[index].cameraFromWorld, .init(position: position, sight: sight))
                if !(error <= limit * limit) { keyframes[index].sights[id] = nil }
            }
            if keyframes.count(where: { $0.sights[id] != nil }) < 2 { remove(id) }
        }
    }
}
