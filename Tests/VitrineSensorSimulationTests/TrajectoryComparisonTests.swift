import Testing
import VitrineMath
import VitrineVision

@testable import VitrineSensorSimulation

@Suite struct TrajectoryComparisonTests {
    static let truth = SimulatedPath.around.cameraPoses(duration: 12, rate: 50)

    static func moved(_ transform: SimilarityTransform) -> [TimedPose] {
        truth.map {
            TimedPose(
                time: $0.time,
                pose: RigidTransform(rotation: transform.rotation * $0.pose.rotation, translation: transform * $0.pose.translation))
        }
    }

    @Test func alignmentsRemoveTheirTransforms() throws {
        let yaw = SimilarityTransform(scale: 1, rotation: .rotation(Vector3d(0, 2.4, 0)), translation: Vector3d(5, -1, 2))
        let tilted = SimilarityTransform(scale: 1, rotation: .rotation(Vector3d(0.3, 1, -0.2)), translation: Vector3d(1, 2, 3))
        let scaled = SimilarityTransform(scale: 0.4, rotation: .rotation(Vector3d(0.3, 1, -0.2)), translation: Vector3d(1, 2, 3))
        let undone: [(SimilarityTransform, Set<TrajectoryComparison.Alignment>)] = [
            (.identity, Set(TrajectoryComparison.Alignment.allCases)), (yaw, [.first, .yaw, .rigid, .similarity]),
            (tilted, [.rigid, .similarity]), (scaled, [.similarity]),
        ]
        for (transform, able) in undone {
            for alignment in TrajectoryComparison.Alignment.allCases {
                let comparison = try TrajectoryComparison(
                    estimate: Self.moved(transform), truth: Self.truth, alignment: alignment)
                #expect((comparison.positionRMSE < 1e-9) == able.contains(alignment), "\(transform) \(alignment)")
                if able.contains(alignment) { #expect(comparison.orientationRMSE < 1e-7) }
            }
        }
    }

    @Test func errorsAreMeasuredExactly() throws {
        // Position errors of ±10 cm, rotation errors of 0.02 rad.
        let estimate = Self.truth.enumerated().map { index, timed in
            let sign = index % 2 == 0 ? 1.0 : -1.0
            return TimedPose(
                time: timed.time,
                pose: RigidTransform(
                    rotation: Matrix3d.rotation(Vector3d(0, 0, 0.02) * sign) * timed.pose.rotation,
                    translation: timed.pose.translation + Vector3d(0.1, 0, 0) * sign))
        }
        let comparison = try TrajectoryComparison(estimate: estimate, truth: Self.truth)
        #expect(abs(comparison.positionRMSE - 0.1) < 1e-3 && abs(comparison.orientationRMSE - 0.02) < 1e-4)
        #expect(comparison.pathLength > 8)
        // A scale error of 2 % gives a drift of 2 %.
        let drift = try TrajectoryComparison(
            estimate: Self.moved(SimilarityTransform(scale: 1.02, rotation: .identity, translation: .zero)), truth: Self.truth
        ).drift(over: 1)
        #expect(drift.segmentCount > 20 && abs(drift.position - 0.02) < 2e-3 && drift.orientation < 1e-9)
    }

    @Test func groundTruthIsInterpolated() throws {
        let spline = try TrajectorySpline(through: Self.truth)
        let shifted = (0..<100).map { TimedPose(time: 0.513 + Double($0) * 0.07, pose: spline.pose(at: 0.513 + Double($0) * 0.07)) }
        let comparison = try TrajectoryComparison(estimate: shifted, truth: spline.poses(rate: 50), alignment: .none)
        #expect(comparison.pairs.count == 100 && comparison.positionRMSE < 3e-4 && comparison.orientationRMSE < 1e-3)
        let holed = spline.poses(rate: 50).filter { $0.time < 2 || $0.time > 3 }
        let fewer = try TrajectoryComparison(estimate: shifted, truth: holed, alignment: .none)
        #expect(fewer.pairs.count < 88 && fewer.pairs.allSatisfy { $0.time < 2 || $0.time > 3 })
        #expect(throws: TrajectoryError.tooFewPairs(0)) { try TrajectoryComparison(estimate: shifted, truth: []) }
    }

    @Test func consistentCovariancesGiveThree() throws {
        var random = GaussianGenerator(seed: 8)
        var covariance = [Double](repeating: 0, count: 36)
        for i in 0..<3 { (covariance[i * 7], covariance[21 + i * 7]) = (1e-4 * Double(i + 1), 4e-4 * Double(i + 1)) }
        let estimate = (0..<3).flatMap { turn in Self.truth.map { TimedPose(time: $0.time + 12.1 * Double(turn), pose: $0.pose) } }
        let wrong = estimate.map { timed in
            let root = { (scale: Double, v: Vector3d) in v * Vector3d(1, 2.squareRoot(), 3.squareRoot()) * scale }
            return TimedPose(
                time: timed.time,
                pose: RigidTransform(
                    rotation: Matrix3d.rotation(root(0.01, random.vector())) * timed.pose.rotation,
                    translation: timed.pose.translation + root(0.02, random.vector())))
        }
        let comparison = try TrajectoryComparison(estimate: wrong, truth: estimate, alignment: .none)
        let consistency = comparison.consistency(Array(repeating: covariance, count: wrong.count))
        #expect(consistency.count == comparison.pairs.count && consistency.count > 1700)
        #expect(abs(consistency.orientation - 3) < 0.2 && abs(consistency.position - 3) < 0.2, "\(consistency)")
        let boastful = comparison.consistency(Array(repeating: covariance.map { $0 / 4 }, count: wrong.count))
        #expect(abs(boastful.position / consistency.position - 4) < 1e-9)
    }

    @Test func textIsRestoredBitForBit() throws {
        let text = TrajectoryText.text(Self.truth)
        let read = try TrajectoryText.poses(text.utf8)
        #expect(read.count == Self.truth.count)
        for (a, b) in zip(read, Self.truth) {
            #expect(a.time == b.time && a.pose.translation == b.pose.translation)
            #expect(length((a.pose.rotation.transpose * b.pose.rotation).rotationVector) < 1e-12)
        }
        #expect(TrajectoryText.text(read).split(separator: "\n")[5] == text.split(separator: "\n")[5])
    }

    @Test(arguments: [
        ("0 0 0 0 0 0 0 1\n# half\n1 2 3", "line 3: 3 numbers instead of 8"),
        ("0 0 0 0 0 0 0 1\r\n0,1,0,0,0,0,0,1\n", "line 2: time 0.0 is not later than 0.0"),
        ("0 0 0 0 0 0 0 0", "line 1: the quaternion has no length"), ("0 0 x 0 0 0 0 1", "line 1: 'x' is not a number"),
        ("0 0 nan 0 0 0 0 1", "line 1: 'nan' is not a number"),
    ])
    func brokenTextNamesItsLine(text: String, reason: String) {
        let error = #expect(throws: NumberTextError.self) { try TrajectoryText.poses(text.utf8) }
        #expect(error?.description == reason)
    }
}
