import Foundation
import Testing
import VitrineMath
import VitrineVision

@testable import VitrineSensorSimulation

@Suite struct InertialTrajectoryFitTests {
    private let figures = ProcessInfo.processInfo.environment["VITRINE_FIGURES"] != nil

    /// The poses that a motion capture system reports: another body frame, a slightly tilted world, another clock, noise.
    struct Flight {
        static let tilt = Matrix3d.rotation(Vector3d(0.006, 0, -0.004))
        static let mount = RigidTransform(
            rotation: Matrix3d.rotation(Vector3d(0.004, -0.006, 0.005)), translation: Vector3d(0.008, -0.005, 0.006))
        static let clock = 0.006
        static let noise = InertialNoise(gyroscope: 1.7e-4, accelerometer: 2e-3, gyroscopeWalk: 2e-5, accelerometerWalk: 3e-4)

        var truth: TrajectorySpline
        var recording: InertialSimulator.Recording
        var poses: [TimedPose] = []

        init(_ path: SimulatedPath = .eight, duration: Double = 12, translation: Double = 0.001, turn: Double = 0.003) throws {
            truth = try TrajectorySpline(
                through: path.cameraPoses(duration: duration, rest: 0.5, rate: 100), knotSpacing: 0.02, smoothing: 0.01)
            recording = InertialSimulator(
                noise: Self.noise, gyroscopeBias: Vector3d(0.01, -0.02, 0.03), accelerometerBias: Vector3d(0.1, 0.05, -0.08), seed: 3
            ).record(truth)
            var random = GaussianGenerator(seed: 9)
            for index in 0..<Int(duration * 20) {
                let time = Double(index) / 20 + 0.1
                guard time + Self.clock < truth.end else { break }
                var pose = RigidTransform(rotation: Self.tilt, translation: .zero).inverse * truth.pose(at: time + Self.clock)
                pose = pose * Self.mount.inverse
                pose.rotation = pose.rotation * Matrix3d.rotation(random.vector() * turn)
                pose.translation += random.vector() * translation
                poses.append(TimedPose(time: time, pose: pose))
            }
        }

        /// The root mean square errors of the fit: position (m), rotation (rad), velocity (m/s).
        func errors(_ spline: TrajectorySpline) -> (translation: Double, turn: Double, velocity: Double) {
            var squares: (translation: [Double], turn: [Double], velocity: [Double]) = ([], [], [])
            for time in stride(from: spline.start + 0.5, to: spline.end - 0.5, by: 0.05) {
                let (a, b) = (spline.motion(at: time), truth.motion(at: time))
                squares.translation.append(lengthSquared(a.worldFromBody.translation - b.worldFromBody.translation))
                squares.turn.append(lengthSquared((a.worldFromBody.rotation * b.worldFromBody.rotation.transpose).rotationVector))
                squares.velocity.append(lengthSquared(a.velocity - b.velocity))
            }
            return (
                TrajectoryComparison.rootMeanSquare(squares.translation), TrajectoryComparison.rootMeanSquare(squares.turn),
                TrajectoryComparison.rootMeanSquare(squares.velocity)
            )
        }
    }

    @Test func estimatesMotionExtrinsicsAndTimeOffset() throws {
        let flight = try Flight()
        let began = Date()
        let fit = try InertialTrajectoryFit(through: flight.poses, samples: flight.recording.samples, noise: Flight.noise)
        let errors = flight.errors(fit.spline)
        if figures {
            print("fit", -began.timeIntervalSinceNow, "s", errors, fit.before, fit.after)
            print(
                fit.worldFromReferenceWorld.rotationVector, fit.referenceBodyFromBody.rotation.rotationVector,
                fit.referenceBodyFromBody.translation, fit.clockOffset
            )
        }
        // A constant offset by the error of the extrinsic translation is not an error of the motion.
        #expect(errors.translation < 4e-3 && errors.turn < 2e-3 && errors.velocity < 5e-3)
        #expect(length((fit.worldFromReferenceWorld * Flight.tilt.transpose).rotationVector) < 1e-3)
        #expect(length(fit.referenceBodyFromBody.rotation.rotationVector - Flight.mount.rotation.rotationVector) < 3e-3)
        #expect(abs(fit.clockOffset - Flight.clock) < 1e-3)
        let middle = fit.gyroscopeBiases.count / 2
        #expect(length(fit.gyroscopeBiases[middle] - flight.recording.gyroscopeBiases[1200]) < 3e-4)
        #expect(length(fit.accelerometerBiases[middle] - flight.recording.accelerometerBiases[1200]) < 0.02)
        // The residuals of samples and poses are at the level of their noise.
        #expect(fit.after.acceleration < 3.5 * Flight.noise.accelerometer && fit.after.angularVelocity < 3.5 * Flight.noise.gyroscope)
        #expect(fit.before.acceleration > 10 * fit.after.acceleration)
        #expect(abs(fit.after.position - 1.73e-3) < 3e-4 && abs(fit.after.rotation - 5.2e-3) < 6e-4)
    }

