import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

@Suite struct DynamicInitializerTests {
    private struct Outcome {
        var estimate: InitialEstimate?
        var failure: InitializationFailure?
        /// Relative error of the scale.
        var scale = 0.0
        /// Errors of the velocity in m/s, of the tilt in radians, and of the clock in seconds.
        var velocity = 0.0
        var tilt = 0.0
        var clock = 0.0
        /// The normalized squared error of tilt and velocity, divided by their five degrees of freedom: expected value 1.
        var consistency = 0.0
    }

    /// One attempt on the frames from `start` on.
    private func attempt(
        _ device: SimulatedDevice, from start: Double, length: Double = 2.4, clock: Double, calibrationDeviation: Double = 0
    ) -> Outcome {
        var buffer = InertialBuffer()
        for sample in device.recording.samples where sample.time < start + length + 0.3 { _ = buffer.append(sample) }
        var window = InitializationWindow()
        for frame in device.frames where frame.time >= start && frame.time <= start + length {
            window.append(time: frame.time, features: frame.features, camera: device.rig.camera)
        }
        var outcome = Outcome()
        do {
            var prior = InertialPrior()
            prior.calibrationDeviation = calibrationDeviation
            let estimate = try DynamicInitializer().start(window, buffer, rig: device.rig, prior: prior)
            let (state, time) = (estimate.state, window.frames[window.frames.count - 1].time - clock)
            let (truth, first) = (device.spline.motion(at: time), device.spline.pose(at: window.frames[0].time - clock))
            outcome.estimate = estimate
            let estimated = VitrineMath.length(state.worldFromBody.translation - estimate.path[0].worldFromBody.translation)
            let moved = VitrineMath.length(truth.worldFromBody.translation - first.translation)
            let extent =
                window.frames.map {
                    VitrineMath.length(device.spline.pose(at: $0.time - clock).translation - first.translation)
                }.max() ?? 0
            outcome.scale = (estimated - moved) / extent
            let speed = state.worldFromBody.rotation.transpose * state.velocity
            outcome.velocity = VitrineMath.length(speed - truth.worldFromBody.rotation.transpose * truth.velocity)
            let up = Vector3d(0, 1, 0)
            let (a, b) = (state.worldFromBody.rotation.transpose * up, truth.worldFromBody.rotation.transpose * up)
            outcome.tilt = VitrineMath.length(cross(a, b))
            outcome.clock = estimate.timeOffset + clock
            outcome.consistency = consistency(estimate, truth)
        } catch {
            outcome.failure = error
        }
        return outcome
    }

    /// The consistency of velocity and tilt. The ground truth is rotated to the estimate's heading first.
    private func consistency(_ estimate: InitialEstimate, _ truth: TrajectorySpline.Motion) -> Double {
        let state = estimate.state
        let difference = state.worldFromBody.rotation * truth.worldFromBody.rotation.transpose
        let heading = atan2(difference.x.z * -1 + difference.z.x, difference.x.x + difference.z.z)
        let turned = Matrix3d.rotation(Vector3d(0, heading, 0))
        let turn = (state.worldFromBody.rotation * (turned * truth.worldFromBody.rotation).transpose).rotationVector
        let speed = state.velocity - turned * truth.velocity
        let errors = [turn.x, turn.z, speed.x, speed.y, speed.z]
        let indices = [0, 2, 6, 7, 8]
        var system = SymmetricSystem(size: 5)
        for i in 0..<5 { for j in 0..<5 { system.matrix[i * 5 + j] = estimate.covariance[indices[i] * 15 + indices[j]] } }
        guard let solved = system.factored()?.solve(errors) else { return .infinity }
        return zip(solved, errors).reduce(0) { $0 + $1.0 * $1.1 } / 5
    }

    @Test(arguments: [SimulatedPath.eight, .around, .walk, .held], [0.047])
    func acceptedEstimatesAreAccurate(_ path: SimulatedPath, _ clock: Double) throws {
        var outcomes: [Outcome] = []
        let device = try SimulatedDevice(path, duration: 11, clock: clock)
        for start in stride(from: 2.5, to: 8.5, by: 1) { outcomes.append(attempt(device, from: start, clock: clock)) }
        let accepted = outcomes.filter { $0.estimate != nil }
        let wrong = accepted.filter {
            abs($0.scale) > 4 * ($0.estimate?.scaleDeviation ?? 0) + 0.03 || $0.tilt > 0.04 || abs($0.clock) > 0.01
        }
        #expect(wrong.count == 0, "\(wrong.count) of \(accepted.count)")
        #expect(!accepted.isEmpty)
    }

