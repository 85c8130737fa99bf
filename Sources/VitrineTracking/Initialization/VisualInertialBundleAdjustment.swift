import VitrineMath
import VitrineVision

/// Visual-inertial bundle adjustment over a short window: optimizes poses, velocities, biases, the camera's clock and the points, and gives
/// the covariance of the solution.
///
/// Gravity is along −Y; the first frame's position and heading are fixed unless a map measures poses. A point is a direction and an inverse depth in the first frame that
/// observes it, and is eliminated by the Schur complement. A measured depth in that frame is a measurement of the inverse depth.
struct VisualInertialBundleAdjustment {
    struct Frame: Sendable {
        var worldFromBody: RigidTransform
        var velocity: Vector3d
        /// The gyroscope's reading, rad/s: moves the pose with the clock.
        var rate: Vector3d
    }

    struct Point: Sendable {
        var track: InitializationWindow.Track
        /// x/z, y/z and 1/z in the camera of the track's first observation.
        var parameters: Vector3d

        /// The frame in which the point is parameterized.
        var anchor: Int { track.observations[0].frame }
    }

    /// A pose of the body in the world, measured by a map.
    struct PoseMeasurement: Sendable {
        var frame: Int
        var worldFromBody: RigidTransform
        /// The inverse of the covariance of rotation about the world's axes (radians) and position (metres); 6×6 in row order.
        var information: [Double]
    }

    var frames: [Frame]
    var points: [Point]
    /// The measured poses. Without any, the first frame's position and heading are fixed.
    var poseMeasurements: [PoseMeasurement] = []
    var gyroscopeBias: Vector3d
    var accelerometerBias: Vector3d
    /// The entries of the matrices of scale and misalignment by which readings are too small, in the order of ``FilterLayout/inertialCalibration``.
    var calibration = [Double](repeating: 0, count: FilterLayout.inertialCalibrationSize)
    /// Whether scale and misalignment are estimated, with the prior's deviation.
    var estimatesCalibration = false
    /// Seconds from the frames' times to the capture of the images.
    var timeOffset = 0.0
    /// Preintegrated samples from each frame to the next.
    let steps: [Preintegration]
    let bodyFromCamera: RigidTransform
    let gravity: Vector3d
    /// The clock offset is relative to the frames' times.
    let prior: InertialPrior
    /// Standard deviation of an observation in normalized coordinates.
    var observationDeviation: Double
    /// Residuals beyond this many standard deviations lose weight (Cauchy loss).
    var robustThreshold = 3.0
    /// The 9×9 matrix that whitens the residuals of each step.
    private let whitenings: [[Double]]

    init?(
        frames: [Frame], points: [Point], steps: [Preintegration], gyroscopeBias: Vector3d, prior: InertialPrior,
        bodyFromCamera: RigidTransform,
        gravity: Double, observationDeviation: Double
    ) {
        (self.frames, self.points, self.steps, self.bodyFromCamera) = (frames, points, steps, bodyFromCamera)
        (self.gyroscopeBias, accelerometerBias) = (gyroscopeBias, prior.accelerometerBias)
        (self.gravity, self.prior, self.observationDeviation) = (Vector3d(0, -gravity, 0), prior, observationDeviation)
        var all: [[Double]] = []
        for step in steps {
            guard let whitening = step.whitening else { return nil }
            all.append(whitening)
        }
        whitenings = all
    }

    // MARK: Unknowns

    /// The unknowns in their order: rotation (on the right) and position of each frame; the clock; the frames' velocities; the biases; scale and
    /// misalignment of the IMU with `estimatesCalibration`.
    func pose(_ frame: Int) -> Int { 6 * frame }
    var clock: Int { 6 * frames.count }
    func velocity(_ frame: Int) -> Int { 6 * frames.count + 1 + 3 * frame }
    /// The gyroscope's bias, then the accelerometer's.
    var biases: Int { 9 * frames.count + 1 }
    /// The gyroscope's matrix column by column, then the accelerometer's.
    var calibrationStart: Int { biases + 6 }
    private var size: Int { calibrationStart + (estimatesCalibration ? FilterLayout.inertialCalibrationSize : 0) }

    // MARK: Solution

