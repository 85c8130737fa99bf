import Testing
import Vitrine
import VitrineAR
import VitrineTracking
import VitrineVision

@testable import VitrineSimulation

@Suite struct SensorLossTests {
    /// Images every 0.1 s and samples in between for ten seconds.
    private static var source: EventSource {
        let events = (0...200).map { index -> SensorEvent in
            let time = 2 + Double(index) / 20
            guard index % 2 == 0 else { return .inertial(InertialSample(time: time, angularVelocity: .zero, acceleration: .zero)) }
            let image = CapturedImage(luma: Plane(width: 8, height: 8, repeating: 100))
            return .image(CameraSample(time: time, image: image, worldFromCamera: Self.pose(time)))
        }
        return EventSource(events, rig: SimulatedDevice.phone.rig)
    }

    private static func pose(_ time: Double) -> RigidTransform {
        RigidTransform(rotation: .rotation(Vector3d(0, 0.2 * time, 0)), translation: Vector3d(0.1 * time, 1.5, 0.05 * time * time))
    }

    /// A tracker that is lost while images are dark or after an interruption, and for some images afterwards; its poses are wrong by 3 cm
    /// from then on.
    private final class LosingTracker: Tracker {
        private let rig: SensorRig
        private var (countdown, isShifted) = (0, false)

        init(_ rig: SensorRig) { self.rig = rig }

        func add(_ sample: InertialSample) {}
        func reset() {}
        func interrupt() { countdown = 5 }

        func track(_ image: Plane<UInt8>, time: Double) -> TrackingResult {
            if image.values[0] < 50 { countdown = 5 }
            let isLost = countdown > 0
            if isLost { (countdown, isShifted) = (countdown - 1, true) }
            // World: turned about +Y, as a tracker's own.
            let turn = RigidTransform(rotation: .rotation(Vector3d(0, 1, 0)), translation: Vector3d(1, 2, 3))
            var pose = turn * SensorLossTests.pose(time)
            if isShifted { pose.translation += Vector3d(0, 0.03, 0) }
            return TrackingResult(time: time, state: isLost ? .limited(.relocalizing) : .normal, worldFromCamera: pose, rig: rig)
        }
    }

    private func recovery(_ kind: SensorLoss.Kind) async throws -> (TrackingEvaluation, TrackingEvaluation.Recovery) {
        var runner = try TrackingRunner(
            .custom(CustomTracker(name: "losing") { LosingTracker($0) }), rig: SimulatedDevice.phone.rig)
        var evaluation = TrackingEvaluation()
        try await evaluation.track(Self.source, with: &runner, loss: SensorLoss(kind, start: 4, duration: 1.5))
        let times = try #require(evaluation.lossTimes)
        return (evaluation, try evaluation.recovery(start: times.start, returnTime: times.end))
    }

    @Test(arguments: [SensorLoss.Kind.cover, .pocket]) func recoveriesAreMeasured(_ kind: SensorLoss.Kind) async throws {
        let (evaluation, recovery) = try await recovery(kind)
        #expect(evaluation.sampleCount == (kind == .cover ? 101 : 86))
        #expect(evaluation.losses == 1)
        #expect(recovery.errorBefore < 1e-6)
        // Four images after the last dark one, or five after the interruption.
        #expect(abs(try #require(recovery.recoveryDelay) - (kind == .cover ? 0.4 : 0.5)) < 1e-6)
        for error in [recovery.largestError, recovery.medianError, recovery.largestLaterError] {
            #expect(abs(try #require(error) - 0.03) < 1e-6)
        }
    }

    /// The recording is cut: the tracker does not know it, and the truth moves with the images.
    @Test func aCutMovesTheTruth() async throws {
        let (evaluation, recovery) = try await recovery(.kidnap)
        #expect(evaluation.sampleCount == 86 && evaluation.losses == 0)
        #expect(recovery.recoveryDelay == 0)
        // The tracker continues the path without the cut.
        #expect(try #require(recovery.largestError) > 0.15)
        let truth = evaluation.truth
        #expect(length(truth[40].pose.translation - truth[39].pose.translation) > 0.15)
        #expect(abs(truth[40].time - truth[39].time - 0.1) < 1e-9)
    }
}
