import Testing
import VitrineMath
import VitrineVision

@testable import VitrineSensorSimulation

@Suite struct TrajectorySplineTests {
    static let path = SimulatedPath.around.cameraPoses(duration: 8, rest: 0.5, rate: 50)

    @Test func derivativesMatchThePoses() throws {
        let spline = try TrajectorySpline(through: Self.path)
        let h = 1e-4
        for time in [0.03, 0.71, 2.2, 3.999, 5.5, 7.9] {
            let (before, at, after) = (spline.motion(at: time - h), spline.motion(at: time), spline.motion(at: time + h))
            let velocity = (after.worldFromBody.translation - before.worldFromBody.translation) / (2 * h)
            let acceleration = (after.velocity - before.velocity) / (2 * h)
            let turn = (before.worldFromBody.rotation.transpose * after.worldFromBody.rotation).rotationVector / (2 * h)
            let speeding = (after.angularVelocity - before.angularVelocity) / (2 * h)
            #expect(length(velocity - at.velocity) < 1e-6)
            #expect(length(acceleration - at.acceleration) < 1e-5)
            #expect(length(turn - at.angularVelocity) < 1e-5)
            #expect(length(speeding - at.angularAcceleration) < 1e-4)
        }
    }

    @Test func splinesPassCloseToTheirPoses() throws {
        let spline = try TrajectorySpline(through: Self.path)
        var worst = (translation: 0.0, turn: 0.0)
        for timed in Self.path {
            let error = spline.pose(at: timed.time).inverse * timed.pose
            worst = (max(worst.translation, length(error.translation)), max(worst.turn, length(error.rotation.rotationVector)))
        }
        // The fastest tremor, 0.5 mm at 5.9 Hz, is attenuated.
        #expect(worst.translation < 1e-3 && worst.turn < 2.5e-3, "\(worst)")
    }

    /// Noise of 1 mm and 0.1° at 120 Hz would be an acceleration of tens of m/s².
    @Test func accelerationIsNotAffectedByPoseNoise() throws {
        let clean = SimulatedPath.eight.cameraPoses(duration: 10, rate: 120)
        var random = GaussianGenerator(seed: 5)
        let noisy = clean.map { timed in
            TimedPose(
                time: timed.time,
                pose: RigidTransform(
                    rotation: timed.pose.rotation * Matrix3d.rotation(random.vector() * 0.0017),
                    translation: timed.pose.translation + random.vector() * 0.001))
        }
        let (a, b) = (try TrajectorySpline(through: clean), try TrajectorySpline(through: noisy))
        var squares = (translation: [Double](), acceleration: [Double](), turn: [Double]())
        for i in 10..<990 {
            let (x, y) = (a.motion(at: Double(i) / 100), b.motion(at: Double(i) / 100))
            squares.translation.append(lengthSquared(x.worldFromBody.translation - y.worldFromBody.translation))
            squares.acceleration.append(lengthSquared(x.acceleration - y.acceleration))
            squares.turn.append(lengthSquared(x.angularVelocity - y.angularVelocity))
        }
        #expect(TrajectoryComparison.rootMeanSquare(squares.translation) < 0.001)
        #expect(TrajectoryComparison.rootMeanSquare(squares.acceleration) < 0.8)
        #expect(TrajectoryComparison.rootMeanSquare(squares.turn) < 0.04)
    }

    @Test func gapsAreInterpolated() throws {
        let holed = Self.path.filter { $0.time < 3 || $0.time > 3.6 }
        let (whole, bridged) = (try TrajectorySpline(through: Self.path), try TrajectorySpline(through: holed))
        let error = whole.pose(at: 3.3).inverse * bridged.pose(at: 3.3)
        #expect(length(error.translation) < 0.02 && length(error.rotation.rotationVector) < 0.05)
    }

    @Test func invalidTrajectoriesAreRejected() {
        let pose = { (time: Double) in TimedPose(time: time, pose: .identity) }
        #expect(throws: TrajectoryError.tooFewPoses(3)) { try TrajectorySpline(through: [pose(0), pose(1), pose(2)]) }
        #expect(throws: TrajectoryError.timeNotRising(at: 2)) { try TrajectorySpline(through: [pose(0), pose(1), pose(1), pose(2)]) }
        #expect(throws: TrajectoryError.notFinite(at: 1)) { try TrajectorySpline(through: [pose(0), pose(.nan), pose(1), pose(2)]) }
        #expect(throws: TrajectoryError.tooLong(seconds: 1e9)) {
            try TrajectorySpline(through: [pose(0), pose(1), pose(2), pose(1e9)])
        }
    }

    @Test func everyPathStartsAtRestAndStaysInTheRoom() throws {
        for path in SimulatedPath.allCases {
            let spline = try TrajectorySpline(through: path.cameraPoses(duration: 20))
            let rest = spline.motion(at: 0.5)
            #expect(length(rest.velocity) < 1e-3 && length(rest.angularVelocity) < 1e-3, "\(path)")
            for i in 0...200 {
                let motion = spline.motion(at: Double(i) / 10)
                let position = motion.worldFromBody.translation
                #expect(abs(position.x) < 2.2 && abs(position.z) < 2.2 && position.y > 0.5 && position.y < 2.2, "\(path) \(i)")
                #expect(length(motion.acceleration) < 15 && length(motion.angularVelocity) < 3, "\(path) \(i)")
                // The camera is upright: its y axis points down.
                #expect(motion.worldFromBody.rotation.y.y < 0)
            }
        }
    }
}
