import Testing
import VitrineMath
import VitrineVision

@testable import VitrineSensorSimulation

@Suite struct InertialSimulatorTests {
    /// Dead reckoning by the midpoint rule with ideal readings ends at the end of the path.
    @Test func readingsIntegrateBackToThePath() throws {
        let spline = try TrajectorySpline(through: SimulatedPath.eight.cameraPoses(duration: 10))
        let samples = InertialSimulator(rate: 1000, noise: nil).record(spline).samples
        var motion = spline.motion(at: spline.start)
        var (rotation, velocity, position) = (motion.worldFromBody.rotation, motion.velocity, motion.worldFromBody.translation)
        for (a, b) in zip(samples, samples.dropFirst()) {
            let step = b.time - a.time
            let next = rotation * Matrix3d.rotation((a.angularVelocity + b.angularVelocity) * (step / 2))
            let acceleration = (rotation * a.acceleration + next * b.acceleration) / 2 + InertialSimulator.gravity
            position += velocity * step + acceleration * (step * step / 2)
            velocity += acceleration * step
            rotation = next
        }
        motion = spline.motion(at: spline.end)
        #expect(length(position - motion.worldFromBody.translation) < 1e-3)
        #expect(length(velocity - motion.velocity) < 5e-4)
        #expect(length((rotation.transpose * motion.worldFromBody.rotation).rotationVector) < 1e-4)
    }

    @Test func specificForcePointsUpAtRest() throws {
        let level = (0..<40).map { TimedPose(time: Double($0) / 10, pose: .identity) }
        let sample = InertialSimulator(noise: nil).record(try TrajectorySpline(through: level)).samples[100]
        #expect(length(sample.acceleration - Vector3d(0, 9.81, 0)) < 1e-9 && length(sample.angularVelocity) < 1e-9)
    }

    @Test func noiseAndBiasesHaveTheGivenDensities() throws {
        let still = (0..<400).map { TimedPose(time: Double($0) / 4, pose: .identity) }
        let spline = try TrajectorySpline(through: still)
        let noise = InertialNoise(gyroscope: 1e-3, accelerometer: 2e-2, gyroscopeWalk: 1e-4, accelerometerWalk: 1e-3)
        let simulator = InertialSimulator(rate: 100, noise: noise, gyroscopeBias: Vector3d(0.01, 0, 0), seed: 3)
        let recording = simulator.record(spline)
        var (turn, push, walk, last) = (0.0, 0.0, 0.0, recording.gyroscopeBiases[0])
        for (i, sample) in recording.samples.enumerated() {
            turn += lengthSquared(sample.angularVelocity - recording.gyroscopeBiases[i])
            push += lengthSquared(sample.acceleration - Vector3d(0, 9.81, 0) - recording.accelerometerBiases[i])
            walk += lengthSquared(recording.gyroscopeBiases[i] - last)
            last = recording.gyroscopeBiases[i]
        }
        let count = 3 * Double(recording.samples.count)
        #expect(abs((turn / count).squareRoot() / 1e-2 - 1) < 0.03)
        #expect(abs((push / count).squareRoot() / 2e-1 - 1) < 0.03)
        #expect(abs((walk / count).squareRoot() / 1e-5 - 1) < 0.03)
        #expect(recording.gyroscopeBiases[0] == Vector3d(0.01, 0, 0))
        #expect(recording == simulator.record(spline))
        var other = simulator
        other.seed = 4
        #expect(recording != other.record(spline))
    }

    @Test func featuresMatchTheProjectionsOfTheirPoints() throws {
        var rig = SensorRig(camera: CameraIntrinsics(width: 640, height: 480, verticalFieldOfView: 1))
        rig.camera.distortion = .brownConrady(SIMD4(-0.28, 0.07, 0.0002, 0.00002))
        rig.cameraFromBody = RigidTransform(rotation: .rotation(Vector3d(0.1, -0.2, 1.5)), translation: Vector3d(0.02, -0.06, 0.01))
        let poses = SimulatedPath.eight.cameraPoses(duration: 10, rate: 20).map { $0.pose * rig.cameraFromBody }
        let settings = FeatureSimulator.Settings(noise: 0.7)
        var (features, again) = (
            FeatureSimulator(rig: rig, around: poses.map(\.translation), settings: settings),
            FeatureSimulator(rig: rig, around: poses.map(\.translation), settings: settings)
        )
        var (squares, count, newest) = (0.0, 0.0, -1)
        var gone: Set<Int> = []
        var last: Set<Int> = []
        for pose in poses {
            let seen = features.observe(pose)
            #expect(seen == again.observe(pose))
            #expect(seen.count > 60 && seen.count <= 120)
            #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.id < $1.id })
            for feature in seen {
                let inCamera = rig.cameraFromBody * (pose.inverse * features.truth[feature.id])
                squares += lengthSquared(feature.pixel - rig.camera.project(inCamera))
                count += 2
                newest = max(newest, feature.id)
            }
            let ids = Set(seen.map(\.id))
            gone.formUnion(last.subtracting(ids))
            #expect(gone.isDisjoint(with: ids))
            last = ids
        }
        #expect(abs((squares / count).squareRoot() - 0.7) < 0.02)
        #expect(newest > 300 && newest == features.truth.count - 1)
    }

