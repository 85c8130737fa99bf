import VitrineMath
import VitrineVision

/// Estimates the trajectory of a body from reference poses and the samples of an IMU on board.
///
/// Reference poses alone do not determine accelerations: a tenth of a millimetre at 10 Hz is 0.4 m/s². IMU samples alone drift. The fit is a
/// nonlinear least-squares problem over the control points of a spline (continuous-time estimation: Furgale, Barfoot and Sibley 2012), the
/// biases over time, and the transforms and the clock offset between reference and IMU. It is solved by Gauss–Newton steps; the system is a
/// bordered band matrix.
///
/// ```swift
/// let fit = try InertialTrajectoryFit(through: poses, samples: samples, noise: rig.noise)
/// let source = try SimulatedSource(.study, along: fit.spline, rig: rig, samples: samples)
/// ```
package struct InertialTrajectoryFit: Sendable {
    package struct Settings: Equatable, Sendable {
        /// The number of seconds between two knots. Motion at more than half of the knots' frequency is attributed to the noise of the
        /// samples.
        package var knotSpacing = 0.01
        /// The standard deviations of a reference pose: metres along each axis, radians about each. Errors of trackers are correlated over
        /// about a second, so choose larger values than a single pose's accuracy. Residuals of three deviations and more are down-weighted
        /// (Cauchy).
        package var positionDeviation = 0.002
        package var rotationDeviation = 0.005
        /// Prior standard deviations of the calibration between reference and IMU: tilt of the reference world (rad), mounting rotation (rad) and
        /// lever arm (m), clock offset (s). 0 keeps a value fixed.
        package var tiltDeviation = 0.02
        package var mountRotationDeviation = 0.01
        package var leverArmDeviation = 0.01
        package var clockDeviation = 0.01
        /// The magnitude of gravity in m/s². Default 9.81.
        package var gravity = 9.81

        package init() {}
    }

    /// Root mean square residuals of poses and samples.
    package struct Residuals: Equatable, Sendable {
        /// The position in metres.
        package var position = 0.0
        /// The rotation in radians.
        package var rotation = 0.0
        /// The residual per axis, in rad/s and m/s², of means over 0.2 s (raised cosines), which suppress motor vibration. White noise of
        /// density n alone gives 2.7 n.
        package var angularVelocity = 0.0
        package var acceleration = 0.0
    }

    /// The IMU's trajectory over the time that both poses and samples cover. World frame: +Y up.
    package private(set) var spline: TrajectorySpline
    /// The rotation that levels the reference world.
    package private(set) var worldFromReferenceWorld = Matrix3d.identity
    /// The IMU's pose in the body of the reference poses.
    package private(set) var referenceBodyFromBody = RigidTransform.identity
    /// The number of seconds by which the IMU's clock is ahead of the reference clock.
    package private(set) var clockOffset = 0.0
    /// The gyroscope biases in rad/s and m/s², one for each span between two knots from the second on.
    package private(set) var gyroscopeBiases: [Vector3d]
    package private(set) var accelerometerBiases: [Vector3d]
    /// The residuals of a spline through the poses alone with constant biases, and of the final estimate.
    package private(set) var before = Residuals()
    package private(set) var after = Residuals()

    private let settings: Settings
    private let noise: InertialNoise
    private let poses: [TimedPose]
    private let samples: [InertialSample]

    /// Fits a trajectory to reference poses and IMU samples.
    ///
    /// - Parameters:
    ///   - poses: Reference poses of the IMU or of a body within a few centimetres, with increasing times, in a world whose up axis is +Y to
    ///     within a degree.
    ///   - samples: IMU samples with increasing times, on a clock within some hundredths of a second of the poses' clock.
    ///   - noise: The noise of the samples.
    /// - Throws: `TrajectoryError`, also if fewer than four poses lie within the time of the samples.
    package init(
        through poses: [TimedPose], samples: [InertialSample], noise: InertialNoise, settings: Settings = Settings()
    ) throws(TrajectoryError) {
        try TrajectorySpline.check(poses)
        let (first, last) = (samples.first?.time ?? .infinity, samples.last?.time ?? -.infinity)
        let covered = poses.filter { $0.time >= first - 0.01 && $0.time <= last + 0.01 }
        guard covered.count >= 4 else { throw .tooFewPoses(covered.count) }
        let (start, end) = (covered[0].time, covered[covered.count - 1].time)
        // The system needs 1.4 MB of memory per second.
        guard (end - start) / settings.knotSpacing < 120_000 else { throw .tooLong(seconds: end - start) }
        spline = try TrajectorySpline(through: covered, knotSpacing: settings.knotSpacing, smoothing: 0.02)
        (self.settings, self.noise, self.poses) = (settings, noise, covered)
        self.samples = samples.filter { $0.time >= start && $0.time <= end && $0.isFinite }
        gyroscopeBiases = Array(repeating: .zero, count: spline.controls.count)
        accelerometerBiases = gyroscopeBiases
        initializeBiases()
        before = residuals()
        try solve()
        after = residuals()
    }

    /// Sets constant biases to the mean residuals.
    private mutating func initializeBiases() {
        var (gyroscope, accelerometer) = (Vector3d.zero, Vector3d.zero)
        for sample in samples {
            let residual = residual(sample)
            gyroscope -= residual.rate
            accelerometer -= residual.force
        }
        let share = 1 / Double(max(samples.count, 1))
        for index in gyroscopeBiases.indices {
            (gyroscopeBiases[index], accelerometerBiases[index]) = (gyroscope * share, accelerometer * share)
        }
    }

    private mutating func solve() throws(TrajectoryError) {
        var cost = Double.infinity
        for round in 0..<10 {
            // The initial spline interpolates the poses: no outliers in the first round.
            guard var equations = equations(isRobust: round > 0) else { throw .tooFewPoses(poses.count) }
            if round > 1, equations.cost > cost * (1 - 1e-6) { break }
            cost = equations.cost
            guard let step = equations.solve() else { throw .tooFewPoses(poses.count) }
            move(step)
        }
    }

    private mutating func move(_ step: FitEquations.Step) {
        for (index, move) in step.controls.enumerated() {
            spline.controls[index] += SIMD8(move.position, move.rotation)
            gyroscopeBiases[index] += move.gyroscopeBias
            accelerometerBiases[index] += move.accelerometerBias
        }
        let shared = step.shared
        worldFromReferenceWorld = (Matrix3d.rotation(Vector3d(shared[0], 0, shared[1])) * worldFromReferenceWorld).orthonormalized
        referenceBodyFromBody.rotation =
            (referenceBodyFromBody.rotation * Matrix3d.rotation(Vector3d(shared[2], shared[3], shared[4]))).orthonormalized
        referenceBodyFromBody.translation += Vector3d(shared[5], shared[6], shared[7])
        clockOffset += shared[8]
    }

    // MARK: Residuals

    /// The pose of the IMU that follows from a reference pose.
    private func expectedPose(_ pose: RigidTransform) -> RigidTransform {
        RigidTransform(rotation: worldFromReferenceWorld, translation: .zero) * pose * referenceBodyFromBody
    }

    /// Predicted minus measured, biases included.
    private func residual(_ sample: InertialSample) -> (rate: Vector3d, force: Vector3d) {
        let motion = spline.motion(at: sample.time)
        let (index, share) = biasIndex(sample.time)
        let force = motion.worldFromBody.rotation.transpose * (motion.acceleration + Vector3d(0, settings.gravity, 0))
        let gyroscope = gyroscopeBiases[index] * (1 - share) + gyroscopeBiases[index + 1] * share
        let accelerometer = accelerometerBiases[index] * (1 - share) + accelerometerBiases[index + 1] * share
        return (motion.angularVelocity + gyroscope - sample.angularVelocity, force + accelerometer - sample.acceleration)
    }

    /// Biases are interpolated linearly between the middle two of a span's control points.
    private func biasIndex(_ time: Double) -> (index: Int, share: Double) {
        let (first, fraction) = spline.span(time)
        return (first + 2, fraction)
    }

    private func residuals() -> Residuals {
        var (positions, rotations): ([Double], [Double]) = ([], [])
        for timed in poses {
            let (pose, expected) = (spline.pose(at: timed.time + clockOffset), expectedPose(timed.pose))
            positions.append(lengthSquared(pose.translation - expected.translation))
            rotations.append(lengthSquared((expected.rotation.transpose * pose.rotation).rotationVector))
        }
        let residuals = samples.map(residual)
        return Residuals(
            position: TrajectoryComparison.rootMeanSquare(positions), rotation: TrajectoryComparison.rootMeanSquare(rotations),
            angularVelocity: meanResidual(residuals.map(\.rate)), acceleration: meanResidual(residuals.map(\.force)))
    }

    /// The root mean square of means over 0.2 s, taken every 0.1 s.
    private func meanResidual(_ residuals: [Vector3d]) -> Double {
        var (squares, first): ([Double], Int) = ([], 0)
        for middle in stride(from: spline.start + 0.1, through: spline.end - 0.1, by: 0.1) {
            while first < samples.count, samples[first].time < middle - 0.1 { first += 1 }
            var (sum, weights, index) = (Vector3d.zero, 0.0, first)
            while index < samples.count, samples[index].time < middle + 0.1 {
                let weight = 1 + cos((samples[index].time - middle) * (10 * Double.pi))
                sum += residuals[index] * weight
                weights += weight
                index += 1
            }
            if weights > 1 { squares.append(lengthSquared(sum / weights) / 3) }
        }
        return TrajectoryComparison.rootMeanSquare(squares)
    }
}

