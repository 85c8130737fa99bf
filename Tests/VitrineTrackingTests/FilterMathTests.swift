import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// The filter's parts: algebra, derivatives, propagation.
@Suite struct FilterMathTests {
    @Test func quantilesMatchTables() {
        let quantiles = ChiSquare(probability: 0.95, most: 48)
        for (degrees, value) in [(1, 3.8415), (2, 5.9915), (3, 7.8147), (9, 16.9190), (10, 18.3070), (19, 30.1435), (40, 55.7585)] {
            #expect(abs(quantiles[degrees] - value) < 2e-4, "\(degrees)")
        }
    }

    @Test func factorizationTransformsExtraColumns() {
        var random = GaussianGenerator(seed: 4)
        let (size, width) = (24, 40)
        let (matrix, factor) = (RowStorage(rows: size, columns: width), RowStorage(rows: size, columns: width))
        let roots = (0..<size).map { _ in (0..<size).map { _ in random.next() } }
        for row in 0..<size {
            for column in 0..<size { matrix.rows[row, column] = zip(roots[row], roots[column]).reduce(0) { $0 + $1.0 * $1.1 } }
            for column in size..<width { matrix.rows[row, column] = random.next() }
            factor.rows[row].update(from: matrix.rows[row], count: width)
        }
        #expect(RowKernels.factor(factor.rows, size: size, width: width))
        // Uᵀ U is the matrix, and Uᵀ times the other columns are the columns.
        for row in 0..<size {
            for column in row..<width {
                let product = (0...row).reduce(0) { $0 + factor.rows[$1, row] * factor.rows[$1, column] }
                #expect(abs(product - matrix.rows[row, column]) < 1e-10)
            }
        }
        matrix.rows[3, 3] = -1
        #expect(!RowKernels.factor(matrix.rows, size: size, width: width))
    }

    static let lenses: [LensDistortion] = [
        .brownConrady(SIMD4(-0.28, 0.07, 0.002, -0.001)), .kannalaBrandt(SIMD4(-0.02, 0.01, -0.003, 0.001)),
    ]

    static func rig(_ lens: LensDistortion) -> SensorRig {
        let camera = CameraIntrinsics(width: 640, height: 480, focal: Vector2d(400, 410), center: Vector2d(315, 244), distortion: lens)
        return SensorRig(
            camera: camera,
            cameraFromBody: RigidTransform(rotation: .rotation(Vector3d(0.4, -1.2, 0.3)), translation: Vector3d(0.05, -0.02, 0.07)))
    }

    /// A state with one clone and one point.
    /// - Parameters:
    ///   - cloneOffset, pointOffset: Differences of the first estimates from the current ones.
    static func scene(
        _ lens: LensDistortion, cloneOffset: Vector3d = .zero, pointOffset: Vector3d = .zero
    ) -> FilterEstimate {
        let layout = FilterLayout(FilterSettings())
        let body = RigidTransform(rotation: .rotation(Vector3d(-0.7, 0.9, 0.2)), translation: Vector3d(1, 2, -0.5))
        var estimate = FilterEstimate(layout: layout, rig: rig(lens), state: FilterState(time: 0, worldFromBody: body))
        estimate.setClone(2, firstPosition: body.translation + cloneOffset)
        let position = (estimate.rig.cameraFromBody * body.inverse).inverse * Vector3d(0.7, -0.5, 2.3)
        estimate.append(.init(id: 7, position: position, firstPosition: position + pointOffset, pixel: .zero, observed: 0, added: 0))
        return estimate
    }

    /// The rows of a pixel and of a depth.
    static func jacobian(_ estimate: FilterEstimate) -> [Double] {
        var rows = [Double](repeating: 0, count: 3 * ObservationJacobian.columns)
        let point = estimate.points[0]
        let isInFront = ObservationJacobian.write(
            estimate.rig, estimate.clones[2], position: point.position, first: point.firstPosition, pixel: Vector2d(300, 200), weight: 0.5,
            to: &rows)
        #expect(isInFront)
        let depth = MeasuredDepth(metres: 2.1, inverseNoise: 0.01, turnSlope: 9).corrected(turn: estimate.secondTurn)
        rows.withUnsafeMutableBufferPointer {
            ObservationJacobian.write(
                estimate.rig, estimate.clones[2], position: point.position, pixel: Vector2d(300, 200), depth: depth, weight: 0.7,
                to: $0.baseAddress! + 2 * ObservationJacobian.columns)
        }
        return rows
    }

