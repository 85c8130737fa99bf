import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// Failures of cameras, injected into images of a simulated device with an IMU and ground truth. The tracking state must report the failure while it
/// lasts, and the drift afterwards must stay below a bound. `VITRINE_FIGURES=1` prints the results.
@Suite struct FailureTests {
    /// A path around the middle of the room, from rest. Tracking is normal long before the failures, which start at 6 s.
    private func device(_ path: SimulatedPath = .around, duration: Double = 9.5, clock: Double = 0) throws -> FailingDevice {
        try FailingDevice(path.cameraPoses(duration: duration, extent: 1.6), clock: clock)
    }

    private static func isPoor(_ state: TrackingState) -> Bool {
        state == .limited(.insufficientFeatures) || state == .limited(.excessiveMotion)
    }

    /// Tracking must be normal before and soon after the failure, and never lost.
    private func check(_ run: FailureRun, _ failure: Failure, within metres: Double, _ name: String, again: Double = 0.5) throws {
        let end = failure.span.upperBound
        let drift = try run.drift(failure.span.lowerBound...end + 1)
        FailureReport.report(name, run, failure, drift)
        #expect(run.states(4...failure.span.lowerBound - 0.05).allSatisfy { $0 == .normal })
        #expect(run.states(end + again...run.device.spline.end).allSatisfy { $0 == .normal })
        #expect(run.tracker.diagnostics.losses == 0)
        #expect(drift < metres, "\(drift) m")
    }

    @Test func tracksWithoutFailures() throws {
        let run = try device().run()
        try check(run, Failure(), within: 0.12, "none")
        #expect(run.states(4...9.3).allSatisfy { $0 == .normal })
    }

    @Test func coveredLens() throws {
        let failure = Failure(gain: { _ in 0 })
        let run = try device().run(failure)
        try check(run, failure, within: 0.15, "covered")
        #expect(run.share(6.1...7) { $0 == .limited(.insufficientFeatures) } > 0.9)
    }

    /// A finger lets some light through, and moves: grey without structure.
    @Test func fingerOnTheLens() throws {
        let failure = Failure(gain: { 0.35 + 0.1 * Float(sin(17 * $0)) }, contrast: 0, noise: 4)
        let run = try device().run(failure)
        try check(run, failure, within: 0.15, "finger")
        #expect(run.share(6.2...7) { $0 == .limited(.insufficientFeatures) } > 0.9)
    }

    @Test func wallsWithoutTexture() throws {
        let failure = Failure(span: 6...7.5, contrast: 0.008)
        let run = try device().run(failure)
        try check(run, failure, within: 0.15, "low texture")
        #expect(run.share(6.2...7.5) { $0 == .limited(.insufficientFeatures) } > 0.8)
    }

    @Test func motionBlur() throws {
        let failure = Failure(span: 5...7, exposure: 0.045)
        let run = try device().run(failure)
        try check(run, failure, within: 0.15, "blur")
        #expect(run.states(5...7).allSatisfy { $0 == .normal })
    }

    @Test func missingFrames() throws {
        let failure = Failure(span: 6...6.4, isGap: true)
        let run = try device().run(failure)
        try check(run, failure, within: 0.06, "gap")
        #expect(run.share(6.4...6.8) { $0 == .normal } > 0.6)
    }

    @Test func delayedTimeStamps() throws {
        let run = try device(clock: 0.047).run()
        let drift = try run.drift(6...8)
        FailureReport.report("clock", run, Failure(), drift)
        #expect(abs(run.tracker.rig.timeOffset + 0.047) < 0.002)
        #expect(run.states(6...9.3).allSatisfy { $0 == .normal } && drift < 0.12, "\(drift) m")
    }

    /// A twelfth of the light, with more image noise.
    @Test func darkness() throws {
        let failure = Failure(span: 6...8, gain: { _ in 0.08 }, noise: 2.5)
        let run = try device().run(failure)
        try check(run, failure, within: 0.15, "dark")
        let explained = run.share(6.2...8) { $0 == .normal || Self.isPoor($0) }
        #expect(explained == 1)
    }