extension InertialTrajectoryFit {
    /// The linearized system at the current estimate; nil if a residual is not finite.
    private func equations(isRobust: Bool) -> FitEquations? {
        var equations = FitEquations(controls: spline.controls.count)
        for index in samples.indices { addSample(index, &equations) }
        for timed in poses { addPose(timed, isRobust, &equations) }
        addWalks(&equations)
        addPriors(&equations)
        return equations.cost.isFinite ? equations : nil
    }

    /// The basis weights of the six control points at one time for value, first and second derivative, and the rotation's derivatives.
    private struct Moment {
        let first: Int
        let value, speed, force: SIMD8<Double>
        let rotation, rotationRate: SIMD4<Double>
        let squared: Double
        /// The derivatives of the rotation about the body's axes with respect to the quaternion, one row per axis.
        let slope: (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>)

        init(_ spline: TrajectorySpline, _ time: Double) {
            let (first, fraction) = spline.span(time)
            let weights = (3...5).map { TrajectorySpline.basis(degree: $0, fraction) }
            var (speed, force) = (SIMD8<Double>.zero, SIMD8<Double>.zero)
            for j in 0...5 {
                let (b1, b2) = (weights[1], weights[0])
                speed[j] = ((j > 0 ? b1[j - 1] : 0) - b1[j]) / spline.spacing
                force[j] = ((j > 1 ? b2[j - 2] : 0) - 2 * (j > 0 ? b2[j - 1] : 0) + b2[j]) / (spline.spacing * spline.spacing)
            }
            var (rotation, rotationRate) = (SIMD4<Double>.zero, SIMD4<Double>.zero)
            for j in 0...5 {
                rotation += spline.controls[first + j].rotation * weights[2][j]
                rotationRate += spline.controls[first + j].rotation * speed[j]
            }
            squared = (rotation * rotation).sum()
            let q = rotation * (2 / squared)
            slope = (SIMD4(q.w, q.z, -q.y, -q.x), SIMD4(-q.z, q.w, q.x, -q.y), SIMD4(q.y, -q.x, q.w, -q.z))
            (self.first, value, self.speed, self.force) = (first, weights[2], speed, force)
            (self.rotation, self.rotationRate) = (rotation, rotationRate)
        }

