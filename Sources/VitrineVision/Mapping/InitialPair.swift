import VitrineGeometry

/// An initial pair of photos, with the second's pose in the first's frame.
struct InitialPair: Sendable {
    var first, second: Int
    var secondFromFirst: RigidTransform
    /// The number of triangulated points, weighted by their angle: higher is better.
    var score: Double
    /// The median triangulation angle in radians.
    var medianAngle: Double
}

extension InitialPair {
    /// The number of pairs examined in full.
    static let examined = 40

    /// Initial pairs, best first: many matches that fit a pose, at sufficient triangulation angles.
    static func candidates(
        _ graph: MatchGraph, _ state: MapState, usesGivenPoses: Bool = true, allowed: (PhotoPair) -> Bool, parallel: Parallel
    ) -> [InitialPair] {
        var ranked: [(rank: Double, index: Int)] = []
        for (index, pair) in graph.pairs.enumerated() where allowed(pair) {
            guard pair.matches.count >= 16, pair.geometry.kind != .rotation else { continue }
            let known = pair.geometry.relativePose == nil ? 0.5 : min(1, pair.geometry.medianAngle / (15 * .pi / 180))
            let planar = pair.geometry.kind == .planar ? 0.3 : 1
            ranked.append((Double(pair.matches.count) * (0.1 + known) * planar, index))
        }
        ranked.sort { ($0.rank, Double(-$0.index)) > ($1.rank, Double(-$1.index)) }
        let chosen = ranked.prefix(examined).map { graph.pairs[$0.index] }
        let found = parallel.map(chosen.count) { examine(chosen[$0], state, usesGivenPose: usesGivenPoses) }
        return found.compactMap { $0 }.sorted { ($0.score, -$0.first, -$0.second) > ($1.score, -$1.first, -$1.second) }
    }

    /// The pose of a pair with the lenses of `state`; nil if too few matches can be triangulated with it.
    static func examine(_ pair: PhotoPair, _ state: MapState, usesGivenPose: Bool) -> InitialPair? {
        let lenses = [pair.first, pair.second].map { state.lenses[state.lensOfPhoto[$0]].intrinsics }
        let starts = [pair.first, pair.second].map { state.graph.photoStarts[$0] }
        let limits = [pair.first, pair.second].map { 4 * state.pixelScale[$0] }
        // An even selection of the matches is sufficient.
        let used = min(300, pair.matches.count)
        let pixels = (0..<used).map { index -> (Vector2d, Vector2d) in
            let match = pair.matches[index * pair.matches.count / used]
            return (state.graph.pixels[starts[0] + Int(match.x)], state.graph.pixels[starts[1] + Int(match.y)])
        }
        let given = usesGivenPose ? pair.geometry.relativePose : nil
        let poses = given.map { [$0] } ?? posesOf(pair.geometry.fundamental, lenses[0], lenses[1])
        var best: (count: Int, pose: RigidTransform)?
        for pose in poses {
            let count = points(pixels, lenses, pose).reduce(0) { $0 + ($1 == nil ? 0 : 1) }
            if count > best?.count ?? 0 { best = (count, pose) }
        }
        guard let start = best, start.count >= 12 else { return nil }
        let pose = refined(start.pose, pixels, lenses, limits)

        var angles: [Double] = []
        let second = pose.inverse.translation
        for (index, point) in points(pixels, lenses, pose).enumerated() {
            guard let point else { continue }
            let inSecond = pose * point
            guard
                length(lenses[0].project(point) - pixels[index].0) < limits[0],
                length(lenses[1].project(inSecond) - pixels[index].1) < limits[1]
            else { continue }
            angles.append(acos(min(1, dot(normalize(point), normalize(point - second)))))
        }
        guard angles.count >= 12 else { return nil }
        angles.sort()
        let median = angles[angles.count / 2]
        let share = Double(angles.count) / Double(used)
        let depth = min(1, median / (12 * .pi / 180))
        // Pairs with very wide baselines have more wrong matches.
        let width = median > 0.7 ? 0.5 : 1
        let planar = pair.geometry.kind == .planar ? 0.3 : 1
        return InitialPair(
            first: pair.first, second: pair.second, secondFromFirst: pose,
            score: Double(pair.matches.count).squareRoot() * share * share * depth * depth * width * planar, medianAngle: median)
    }