    @Test func overexposure() throws {
        let failure = Failure(span: 6...7, gain: { _ in 8 })
        let run = try device().run(failure)
        try check(run, failure, within: 0.15, "overexposed")
        #expect(run.share(6.1...7) { $0 == .limited(.insufficientFeatures) } > 0.9)
    }

    /// Lights that flicker: each frame is brighter or darker than the previous one.
    @Test func flickeringExposure() throws {
        let failure = Failure(span: 5...7, gain: { 1 + 0.35 * Float(sin(47 * $0)) })
        let run = try device().run(failure)
        try check(run, failure, within: 0.15, "flicker")
        #expect(run.states(5...7).allSatisfy { $0 == .normal })
    }

    @Test func movingObject() throws {
        let failure = Failure(span: 5...8, hasMovingObject: true)
        let run = try device().run(failure)
        try check(run, failure, within: 0.15, "moving object")
        #expect(run.states(5...8).allSatisfy { $0 == .normal })
    }

    // MARK: Motion

    /// A path with a shake: a rotation by `amount` radians and back, `frequency` times per second.
    private func shaken(_ amount: Double, _ frequency: Double, _ span: ClosedRange<Double>) throws -> FailingDevice {
        try FailingDevice(
            SimulatedPath.around.cameraPoses(duration: 9.5, extent: 1.6, rate: 200).map { pose in
                let part =
                    smoothstep(span.lowerBound, span.lowerBound + 0.3, pose.time)
                    * (1 - smoothstep(span.upperBound - 0.3, span.upperBound, pose.time))
                let angle = amount * part * sin(2 * .pi * frequency * (pose.time - span.lowerBound))
                let turn = RigidTransform(rotation: Matrix3d.rotation(Vector3d(0.3 * angle, angle, 0.2 * angle)), translation: .zero)
                return TimedPose(time: pose.time, pose: pose.pose * turn)
            })
    }

    /// Up to eight radians per second, by half a radian and back.
    @Test func fastRotation() throws {
        let failure = Failure(span: 6...7, exposure: 0.01)
        let run = try shaken(0.5, 2.5, failure.span).run(failure)
        try check(run, failure, within: 0.15, "fast")
        #expect(run.states(6.2...6.9).contains(.limited(.excessiveMotion)))
        #expect(run.share(6...7) { $0 == .normal || $0 == .limited(.excessiveMotion) } == 1)
    }

    /// Rotation about the optical centre has no parallax and no scale: the reported position must not change.
    @Test func pureRotation() throws {
        let eye = Vector3d(0.2, 1.5, -0.3)
        let poses = (0...500).map { index in
            let time = Double(index) / 50
            let angle = 0.6 * max(0, time - 1.5) * smoothstep(1, 2.5, time)
            let target = eye + Vector3d(sin(angle), -0.1 + 0.1 * sin(time), cos(angle))
            return TimedPose(time: time, pose: SimulatedPath.looking(from: eye, to: target))
        }
        let run = try FailingDevice(poses).run()
        let first = try #require(run.results.first { $0.result.worldFromCamera != nil }?.result.worldFromCamera)
        let distances = run.results.compactMap { $0.result.worldFromCamera.map { length($0.translation - first.translation) } }
        FailureReport.report("rotation", run, Failure(), distances.max() ?? 0)
        #expect((distances.max() ?? .infinity) < 0.1)
        #expect(run.results.allSatisfy { $0.result.state != .limited(.relocalizing) } && run.tracker.diagnostics.losses == 0)
    }

    /// The camera moves, then only rotates for a while, then moves again.
    @Test func pureRotationDuringMotion() throws {
        func eye(_ walked: Double) -> Vector3d { Vector3d(1.2 * sin(0.6 * walked), 1.4, -0.8 * cos(0.6 * walked)) }
        let poses = (0...600).map { index in
            let time = Double(index) / 50
            let walked = max(0, time - 1) - max(0, time - 6) + max(0, time - 9)
            let soft = walked * smoothstep(0, 1, walked)
            let angle = 0.5 * time
            return TimedPose(
                time: time, pose: SimulatedPath.looking(from: eye(soft), to: eye(soft) + Vector3d(sin(angle), -0.15, cos(angle))))
        }
        let failure = Failure(span: 6...9)
        let run = try FailingDevice(poses).run()
        try check(run, failure, within: 0.12, "rotation during motion")
    }
}
