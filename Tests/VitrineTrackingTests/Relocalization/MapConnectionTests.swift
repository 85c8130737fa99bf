import Testing
import VitrineMath
import VitrineVision

@testable import VitrineMapping
@testable import VitrineTracking

/// The relation between a filter's world and the reported one.
@Suite struct MapConnectionTests {
    /// A quarter turn about +Y, which moves +Z to +X, and a translation.
    private static let change = RigidTransform(rotation: .rotation(Vector3d(0, .pi / 2, 0)), translation: Vector3d(1, 0, -2))
    private static let rig = FilterMathTests.rig(.none)

    @Test func correctionsOfAFrameAccumulate() {
        var connection = MapConnection(RelocalizationSettings())
        connection.beginFrame()
        connection.apply(Self.change, origin: nil, to: nil)
        connection.apply(Self.change, origin: nil, to: nil)
        #expect(connection.correction == Self.change * Self.change)
        connection.beginFrame()
        #expect(connection.correction == nil && connection.worldFromFilter == Self.change * Self.change)
    }

    @Test func theWorldStaysWhenTheFilterIsLost() {
        var connection = MapConnection(RelocalizationSettings())
        connection.apply(Self.change, origin: nil, to: nil)
        connection.setReference(4, drifts: [:])
        connection.disconnect(nil)
        #expect(connection.worldFromFilter == Self.change && connection.referenceKeyframe == nil)
    }

    @Test func theReferenceIsTheKeyframeWithTheLeastDrift() {
        var connection = MapConnection(RelocalizationSettings())
        let drifts = [
            1: DriftVariance(heading: 0, position: 2), 5: DriftVariance(heading: 1, position: 0.5),
            8: DriftVariance(heading: 1, position: 0.5),
        ]
        connection.setReference(nil, drifts: drifts)
        #expect(connection.referenceKeyframe == 8)
        connection.setReference(9, drifts: drifts)
        #expect(connection.referenceKeyframe == 9)
    }

    @Test func resultsAreInTheReportedWorld() throws {
        var connection = MapConnection(RelocalizationSettings())
        connection.apply(Self.change, origin: nil, to: nil)
        var covariance = [Double](repeating: 0, count: 36)
        for k in 0..<6 { covariance[7 * k] = Double(k + 1) }
        let pose = RigidTransform(rotation: .identity, translation: Vector3d(0, 1, 3))
        let reported = connection.inWorld(
            TrackingResult(
                time: 0, state: .normal, worldFromCamera: pose, velocity: Vector3d(0, 0, 2),
                points: [TrackedPoint(id: 1, position: Vector3d(0, 0, 1), pixel: .zero)], covariance: covariance, rig: Self.rig))
        #expect(length(try #require(reported.worldFromCamera).translation - Vector3d(4, 1, -2)) < 1e-12)
        #expect(length(reported.velocity - Vector3d(2, 0, 0)) < 1e-12)
        #expect(length(reported.points[0].position - Vector3d(2, 0, -2)) < 1e-12)
        for (k, variance) in [3.0, 2, 1, 6, 5, 4].enumerated() { #expect(abs(reported.covariance[7 * k] - variance) < 1e-12) }
    }

    /// A filter without frames uses no measurement; only several that agree disprove its position.
    @Test(arguments: [([0.5, 0.5], false), ([0.5, 0.5, 0.5], true), ([0.5, -0.5, 0.5, -0.5], false), ([0.05, 0.05, 0.05], false)])
    func agreeingContradictionsDisproveThePosition(offsets: [Double], isDisproved: Bool) {
        let state = FilterState(time: 0, worldFromBody: .identity, velocity: .zero, gyroscopeBias: .zero, accelerometerBias: .zero)
        let filter = VisualInertialFilter(rig: Self.rig, state: state, uncertainty: .exact)
        var connection = MapConnection(RelocalizationSettings())
        for offset in offsets {
            var outcome = Relocalizer.Outcome()
            outcome.measurement = MapMeasurement(
                time: 0, keyframe: 1, worldFromCamera: .identity, covariance: [Double](repeating: 0, count: 16),
                offset: Vector3d(offset, 0, 0))
            #expect(connection.update(filter, with: outcome, lastPose: nil).isEmpty)
        }
        #expect(connection.isDisproved == isDisproved)
        connection.disconnect(filter)
        #expect(!connection.isDisproved)
    }
}
