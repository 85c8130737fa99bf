import VitrineMath
import VitrineVision

/// The motion that poses from outside and the samples of an IMU on board agree on best.
///
/// Measured poses alone tell no acceleration: a tenth of a millimetre at 10 Hz is 0.4 m/s². Samples alone drift. Together they tell a path that
/// the samples fit to their noise and the poses to theirs: least squares over a spline's control points (continuous-time estimation: Furgale,
/// Barfoot and Sibley 2012), the biases along the way, and what parts the poses' frames and clock from the IMU's. Gauss and Newton's steps; the
/// equations are banded but for those last few, which are eliminated from them.
///
/// ```swift
/// let fit = try InertialTrajectoryFit(through: poses, samples: samples, noise: rig.noise)
/// let source = try SimulatedSource(.study, along: fit.spline, rig: rig, samples: samples)
/// ```
public struct InertialTrajectoryFit: Sendable {
    public struct Settings: Equatable, Sendable {
        /// Seconds between two knots: what swings faster than half as often is left to the samples' noise.
        public var knotSpacing = 0.01
        /// Standard deviations of a pose: metres along each axis, radians about each. Poses of trackers err alike for a second, so that each
        /// should count for less than it is exact. Those that are three times and more as far off count less and less (Cauchy's function).
        public var positionDeviation = 0.002
        public var turnDeviation = 0.005
        /// Of what parts the poses from the IMU, before anything is known: how far their world is off level and their body turned (rad), how far
        /// it is from the IMU (m), and their clock (s). 0 holds it.
        public var tiltDeviation = 0.02
        public var mountTurnDeviation = 0.01
        public var mountArmDeviation = 0.01
        public var clockDeviation = 0.01
        /// m/s².
        public var gravity = 9.81

        public init() {}
    }

    /// How far poses and samples are from a spline, root mean squares.
    public struct Residuals: Equatable, Sendable {
        /// Of distances in metres.
        public var position = 0.0
        /// Of angles in radians.
        public var turn = 0.0
        /// Of each axis in rad/s and m/s², means over 0.2 s (raised cosines), so that a motor's shaking doesn't count. White noise of a density n
        /// alone comes to 2.7 n.
        public var angularVelocity = 0.0
        public var acceleration = 0.0
    }

    /// Of the IMU: from where both poses and samples begin to where the first of them ends. Up is +Y.
    public internal(set) var spline: TrajectorySpline
    /// Levels the poses' world.
    public internal(set) var worldFromPosed = Matrix3d.identity
    /// The IMU in the body whose poses were given.
    public internal(set) var posedFromBody = RigidTransform.identity
    /// Seconds that the IMU's clock is ahead of the poses'.
    public internal(set) var clockOffset = 0.0
    /// rad/s and m/s², one for every span between two knots from the second on.
    public internal(set) var gyroscopeBiases: [Vector3d]
    public internal(set) var accelerometerBiases: [Vector3d]
    /// Of the poses' own spline and constant biases; and of what was found.
    public private(set) var before = Residuals()
    public private(set) var after = Residuals()

    let settings: Settings
    let noise: InertialNoise
    let poses: [TimedPose]
    let samples: [InertialSample]

    /// - Parameters:
    ///   - poses: of the IMU, or of what is fixed to it a few centimetres away; by rising time, the world's up +Y but for a degree.
    ///   - samples: by rising time, on a clock that the poses' is within some hundredths of a second of.
    ///   - noise: the samples'.
    /// - Throws: also where less than four poses lie within the samples' time.
    public init(
        through poses: [TimedPose], samples: [InertialSample], noise: InertialNoise, settings: Settings = Settings()
    ) throws(TrajectoryError) {
        try TrajectorySpline.check(poses)
        let (first, last) = (samples.first?.time ?? .infinity, samples.last?.time ?? -.infinity)
        let covered = poses.filter { $0.time >= first - 0.01 && $0.time <= last + 0.01 }
        guard covered.count >= 4 else { throw .tooFewPoses(covered.count) }
        let (start, end) = (covered[0].time, covered[covered.count - 1].time)
        // What the equations take: 1.4 MB a second.
        guard (end - start) / settings.knotSpacing < 120_000 else { throw .tooLong(seconds: end - start) }
        spline = try TrajectorySpline(through: covered, settings: .init(knotSpacing: settings.knotSpacing, smoothing: 0.02))
        (self.settings, self.noise, self.poses) = (settings, noise, covered)
        self.samples = samples.filter { $0.time >= start && $0.time <= end && $0.isFinite }
        gyroscopeBiases = Array(repeating: .zero, count: spline.controls.count)
        accelerometerBiases = gyroscopeBiases
        guessBiases()
        before = residuals()
        try solve()
        after = residuals()
    }

