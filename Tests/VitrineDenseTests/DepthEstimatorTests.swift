import Synchronization
import Testing
import VitrineMath
import VitrineVision

@testable import VitrineDense

struct DepthEstimatorTests {
    private static let scene = SyntheticScene()
    private static let cameras = [0.0, -14, -7, 7, 14].map { SyntheticScene.camera(angle: $0, width: 240, height: 180, focal: 285) }
    /// The photos have different exposures, which the cost ignores.
    private static let views = cameras.enumerated().map { scene.view($1, photo: $0, brightness: [1, 0.8, 1.1, 0.9, 1][$0]) }
    private static let firstMaps: [DepthMap]? = try? views.indices.map { index in
        try DepthEstimator(options: options).estimate(reference: views[index], sources: sources(index))
    }

    private static var options: DepthEstimator.Options {
        var options = DepthEstimator.Options()
        (options.maximumSide, options.firstPassHalvings, options.levels) = (240, 1, 3)
        options.smallestIsland = 8
        return options
    }

    private static func sources(_ index: Int) -> [PhotoView] { views.indices.filter { $0 != index }.map { views[$0] } }

    /// Returns, of the pixels that two other photos observe well, the fractions that have a depth and that have the right depth within a
    /// relative tolerance.
    private func score(_ map: DepthMap, within tolerance: Float) -> (known: Double, right: Double) {
        let truth = Self.scene.depths(map.camera)
        var (all, known, right) = (0, 0, 0)
        for y in 6..<map.height - 6 {
            for x in 6..<map.width - 6 where Self.isSeen(map.camera, x, y) {
                let index = y * map.width + x
                all += 1
                if map.depths[index] > 0 { known += 1 }
                if abs(map.depths[index] - truth[index]) < tolerance * truth[index] { right += 1 }
            }
        }
        return (Double(known) / Double(all), Double(right) / Double(all))
    }

    /// Whether two of the other photos observe the point of a pixel, neither at a grazing angle nor at their borders.
    private static func isSeen(_ camera: PosedCamera, _ x: Int, _ y: Int) -> Bool {
        guard let hit = scene.hit(camera, Double(x) + 0.5, Double(y) + 0.5) else { return false }
        return cameras.dropFirst().count { other in
            let pixel = other.project(hit.point)
            guard pixel.x > 12, pixel.y > 12, pixel.x < 228, pixel.y < 168 else { return false }
            let toCamera = normalize(other.centerInWorld - hit.point)
            guard dot(toCamera, hit.normal) > 0.35, let there = scene.hit(other, pixel.x, pixel.y) else { return false }
            return distance(there.point, hit.point) < 0.02
        } >= 2
    }

    @Test func firstPassEstimatesDepth() throws {
        let map = try #require(Self.firstMaps)[0]
        #expect(map.width == 120 && map.height == 90 && map.photo == 0)
        #expect(score(map, within: 0.01).right > 0.8)
    }

    @Test func secondPassIsMoreAccurateAndComplete() throws {
        let maps = try #require(Self.firstMaps)
        let estimator = DepthEstimator(options: Self.options)
        let map = try estimator.refineConsistently(
            reference: Self.views[0], map: maps[0], sources: (1..<5).map { (Self.views[$0], maps[$0]) })
        #expect(map.width == 240 && map.height == 180)
        let (known, right) = score(map, within: 0.005)
        #expect(known > 0.93 && right > 0.82, "\(known) \(right)")
        // Also the normals.
        let truth = Self.scene.perfectMap(map.camera, photo: 0)
        var close = 0
        var all = 0
        for index in map.depths.indices where map.depths[index] > 0 {
            all += 1
            if dot(map.normalInCamera(index), truth.normalInCamera(index)) > 0.94 { close += 1 }
        }
        #expect(Double(close) > 0.8 * Double(all), "\(close) of \(all)")
    }

    @Test func patchesFollowAConvexSurface() throws {
        let maps = try #require(Self.firstMaps)
        let map = try DepthEstimator(options: Self.options).refineConsistently(
            reference: Self.views[0], map: maps[0], sources: (1..<5).map { (Self.views[$0], maps[$0]) })
        let (first, second) = (Self.meanError(maps[0]), Self.meanError(map))
        // With flat patches 0.36 and 0.28 %.
        #expect(abs(first) < 0.0025 && abs(second) < 0.0015, "\(first) \(second)")
    }

    /// The mean relative error of the depths of the ball, + behind, without its rim.
    private static func meanError(_ map: DepthMap) -> Float {
        let truth = scene.depths(map.camera)
        var errors: [Float] = []
        for y in 0..<map.height {
            for x in 0..<map.width where map.depths[y * map.width + x] > 0 && scene.seesBall(map.camera, x, y) {
                guard let hit = scene.hit(map.camera, Double(x) + 0.5, Double(y) + 0.5),
                    dot(normalize(map.camera.centerInWorld - hit.point), hit.normal) > 0.6
                else { continue }
                let error = map.depths[y * map.width + x] / truth[y * map.width + x] - 1
                if abs(error) < 0.01 { errors.append(error) }
            }
        }
        return errors.reduce(0, +) / Float(errors.count)
    }

