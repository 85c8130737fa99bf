import Testing
import VitrineMath

@testable import VitrineVision

@Suite struct TwoViewEstimatorTests {
    private let guess = CameraGuess(
        intrinsics: CameraIntrinsics(width: 1000, height: 800, focal: Vector2d(900, 900), center: Vector2d(500, 400)), isFocalKnown: true)

    /// Matches of points at depths given by a function, with noise and outliers, and the indices of the correct ones.
    private func scene(
        _ motion: RigidTransform, outliers: Double, count: Int = 300, noise: Double = 0.3, point: (Vector2d, Double) -> Vector3d
    ) -> (matches: [(SIMD2<Float>, SIMD2<Float>)], isRight: [Bool]) {
        var numbers = SeededNumbers(seed: 5)
        var (matches, isRight): ([(SIMD2<Float>, SIMD2<Float>)], [Bool]) = ([], [])
        while matches.count < count {
            let pixel = Vector2d(numbers.uniform(50...950), numbers.uniform(50...750))
            let p = point((pixel - guess.intrinsics.center) / guess.intrinsics.focal, numbers.uniform())
            let moved = motion * p
            let isWrong = numbers.uniform() < outliers
            let noises = (0..<4).map { _ in numbers.normal() * noise }
            let other =
                isWrong ? Vector2d(numbers.uniform(0...1000), numbers.uniform(0...800)) : guess.intrinsics.project(moved)
            guard other.x > 0, other.x < 1000, other.y > 0, other.y < 800 else { continue }
            let first = guess.intrinsics.project(p) + Vector2d(noises[0], noises[1])
            let second = other + Vector2d(noises[2], noises[3])
            matches.append((SIMD2<Float>(first), SIMD2<Float>(second)))
            isRight.append(!isWrong)
        }
        return (matches, isRight)
    }

    private let motion = RigidTransform(rotation: .rotation(Vector3d(0.05, 0.35, -0.1)), translation: Vector3d(-1.5, 0.2, 0.4))

    private func angle(_ a: Matrix3d, _ b: Matrix3d) -> Double { VitrineMath.acos(clamp(((a.transpose * b).trace - 1) / 2, -1, 1)) }
    private func angle(_ a: Vector3d, _ b: Vector3d) -> Double { VitrineMath.atan2(length(cross(a, b)), dot(a, b)) }

    @Test(arguments: [0.0, 0.3, 0.6]) func estimatesThePoseAmongOutliers(outliers: Double) throws {
        let (matches, isRight) = scene(motion, outliers: outliers) { onPlane, random in
            let depth = 4 + 2 * random
            return Vector3d(onPlane.x * depth, onPlane.y * depth, depth)
        }
        let result = try #require(TwoViewEstimator().estimate(matches, first: guess, second: guess, seed: 1))
        let found = zip(result.inliers, isRight).count { $0 && $1 }
        #expect(Double(found) > 0.95 * Double(isRight.count { $0 }))
        #expect(Double(result.inliers.count { $0 }) < 1.1 * Double(found))
        #expect(result.geometry.kind == .general)
        let pose = try #require(result.geometry.relativePose)
        #expect(angle(pose.rotation, motion.rotation) < 0.01)
        #expect(angle(pose.translation, motion.translation) < 0.02)
        #expect(abs(length(pose.translation) - 1) < 1e-9)
        #expect(abs(result.geometry.medianAngle - 0.3) < 0.1)
    }

    @Test func detectsAPlane() throws {
        let (matches, _) = scene(motion, outliers: 0.2) { onPlane, _ in
            // z = 5 + 0.3 x − 0.2 y.
            let depth = 5 / (1 - 0.3 * onPlane.x + 0.2 * onPlane.y)
            return Vector3d(onPlane.x * depth, onPlane.y * depth, depth)
        }
        let result = try #require(TwoViewEstimator().estimate(matches, first: guess, second: guess, seed: 1))
        #expect(result.geometry.kind == .planar)
        #expect(result.geometry.homographyInlierShare > 0.8)
        let homography = try #require(result.geometry.homography)
        let inliers = zip(matches, result.inliers).filter(\.1).map(\.0)
        let onPlane = inliers.count { match in
            let image = homography * Vector3d(Double(match.0.x), Double(match.0.y), 1)
            return length(Vector2d(image.x, image.y) / image.z - Vector2d(match.1)) < 2
        }
        // A wrong match may lie on its epipolar line by chance.
        #expect(onPlane * 10 > inliers.count * 9)
        // A plane allows two poses; one of them is this.
        for pose in PoseFromMatches.poses(homography: motion.rotation + outer(motion.translation, Vector3d(-0.06, 0.04, 0.2))) {
            #expect(abs(pose.rotation.determinant - 1) < 1e-9)
        }
        let poses = PoseFromMatches.poses(homography: motion.rotation + outer(motion.translation, Vector3d(-0.06, 0.04, 0.2)))
        #expect(poses.contains { angle($0.rotation, motion.rotation) < 1e-6 && angle($0.translation, motion.translation) < 1e-6 })
    }

    private func outer(_ a: Vector3d, _ b: Vector3d) -> Matrix3d { Matrix3d(a * b.x, a * b.y, a * b.z) }

    @Test func detectsPureRotation() throws {
        let turn = RigidTransform(rotation: motion.rotation, translation: .zero)
        let (matches, _) = scene(turn, outliers: 0.2) { onPlane, random in Vector3d(onPlane.x, onPlane.y, 1) * (3 + 4 * random) }
        let result = try #require(TwoViewEstimator().estimate(matches, first: guess, second: guess, seed: 1))
        #expect(result.geometry.kind == .rotation)
        #expect(result.geometry.relativePose == nil)
    }

    @Test func randomFeaturesMakeNoPair() {
        let (matches, _) = scene(motion, outliers: 1, count: 60) { onPlane, _ in Vector3d(onPlane.x, onPlane.y, 1) }
        #expect(TwoViewEstimator().estimate(matches, first: guess, second: guess, seed: 1) == nil)
        #expect(TwoViewEstimator().estimate([], first: guess, second: guess, seed: 1) == nil)
        let same = Array(repeating: (SIMD2<Float>(10, 10), SIMD2<Float>(20, 20)), count: 50)
        #expect(TwoViewEstimator().estimate(same, first: guess, second: guess, seed: 1) == nil)
        let broken = Array(repeating: (SIMD2<Float>(.nan, 10), SIMD2<Float>(20, .infinity)), count: 50)
        #expect(TwoViewEstimator().estimate(broken, first: guess, second: guess, seed: 1) == nil)
    }

    @Test func rootsOfCubics() {
        for roots in [[-2.0, 0.5, 3], [1, 1.001, 1.002], [-1e3, 1e-3, 7]] {
            let (a, b, c) = (roots[0], roots[1], roots[2])
            let found = PolynomialRoots.cubic(2, -2 * (a + b + c), 2 * (a * b + b * c + c * a), -2 * a * b * c)
            for root in roots { #expect(found.contains { abs($0 - root) < 1e-6 * max(1, abs(root)) }) }
        }
        #expect(PolynomialRoots.cubic(1, 0, 1, 0).count == 1)
        #expect(PolynomialRoots.cubic(0, 0, 0, 0).isEmpty)
    }
}