    @Test(arguments: lenses) func jacobiansMatchFiniteDifferences(_ lens: LensDistortion) {
        let estimate = Self.scene(lens)
        let rows = Self.jacobian(estimate)
        let (layout, step) = (estimate.layout, 1e-6)
        let columns: [Int] =
            (0..<FilterLayout.calibrationSize).map { FilterLayout.extrinsics + $0 } + (0..<6).map { layout.clone(2) + $0 }
            + (0..<3).map { layout.point(0) + $0 }
        for (index, column) in columns.enumerated() {
            func moved(_ by: Double) -> [Double] {
                var error = [Double](repeating: 0, count: layout.capacity)
                error[column] = by
                var other = estimate
                other.correct(error, estimatesKeyframes: false)
                return Self.jacobian(other)
            }
            let (ahead, behind) = (moved(step), moved(-step))
            for row in [0, 1, 2].map({ $0 * ObservationJacobian.columns }) {
                // The residual is the observation less the prediction.
                let slope = (behind[row + ObservationJacobian.residual] - ahead[row + ObservationJacobian.residual]) / (2 * step)
                #expect(abs(slope - rows[row + index]) < 1e-4 * (1 + abs(slope)), "column \(index)")
            }
        }
    }

    /// The world's position and heading are unobservable, also for first estimates that differ from the current ones.
    @Test func jacobiansKeepPositionAndHeadingUnobservable() {
        let estimate = Self.scene(
            Self.lenses[0], cloneOffset: Vector3d(0.1, -0.2, 0.15), pointOffset: Vector3d(-0.2, 0.1, 0.3))
        let rows = Self.jacobian(estimate)
        let up = Vector3d(0, 1, 0)
        let (turn, shift, point) = (
            up, cross(up, estimate.clones[2].firstPosition), cross(up, estimate.points[0].firstPosition)
        )
        for row in [0, ObservationJacobian.columns] {
            func vector(_ at: Int) -> Vector3d { Vector3d(rows[row + at], rows[row + at + 1], rows[row + at + 2]) }
            let (byTurn, byShift, byPoint) = (
                vector(ObservationJacobian.pose), vector(ObservationJacobian.pose + 3), vector(ObservationJacobian.point)
            )
            #expect(abs(dot(byTurn, turn) + dot(byShift, shift) + dot(byPoint, point)) < 1e-9 * length(byTurn))
            #expect(length(byShift + byPoint) < 1e-9)
        }
    }

    static func flight(rate: Double) throws -> (TrajectorySpline, [InertialSample]) {
        let spline = try TrajectorySpline(through: SimulatedPath.eight.cameraPoses(duration: 6, rest: 0.5))
        return (spline, InertialSimulator(rate: rate, noise: nil).record(spline).samples)
    }

    static func buffer(_ samples: [InertialSample]) -> InertialBuffer {
        var buffer = InertialBuffer()
        for sample in samples { _ = buffer.append(sample) }
        return buffer
    }

    @Test func deadReckoningFollowsThePath() throws {
        for (rate, most) in [(100.0, 2e-3), (400, 1e-4)] {
            let (spline, samples) = try Self.flight(rate: rate)
            let (from, to) = (spline.motion(at: 1.0034), spline.motion(at: 4.0017))
            let start = FilterState(time: from.time, worldFromBody: from.worldFromBody, velocity: from.velocity)
            var reckoning = InertialPropagation(start, gravity: InertialSimulator.gravity, noise: InertialNoise())
            reckoning.integrate(Self.buffer(samples).samples(from: from.time, to: to.time))
            #expect(reckoning.state.time == to.time)
            #expect(length(reckoning.state.worldFromBody.translation - to.worldFromBody.translation) < most)
            #expect(length(reckoning.state.velocity - to.velocity) < most)
            #expect(length((reckoning.state.worldFromBody.rotation * to.worldFromBody.rotation.transpose).rotationVector) < most)
        }
    }

    @Test func transitionsMatchFiniteDifferences() throws {
        let (spline, samples) = try Self.flight(rate: 200)
        let buffer = Self.buffer(samples)
        let from = spline.motion(at: 2)
        let start = FilterState(
            time: 2, worldFromBody: from.worldFromBody, velocity: from.velocity, gyroscopeBias: Vector3d(0.02, -0.01, 0.03),
            accelerometerBias: Vector3d(0.1, 0.2, -0.1))
        func reckoned(_ state: FilterState) -> InertialPropagation {
            var result = InertialPropagation(state, gravity: InertialSimulator.gravity, noise: InertialNoise())
            result.integrate(buffer.samples(from: 2, to: 2.1))
            return result
        }
        let base = reckoned(start)
        let transition = base.transition(position: start.worldFromBody.translation, velocity: start.velocity)
        let step = 1e-5
        for column in 0..<15 {
            var unit = Vector3d.zero
            unit[column % 3] = step
            var moved = start
            switch column / 3 {
            case 0: moved.worldFromBody.rotation = Matrix3d.rotation(unit) * moved.worldFromBody.rotation
            case 1: moved.worldFromBody.translation += unit
            case 2: moved.velocity += unit
            case 3: moved.gyroscopeBias += unit
            default: moved.accelerometerBias += unit
            }
            let end = reckoned(moved).state
            let turn = (end.worldFromBody.rotation * base.state.worldFromBody.rotation.transpose).rotationVector
            let shift = end.worldFromBody.translation - base.state.worldFromBody.translation
            let change = [turn, shift, end.velocity - base.state.velocity]
            for row in 0..<9 {
                #expect(abs(change[row / 3][row % 3] / step - transition[row * 15 + column]) < 3e-4, "\(row) by \(column)")
            }
        }
    }

