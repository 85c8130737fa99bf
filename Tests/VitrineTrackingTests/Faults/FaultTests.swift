import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// What goes wrong with cameras, through the whole tracker: pictures drawn with the fault, an IMU, and the truth. The state must say what is the
/// matter while it lasts, and the place afterwards must be right to a bound. `VITRINE_FIGURES=1` tells what came out.
@Suite struct FaultTests {
    /// Around the room's middle, from rest: normal long before the faults, which come at 6 s.
    private func device(_ path: SimulatedPath = .around, duration: Double = 9.5, clock: Double = 0) throws -> FaultyDevice {
        try FaultyDevice(path.cameraPoses(duration: duration, extent: 1.6), clock: clock)
    }

    private static func isPoor(_ state: TrackingState) -> Bool {
        state == .limited(.insufficientFeatures) || state == .limited(.excessiveMotion)
    }

    /// Normal before, normal again soon after, and never lost.
    private func check(_ run: FaultyRun, _ fault: Fault, within metres: Double, _ name: String, again: Double = 0.5) throws {
        let end = fault.span.upperBound
        let drift = try run.drift(fault.span.lowerBound...end + 1)
        FaultFigures.tell(name, run, fault, drift)
        #expect(run.states(4...fault.span.lowerBound - 0.05).allSatisfy { $0 == .normal })
        #expect(run.states(end + again...run.device.spline.end).allSatisfy { $0 == .normal })
        #expect(run.tracker.diagnostics.losses == 0)
        #expect(drift < metres, "\(drift) m")
    }

    @Test func withoutAFaultItIsRight() throws {
        let run = try device().run()
        try check(run, Fault(), within: 0.12, "none")
        #expect(run.states(4...9.3).allSatisfy { $0 == .normal })
    }

    @Test func aLensThatIsCoveredForASecond() throws {
        let fault = Fault(gain: { _ in 0 })
        let run = try device().run(fault)
        try check(run, fault, within: 0.15, "covered")
        #expect(run.share(6.1...7) { $0 == .limited(.insufficientFeatures) } > 0.9)
    }

    /// A finger lets some light through, and it trembles: grey without a shape.
    @Test func aFingerOnTheLens() throws {
        let fault = Fault(gain: { 0.35 + 0.1 * Float(sin(17 * $0)) }, contrast: 0, noise: 4)
        let run = try device().run(fault)
        try check(run, fault, within: 0.15, "finger")
        #expect(run.share(6.2...7) { $0 == .limited(.insufficientFeatures) } > 0.9)
    }

    @Test func wallsThatShowNothing() throws {
        let fault = Fault(span: 6...7.5, contrast: 0.008)
        let run = try device().run(fault)
        try check(run, fault, within: 0.15, "low texture")
        #expect(run.share(6.2...7.5) { $0 == .limited(.insufficientFeatures) } > 0.8)
    }

    @Test func pictureAfterPictureIsBlurred() throws {
        let fault = Fault(span: 5...7, exposure: 0.045)
        let run = try device().run(fault)
        try check(run, fault, within: 0.15, "blur")
        #expect(run.states(5...7).allSatisfy { $0 == .normal })
    }

    @Test func gapsOfTheCamera() throws {
        let fault = Fault(span: 6...6.4, isGap: true)
        let run = try device().run(fault)
        try check(run, fault, within: 0.06, "gap")
        #expect(run.share(6.4...6.8) { $0 == .normal } > 0.6)
    }

    @Test func aClockThatIsLate() throws {
        let run = try device(clock: 0.047).run()
        let drift = try run.drift(6...8)
        FaultFigures.tell("clock", run, Fault(), drift)
        #expect(abs(run.tracker.rig.timeOffset + 0.047) < 0.002)
        #expect(run.states(6...9.3).allSatisfy { $0 == .normal } && drift < 0.12, "\(drift) m")
    }

    /// Twelve times less light, and the noise of a sensor that makes the best of it.
    @Test func theLightGoesOut() throws {
        let fault = Fault(span: 6...8, gain: { _ in 0.08 }, noise: 2.5)
        let run = try device().run(fault)
        try check(run, fault, within: 0.15, "dark")
        let said = run.share(6.2...8) { $0 == .normal || Self.isPoor($0) }
        #expect(said == 1)
    }

