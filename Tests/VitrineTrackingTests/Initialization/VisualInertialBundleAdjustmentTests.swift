import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

@Suite struct VisualInertialBundleAdjustmentTests {
    /// A problem at the ground truth, with noisy features.
    private func truth(_ path: SimulatedPath, pixelNoise: Double) throws -> (VisualInertialBundleAdjustment, SimulatedDevice) {
        let device = try SimulatedDevice(path, duration: 6, pixelNoise: pixelNoise, outliers: 0)
        var buffer = InertialBuffer()
        for sample in device.recording.samples { _ = buffer.append(sample) }
        var window = InitializationWindow()
        for frame in device.frames where frame.time >= 3 && frame.time <= 4.5 {
            window.append(time: frame.time, features: frame.features, camera: device.rig.camera)
        }
        let frames = window.spread(10)
        let steps = zip(frames, frames.dropFirst()).map {
            Preintegration(
                buffer.samples(from: $0.time, to: $1.time), noise: device.rig.noise, gyroscopeBias: device.gyroscopeBias,
                accelerometerBias: device.accelerometerBias)
        }
        let states = frames.map { frame -> VisualInertialBundleAdjustment.Frame in
            let motion = device.spline.motion(at: frame.time)
            return VisualInertialBundleAdjustment.Frame(
                worldFromBody: motion.worldFromBody, velocity: motion.velocity,
                rate: buffer.reading(at: frame.time)!.angularVelocity)
        }
        let bodyFromCamera = device.rig.cameraFromBody.inverse
        let points = InitializationWindow.tracks(frames, minimumLength: 4, limit: 40).compactMap {
            track -> VisualInertialBundleAdjustment.Point? in
            let (a, b) = (track.observations[0], track.observations[track.observations.count - 1])
            let (first, last) = (states[a.frame].worldFromBody * bodyFromCamera, states[b.frame].worldFromBody * bodyFromCamera)
            // The point nearest to both rays.
            let (d, e) = (first.rotation * NormalizedObservation.ray(a.normalized), last.rotation * NormalizedObservation.ray(b.normalized))
            let between = last.translation - first.translation
            let c = dot(d, e)
            let depth = (dot(between, d) - c * dot(between, e)) / (1 - c * c)
            let point = NormalizedObservation.ray(a.normalized) * depth
            guard depth > 0.3, depth < 30 else { return nil }
            return VisualInertialBundleAdjustment.Point(track: track, parameters: Vector3d(point.x, point.y, 1) / point.z)
        }
        let adjustment = try #require(
            VisualInertialBundleAdjustment(
                frames: states, points: points, steps: steps, gyroscopeBias: device.gyroscopeBias,
                prior: InertialPrior(
                    gyroscopeBias: device.gyroscopeBias, gyroscopeBiasDeviation: 0.01, accelerometerBias: device.accelerometerBias,
                    timeOffsetDeviation: 0.01),
                bodyFromCamera: bodyFromCamera, gravity: 9.81, observationDeviation: 0.7 / 453))
        return (adjustment, device)
    }

    @Test(arguments: [SimulatedPath.eight, .walk])
    func groundTruthIsNearTheMinimum(_ path: SimulatedPath) throws {
        let (adjustment, _) = try truth(path, pixelNoise: 0.7)
        #expect(adjustment.points.count > 20)
        #expect(adjustment.inertialResidual < 1.5)
        var solved = adjustment
        let cost = try #require(adjustment.build()?.cost)
        let solution = solved.solve(rounds: 10)
        let found = try #require(solution)
        #expect(found < cost)
        for (a, b) in zip(adjustment.frames, solved.frames) {
            #expect(length(a.worldFromBody.translation - b.worldFromBody.translation) < 0.03)
            #expect(length(a.velocity - b.velocity) < 0.05)
        }
    }

    /// The right side is the gradient: cost(x + εd) − cost(x) = −2 ε bᵀd for small ε. This applies to the frames' unknowns if the points minimize the
    /// cost, so the points are adjusted first.
    @Test func rightSideIsTheGradient() throws {
        var (adjustment, _) = try truth(.eight, pixelNoise: 0.7)
        adjustment.frames[3].worldFromBody.rotation =
            adjustment.frames[3].worldFromBody.rotation * Matrix3d.rotation(Vector3d(0.01, -0.02, 0.01))
        adjustment.frames[4].velocity += Vector3d(0.1, -0.05, 0.2)
        adjustment.gyroscopeBias += Vector3d(0.004, 0.002, -0.003)
        adjustment.accelerometerBias += Vector3d(0.04, 0.02, -0.03)
        for _ in 0..<20 {
            let built = try #require(adjustment.build())
            adjustment.apply([Double](repeating: 0, count: built.system.size), built)
        }
        let built = try #require(adjustment.build())
        let h = 1e-6
        for unknown in 6..<built.system.size {
            var costs: [Double] = []
            for sign in [1.0, -1.0] {
                var moved = adjustment
                var step = [Double](repeating: 0, count: built.system.size)
                step[unknown] = sign * h
                // The points don't move.
                moved.moveFrames(step)
                costs.append(try #require(moved.build()).cost)
            }
            let numeric = (costs[0] - costs[1]) / (2 * h)
            let expected = -2 * built.system.right[unknown]
            #expect(abs(numeric - expected) < 0.02 * abs(expected) + 30, "unknown \(unknown): \(numeric), expected \(expected)")
        }
    }

    @Test(arguments: [0.5, 1.6]) func recoversFromAWrongScale(_ scale: Double) throws {
        let (truth, _) = try truth(.eight, pixelNoise: 0.7)
        var adjustment = truth
        let origin = truth.frames[0].worldFromBody.translation
        for k in adjustment.frames.indices {
            let position = adjustment.frames[k].worldFromBody.translation
            adjustment.frames[k].worldFromBody.translation = origin + (position - origin) * scale
            adjustment.frames[k].velocity *= scale
        }
        for k in adjustment.points.indices { adjustment.points[k].parameters.z /= scale }
        adjustment.robustThreshold = 30
        _ = adjustment.solve(rounds: 20)
        adjustment.robustThreshold = 3
        _ = adjustment.solve(rounds: 10)
        func extent(_ a: VisualInertialBundleAdjustment) -> Double {
            length(a.frames[a.frames.count - 1].worldFromBody.translation - origin)
        }
        #expect(abs(extent(adjustment) / extent(truth) - 1) < 0.15)
    }
}