    @Test func outliersAndGapsOfPosesAreTolerated() throws {
        var flight = try Flight(.around, duration: 8)
        flight.poses[60].pose.translation.x += 0.3
        flight.poses.removeSubrange(90..<110)
        let fit = try InertialTrajectoryFit(through: flight.poses, samples: flight.recording.samples, noise: Flight.noise)
        let errors = flight.errors(fit.spline)
        if figures { print(errors, fit.before, fit.after) }
        #expect(errors.translation < 7e-3 && errors.turn < 3e-3 && errors.velocity < 5e-3)
    }

    @Test func samplesOfAnotherTimeAreRejected() throws {
        let flight = try Flight(duration: 2)
        let later = flight.recording.samples.map {
            InertialSample(time: $0.time + 100, angularVelocity: $0.angularVelocity, acceleration: $0.acceleration)
        }
        #expect(throws: TrajectoryError.tooFewPoses(0)) {
            try InertialTrajectoryFit(through: flight.poses, samples: later, noise: Flight.noise)
        }
    }

    /// `$VITRINE_DATA/ar/trajectories/euroc`, else in `../shared/data` beside the package; nil if it is missing.
    private static let data: URL? = {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let parent = package.deletingLastPathComponent()
        let roots =
            ProcessInfo.processInfo.environment["VITRINE_DATA"].map { [URL(fileURLWithPath: $0)] }
            ?? [parent, parent.deletingLastPathComponent()].map { $0.appendingPathComponent("shared/data") }
        return roots.map { $0.appendingPathComponent("ar/trajectories/euroc") }.first {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("V101.txt").path)
        }
    }()

    /// The first 20 s of EuRoC's V1_01: the published trajectory and the samples of the IMU on board.
    @Test(.enabled(if: data != nil, "shared data is missing: set VITRINE_DATA to its folder"))
    func aRealIMUAgreesWithItsPublishedPath() throws {
        let data = try #require(Self.data)
        let origin = 1403715273.262142976
        let poses = try TrajectoryText.poses(try Data(contentsOf: data.appendingPathComponent("V1_01_easy.txt"))).map {
            TimedPose(time: $0.time - origin, pose: $0.pose).fromZUp
        }
        let samples = try InertialText.samples(try Data(contentsOf: data.appendingPathComponent("V101.txt"))).map {
            InertialSample(time: $0.time - origin, angularVelocity: $0.angularVelocity, acceleration: $0.acceleration)
        }
        let noise = InertialNoise(gyroscope: 1.6968e-4, accelerometer: 2e-3, gyroscopeWalk: 1.9393e-5, accelerometerWalk: 3e-3)
        let seconds = figures ? 150.0 : 20
        let used = poses.filter { $0.time <= seconds }
        let began = Date()
        let fit = try InertialTrajectoryFit(through: used, samples: samples, noise: noise)
        if figures {
            print("V1_01", -began.timeIntervalSinceNow, "s", fit.before, fit.after)
            print(
                fit.worldFromReferenceWorld.rotationVector, fit.referenceBodyFromBody.rotation.rotationVector,
                fit.referenceBodyFromBody.translation, fit.clockOffset
            )
        }
        #expect(fit.after.acceleration < 0.01 && fit.after.angularVelocity < 1e-3)
        #expect(fit.after.position < 0.004 && fit.after.rotation < 0.01)
    }
}
