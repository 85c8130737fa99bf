import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

@Suite struct VisualInertialTrackerTests {
    /// Injected failures.
    struct Failures {
        /// Frames and samples before this time are omitted.
        var start = 0.0
        /// The time during which the lens is covered.
        var covered: ClosedRange<Double>?
        /// Gaps of 0.4 s between frames, every three seconds.
        var hasGaps = false
        /// The time without inertial samples.
        var silent: ClosedRange<Double>?
        /// Delay of the samples in seconds.
        var delay = 0.0
        /// Some samples are not finite or have wrong times.
        var isBroken = false
    }

    struct Run {
        var results: [TrackingResult] = []
        var tracker: VisualInertialTracker
        var device: SimulatedDevice

        /// The results from the first normal one on.
        private var known: [TrackingResult] { results.drop { $0.state != .normal }.filter { $0.worldFromCamera != nil } }

        /// The comparison with the ground truth, from the first normal result on.
        var comparison: TrajectoryComparison { get throws { try comparison(.yaw) } }

        /// The normalized errors, aligned at the first normal result.
        var consistency: TrajectoryComparison.Consistency { get throws { try comparison(.first).consistency(known.map(\.covariance)) } }

        private func comparison(_ alignment: TrajectoryComparison.Alignment) throws -> TrajectoryComparison {
            let estimate = known.compactMap { result in result.worldFromCamera.map { TimedPose(time: result.time, pose: $0) } }
            let truth = known.map {
                TimedPose(time: $0.time, pose: device.spline.pose(at: $0.time) * device.rig.cameraFromBody.inverse)
            }
            return try TrajectoryComparison(estimate: estimate, truth: truth, alignment: alignment)
        }

        func states(_ times: ClosedRange<Double>) -> [TrackingState] { results.filter { times.contains($0.time) }.map(\.state) }
    }

    @Test(arguments: [0.3, 0.7, 1.0], [SimulatedPath.eight, .around]) func initializesAtRestWithNoisyFeatures(
        _ noise: Double, _ path: SimulatedPath
    ) throws {
        let run = try run(SimulatedDevice(path, duration: 6, clock: 0.03, seed: 3, pixelNoise: noise))
        #expect(run.tracker.diagnostics.initialization.fromRest == 1)
        #expect(run.tracker.diagnostics.losses == 0)
        let comparison = try run.comparison
        #expect(comparison.positionRMSE < 0.02 + 0.01 * comparison.pathLength)
    }

    private func run(_ device: SimulatedDevice, _ failures: Failures = Failures()) -> Run {
        var run = Run(tracker: VisualInertialTracker(rig: device.rig), device: device)
        var next = device.recording.samples.firstIndex { $0.time >= failures.start } ?? 0
        for frame in device.frames where frame.time >= failures.start {
            while next < device.recording.samples.count, device.recording.samples[next].time <= frame.time - failures.delay {
                var sample = device.recording.samples[next]
                if failures.isBroken, next % 97 == 0 { sample.angularVelocity.x = .nan }
                if failures.isBroken, next % 101 == 0 { sample.time -= 0.3 }
                if failures.isBroken, next % 977 == 0 { sample.time += 1000 }
                if !(failures.silent?.contains(sample.time) ?? false) { run.tracker.add(sample) }
                next += 1
            }
            if failures.hasGaps, Int(frame.time) % 3 == 1, frame.time - frame.time.rounded(.down) < 0.4 { continue }
            let isCovered = failures.covered?.contains(frame.time) ?? false
            run.results.append(run.tracker.track(isCovered ? [] : frame.features, time: frame.time))
        }
        return run
    }

    @Test func isNotAvailableBeforeTheFirstSample() throws {
        let device = try SimulatedDevice(.eight, duration: 3)
        let tracker = VisualInertialTracker(rig: device.rig)
        let result = tracker.track([], time: 1)
        #expect(result.state == .notAvailable)
        #expect(result.worldFromCamera == nil)
    }

