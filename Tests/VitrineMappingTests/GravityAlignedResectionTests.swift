import Testing
import VitrineMath
import VitrineVision

@testable import VitrineMapping

/// Poses from landmarks with known gravity: the minimal solver and the robust one.
@Suite struct GravityAlignedResectionTests {
    /// Random numbers with a fixed seed.
    private struct Random {
        private var generator: SplitMix64

        init(seed: UInt64) { generator = SplitMix64(seed: seed) }

        /// Uniform in 0..<1.
        mutating func uniform() -> Double { Double(generator.next() >> 11) * 0x1p-53 }
        /// Standard normal: the sum of twelve uniform numbers less 6.
        mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + uniform() } }
        mutating func vector() -> Vector3d { Vector3d(normal(), normal(), normal()) }
    }

    @Test func twoPointsAndGravityDetermineThePose() {
        var random = Random(seed: 2)
        for _ in 0..<200 {
            let (rotation, center) = (Matrix3d.rotation(Vector3d(0, 6 * random.uniform(), 0)), random.vector())
            let points = [random.vector() * 2 + Vector3d(0, 0, 5), random.vector() * 2 - Vector3d(3, 0, 5)]
            let rays = points.map { normalize(rotation.transpose * ($0 - center)) }
            // Horizontal rays don't determine distances, and points at less than 5 cm are rejected.
            guard abs(rays[0].y) + abs(rays[1].y) > 0.05, points.allSatisfy({ length($0 - center) > 0.1 }) else { continue }
            let answers = TwoPointPose.solve(rays: rays[0], rays[1], points: points[0], points[1])
            #expect(answers.contains { length($0.center - center) < 1e-6 && length($0.rotation.x - rotation.x) < 1e-6 })
        }
    }

    @Test func findsThePoseAmongOutliers() throws {
        var random = Random(seed: 3)
        let (rotation, center) = (Matrix3d.rotation(Vector3d(0.01, 1.1, -0.008)), Vector3d(1, 1.5, -2))
        let levelFromCamera =
            Matrix3d.rotation(Vector3d(0, 0.3, 0)) * Matrix3d.rotation(Vector3d(-0.2, 0, 0))
            * Matrix3d(Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, -1))
        var matches: [GravityAlignedResection.Match] = []
        for feature in 0..<100 {
            let direction = levelFromCamera * normalize(Vector3d(random.normal() * 0.4, random.normal() * 0.3, 1))
            let point = center + rotation * direction * (2 + 2 * random.uniform())
            // Seven of ten matches are wrong.
            matches.append(
                GravityAlignedResection.Match(
                    feature: feature, direction: normalize(direction + random.vector() * 0.001),
                    point: feature % 10 < 7 ? random.vector() * 3 : point))
        }
        let resection = GravityAlignedResection(tolerance: 0.008, tilt: 0.013, seed: 1)
        let result = try #require(resection.solve(matches))
        #expect(result.inliers.count >= 28 && result.inliers.count < 34)
        #expect(length(result.center - center) < 0.01)
        #expect(length((result.rotation.transpose * rotation).rotationVector) < 0.003)
        let deviation = max(result.covariance[21], result.covariance[28], result.covariance[35]).squareRoot()
        #expect(deviation < 0.05)
        // Random points alone: only as many inliers as chance allows.
        let outliers = matches.map {
            GravityAlignedResection.Match(feature: $0.feature, direction: $0.direction, point: random.vector() * 3)
        }
        #expect((resection.solve(outliers)?.inliers.count ?? 0) < 10)
    }
}
