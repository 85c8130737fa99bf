import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

@Suite struct MotionCheckTests {
    /// A wall of 40 points, 2 m ahead.
    private static let points = (0..<40).map {
        TrackedPoint(id: $0, position: Vector3d(Double($0 % 8) * 0.3 - 1, Double($0 / 8) * 0.3 - 0.6, 2), pixel: .zero, deviation: 0.02)
    }

    /// The features of a camera at a position.
    private func tracks(from x: Double, _ ids: Range<Int> = 0..<40) -> [FeatureTracker.Track] {
        Self.points.filter { ids.contains($0.id) }.map {
            FeatureTracker.Track(id: $0.id, position: .zero, ray: normalize($0.position - Vector3d(x, 0, 0)))
        }
    }

    /// The result of a frame of a camera that rests by the IMU.
    private func result(
        _ check: inout MotionCheck, _ time: Double, from x: Double, _ ids: Range<Int> = 0..<40, _ points: [TrackedPoint] = points,
        angularSpeed: Double = 0
    ) -> (time: Double, newestID: Int)? {
        check.check(tracks(from: x, ids), points, predicted: .identity, angularSpeed: angularSpeed, time: time)
    }

    /// The points of later frames include wrong observations: those from before the contradiction decide.
    @Test func aMoveIsProvenByThePointsFromBefore() throws {
        var check = MotionCheck()
        var results = [result(&check, 0, from: 0)]
        #expect(!check.isUncertain && check.newestDoubtfulID == nil)
        let wrong = Self.points.map { TrackedPoint(id: $0.id, position: $0.position + Vector3d(0.2, 0, 0), pixel: .zero) }
        for (index, points) in [Self.points, wrong, []].enumerated() {
            results.append(result(&check, 0.07 * Double(index + 1), from: -0.2, 0..<20, points))
            #expect(check.isUncertain && check.newestDoubtfulID == 39)
        }
        #expect(results.allSatisfy { $0 == nil })
        // Few of the features are left.
        let last = result(&check, 0.28, from: -0.2, 0..<8, [])
        let proof = try #require(last)
        #expect(proof.time == 0.07 && proof.newestID == 39 && !check.isUncertain)
    }

    @Test func agreementEndsAContradiction() {
        var check = MotionCheck()
        _ = result(&check, 0, from: 0)
        _ = result(&check, 0.07, from: 0.2)
        #expect(check.isUncertain)
        let agreement = result(&check, 0.14, from: 0.01, 0..<40, [])
        #expect(agreement == nil && !check.isUncertain)
        // Fast rotation explains a larger angle.
        let turn = result(&check, 0.21, from: 0.06, angularSpeed: 4)
        #expect(turn == nil && !check.isUncertain)
        _ = result(&check, 0.28, from: 0.12)
        #expect(check.isUncertain)
    }

    @Test func aContradictionWithoutFeaturesEnds() {
        var check = MotionCheck()
        _ = result(&check, 0, from: 0.2)
        #expect(check.isUncertain)
        for (time, isUncertain) in [(0.2, true), (0.4, true), (0.6, false)] {
            let none = result(&check, time, from: 0.2, 0..<3)
            #expect(none == nil && check.isUncertain == isUncertain)
        }
    }
}