    @Test func whiteOutAgainstAWindow() throws {
        let fault = Fault(span: 6...7, gain: { _ in 8 })
        let run = try device().run(fault)
        try check(run, fault, within: 0.15, "overexposed")
        #expect(run.share(6.1...7) { $0 == .limited(.insufficientFeatures) } > 0.9)
    }

    /// Lamps that beat against the camera: each picture brighter or darker than the last.
    @Test func flickeringExposure() throws {
        let fault = Fault(span: 5...7, gain: { 1 + 0.35 * Float(sin(47 * $0)) })
        let run = try device().run(fault)
        try check(run, fault, within: 0.15, "flicker")
        #expect(run.states(5...7).allSatisfy { $0 == .normal })
    }

    @Test func somebodyWalksThroughThePicture() throws {
        let fault = Fault(span: 5...8, hasVisitor: true)
        let run = try device().run(fault)
        try check(run, fault, within: 0.15, "visitor")
        #expect(run.states(5...8).allSatisfy { $0 == .normal })
    }

    // MARK: Motion

    /// A path with a shake in it: the camera is thrown about by so many radians, `frequency` times a second.
    private func shaken(_ amount: Double, _ frequency: Double, _ span: ClosedRange<Double>) throws -> FaultyDevice {
        try FaultyDevice(
            SimulatedPath.around.cameraPoses(duration: 9.5, extent: 1.6, rate: 200).map { pose in
                let part =
                    smoothstep(span.lowerBound, span.lowerBound + 0.3, pose.time)
                    * (1 - smoothstep(span.upperBound - 0.3, span.upperBound, pose.time))
                let angle = amount * part * sin(2 * .pi * frequency * (pose.time - span.lowerBound))
                let turn = RigidTransform(rotation: Matrix3d.rotation(Vector3d(0.3 * angle, angle, 0.2 * angle)), translation: .zero)
                return TimedPose(time: pose.time, pose: pose.pose * turn)
            })
    }

    /// Up to eight radians a second, through half a radian and back.
    @Test func fastTurnsToAndFro() throws {
        let fault = Fault(span: 6...7, exposure: 0.01)
        let run = try shaken(0.5, 2.5, fault.span).run(fault)
        try check(run, fault, within: 0.15, "fast")
        #expect(run.states(6.2...6.9).contains(.limited(.excessiveMotion)))
        #expect(run.share(6...7) { $0 == .normal || $0 == .limited(.excessiveMotion) } == 1)
    }

    /// Turning about the lens itself shows no parallax: no scale follows from it, and none may be claimed; the place stays where it is.
    @Test func turningWithoutWalking() throws {
        let eye = Vector3d(0.2, 1.5, -0.3)
        let poses = (0...500).map { index in
            let time = Double(index) / 50
            let angle = 0.6 * max(0, time - 1.5) * smoothstep(1, 2.5, time)
            let target = eye + Vector3d(sin(angle), -0.1 + 0.1 * sin(time), cos(angle))
            return TimedPose(time: time, pose: SimulatedPath.looking(from: eye, to: target))
        }
        let run = try FaultyDevice(poses).run()
        let first = try #require(run.results.first { $0.result.worldFromCamera != nil }?.result.worldFromCamera)
        let places = run.results.compactMap { $0.result.worldFromCamera.map { length($0.translation - first.translation) } }
        FaultFigures.tell("turning", run, Fault(), places.max() ?? 0)
        #expect((places.max() ?? .infinity) < 0.1)
        #expect(run.results.allSatisfy { $0.result.state != .limited(.relocalizing) } && run.tracker.diagnostics.losses == 0)
    }

    /// Walks, then only turns for a while, then walks on.
    @Test func aTurnOnTheSpotOnTheWay() throws {
        func eye(_ walked: Double) -> Vector3d { Vector3d(1.2 * sin(0.6 * walked), 1.4, -0.8 * cos(0.6 * walked)) }
        let poses = (0...600).map { index in
            let time = Double(index) / 50
            let walked = max(0, time - 1) - max(0, time - 6) + max(0, time - 9)
            let soft = walked * smoothstep(0, 1, walked)
            let angle = 0.5 * time
            return TimedPose(
                time: time, pose: SimulatedPath.looking(from: eye(soft), to: eye(soft) + Vector3d(sin(angle), -0.15, cos(angle))))
        }
        let fault = Fault(span: 6...9)
        let run = try FaultyDevice(poses).run()
        try check(run, fault, within: 0.12, "turn on the way")
    }
}