        /// The derivatives of the angular velocity with respect to the quaternion.
        func rateSlope(_ rate: Vector3d) -> (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>) {
            let (p, q) = (rotationRate * (2 / squared), rotation * (2 / squared))
            return (
                SIMD4(-p.w, -p.z, p.y, p.x) - q * rate.x, SIMD4(p.z, -p.w, -p.x, p.y) - q * rate.y,
                SIMD4(-p.y, p.x, -p.w, p.z) - q * rate.z
            )
        }
    }

    private func addSample(_ index: Int, _ equations: inout FitEquations) {
        let sample = samples[index]
        let before = sample.time - samples[max(index - 1, 0)].time
        let after = samples[min(index + 1, samples.count - 1)].time - sample.time
        let interval = min(max(before, after), 0.02)
        guard interval > 0 else { return }
        let moment = Moment(spline, sample.time)
        let residual = residual(sample)
        let (bias, share) = biasIndex(sample.time)
        let biases = [(bias - moment.first, 1 - share), (bias - moment.first + 1, share)]

        let (rate, slope) = (
            moment.rateSlope(residual.rate + sample.angularVelocity - interpolatedBiases(bias, share).gyroscope), moment.slope
        )
        let byRate = [(slope.0, rate.0), (slope.1, rate.1), (slope.2, rate.2)]
        let rateWeight = (interval / (noise.gyroscope * noise.gyroscope))
        for (axis, rows) in byRate.enumerated() {
            var row = FitEquations.Row()
            for j in 0...5 { row.setRotation(j, rows.0 * moment.speed[j] + rows.1 * moment.value[j]) }
            for (j, share) in biases { row[j, FitEquations.gyroscope + axis] = share }
            equations.add(row, at: moment.first, residual: residual.rate[axis], weight: rateWeight)
        }

        let f = residual.force + sample.acceleration - interpolatedBiases(bias, share).accelerometer
        let byRotation = [slope.2 * f.y - slope.1 * f.z, slope.0 * f.z - slope.2 * f.x, slope.1 * f.x - slope.0 * f.y]
        let rotation = Matrix3d(quaternion: moment.rotation)
        let forceWeight = interval / (noise.accelerometer * noise.accelerometer)
        for (axis, (column, byRotation)) in zip([rotation.x, rotation.y, rotation.z], byRotation).enumerated() {
            var row = FitEquations.Row()
            for j in 0...5 {
                row.setPosition(j, column * moment.force[j])
                row.setRotation(j, byRotation * moment.value[j])
            }
            for (j, share) in biases { row[j, FitEquations.accelerometer + axis] = share }
            equations.add(row, at: moment.first, residual: residual.force[axis], weight: forceWeight)
        }
        addLength(moment, &equations)
    }

