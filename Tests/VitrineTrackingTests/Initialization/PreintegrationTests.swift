import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

@Suite struct PreintegrationTests {
    private func spline() throws -> TrajectorySpline {
        try TrajectorySpline(through: SimulatedPath.eight.cameraPoses(duration: 4, rest: 0.2))
    }

    private func span(
        _ spline: TrajectorySpline, gyroscopeBias: Vector3d = .zero, accelerometerBias: Vector3d = .zero, noise: InertialNoise? = nil,
        seed: UInt64 = 1
    )
        -> [InertialSample]
    {
        let simulator = InertialSimulator(
            rate: 200, noise: noise, gyroscopeBias: gyroscopeBias, accelerometerBias: accelerometerBias, seed: seed)
        var buffer = InertialBuffer()
        for sample in simulator.record(spline).samples { _ = buffer.append(sample) }
        return buffer.samples(from: 1.7031, to: 2.9047)
    }

    /// The exact integrals, from the motion.
    private func truth(_ spline: TrajectorySpline) -> (rotation: Matrix3d, velocity: Vector3d, position: Vector3d) {
        let (a, b) = (spline.motion(at: 1.7031), spline.motion(at: 2.9047))
        let (t, g) = (2.9047 - 1.7031, InertialSimulator.gravity)
        let back = a.worldFromBody.rotation.transpose
        return (
            back * b.worldFromBody.rotation, back * (b.velocity - a.velocity - g * t),
            back * (b.worldFromBody.translation - a.worldFromBody.translation - a.velocity * t - g * (t * t / 2))
        )
    }

    @Test func perfectSamplesGiveTheMotion() throws {
        let spline = try spline()
        let found = Preintegration(span(spline), noise: InertialNoise())
        let truth = truth(spline)
        #expect(length((truth.rotation.transpose * found.rotation).rotationVector) < 1e-4)
        #expect(length(found.velocity - truth.velocity) < 2e-3)
        #expect(length(found.position - truth.position) < 2e-3)
    }

    @Test func biasCorrectionIsFirstOrder() throws {
        let (g, a) = (Vector3d(0.01, -0.006, 0.008), Vector3d(0.05, 0.1, -0.07))
        let spline = try spline()
        let samples = span(spline, gyroscopeBias: g, accelerometerBias: a)
        let corrected = Preintegration(samples, noise: InertialNoise()).corrected(gyroscopeBias: g, accelerometerBias: a)
        let repeated = Preintegration(samples, noise: InertialNoise(), gyroscopeBias: g, accelerometerBias: a)
        #expect(length((repeated.rotation.transpose * corrected.rotation).rotationVector) < 1e-4)
        #expect(length(repeated.velocity - corrected.velocity) < 2e-3)
        #expect(length(repeated.position - corrected.position) < 1e-3)
    }

    @Test func covarianceMatchesNoisySamples() throws {
        let spline = try spline()
        let noise = InertialNoise(gyroscope: 1e-3, accelerometer: 1e-2, gyroscopeWalk: 0, accelerometerWalk: 0)
        let clean = Preintegration(span(spline), noise: noise)
        let predicted = clean.covarianceMatrix
        var sums = [Double](repeating: 0, count: 9)
        var cross = 0.0
        let count = 150
        for seed in 1...count {
            let noisy = Preintegration(span(spline, noise: noise, seed: UInt64(seed)), noise: noise)
            let parts = [
                (clean.rotation.transpose * noisy.rotation).rotationVector, noisy.velocity - clean.velocity,
                noisy.position - clean.position,
            ]
            for k in 0..<9 { sums[k] += parts[k / 3][k % 3] * parts[k / 3][k % 3] / Double(count) }
            for k in 0..<3 { cross += parts[1][k] * parts[2][k] / Double(count) }
        }
        for k in 0..<9 { #expect(abs(sums[k] / predicted[10 * k] - 1) < 0.4, "\(k): \(sums[k]) for \(predicted[10 * k])") }
        let expected = predicted[3 * 9 + 6] + predicted[4 * 9 + 7] + predicted[5 * 9 + 8]
        #expect(abs(cross / expected - 1) < 0.4)
    }
}
