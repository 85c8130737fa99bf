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
    private func attempt(_ device: SimulatedDevice, from start: Double, length: Double = 2.4, clock: Double) -> Outcome {
        var buffer = InertialBuffer()
        for sample in device.recording.samples where sample.time < start + length + 0.3 { _ = buffer.append(sample) }
        var window = InitializationWindow()
        for frame in device.frames where frame.time >= start && frame.time <= start + length {
            window.append(time: frame.time, features: frame.features, camera: device.rig.camera)
        }
        var outcome = Outcome()
        do {
            let estimate = try DynamicInitializer().start(window, buffer, rig: device.rig, prior: InertialPrior())
            let (state, time) = (estimate.state, window.frames[window.frames.count - 1].time - clock)
            let (truth, first) = (device.spline.motion(at: time), device.spline.pose(at: window.frames[0].time - clock))
            outcome.estimate = estimate
            let estimated = VitrineMath.length(state.worldFromBody.translation - estimate.first.translation)
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

    /// The derivatives by scale and misalignment of the IMU agree with solutions of readings that are distorted by one entry.
    @Test(arguments: [0, 4, 7, 9, 12, 17]) func derivativesByCalibrationAreThoseOfTheSolution(_ entry: Int) throws {
        let device = try SimulatedDevice(.eight, duration: 8, outliers: 0)
        let difference = 0.01
        func estimate(_ distortion: Double) throws -> InitialEstimate {
            var columns = [Vector3d](repeating: .zero, count: 6)
            columns[entry / 3][entry % 3] = distortion
            var moved = device
            moved.recording.samples = device.recording.samples.map {
                InertialSample(
                    time: $0.time,
                    angularVelocity: $0.angularVelocity + Matrix3d(columns[0], columns[1], columns[2]) * $0.angularVelocity,
                    acceleration: $0.acceleration + Matrix3d(columns[3], columns[4], columns[5]) * $0.acceleration)
            }
            return try #require(attempt(moved, from: 3.5, clock: 0).estimate)
        }
        let (less, more, middle) = (try estimate(-difference), try estimate(difference), try estimate(0))
        func vectors(_ state: FilterState) -> [Vector3d] { [state.velocity, state.gyroscopeBias, state.accelerometerBias] }
        var (error, size) = (0.0, 0.0)
        // Velocity, gyroscope bias and accelerometer bias, in units of their typical uncertainty.
        for (index, (a, b)) in zip(vectors(less.state), vectors(more.state)).enumerated() {
            let unit = [0.05, 0.01, 0.1][index]
            for k in 0..<3 {
                let measured = (b[k] - a[k]) / (2 * difference)
                let derived = middle.stateByCalibration[(6 + 3 * index + k) * 18 + entry]
                error += (measured - derived) * (measured - derived) / (unit * unit)
                size += measured * measured / (unit * unit)
            }
        }
        #expect(size > 0)
        #expect(error < 0.1 * size, "\(error), \(size)")
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