    /// Minimizes the cost by Levenberg–Marquardt.
    /// - Returns: The robust cost, or nil if the system cannot be solved.
    mutating func solve(rounds: Int) -> Double? {
        var damping = 1e-6
        guard var equations = build(damping: damping) else { return nil }
        for _ in 0..<rounds {
            var moved = self
            // Hardly any damping for the frames: the IMU's terms are so stiff that damping in proportion to them would hold back the scale.
            guard let factor = equations.system.factored(damping: damping * 1e-6) else { return nil }
            moved.apply(factor.solve(equations.system.right), equations)
            guard let next = moved.build(damping: damping / 10), next.cost < equations.cost else {
                damping *= 30
                guard damping < 1e4, let again = build(damping: damping) else { break }
                equations = again
                continue
            }
            let isSettled = equations.cost - next.cost < 1e-4 * equations.cost && damping < 1e-2
            (self, equations, damping) = (moved, next, damping / 10)
            if isSettled { break }
        }
        return equations.cost
    }

    /// The covariance of some unknowns in row order.
    func covariance(_ indices: [Int]) -> [Double]? { build()?.system.factored()?.inverse(indices) }

    /// The normal equations at the current estimate.
    struct NormalEquations {
        var system: SymmetricSystem
        var cost = 0.0
        var points: PointElimination
    }

    /// Builds the normal equations at the current estimate.
    ///
    /// - Parameter damping: The relative damping of the points' equations.
    func build(damping: Double = 0) -> NormalEquations? {
        var equations = NormalEquations(
            system: SymmetricSystem(size: size), points: PointElimination(width: clock + 1, count: points.count))
        addPriors(&equations)
        for index in steps.indices { addStep(index, &equations) }
        guard addObservations(damping, &equations) else { return nil }
        return equations.cost.isFinite ? equations : nil
    }

    mutating func apply(_ step: [Double], _ equations: NormalEquations) {
        for index in points.indices {
            let move = equations.points.step(of: index, after: step)
            // Update the depth, not its inverse: then a wrong scale is corrected in one step instead of a hundred.
            let parameters = points[index].parameters
            let grown = parameters.z / (1 - min(max(move.z / parameters.z, -4), 0.75))
            points[index].parameters = Vector3d(parameters.x + move.x, parameters.y + move.y, min(max(grown, 1e-4), 20))
        }
        moveFrames(step)
    }

    mutating func moveFrames(_ step: [Double]) {
        func three(_ index: Int) -> Vector3d { Vector3d(step[index], step[index + 1], step[index + 2]) }
        for index in frames.indices {
            let old = frames[index].worldFromBody
            frames[index].worldFromBody = RigidTransform(
                rotation: (old.rotation * Matrix3d.rotation(three(pose(index)))).orthonormalized,
                translation: old.translation + three(pose(index) + 3))
            frames[index].velocity += three(velocity(index))
        }
        gyroscopeBias += three(biases)
        accelerometerBias += three(biases + 3)
        if estimatesCalibration { for entry in calibration.indices { calibration[entry] += step[calibrationStart + entry] } }
        timeOffset += step[clock]
    }
}

// MARK: - Inertial residuals and priors

extension VisualInertialBundleAdjustment {
    private func addPriors(_ equations: inout NormalEquations) {
        let size = equations.system.size
        func constrain(_ index: Int, _ difference: Double, _ deviation: Double) {
            let weight = 1 / (deviation * deviation)
            equations.system.matrix[index * size + index] += weight
            equations.system.right[index] += weight * difference
            equations.cost += weight * difference * difference
        }
        if poseMeasurements.isEmpty {
            // The gauge: a strong prior on the first position and heading, on the body's axes.
            for k in 0..<3 { constrain(pose(0) + 3 + k, 0, 1e-5) }
            let up = frames[0].worldFromBody.rotation.transpose * Vector3d(0, 1, 0)
            for i in 0..<3 { for j in 0..<3 { equations.system.matrix[i * size + j] += 1e10 * up[i] * up[j] } }
        }
        for measurement in poseMeasurements { add(measurement, &equations) }
        for k in 0..<3 {
            constrain(biases + k, prior.gyroscopeBias[k] - gyroscopeBias[k], prior.gyroscopeBiasDeviation)
            constrain(biases + 3 + k, prior.accelerometerBias[k] - accelerometerBias[k], prior.accelerometerBiasDeviation)
        }
        if estimatesCalibration {
            for (entry, value) in calibration.enumerated() { constrain(calibrationStart + entry, -value, prior.calibrationDeviation) }
        }
        constrain(clock, prior.timeOffset - timeOffset, max(prior.timeOffsetDeviation, 1e-6))
    }

