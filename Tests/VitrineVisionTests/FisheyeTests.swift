import Testing
import VitrineGeometry

@testable import VitrineVision

/// Camera poses from fisheye photos, with the lens refined.
@Suite struct FisheyeTests {
    /// Photos of a lens with a field of view of about 150°.
    private static func scene(_ distortion: LensDistortion, noise: Double = 0.3) -> SyntheticScene {
        var options = SyntheticScene.Options()
        options.intrinsics = CameraIntrinsics(
            width: 1000, height: 800, focal: Vector2d(330, 330), center: Vector2d(500, 400), distortion: distortion)
        // So near that the object covers the wide image.
        options.distance = 1.5
        (options.cameras, options.points, options.height, options.noise) = (24, 3000, 0.3, noise)
        return SyntheticScene(options)
    }

    private static func photos(_ scene: SyntheticScene, _ guess: CameraIntrinsics) -> [MapperPhoto] {
        scene.features.map { MapperPhoto(positions: $0, guess: CameraGuess(intrinsics: guess, isFocalKnown: true)) }
    }

    static let lenses: [LensDistortion] = [.equidistant, .kannalaBrandt(SIMD4(-0.03, 0.012, -0.006, 0.0012))]

    @Test(arguments: lenses) func mapsFisheyePhotos(distortion: LensDistortion) throws {
        let scene = Self.scene(distortion)
        // Wrong by 2 %, without coefficients: the mapper refines them.
        var guess = scene.options.intrinsics
        guess.focal *= 1.02
        guess.distortion = .equidistant
        let model = try Mapper().map(graph: scene.graph(), photos: Self.photos(scene, guess), parallel: Parallel(threads: 1))
        #expect(model.registered.count == scene.cameras.count)
        let errors = try #require(scene.errors(of: model.cameras))
        #expect(errors.rotation < 0.15 && errors.position < 0.01)
        #expect(model.meanReprojectionError < 0.7)
        let group = model.groups[0]
        #expect(group.intrinsics.distortion.isFisheye && group.lens.isFisheye)
        // Directions project to the same pixels, although focal length and coefficients are correlated.
        for angle in [0.2, 0.5, 0.8] {
            let direction = Vector3d(sin(angle), 0, cos(angle))
            #expect(length(group.intrinsics.project(direction) - scene.options.intrinsics.project(direction)) < 2.5)
        }
    }

    /// The problem at the ground truth, and the same problem with a lens that is 3 % too long and has no coefficients.
    private static func problems(_ scene: SyntheticScene) -> (exact: BundleProblem, disturbed: BundleProblem) {
        let exact = scene.problem(lens: 8)
        var disturbed = exact
        disturbed.lenses[0].intrinsics.focal *= 1.03
        disturbed.lenses[0].intrinsics.distortion = .equidistant
        return (exact, disturbed)
    }

    /// With noise the cost cannot fall below the noise's share, about 1 % of the disturbed problem's: the adjustment must reach the same minimum
    /// as from the ground truth.
    @Test(arguments: lenses) func bundleAdjustmentReachesTheMinimum(distortion: LensDistortion) {
        let scene = Self.scene(distortion)
        var (exact, disturbed) = Self.problems(scene)
        let reference = BundleAdjuster().adjust(&exact, parallel: Parallel(threads: 1))
        let summary = BundleAdjuster().adjust(&disturbed, parallel: Parallel(threads: 1))
        #expect(summary.isUsable && summary.finalCost < 0.02 * summary.initialCost, "\(summary)")
        // The ground truth is one of the solutions, so that no minimum is above it.
        #expect(summary.finalCost < reference.initialCost)
        #expect(abs(summary.finalCost - reference.finalCost) < 1e-6 * reference.finalCost, "\(summary), \(reference)")
        let estimated = disturbed.lenses[0].intrinsics
        for angle in [0.2, 0.5, 0.8] {
            let direction = Vector3d(sin(angle), 0, cos(angle))
            #expect(length(estimated.project(direction) - exact.lenses[0].intrinsics.project(direction)) < 0.01)
            #expect(length(estimated.project(direction) - scene.options.intrinsics.project(direction)) < 1.5)
        }
    }

    /// Without noise only the rounding of pixels to single precision remains.
    @Test(arguments: lenses) func bundleAdjustmentRecoversTheLensExactly(distortion: LensDistortion) throws {
        let scene = Self.scene(distortion, noise: 0)
        var (_, disturbed) = Self.problems(scene)
        let summary = BundleAdjuster().adjust(&disturbed, parallel: Parallel(threads: 1))
        #expect(summary.finalCost < 1e-9 * summary.initialCost, "\(summary)")
        let (estimated, expected) = (disturbed.lenses[0].intrinsics, scene.options.intrinsics)
        #expect(length(estimated.focal - expected.focal) < 1e-3 && length(estimated.center - expected.center) < 1e-3)
        let difference = try #require(estimated.distortion.fisheye) - #require(expected.distortion.fisheye)
        #expect(max(difference.max(), -difference.min()) < 1e-4)
    }

    @Test func twoViewGeometryUsesRectifiedPositions() {
        let scene = Self.scene(.equidistant)
        let guess = CameraGuess(intrinsics: scene.options.intrinsics, isFocalKnown: true)
        let features = scene.features.map { FeatureSet(positions: $0) }
        let rectified = [0, 1].map { RectifiedFeatures(features[$0], guess) }
        var pointOf: [Int: Int] = [:]
        for (feature, point) in scene.pointOfFeature[1].enumerated() { pointOf[point] = feature }
        let matches = scene.pointOfFeature[0].enumerated().compactMap { feature, point -> (SIMD2<Float>, SIMD2<Float>)? in
            pointOf[point].map { (rectified[0].features.positions[feature], rectified[1].features.positions[$0]) }
        }
        let found = TwoViewEstimator().estimate(matches, first: rectified[0].guess, second: rectified[1].guess, seed: 1)
        let truth = scene.cameras[1].cameraFromWorld * scene.cameras[0].cameraFromWorld.inverse
        let pose = found?.geometry.relativePose
        #expect(pose.map { dot($0.translation, normalize(truth.translation)) > 0.999 } == true)
        #expect(pose.map { length(($0.rotation * truth.rotation.transpose).rotationVector) < 0.01 } == true)
        // Back in the frame of the photos' pinhole cameras, the essential matrix follows from their intrinsics.
        let geometry = found.map { RectifiedFeatures.geometry($0.geometry, rectified[0], rectified[1]) }
        let poses = geometry.map { InitialPair.posesOf($0.fundamental, guess.intrinsics, guess.intrinsics) } ?? []
        #expect(poses.contains { length(($0.rotation * truth.rotation.transpose).rotationVector) < 0.02 })
    }

}