    /// The means of what is left over.
    private mutating func guessBiases() {
        var (gyroscope, accelerometer) = (Vector3d.zero, Vector3d.zero)
        for sample in samples {
            let miss = miss(sample)
            gyroscope -= miss.rate
            accelerometer -= miss.force
        }
        let share = 1 / Double(max(samples.count, 1))
        for index in gyroscopeBiases.indices {
            (gyroscopeBiases[index], accelerometerBiases[index]) = (gyroscope * share, accelerometer * share)
        }
    }

    private mutating func solve() throws(TrajectoryError) {
        var cost = Double.infinity
        for round in 0..<10 {
            // From the poses' own spline, all poses are near.
            guard var equations = equations(isRobust: round > 0) else { throw .tooFewPoses(poses.count) }
            if round > 1, equations.cost > cost * (1 - 1e-6) { break }
            cost = equations.cost
            guard let step = equations.solve() else { throw .tooFewPoses(poses.count) }
            move(step)
        }
    }

    private mutating func move(_ step: FitEquations.Step) {
        for (index, move) in step.controls.enumerated() {
            spline.controls[index] += SIMD8(move.place, move.turn)
            gyroscopeBiases[index] += move.gyroscopeBias
            accelerometerBiases[index] += move.accelerometerBias
        }
        let common = step.common
        worldFromPosed = Rotations.orthonormalized(Matrix3d.rotation(Vector3d(common[0], 0, common[1])) * worldFromPosed)
        posedFromBody.rotation = Rotations.orthonormalized(posedFromBody.rotation * Matrix3d.rotation(Vector3d(common[2], common[3], common[4])))
        posedFromBody.translation += Vector3d(common[5], common[6], common[7])
        clockOffset += common[8]
    }

    // MARK: What is left over

    /// Where the IMU is by a pose.
    func told(_ pose: RigidTransform) -> RigidTransform {
        RigidTransform(rotation: worldFromPosed, translation: .zero) * pose * posedFromBody
    }

    /// Expected less measured, biases included.
    func miss(_ sample: InertialSample) -> (rate: Vector3d, force: Vector3d) {
        let motion = spline.motion(at: sample.time)
        let (index, share) = biasPlace(sample.time)
        let force = motion.worldFromBody.rotation.transpose * (motion.acceleration + Vector3d(0, settings.gravity, 0))
        let gyroscope = gyroscopeBiases[index] * (1 - share) + gyroscopeBiases[index + 1] * share
        let accelerometer = accelerometerBiases[index] * (1 - share) + accelerometerBiases[index + 1] * share
        return (motion.angularVelocity + gyroscope - sample.angularVelocity, force + accelerometer - sample.acceleration)
    }

    /// Biases run straight between the middle two of a span's control points.
    func biasPlace(_ time: Double) -> (index: Int, share: Double) {
        let (first, fraction) = spline.span(time)
        return (first + 2, fraction)
    }

    private func residuals() -> Residuals {
        var (places, turns): ([Double], [Double]) = ([], [])
        for timed in poses {
            let (pose, expected) = (spline.pose(at: timed.time + clockOffset), told(timed.pose))
            places.append(lengthSquared(pose.translation - expected.translation))
            turns.append(lengthSquared((expected.rotation.transpose * pose.rotation).rotationVector))
        }
        let misses = samples.map(miss)
        return Residuals(
            position: TrajectoryComparison.rootMeanSquare(places), turn: TrajectoryComparison.rootMeanSquare(turns),
            angularVelocity: meanResidual(misses.map(\.rate)), acceleration: meanResidual(misses.map(\.force)))
    }

    /// Of means over 0.2 s, one every 0.1 s.
    private func meanResidual(_ misses: [Vector3d]) -> Double {
        var (squares, first): ([Double], Int) = ([], 0)
        for middle in stride(from: spline.start + 0.1, through: spline.end - 0.1, by: 0.1) {
            while first < samples.count, samples[first].time < middle - 0.1 { first += 1 }
            var (sum, weights, index) = (Vector3d.zero, 0.0, first)
            while index < samples.count, samples[index].time < middle + 0.1 {
                let weight = 1 + cos((samples[index].time - middle) * (10 * Double.pi))
                sum += misses[index] * weight
                weights += weight
                index += 1
            }
            if weights > 1 { squares.append(lengthSquared(sum / weights) / 3) }
        }
        return TrajectoryComparison.rootMeanSquare(squares)
    }
}