    /// Triangulated matches in the first camera's frame; nil for points that are not in front of both cameras.
    private static func points(
        _ pixels: [(Vector2d, Vector2d)], _ lenses: [CameraIntrinsics], _ secondFromFirst: RigidTransform
    ) -> [Vector3d?] {
        let cameras = [RigidTransform.identity, secondFromFirst]
        return pixels.map { pair in
            let observations = [
                PixelObservation(camera: PosedCamera(intrinsics: lenses[0], cameraFromWorld: cameras[0]), pixel: pair.0),
                PixelObservation(camera: PosedCamera(intrinsics: lenses[1], cameraFromWorld: cameras[1]), pixel: pair.1),
            ]
            guard let point = Triangulation.midpoint(observations), point.z > 0, (secondFromFirst * point).z > 0 else { return nil }
            return point
        }
    }

    private static func refined(
        _ pose: RigidTransform, _ pixels: [(Vector2d, Vector2d)], _ lenses: [CameraIntrinsics], _ limits: [Double]
    ) -> RigidTransform {
        var problem = BundleProblem()
        problem.lenses = lenses.map { .init(intrinsics: $0, freeParameters: 0) }
        problem.cameras = [.init(cameraFromWorld: .identity, lens: 0, isFixed: true), .init(cameraFromWorld: pose, lens: 1)]
        for (index, point) in points(pixels, lenses, pose).enumerated() {
            guard let point else { continue }
            problem.appendPoint(point)
            problem.appendObservation(camera: 0, pixel: pixels[index].0)
            problem.appendObservation(camera: 1, pixel: pixels[index].1)
        }
        var adjuster = BundleAdjuster()
        adjuster.options.loss = .cauchy(threshold: limits[0] / 4)
        adjuster.options.maximumIterations = 15
        adjuster.options.costTolerance = 1e-4
        _ = adjuster.adjust(&problem, parallel: Parallel(threads: 1))
        var result = problem.cameras[1].cameraFromWorld
        let baseline = length(result.translation)
        guard baseline > 0 else { return pose }
        result.translation /= baseline
        return result
    }

    /// The four poses of a fundamental matrix (Hartley & Zisserman, 9.6.2), with equal singular values of the essential matrix.
    static func posesOf(_ fundamental: Matrix3d, _ first: CameraIntrinsics, _ second: CameraIntrinsics) -> [RigidTransform] {
        func calibration(_ k: CameraIntrinsics) -> Matrix3d {
            Matrix3d(rows: Vector3d(k.focal.x, 0, k.center.x), Vector3d(0, k.focal.y, k.center.y), Vector3d(0, 0, 1))
        }
        let essential = calibration(second).transpose * fundamental * calibration(first)
        let (values, v) = (essential.transpose * essential).symmetricEigen()
        guard values.y > 1e-12 * values.x, values.x.isFinite else { return [] }
        let u1 = normalize(essential * v.x)
        let raw = essential * v.y
        let u2 = normalize(raw - u1 * dot(u1, raw))
        let u = Matrix3d(u1, u2, cross(u1, u2))
        // v is a rotation, so both products are.
        let quarter = Matrix3d(rows: Vector3d(0, -1, 0), Vector3d(1, 0, 0), Vector3d(0, 0, 1))
        let rotations = [u * quarter * v.transpose, u * quarter.transpose * v.transpose]
        return rotations.flatMap { rotation in
            [u.z, -u.z].map { RigidTransform(rotation: rotation, translation: $0) }
        }
    }
}