    /// At rest each entry of the matrices shows in the readings; a matrix times gravity is computed by hand.
    @Test func scaleAndMisalignmentDistortTheReadings() throws {
        let level = (0..<40).map { TimedPose(time: Double($0) / 10, pose: .identity) }
        var simulator = InertialSimulator(noise: nil, accelerometerBias: Vector3d(0.1, 0, 0))
        simulator.accelerometerDistortion = Matrix3d(Vector3d(1.02, 0, 0), Vector3d(0.01, 0.98, -0.005), Vector3d(0, 0, 1))
        let sample = simulator.record(try TrajectorySpline(through: level)).samples[100]
        #expect(length(sample.acceleration - Vector3d(0.1981, 9.6138, -0.04905)) < 1e-9)
        // The sensors of one seed are the same every time, and have the given spread.
        var (one, again) = (InertialSimulator(), InertialSimulator())
        var (sum, count) = (0.0, 0.0)
        for seed in 1...40 as ClosedRange<UInt64> {
            one.distort(by: 0.01, seed: seed)
            again.distort(by: 0.01, seed: seed)
            #expect(one == again)
            for matrix in [one.gyroscopeDistortion - .identity, one.accelerometerDistortion - .identity] {
                sum += lengthSquared(matrix.x) + lengthSquared(matrix.y) + lengthSquared(matrix.z)
                count += 9
            }
        }
        #expect(abs((sum / count).squareRoot() / 0.01 - 1) < 0.1)
    }

    @Test func vibrationHasTheGivenStrengthAndFrequency() throws {
        let level = (0..<80).map { TimedPose(time: Double($0) / 10, pose: .identity) }
        var simulator = InertialSimulator(rate: 1000, noise: nil)
        simulator.vibration = 1
        let samples = simulator.record(try TrajectorySpline(through: level)).samples
        let shakes = samples.map { $0.acceleration - Vector3d(0, 9.81, 0) }
        let mean = shakes.reduce(Vector3d.zero) { $0 + $1 * $1 } / Double(shakes.count)
        for k in 0..<3 {
            #expect(abs(mean[k].squareRoot() - 1) < 0.1)
            let crossings = zip(shakes, shakes.dropFirst()).count { ($0[k] < 0) != ($1[k] < 0) }
            let frequency = Double(crossings) / 2 / 7.9
            #expect(frequency > 68 && frequency < 102, "\(frequency)")
        }
    }

    /// Each row of a rolling shutter has the pose of its own time: to first order a feature moves by its velocity in the image, found by finite
    /// differences between two frames of a global shutter, times the time of its row.
    @Test func rowsOfARollingShutterHaveTheirOwnPoses() throws {
        let rig = SensorRig(camera: CameraIntrinsics(width: 640, height: 480, verticalFieldOfView: 1))
        let spline = try TrajectorySpline(through: SimulatedPath.eight.cameraPoses(duration: 6))
        let eyes = spline.poses(rate: 10).map(\.pose.translation)
        func features(_ time: Double, _ readoutTime: Double) -> [Int: Vector2d] {
            var simulator = FeatureSimulator(rig: rig, around: eyes, settings: .init(count: 4000, noise: 0))
            // Identifiers are handed out in a random order: name features by their points.
            let found = simulator.observe(spline, at: time, readoutTime: readoutTime)
            return Dictionary(found.map { (simulator.truth[$0.id].hashValue, $0.pixel) }) { a, _ in a }
        }
        let (time, readout, step) = (4.0, 0.002, 1e-4)
        let (rolled, still) = (features(time, readout), features(time, 0))
        let (before, after) = (features(time - step, 0), features(time + step, 0))
        var (compared, largest) = (0, 0.0)
        for (point, pixel) in still {
            guard let moved = rolled[point], let a = before[point], let b = after[point] else { continue }
            let flow = (b - a) / (2 * step)
            let expected = pixel + flow * ((pixel.y / 480 - 0.5) * readout)
            #expect(length(moved - expected) < 0.01)
            largest = max(largest, length(moved - pixel))
            compared += 1
        }
        #expect(compared > 100 && largest > 0.2, "\(compared) \(largest)")
    }
}