    @Test func calibrationTransitionsMatchFiniteDifferences() throws {
        let (spline, samples) = try Self.flight(rate: 200)
        let between = Self.buffer(samples).samples(from: 2, to: 2.1)
        let from = spline.motion(at: 2)
        let start = FilterState(
            time: 2, worldFromBody: from.worldFromBody, velocity: from.velocity, gyroscopeBias: Vector3d(0.02, -0.01, 0.03))
        func reckoned(_ gyroscope: Matrix3d, _ accelerometer: Matrix3d) -> InertialPropagation {
            var result = InertialPropagation(start, gravity: InertialSimulator.gravity, noise: InertialNoise(), byCalibration: true)
            result.integrate(
                between.map {
                    InertialSample(
                        time: $0.time, angularVelocity: gyroscope * $0.angularVelocity, acceleration: accelerometer * $0.acceleration)
                })
            return result
        }
        let base = reckoned(.identity, .identity)
        let transition = base.calibrationTransition
        let step = 1e-5
        for column in 0..<18 {
            var columns = [Vector3d](repeating: .zero, count: 3)
            columns[column % 9 / 3][column % 3] = step
            let moved = Matrix3d.identity + Matrix3d(columns[0], columns[1], columns[2])
            let end = (column < 9 ? reckoned(moved, .identity) : reckoned(.identity, moved)).state
            let turn = (end.worldFromBody.rotation * base.state.worldFromBody.rotation.transpose).rotationVector
            let shift = end.worldFromBody.translation - base.state.worldFromBody.translation
            let change = [turn, shift, end.velocity - base.state.velocity]
            for row in 0..<15 {
                let expected = row < 9 ? change[row / 3][row % 3] / step : 0
                #expect(abs(expected - transition[row * 18 + column]) < 3e-3, "\(row) by \(column)")
            }
        }
    }

    /// The transition maps a translation and a rotation of the world about +Y to themselves, also for other first estimates.
    @Test func transitionsKeepUnobservableDirections() throws {
        let (spline, samples) = try Self.flight(rate: 200)
        let from = spline.motion(at: 2)
        let start = FilterState(time: 2, worldFromBody: from.worldFromBody, velocity: from.velocity)
        var reckoning = InertialPropagation(start, gravity: InertialSimulator.gravity, noise: InertialNoise())
        reckoning.integrate(Self.buffer(samples).samples(from: 2, to: 2.1))
        let (position, velocity) = (
            from.worldFromBody.translation + Vector3d(0.03, -0.02, 0.05), from.velocity + Vector3d(-0.1, 0.05, 0.08)
        )
        let transition = reckoning.transition(position: position, velocity: velocity)
        let up = Vector3d(0, 1, 0)
        let before = [up, cross(up, position), cross(up, velocity)]
        let after = [up, cross(up, reckoning.state.worldFromBody.translation), cross(up, reckoning.state.velocity)]
        for row in 0..<9 {
            let sum = (0..<9).reduce(0.0) { $0 + transition[row * 15 + $1] * before[$1 / 3][$1 % 3] }
            #expect(abs(sum - after[row / 3][row % 3]) < 1e-9)
        }
    }

    /// At rest the noise added by the IMU is known in closed form.
    @Test func noiseGrowsAsARandomWalk() {
        let noise = InertialNoise(gyroscope: 0, accelerometer: 0.01, gyroscopeWalk: 1e-3, accelerometerWalk: 0)
        var reckoning = InertialPropagation(FilterState(time: 0), gravity: InertialSimulator.gravity, noise: noise)
        reckoning.integrate(
            (0...200).map { InertialSample(time: Double($0) / 200, angularVelocity: .zero, acceleration: Vector3d(0, 9.81, 0)) })
        let added = reckoning.addedNoise
        #expect(abs(added[7 * 16] / 1e-4 - 1) < 0.01)
        // Tilts don't affect the vertical: velocity is a random walk, position its integral.
        #expect(abs(added[4 * 16] / (1e-4 / 3) - 1) < 0.02)
        #expect(abs(added[0] / (1e-6 / 3) - 1) < 0.02)
        #expect(abs(added[9 * 16] / 1e-6 - 1) < 0.01)
    }
}