    @Test(arguments: [SimulatedPath.eight, .around, .walk, .held])
    func rotationAlignmentEstimatesClockAndBias(_ path: SimulatedPath) throws {
        let device = try SimulatedDevice(path, duration: 9, clock: 0.047, outliers: 0)
        var (biases, clocks): ([Double], [Double]) = ([], [])
        for start in stride(from: 2.5, to: 7, by: 1) {
            let frames = device.frames.filter { $0.time >= start && $0.time <= start + 1.5 }
            var window = InitializationWindow()
            for frame in frames { window.append(time: frame.time, features: frame.features, camera: device.rig.camera) }
            var settings = RotationAlignment.Settings()
            settings.noise = 1.0 / 453
            let alignment = RotationAlignment(
                frames: window.frames, samples: device.recording.samples.filter { $0.time > start - 0.3 && $0.time < start + 1.8 },
                cameraFromBody: device.rig.cameraFromBody.rotation, bias: .zero, offset: 0, settings: settings)
            let result = try #require(alignment?.solve())
            biases.append(length(result.gyroscopeBias - device.gyroscopeBias))
            clocks.append(abs(result.timeOffset + 0.047))
        }
        #expect(biases.sorted()[biases.count / 2] < 0.02)
        #expect(clocks.sorted()[clocks.count / 2] < 0.005)
    }

    /// With an IMU of a phone, the covariance contains the errors only if scale and misalignment are estimated.
    @Test func distortedReadingsAreEstimated() throws {
        var (with, without, count) = (0.0, 0.0, 0.0)
        for seed in 1...4 as ClosedRange<UInt64> {
            var device = try SimulatedDevice(.eight, duration: 8, seed: seed, inertialError: 0.01)
            (device.rig.gyroscopeCorrection, device.rig.accelerometerCorrection) = (.identity, .identity)
            for start in [3.0, 4, 5] {
                let estimated = attempt(device, from: start, clock: 0, calibrationDeviation: 0.01)
                let ignored = attempt(device, from: start, clock: 0)
                guard let estimate = estimated.estimate, ignored.estimate != nil else { continue }
                #expect(estimate.calibration?.covariance.count == 18 * 18 && estimate.calibration?.cross.count == 15 * 18)
                (with, without, count) = (with + estimated.consistency, without + ignored.consistency, count + 1)
            }
        }
        #expect(count > 5)
        #expect((0.3...3).contains(with / count) && without > 3 * with, "\(with / count), \(without / count)")
    }

    /// A scale error of the gyroscope is corrected about the axis of the fastest rotation.
    @Test func theGyroscopesScaleIsEstimated() throws {
        let device = try SimulatedDevice(.eight, duration: 8, outliers: 0)
        var squares = Vector3d.zero
        for sample in device.recording.samples where (3.5...5.9).contains(sample.time) {
            squares += sample.angularVelocity * sample.angularVelocity
        }
        let axis = (0..<3).max { squares[$0] < squares[$1] } ?? 0
        func entry(_ error: Double) throws -> Double {
            var distorted = device
            for index in distorted.recording.samples.indices { distorted.recording.samples[index].angularVelocity[axis] *= 1 + error }
            let estimate = attempt(distorted, from: 3.5, clock: 0, calibrationDeviation: 0.03).estimate
            return try #require(estimate?.calibration).entries[4 * axis]
        }
        let (less, more) = (try entry(-0.03), try entry(0.03))
        #expect((less - more) / 0.06 > 0.3, "\(less), \(more)")
    }

    @Test func pureRotationFailsOrIsAccurate() throws {
        let device = try SimulatedDevice(.turn, duration: 9, clock: 0)
        var outcomes: [Outcome] = []
        for start in stride(from: 2.5, to: 6, by: 1) { outcomes.append(attempt(device, from: start, clock: 0)) }
        for outcome in outcomes {
            #expect(outcome.estimate == nil || abs(outcome.scale) < 4 * (outcome.estimate?.scaleDeviation ?? 0) + 0.03)
        }
    }
}