    private func interpolatedBiases(_ index: Int, _ share: Double) -> (gyroscope: Vector3d, accelerometer: Vector3d) {
        (
            gyroscopeBiases[index] * (1 - share) + gyroscopeBiases[index + 1] * share,
            accelerometerBiases[index] * (1 - share) + accelerometerBiases[index + 1] * share
        )
    }

    /// Constrains quaternions softly to unit length.
    private func addLength(_ moment: Moment, _ equations: inout FitEquations) {
        var row = FitEquations.Row()
        for j in 0...5 { row.setRotation(j, moment.rotation * (2 * moment.value[j])) }
        equations.add(row, at: moment.first, residual: moment.squared - 1, weight: 1e4)
    }

    private func addPose(_ timed: TimedPose, _ isRobust: Bool, _ equations: inout FitEquations) {
        let time = timed.time + clockOffset
        let (moment, motion, expected) = (Moment(spline, time), spline.motion(at: time), expectedPose(timed.pose))
        let isInside = time > spline.start && time < spline.end
        let position = motion.worldFromBody.translation - expected.translation
        let rotation = (expected.rotation.transpose * motion.worldFromBody.rotation).rotationVector
        let (positionVariance, rotationVariance) = (
            settings.positionDeviation * settings.positionDeviation, settings.rotationDeviation * settings.rotationDeviation
        )
        func weight(_ residual: Vector3d, _ variance: Double) -> Double {
            isRobust ? 1 / (variance * (1 + lengthSquared(residual) / (9 * variance))) : 1 / variance
        }
        let (positionWeight, rotationWeight) = (weight(position, positionVariance), weight(rotation, rotationVariance))
        let leverArm = worldFromReferenceWorld * timed.pose.rotation
        for axis in 0..<3 {
            var unit = Vector3d.zero
            unit[axis] = 1
            var row = FitEquations.Row()
            for j in 0...5 { row.setPosition(j, unit * moment.value[j]) }
            // A rotation of the world by e moves the expected position by e × position.
            let tilt = cross(expected.translation, unit)
            let byLeverArm = leverArm.transpose * unit
            row.shared = FitEquations.Shared(
                -tilt.x, -tilt.z, 0, 0, 0, -byLeverArm.x, -byLeverArm.y, -byLeverArm.z, isInside ? motion.velocity[axis] : 0, 0, 0, 0, 0, 0,
                0, 0)
            equations.add(row, at: moment.first, residual: position[axis], weight: positionWeight)
        }
        let rows = [moment.slope.0, moment.slope.1, moment.slope.2]
        let body = motion.worldFromBody.rotation
        for axis in 0..<3 {
            var unit = Vector3d.zero
            unit[axis] = 1
            var row = FitEquations.Row()
            for j in 0...5 { row.setRotation(j, rows[axis] * moment.value[j]) }
            let tilt = body * unit
            row.shared = FitEquations.Shared(
                -tilt.x, -tilt.z, -unit.x, -unit.y, -unit.z, 0, 0, 0, isInside ? motion.angularVelocity[axis] : 0, 0, 0, 0, 0, 0, 0, 0)
            equations.add(row, at: moment.first, residual: rotation[axis], weight: rotationWeight)
        }
        addLength(moment, &equations)
    }

