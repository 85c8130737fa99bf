import Testing
import VitrineMath
import VitrineVision

@testable import VitrineMapping

/// Alignment of several frames with a map.
@Suite struct MapAlignmentTests {
    /// Random numbers with a fixed seed.
    private struct Random {
        private var generator: SplitMix64

        init(seed: UInt64) { generator = SplitMix64(seed: seed) }

        mutating func uniform() -> Double { Double(generator.next() >> 11) * 0x1p-53 }
        /// Standard normal: the sum of twelve uniform numbers less 6.
        mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + uniform() } }
        mutating func vector() -> Vector3d { Vector3d(normal(), normal(), normal()) }
    }

    private static let landmarkDeviation = 0.01, noise = 0.002
    private static let mapFromTracker = RigidTransform(
        rotation: Matrix3d.rotation(Vector3d(0, 0.05, 0)), translation: Vector3d(0.1, -0.02, 0.05))

    /// Views of landmarks in front of the camera, a share of them wrong; every view observes the same landmarks.
    private static func views(_ count: Int, landmarks: Int, outliers: Int = 0, _ random: inout Random) -> [MapAlignment.View] {
        let information = Float(1 / (landmarkDeviation * landmarkDeviation))
        let positions = (0..<landmarks).map { _ in Vector3d(3 * random.uniform() - 1.5, 2 * random.uniform(), -2 - 2 * random.uniform()) }
        let known = positions.map {
            Landmark(
                position: SIMD3<Float>($0 + random.vector() * landmarkDeviation), diagonal: SIMD3(repeating: information),
                offDiagonal: .zero)
        }
        return (0..<count).map { view in
            let pose = RigidTransform(
                rotation: Matrix3d(Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, -1)),
                translation: Vector3d(0.1 * Double(view), 1, 0.05 * Double(view)))
            let inMap = mapFromTracker * pose
            return MapAlignment.View(
                pose: pose,
                observations: zip(positions, known).enumerated().map { index, pair in
                    let direction =
                        index < outliers ? normalize(Vector3d(random.normal() * 0.3, random.normal() * 0.3, 1)) : inMap.inverse * pair.0
                    return LandmarkObservation(
                        direction: normalize(normalize(direction) + random.vector() * noise), noise: noise, landmark: pair.1)
                })
        }
    }

    @Test func covarianceMatchesErrors() throws {
        var random = Random(seed: 4)
        var sum = 0.0
        for _ in 0..<40 {
            let views = Self.views(3, landmarks: 40, &random)
            let pivot = views[2].pose.translation
            let result = try #require(MapAlignment().solve(views, at: pivot, from: .identity))
            let turn = (result.correction.rotation * Self.mapFromTracker.rotation.transpose).rotationVector.y
            let way = result.correction * pivot - Self.mapFromTracker * pivot
            #expect(length(way) < 0.04)
            #expect(result.share > 0.9 && result.landmarks > 36)
            var system = SymmetricSystem(size: 4)
            system.matrix = result.covariance
            let error = [turn, way.x, way.y, way.z]
            let solved = try #require(system.factored()?.solve(error))
            sum += zip(solved, error).reduce(0) { $0 + $1.0 * $1.1 } / 4
        }
        // Cautious: the errors of a real map are correlated.
        #expect(sum / 40 > 0.05 && sum / 40 < 1.2, "\(sum / 40)")
    }

    /// The error of a landmark counts once, no matter how many frames observe it.
    @Test func repeatedObservationsAddLittle() throws {
        var random = Random(seed: 5)
        let one = Self.views(1, landmarks: 20, &random)
        let many = Array(repeating: one[0], count: 50)
        let pivot = one[0].pose.translation
        let (a, b) = (MapAlignment().solve(one, at: pivot, from: .identity), MapAlignment().solve(many, at: pivot, from: .identity))
        let (single, repeated) = (try #require(a).positionDeviation, try #require(b).positionDeviation)
        #expect(repeated > 0.5 * single)
    }

    @Test func ignoresOutliers() throws {
        var random = Random(seed: 6)
        let views = Self.views(3, landmarks: 60, outliers: 12, &random)
        let pivot = views[2].pose.translation
        let result = try #require(MapAlignment().solve(views, at: pivot, from: Self.mapFromTracker))
        #expect(length(result.correction * pivot - Self.mapFromTracker * pivot) < 0.03)
        #expect(result.share < 0.85)
    }
}