    @Test func threadCountDoesNotChangeTheMap() throws {
        let maps = try #require(Self.firstMaps)
        let estimator = DepthEstimator(options: Self.options)
        let three = try estimator.estimate(
            reference: Self.views[0], sources: Self.sources(0), in: StageContext(parallel: Parallel(threads: 3)))
        let one = try estimator.estimate(
            reference: Self.views[0], sources: Self.sources(0), in: StageContext(parallel: Parallel(threads: 1)))
        #expect(three == one)
        let pairs = (1..<5).map { (view: Self.views[$0], map: DepthMap?.some(maps[$0])) }
        let a = try estimator.refineConsistently(
            reference: Self.views[0], map: one, sources: pairs, in: StageContext(parallel: Parallel(threads: 1)))
        let b = try estimator.refineConsistently(
            reference: Self.views[0], map: one, sources: pairs, in: StageContext(parallel: Parallel(threads: 3)))
        #expect(a == b)
    }

    @Test func maskedPixelsAreIgnored() throws {
        var mask = MaskPlane(width: 240, height: 180, repeating: 0)
        for y in 0..<180 { for x in 60..<180 { mask[x, y] = 255 } }
        let reference = PhotoView(
            photo: 0, camera: Self.cameras[0], color: Self.views[0].color, mask: mask, depthRange: Self.views[0].depthRange)
        let map = try DepthEstimator(options: Self.options).estimate(reference: reference, sources: Self.sources(0))
        let outside = map.depths.indices.filter { $0 % map.width < 30 || $0 % map.width >= 90 }
        #expect(outside.allSatisfy { map.depths[$0] == 0 })
        #expect(map.coverage > 0.35)
    }

    @Test func sensorDepthIsUsed() throws {
        // Without texture only the prior determines the depth.
        let plain = ColorPlane(width: 240, height: 180, values: [UInt8](repeating: 100, count: 240 * 180 * 3))
        let views = Self.views.map { PhotoView(photo: $0.photo, camera: $0.camera, color: plain, depthRange: $0.depthRange) }
        let truth = Self.scene.depths(Self.cameras[0].halved)
        let prior = DepthPrior(depths: Plane(width: 120, height: 90, values: truth))
        var options = Self.options
        options.maximumCost = 2
        let map = try DepthEstimator(options: options).estimate(reference: views[0], sources: Array(views.dropFirst()), priorDepth: prior)
        #expect(score(map, within: 0.02).right > 0.9)
    }

    @Test func invalidInputGivesErrors() {
        let estimator = DepthEstimator(options: Self.options)
        let good = Self.views[0]
        #expect(throws: DenseError.noSources(photo: 0)) { try estimator.estimate(reference: good, sources: []) }
        var broken = Self.cameras[1]
        broken.cameraFromWorld.translation.x = .nan
        let lost = PhotoView(photo: 1, camera: broken, color: good.color, depthRange: 2...12)
        #expect(throws: DenseError.self) { try estimator.estimate(reference: good, sources: [lost]) }
        let atZero = PhotoView(photo: 1, camera: Self.cameras[1], color: good.color, depthRange: 0...12)
        #expect(throws: DenseError.self) { try estimator.estimate(reference: atZero, sources: [good]) }
        var options = Self.options
        options.levels = 0
        #expect(throws: DenseError.self) { try DepthEstimator(options: options).estimate(reference: good, sources: [Self.views[1]]) }
        let strange = DepthMap(photo: 0, camera: SyntheticScene.camera(angle: 0, width: 33, height: 21))
        #expect(throws: DenseError.self) {
            try estimator.refineConsistently(reference: good, map: strange, sources: [(Self.views[1], nil)])
        }
    }

    @Test func degeneratePhotosDoNotCrash() throws {
        // Two cameras at the same position, and a camera that faces away.
        let estimator = DepthEstimator(options: Self.options)
        let twin = PhotoView(photo: 1, camera: Self.cameras[0], color: Self.views[0].color, depthRange: 2...12)
        _ = try estimator.estimate(reference: Self.views[0], sources: [twin])
        let away = Self.scene.view(SyntheticScene.camera(angle: 180), photo: 2)
        let map = try estimator.estimate(reference: Self.views[0], sources: [away])
        #expect(map.depths.allSatisfy { $0 >= 0 && $0.isFinite })
    }

    @Test func cancellationThrows() {
        let calls = Counter()
        #expect(throws: CancellationError.self) {
            try DepthEstimator(options: Self.options).estimate(
                reference: Self.views[0], sources: Self.sources(0), in: StageContext(isCancelled: { calls.next() > 20 }))
        }
        #expect(calls.count > 20)
    }
}

/// Counts calls from several threads.
final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }
    func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
}