    /// Random walks of the biases, and a smoothness prior where no measurement constrains the motion.
    private func addWalks(_ equations: inout FitEquations) {
        let walks = [noise.gyroscopeWalk, noise.accelerometerWalk].map { 1 / max($0 * $0 * spline.spacing, 1e-18) }
        let cubed = spline.spacing * spline.spacing * spline.spacing
        // A carried device stays far below third derivatives of 1000 m/s³, and as much of the quaternion.
        let smooth = 1 / (1000 * cubed * 1000 * cubed)
        for first in 0..<(spline.controls.count - 3) {
            let thirdDifference =
                spline.controls[first + 3] - spline.controls[first] + 3 * (spline.controls[first + 1] - spline.controls[first + 2])
            for component in 0..<7 {
                var row = FitEquations.Row()
                for (j, factor) in [-1.0, 3, -3, 1].enumerated() { row[j, component] = factor }
                equations.add(row, at: first, residual: thirdDifference[component], weight: smooth)
            }
        }
        for first in 0..<(spline.controls.count - 1) {
            let gyroscope = gyroscopeBiases[first + 1] - gyroscopeBiases[first]
            let accelerometer = accelerometerBiases[first + 1] - accelerometerBiases[first]
            for axis in 0..<3 {
                for (component, residual, weight) in [
                    (FitEquations.gyroscope, gyroscope[axis], walks[0]), (FitEquations.accelerometer, accelerometer[axis], walks[1]),
                ] {
                    var row = FitEquations.Row()
                    (row[0, component + axis], row[1, component + axis]) = (-1, 1)
                    equations.add(row, at: first, residual: residual, weight: weight)
                }
            }
        }
    }

    private func addPriors(_ equations: inout FitEquations) {
        for axis in 0..<3 {
            var row = FitEquations.Row()
            row[0, FitEquations.gyroscope + axis] = 1
            equations.add(row, at: 0, residual: gyroscopeBiases[0][axis], weight: 1 / (0.2 * 0.2))
            row = FitEquations.Row()
            row[0, FitEquations.accelerometer + axis] = 1
            equations.add(row, at: 0, residual: accelerometerBiases[0][axis], weight: 1 / (0.5 * 0.5))
        }
        let (tilt, mountRotation, leverArm) = (
            worldFromReferenceWorld.rotationVector, referenceBodyFromBody.rotation.rotationVector, referenceBodyFromBody.translation
        )
        let values = [tilt.x, tilt.z, mountRotation.x, mountRotation.y, mountRotation.z, leverArm.x, leverArm.y, leverArm.z, clockOffset]
        let deviations =
            [settings.tiltDeviation, settings.tiltDeviation] + Array(repeating: settings.mountRotationDeviation, count: 3)
            + Array(repeating: settings.leverArmDeviation, count: 3) + [settings.clockDeviation]
        for (index, (value, deviation)) in zip(values, deviations).enumerated() {
            var row = FitEquations.Row()
            row.shared[index] = 1
            let held = max(deviation, 1e-9)
            equations.add(row, at: 0, residual: value, weight: 1 / (held * held))
        }
    }
}