    @Test func reportsOrientationAtOnceAndKeepsTheHeading() throws {
        let run = try run(SimulatedDevice(.eight, duration: 4))
        let first = try #require(run.results.first)
        #expect(first.state == .limited(.initializing))
        let forward = try #require(first.worldFromCamera).rotation.z
        #expect(abs(atan2(forward.x, -forward.z)) < 0.01)
        let up = try #require(first.worldFromCamera).rotation.transpose * Vector3d(0, 1, 0)
        let truth = (run.device.spline.pose(at: first.time) * run.device.rig.cameraFromBody.inverse).rotation.transpose * Vector3d(0, 1, 0)
        #expect(length(up - truth) < 0.03)
        // Poses are continuous when the filter starts.
        for (a, b) in zip(run.results, run.results.dropFirst()) {
            guard let old = a.worldFromCamera, let new = b.worldFromCamera else { continue }
            #expect(length((old.rotation.transpose * new.rotation).rotationVector) < 0.2)
            if a.state == .normal { #expect(length(old.translation - new.translation) < 0.15) }
        }
    }

    @Test(arguments: zip([SimulatedPath.eight, .around, .held, .walk], [0.0, 0.047, 0.047, 0.047]))
    func tracksInMetresFromRest(_ path: SimulatedPath, _ clock: Double) throws {
        let run = try run(SimulatedDevice(path, duration: 14, clock: clock))
        let normal = run.results.first { $0.state == .normal }
        let comparison = try run.comparison
        #expect(run.tracker.diagnostics.initialization.fromRest == 1)
        #expect(run.tracker.diagnostics.initialization.inMotion == 0)
        #expect(run.tracker.diagnostics.losses == 0)
        #expect((normal?.time ?? 99) < 4.5)
        #expect(comparison.positionRMSE < 0.03 + 0.012 * comparison.pathLength)
        #expect(abs(run.tracker.rig.timeOffset + clock) < 0.004)
    }

    /// The IMU of a phone, with unknown scale and misalignment of 1 %: the covariance contains their errors, also with a hand that hardly moves.
    @Test(arguments: [SimulatedPath.held, .eight, .around, .walk]) func isConsistentWithThePhonesIMU(_ path: SimulatedPath) throws {
        var (position, orientation) = (0.0, 0.0)
        let seeds = [UInt64(1), 3]
        for seed in seeds {
            var device = try SimulatedDevice(path, duration: 14, clock: 0.047, seed: seed, inertialError: 0.01)
            (device.rig.gyroscopeCorrection, device.rig.accelerometerCorrection) = (.identity, .identity)
            let run = run(device)
            #expect(run.tracker.diagnostics.losses == 0)
            let comparison = try run.comparison
            #expect(comparison.positionRMSE < 0.02 + 0.006 * comparison.pathLength)
            let consistency = try run.consistency
            position += consistency.position / Double(seeds.count)
            orientation += consistency.orientation / Double(seeds.count)
        }
        #expect(position < 5 && orientation < 5, "\(position), \(orientation)")
    }

    /// With motion of a decimetre the scale is determined late. It must be near the ground truth although the accelerometer's stated noise differs
    /// from the true one.
    @Test(arguments: [8e-4, 4e-3])
    func estimatesTheScaleFromSmallMotion(_ statedNoise: Double) throws {
        var device = try SimulatedDevice(
            .held, duration: 15, clock: 0.047, pixelNoise: 0.3, noise: InertialNoise(accelerometer: 8e-4, accelerometerWalk: 3e-4))
        device.rig.noise.accelerometer = statedNoise
        let run = run(device)
        let pairs = try run.comparison.pairs
        let similar = try TrajectoryComparison(
            estimate: pairs.map { TimedPose(time: $0.time, pose: $0.estimate) },
            truth: pairs.map { TimedPose(time: $0.time, pose: $0.truth) },
            alignment: .similarity)
        #expect(run.tracker.diagnostics.losses == 0)
        #expect(abs(similar.truthFromEstimate.scale - 1) < 0.06)
    }

    @Test(arguments: [SimulatedPath.eight, .around, .walk])
    func initializesInMotionWithTheCorrectScale(_ path: SimulatedPath) throws {
        let run = try run(SimulatedDevice(path, duration: 14, clock: 0.047), Failures(start: 4))
        let normal = run.results.first { $0.state == .normal }
        let comparison = try run.comparison
        #expect(run.tracker.diagnostics.initialization.inMotion == 1)
        #expect(run.tracker.diagnostics.losses == 0)
        #expect(try #require(normal).time < 8)
        #expect(comparison.positionRMSE < 0.04 + 0.02 * comparison.pathLength)
    }

    /// A hand that only turns, with an arm of three centimetres from the wrist to the camera.
    private static func turningPoses(_ duration: Double) -> [TimedPose] {
        (0...Int(duration * 50)).map { index in
            let time = Double(index) / 50
            let (yaw, pitch) = (0.5 * sin(1.7 * time), 0.25 * sin(2.3 * time + 0.5))
            let ahead = Vector3d(sin(yaw) * cos(pitch), -sin(pitch), cos(yaw) * cos(pitch))
            let eye = Vector3d(0.2, 1.5, 0.1) + ahead * 0.03
            return TimedPose(time: time, pose: SimulatedPath.looking(from: eye, to: eye + ahead))
        }
    }

    /// With measured depth tracking starts within a second, in metres, although the hand only turns. Without it, it never starts.
    @Test(arguments: [UInt64(1), 2, 3]) func depthStartsPureRotation(_ seed: UInt64) throws {
        let poses = Self.turningPoses(8)
        let run = try run(SimulatedDevice(.turn, duration: 8, clock: 0.02, seed: seed, depthNoise: 0.01, poses: poses))
        let normal = try #require(run.results.first { $0.state == .normal })
        #expect(normal.time - (try #require(run.results.first)).time < 1)
        #expect(run.results.drop { $0.state != .normal }.allSatisfy { $0.state == .normal })
        #expect(run.tracker.diagnostics.losses == 0)
        #expect(try run.comparison.positionRMSE < 0.01)
        // So short a path does not determine the heading: that of the first pose.
        let pairs = try run.comparison.pairs
        let first = try TrajectoryComparison(
            estimate: pairs.map { TimedPose(time: $0.time, pose: $0.estimate) },
            truth: pairs.map { TimedPose(time: $0.time, pose: $0.truth) }, alignment: .first)
        #expect(first.orientationRMSE < 0.02)
        let newest = try #require(run.results.last)
        #expect(newest.points.count > 30)

        let blind = try self.run(SimulatedDevice(.turn, duration: 8, clock: 0.02, seed: seed, poses: poses))
        #expect(blind.results.allSatisfy { $0.state == .limited(.initializing) })
    }

    /// Measured depth improves the scale of a walk, and wrong depths do no harm.
    @Test(arguments: [SimulatedPath.walk, .around]) func depthMeasuresTheScaleOfAWalk(_ path: SimulatedPath) throws {
        let run = try run(SimulatedDevice(path, duration: 14, clock: 0.03, depthNoise: 0.01), Failures(start: 4))
        let first = try #require(run.results.first)
        #expect(try #require(run.results.first { $0.state == .normal }).time - first.time < 1)
        #expect(run.tracker.diagnostics.losses == 0)
        let comparison = try run.comparison
        #expect(comparison.positionRMSE < 0.02 + 0.004 * comparison.pathLength)
    }

    /// A rotation of the second camera by a tenth of a degree would change the scale by several per cent: it is estimated.
    @Test(arguments: [-0.00175, 0, 0.00175]) func aTurnedSecondCameraDoesNotChangeTheScale(_ turn: Double) throws {
        let run = try run(SimulatedDevice(.around, duration: 14, clock: 0.03, secondTurn: turn), Failures(start: 4))
        #expect(run.tracker.diagnostics.losses == 0)
        // 5 cm if it is not estimated.
        #expect(try run.comparison.positionRMSE < 0.035)
    }

    @Test func bridgesACoveredLens() throws {
        let run = try run(SimulatedDevice(.eight, duration: 14), Failures(covered: 9...10))
        #expect(run.states(9.2...9.9).allSatisfy { $0 == .limited(.insufficientFeatures) || $0 == .limited(.excessiveMotion) })
        #expect(run.states(10.5...13.5).allSatisfy { $0 == .normal })
        #expect(run.tracker.diagnostics.losses == 0)
        let comparison = try run.comparison
        #expect(comparison.positionRMSE < 0.1)
    }

    @Test func bridgesMissingFrames() throws {
        let run = try run(SimulatedDevice(.eight, duration: 14, clock: 0.047), Failures(hasGaps: true))
        #expect(run.tracker.diagnostics.losses == 0)
        let comparison = try run.comparison
        #expect(comparison.positionRMSE < 0.1)
    }

    @Test func reportsASilentIMU() throws {
        let run = try run(SimulatedDevice(.eight, duration: 20), Failures(silent: 9...9.8))
        #expect(run.tracker.diagnostics.losses == 1)
        #expect(run.tracker.diagnostics.lastLoss == .inertialSilence)
        #expect(run.states(9.9...10.3).allSatisfy { $0 == .limited(.relocalizing) })
        // Without images there is no map to relocalize in: a new world starts, which the result reports.
        let restart = try #require(run.results.firstIndex { $0.startsNewWorld })
        #expect(run.results[restart...].allSatisfy { $0.state == .normal })
        #expect(run.results.drop { $0.time < 9.55 }.prefix { !$0.startsNewWorld }.allSatisfy { $0.state != .normal })
        // The world continues from the last pose: the error is at most the distance moved meanwhile.
        let before = try #require(run.results.last { $0.time < 9 }?.worldFromCamera).translation
        let after = try #require(run.results[restart].worldFromCamera).translation
        #expect(length(after - before) < 4)
    }

    /// A limited state has advice, and a normal one none.
    @Test func advisesTheUser() throws {
        let device = try SimulatedDevice(.eight, duration: 6)
        let covered = run(device, Failures(covered: 4...5)).results
        #expect(covered.filter { (4.1...4.9).contains($0.time) }.allSatisfy { $0.advice == .findTexture || $0.advice == .moveSlowly })
        #expect(covered.allSatisfy { $0.state != .normal || $0.advice == nil })
        // At rest the scale is unknown: only motion helps.
        let resting = try #require(covered.first { $0.state == .limited(.initializing) })
        #expect(resting.advice == .moveSideways)
        // Without samples of the IMU there is no pose.
        let tracker = VisualInertialTracker(rig: device.rig)
        #expect(tracker.track(device.frames[0].features, time: 0).advice == .waitForInertialSamples)
    }

    /// A rolling shutter whose readout time the rig states is as accurate as a global shutter; ignored, it is not.
    @Test(arguments: [SimulatedPath.eight, .walk]) func tracksWithARollingShutter(_ path: SimulatedPath) throws {
        var device = try SimulatedDevice(path, duration: 12, readoutTime: 0.03)
        let stated = run(device)
        #expect(stated.tracker.diagnostics.losses == 0)
        let error = try stated.comparison.positionRMSE
        let global = try run(SimulatedDevice(path, duration: 12)).comparison.positionRMSE
        device.rig.readoutTime = 0
        let ignored = try run(device).comparison.positionRMSE
        #expect(error < 1.5 * global + 0.005 && error < 0.06, "\(error), global \(global)")
        #expect(error < 0.9 * ignored, "\(error), ignored \(ignored)")
    }

    /// An IMU with scale errors and misalignment of two percent: a calibration that the rig states is at least as accurate as an estimated one.
    @Test func correctsACalibratedIMU() throws {
        var device = try SimulatedDevice(.eight, duration: 12, inertialError: 0.02)
        let stated = run(device)
        #expect(stated.tracker.diagnostics.losses == 0)
        let error = try stated.comparison.positionRMSE
        (device.rig.gyroscopeCorrection, device.rig.accelerometerCorrection) = (.identity, .identity)
        let estimated = try run(device).comparison.positionRMSE
        #expect(error < 0.05 && error < 1.1 * estimated && estimated < 0.1, "\(error) m, estimated \(estimated) m")
    }

    @Test func toleratesBrokenAndLateSamples() throws {
        let run = try run(SimulatedDevice(.eight, duration: 14, clock: 0.02), Failures(delay: 0.06, isBroken: true))
        #expect(run.tracker.diagnostics.samplesSkipped > 20)
        #expect(run.tracker.diagnostics.losses == 0)
        #expect(try run.comparison.positionRMSE < 0.08)
    }

    @Test func skipsFramesThatGoBackInTime() throws {
        let device = try SimulatedDevice(.eight, duration: 5)
        let tracker = VisualInertialTracker(rig: device.rig)
        for sample in device.recording.samples { tracker.add(sample) }
        let good = tracker.track(device.frames[20].features, time: device.frames[20].time)
        #expect(tracker.track(device.frames[10].features, time: device.frames[10].time) == good)
        #expect(tracker.track([], time: .nan).time.isFinite)
        #expect(tracker.track([], time: 1e9).state != .normal)
        #expect(tracker.diagnostics.framesSkipped == 3)
        #expect(tracker.track(device.frames[21].features, time: device.frames[21].time).time > good.time)
    }

    @Test func isDeterministic() throws {
        let device = try SimulatedDevice(.walk, duration: 8, clock: 0.03)
        #expect(run(device).results == run(device).results)
    }

    /// The clock offset stays; the camera's calibration starts over, because it would wander from world to world without its covariance.
    @Test func resetKeepsTheClockOffset() throws {
        let device = try SimulatedDevice(.eight, duration: 14, clock: 0.047)
        let tracker = VisualInertialTracker(rig: device.rig)
        var (next, last): (Int, TrackingResult?) = (0, nil)
        for (index, frame) in device.frames.enumerated() {
            while next < device.recording.samples.count, device.recording.samples[next].time <= frame.time {
                tracker.add(device.recording.samples[next])
                next += 1
            }
            if index == 130 {
                var stated = device.rig
                stated.timeOffset = tracker.rig.timeOffset
                #expect(tracker.rig != stated && abs(stated.timeOffset + 0.047) < 0.02)
                tracker.reset()
                #expect(tracker.rig == stated)
            }
            last = tracker.track(frame.features, time: frame.time)
            if index == 130 { #expect(last?.state != .normal) }
        }
        #expect(last?.state == .normal)
        #expect(abs(tracker.rig.timeOffset + 0.047) < 0.004)
    }
}