    /// The mean squared residual of the measured poses per degree of freedom, in standard deviations.
    var poseResidual: Double {
        var sum = 0.0
        for measurement in poseMeasurements {
            let error = error(of: measurement)
            for i in 0..<6 { for j in 0..<6 { sum += error[i] * measurement.information[6 * i + j] * error[j] } }
        }
        return sum / Double(max(6 * poseMeasurements.count, 1))
    }

    /// Rotation about the world's axes, and position: measured less estimated.
    private func error(of measurement: PoseMeasurement) -> [Double] {
        let pose = frames[measurement.frame].worldFromBody
        let turn = (measurement.worldFromBody.rotation * pose.rotation.transpose).rotationVector
        let way = measurement.worldFromBody.translation - pose.translation
        return [turn.x, turn.y, turn.z, way.x, way.y, way.z]
    }

    private func add(_ measurement: PoseMeasurement, _ equations: inout NormalEquations) {
        let pose = frames[measurement.frame].worldFromBody
        let error = error(of: measurement)
        // The unknown rotation is on the right: on the body's axes.
        let axes = [pose.rotation.x, pose.rotation.y, pose.rotation.z]
        func column(_ k: Int) -> [Double] {
            if k < 3 { return [axes[k].x, axes[k].y, axes[k].z, 0, 0, 0] }
            return (0..<6).map { $0 == k ? 1 : 0 }
        }
        func product(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
        func weighted(_ vector: [Double]) -> [Double] {
            (0..<6).map { row in product(Array(measurement.information[6 * row..<6 * row + 6]), vector) }
        }
        let columns = (0..<6).map(column)
        let pull = weighted(error)
        let squared = product(error, pull)
        let threshold = robustThreshold * robustThreshold
        let weight = 1 / (1 + squared / threshold)
        equations.cost += threshold * log(1 + squared / threshold)
        let (size, first) = (equations.system.size, self.pose(measurement.frame))
        for i in 0..<6 {
            equations.system.right[first + i] += weight * product(columns[i], pull)
            let row = weighted(columns[i])
            for j in 0..<6 { equations.system.matrix[(first + i) * size + first + j] += weight * product(columns[j], row) }
        }
    }

    /// Residuals of rotation, velocity and position between a frame and the next one (Forster et al. 2017), and the measured changes.
    private func residuals(_ index: Int) -> (turn: Vector3d, velocity: Vector3d, position: Vector3d, faster: Vector3d, further: Vector3d) {
        let (a, b, step) = (frames[index], frames[index + 1], steps[index])
        let readings = step.meanReadings
        // An error of a column acts like one of the bias times the reading.
        let expected = step.corrected(
            gyroscopeBias: gyroscopeBias - gyroscopeMatrix * readings.angularVelocity,
            accelerometerBias: accelerometerBias - accelerometerMatrix * readings.acceleration)
        let t = step.duration
        let back = a.worldFromBody.rotation.transpose
        let faster = back * (b.velocity - a.velocity - gravity * t)
        let further = back * (b.worldFromBody.translation - a.worldFromBody.translation - a.velocity * t - gravity * (t * t / 2))
        let turn = (expected.rotation.transpose * back * b.worldFromBody.rotation).rotationVector
        return (turn, faster - expected.velocity, further - expected.position, faster, further)
    }

    private var gyroscopeMatrix: Matrix3d { matrix(0) }
    private var accelerometerMatrix: Matrix3d { matrix(9) }

    private func matrix(_ first: Int) -> Matrix3d {
        func column(_ at: Int) -> Vector3d { Vector3d(calibration[at], calibration[at + 1], calibration[at + 2]) }
        return Matrix3d(column(first), column(first + 3), column(first + 6))
    }

    /// Adds nine rows over 24 or 42 unknowns, with the residuals in the column after them.
    private func addStep(_ index: Int, _ equations: inout NormalEquations) {
        var unknowns = [
            pose(index), pose(index) + 3, pose(index + 1), pose(index + 1) + 3, velocity(index), velocity(index + 1), biases, biases + 3,
        ]
        if estimatesCalibration { unknowns += (0..<6).map { calibrationStart + 3 * $0 } }
        let last = 3 * unknowns.count
        let (height, width) = (eights(last), eights(last + 1))
        withUnsafeTemporaryAllocation(of: Double.self, capacity: (9 + 9 + height) * width) { memory in
            memory.initialize(repeating: 0)
            guard let start = memory.baseAddress else { return }
            let rows = MatrixRows(start, stride: width)
            let (whitened, products) = (MatrixRows(rows[9], stride: width), MatrixRows(rows[18], stride: width))
            fill(rows, index)
            let whitening = whitenings[index]
            for i in 0..<9 {
                for k in 0...i { RowKernels.subtract(rows[k], times: -whitening[9 * i + k], from: whitened[i], count: width) }
                equations.cost += whitened[i, last] * whitened[i, last]
            }
            RowKernels.subtractProduct(whitened, whitened, from: products, rows: height, columns: width, depth: 9)
            equations.system.subtract(products, unknowns)
        }
    }

    /// Derivatives of the residuals by the two frames' rotations and positions, their velocities, the biases and the calibration; three columns each.
    private func fill(_ rows: MatrixRows, _ index: Int) {
        let (a, b, step) = (frames[index], frames[index + 1], steps[index])
        let residual = residuals(index)
        let back = a.worldFromBody.rotation.transpose
        let jr = Rotations.rightJacobian(residual.turn).inverse
        func put(_ block: Matrix3d, _ row: Int, _ column: Int) {
            for k in 0..<3 { for i in 0..<3 { rows[row + i, column + k] = block.column(k)[i] } }
        }
        put(jr * b.worldFromBody.rotation.transpose * a.worldFromBody.rotation * -1, 0, 0)
        put(Matrix3d.skew(residual.faster), 3, 0)
        put(Matrix3d.skew(residual.further), 6, 0)
        put(back * -1, 6, 3)
        put(jr, 0, 6)
        put(back, 6, 9)
        put(back * -1, 3, 12)
        put(back * -step.duration, 6, 12)
        put(back, 3, 15)
        put(jr * Matrix3d.rotation(residual.turn).transpose * step.rotationByGyroscope * -1, 0, 18)
        put(step.velocityByGyroscope * -1, 3, 18)
        put(step.positionByGyroscope * -1, 6, 18)
        put(step.velocityByAccelerometer * -1, 3, 21)
        put(step.positionByAccelerometer * -1, 6, 21)
        var last = 24
        if estimatesCalibration {
            let readings = step.meanReadings
            for (bias, reading) in [(18, readings.angularVelocity), (21, readings.acceleration)] {
                for column in 0..<3 {
                    for row in 0..<9 { for k in 0..<3 { rows[row, last + k] = -reading[column] * rows[row, bias + k] } }
                    last += 3
                }
            }
        }
        for k in 0..<3 {
            (rows[k, last], rows[3 + k, last], rows[6 + k, last]) = (residual.turn[k], residual.velocity[k], residual.position[k])
        }
    }

    /// The root mean square of the inertial residuals in standard deviations.
    var inertialResidual: Double {
        var sum = 0.0
        for index in steps.indices {
            let residual = residuals(index)
            let parts = [residual.turn, residual.velocity, residual.position]
            for i in 0..<9 {
                var part = 0.0
                for k in 0...i { part += whitenings[index][9 * i + k] * parts[k / 3][k % 3] }
                sum += part * part
            }
        }
        return (sum / Double(max(1, 9 * steps.count))).squareRoot()
    }

    /// The larger of the biases' differences from their priors, in standard deviations.
    var biasResidual: Double {
        max(
            length(gyroscopeBias - prior.gyroscopeBias) / prior.gyroscopeBiasDeviation,
            length(accelerometerBias - prior.accelerometerBias) / prior.accelerometerBiasDeviation)
    }
}

extension SymmetricSystem {
    /// Subtracts products of columns from the matrix.
    ///
    /// - Parameters:
    ///   - products: The negated products of columns; the last column is for the right side.
    ///   - unknowns: The first unknown of each group of three columns.
    fileprivate mutating func subtract(_ products: MatrixRows, _ unknowns: [Int]) {
        for i in 0..<3 * unknowns.count {
            let unknown = unknowns[i / 3] + i % 3
            for j in 0..<3 * unknowns.count { matrix[unknown * size + unknowns[j / 3] + j % 3] -= products[i, j] }
            right[unknown] += products[i, 3 * unknowns.count]
        }
    }
}