/// The normal equations of an `InertialTrajectoryFit`: position, quaternion and biases of each control point, and nine calibration unknowns
/// that all measurements share. The shared unknowns form the border of a bordered band matrix and are eliminated last.
private struct FitEquations {
    /// The offsets of the biases within the 13 unknowns of a control point.
    static let gyroscope = 7, accelerometer = 10
    static let width = 13
    /// Coefficients of the shared unknowns: tilt about x and z, mounting rotation, lever arm, clock offset. In a right-hand side, lane 9 holds
    /// the value itself.
    typealias Shared = SIMD16<Double>
    static let sharedCount = 9

    /// The coefficients of one equation, from a control point on.
    struct Row {
        var numbers = [Double](repeating: 0, count: 6 * FitEquations.width)
        var shared = Shared.zero

        subscript(control: Int, component: Int) -> Double {
            get { numbers[control * FitEquations.width + component] }
            set { numbers[control * FitEquations.width + component] = newValue }
        }

        mutating func setPosition(_ control: Int, _ slope: Vector3d) { for axis in 0..<3 { self[control, axis] = slope[axis] } }
        mutating func setRotation(_ control: Int, _ slope: SIMD4<Double>) { for axis in 0..<4 { self[control, 3 + axis] = slope[axis] } }
    }

    struct Step {
        var controls: [(position: Vector3d, rotation: SIMD4<Double>, gyroscopeBias: Vector3d, accelerometerBias: Vector3d)] = []
        var shared: [Double]
    }

    private(set) var cost = 0.0
    private let controls: Int
    private var band: BandedSystem<Shared>
    /// The rows of the shared unknowns.
    private var border = [Shared](repeating: .zero, count: sharedCount)

    init(controls: Int) {
        self.controls = controls
        band = BandedSystem(count: controls * Self.width, band: 6 * Self.width)
    }

    /// Adds a measurement to the equations.
    ///
    /// - Parameter residual: Predicted minus measured.
    mutating func add(_ row: Row, at control: Int, residual: Double, weight: Double) {
        cost += residual * residual * weight
        var right = row.shared
        right[Self.sharedCount] = -residual
        // Fewer than six control points remain at the end.
        let numbers = control + 6 <= controls ? row.numbers : Array(row.numbers.prefix((controls - control) * Self.width))
        band.add(numbers, at: control * Self.width, right, weight: weight)
        for index in 0..<Self.sharedCount where row.shared[index] != 0 { border[index] += right * (row.shared[index] * weight) }
    }

    /// Returns nil if the system is singular.
    mutating func solve() -> Step? {
        let coupling = band.right
        guard band.solve() else { return nil }
        var rows = border
        for (coupled, solved) in zip(coupling, band.right) {
            for index in 0..<Self.sharedCount where coupled[index] != 0 { rows[index] -= solved * coupled[index] }
        }
        var system = BandedSystem<SIMD2<Double>>(count: Self.sharedCount, band: Self.sharedCount)
        for i in 0..<Self.sharedCount {
            for j in 0...i { system.add(rows[i][j], row: i, column: j) }
            system.add(right: SIMD2(rows[i][Self.sharedCount], 0), row: i)
        }
        guard system.solve() else { return nil }
        let shared = system.right.map(\.x)
        let x = band.right.map { solved in (0..<Self.sharedCount).reduce(solved[Self.sharedCount]) { $0 - solved[$1] * shared[$1] } }
        var step = Step(shared: shared)
        for start in stride(from: 0, to: x.count, by: Self.width) {
            func three(_ at: Int) -> Vector3d { Vector3d(x[start + at], x[start + at + 1], x[start + at + 2]) }
            step.controls.append(
                (three(0), SIMD4(three(3), x[start + 6]), three(Self.gyroscope), three(Self.accelerometer)))
        }
        return step
    }
}
