import Testing
import VitrineMath

@testable import VitrineVision

@Suite struct BundleAdjustmentTests {
    static let richLens = CameraIntrinsics(
        width: 1000, height: 800, focal: Vector2d(1100, 1120), center: Vector2d(480, 410), radial: Vector3d(-0.1, 0.05, 0.02),
        tangential: Vector2d(0.002, -0.003))

    @Test func derivativesMatchFiniteDifferences() {
        let lens = Self.richLens
        let point = Vector3d(0.4, -0.3, 1.3)
        let jacobian = lens.derivatives(point)
        #expect(length(jacobian.pixel - lens.project(point)) < 1e-10)
        let h = 1e-6
        for axis in 0..<3 {
            var (more, less) = (point, point)
            more[axis] += h
            less[axis] -= h
            let slope = (lens.project(more) - lens.project(less)) / (2 * h)
            #expect(abs(slope.x - jacobian.xByPoint[axis]) < 1e-4 && abs(slope.y - jacobian.yByPoint[axis]) < 1e-4)
        }
        for parameter in 0..<lens.parameterCount {
            var step = SIMD16<Double>.zero
            step[parameter] = h
            var (more, less) = (lens, lens)
            more.add(step)
            less.add(-step)
            let slope = (more.project(point) - less.project(point)) / (2 * h)
            #expect(abs(slope.x - jacobian.xByParameters[parameter]) < 1e-4 && abs(slope.y - jacobian.yByParameters[parameter]) < 1e-4)
            #expect(abs((more.parameters - lens.parameters - step).sum()) < 1e-9)
        }
    }

    @Test func poseDerivativesMatchTheStep() {
        let lens = Self.richLens
        let pose = RigidTransform(rotation: .rotation(Vector3d(0.3, -0.2, 0.5)), translation: Vector3d(0.1, 0.2, 3))
        let point = Vector3d(0.4, -0.3, 0.6)
        let rotated = pose.rotation * point
        let jacobian = lens.derivatives(pose * point)
        let (x, y) = (BundleSystem.byPose(rotated, jacobian.xByPoint), BundleSystem.byPose(rotated, jacobian.yByPoint))
        let h = 1e-6
        for unknown in 0..<6 {
            func moved(_ by: Double) -> Vector2d {
                var (turn, shift) = (Vector3d.zero, Vector3d.zero)
                if unknown < 3 { turn[unknown] = by } else { shift[unknown - 3] = by }
                return lens.project(Matrix3d.rotation(turn) * rotated + pose.translation + shift)
            }
            let slope = (moved(h) - moved(-h)) / (2 * h)
            #expect(abs(slope.x - x[unknown]) < 1e-4 && abs(slope.y - y[unknown]) < 1e-4)
        }
    }

    @Test(arguments: [1, 7, 48, 49, 131]) func choleskySolves(size: Int) {
        var numbers = SeededNumbers(seed: UInt64(size))
        // A = Gᵀ G + 1.
        let g = (0..<size * size).map { _ in numbers.normal() }
        var a = [Double](repeating: 0, count: size * size)
        for i in 0..<size {
            for j in 0..<size {
                for k in 0..<size { a[i * size + j] += g[k * size + i] * g[k * size + j] }
                if i == j { a[i * size + j] += 1 }
            }
        }
        let truth = (0..<size).map { _ in numbers.normal() }
        var right = (0..<size).map { i in (0..<size).reduce(0) { $0 + a[i * size + $1] * truth[$1] } }
        let cholesky = DenseCholesky(size: size)
        for i in 0..<size { for j in i..<size { cholesky.rows[i * cholesky.stride + j] = a[i * size + j] } }
        let isFactored = cholesky.factor(forEach: Parallel(threads: 3).forEach)
        #expect(isFactored)
        right.withUnsafeMutableBufferPointer { cholesky.solve($0.baseAddress!) }
        #expect(zip(right, truth).allSatisfy { abs($0 - $1) < 1e-7 })

        // The last element of the inverse is the solution's for the last unit vector.
        var unit = [Double](repeating: 0, count: size)
        unit[size - 1] = 1
        unit.withUnsafeMutableBufferPointer { cholesky.solve($0.baseAddress!) }
        let diagonal = cholesky.inverseDiagonal(last: 1)
        #expect(abs(diagonal[0] - unit[size - 1]) < 1e-9)
    }

    @Test func choleskySolvesSparseMatrices() {
        // A ring: each unknown is coupled to its neighbours, and the last ones to the first.
        let (size, reach) = (203, 17)
        var a = [Double](repeating: 0, count: size * size)
        for i in 0..<size {
            for j in 0..<size {
                let apart = min(abs(i - j), size - abs(i - j))
                if apart <= reach { a[i * size + j] = i == j ? 40 : VitrineMath.cos(Double(i + j)) }
            }
        }
        let truth = (0..<size).map { VitrineMath.sin(Double($0)) }
        var right = (0..<size).map { i in (0..<size).reduce(0) { $0 + a[i * size + $1] * truth[$1] } }
        let cholesky = DenseCholesky(size: size)
        for i in 0..<size { for j in i..<size { cholesky.rows[i * cholesky.stride + j] = a[i * size + j] } }
        let isFactored = cholesky.factor(forEach: Parallel(threads: 2).forEach)
        #expect(isFactored)
        right.withUnsafeMutableBufferPointer { cholesky.solve($0.baseAddress!) }
        #expect(zip(right, truth).allSatisfy { abs($0 - $1) < 1e-12 })
    }

    @Test func choleskyRejectsIndefiniteMatrices() {
        let cholesky = DenseCholesky(size: 2)
        (cholesky.rows[0], cholesky.rows[1], cholesky.rows[cholesky.stride + 1]) = (1, 2, 1)
        let isFactored = cholesky.factor(forEach: Parallel(threads: 1).forEach)
        #expect(!isFactored)
    }

    static func disturbed(_ scene: SyntheticScene, lens: Int) -> BundleProblem {
        var problem = scene.problem(lens: lens)
        var numbers = SeededNumbers(seed: 5)
        for i in problem.cameras.indices {
            let old = problem.cameras[i].cameraFromWorld
            problem.cameras[i].cameraFromWorld = RigidTransform(
                rotation: Matrix3d.rotation(numbers.direction() * 0.02) * old.rotation,
                translation: old.translation + numbers.direction() * 0.05)
        }
        for i in problem.points.indices { problem.points[i] += numbers.direction() * 0.03 }
        problem.lenses[0].intrinsics.focal = Vector2d(1000, 1000)
        problem.lenses[0].intrinsics.distortion = .none
        return problem
    }

    @Test func reachesTheGroundTruthWithinTheNoise() {
        var options = SyntheticScene.Options()
        options.intrinsics.distortion = .radial(-0.08)
        let scene = SyntheticScene(options)
        var problem = Self.disturbed(scene, lens: 2)
        var adjuster = BundleAdjuster()
        adjuster.options.loss = .squared
        let summary = adjuster.adjust(&problem, parallel: Parallel(threads: 1))
        // χ²: the errors' squares sum to the variance times the degrees of freedom (7 less for the gauge).
        let freedom = Double(2 * problem.observedCameras.count - 3 * problem.points.count - 6 * problem.cameras.count - 2 + 7)
        #expect(abs(summary.finalCost / (freedom * 0.3 * 0.3) - 1) < 0.05)
        let lens = problem.lenses[0].intrinsics
        let deviations = adjuster.lensDeviations(problem, parallel: Parallel(threads: 1))[0].map { $0 * 0.3 }
        #expect(abs(lens.focal.x - 1150) < 4 * deviations[0] && deviations[0] < 3)
        #expect(abs(lens.distortion.radial.x + 0.08) < 4 * deviations[1] && deviations[1] < 0.01)
        #expect(lens.focal.x == lens.focal.y && lens.center == options.intrinsics.center)
        let found = problem.cameras.map { PosedCamera(intrinsics: lens, cameraFromWorld: $0.cameraFromWorld) }
        let errors = scene.errors(of: found)
        #expect(errors.map { $0.rotation < 0.03 && $0.position < 0.004 } == true)
    }

    @Test func isDeterministicForAnyNumberOfThreads() {
        let scene = SyntheticScene()
        var (one, many) = (Self.disturbed(scene, lens: 9), Self.disturbed(scene, lens: 9))
        _ = BundleAdjuster().adjust(&one, parallel: Parallel(threads: 1))
        _ = BundleAdjuster().adjust(&many, parallel: Parallel(threads: 4))
        #expect(one.points == many.points)
        #expect(one.lenses[0].intrinsics == many.lenses[0].intrinsics)
        #expect(one.cameras.map(\.cameraFromWorld) == many.cameras.map(\.cameraFromWorld))
    }

    @Test func adjustsSeveralLenses() {
        var options = SyntheticScene.Options()
        options.cameras = 12
        let scene = SyntheticScene(options)
        var problem = Self.disturbed(scene, lens: 1)
        problem.lenses.append(problem.lenses[0])
        problem.lenses[1].freeParameters = 2
        // The odd cameras' photos are half as large.
        for camera in problem.cameras.indices where camera % 2 == 1 { problem.cameras[camera].lens = 1 }
        for o in problem.observedCameras.indices where problem.observedCameras[o] % 2 == 1 { problem.observedPixels[o] /= 2 }
        problem.lenses[1].intrinsics = problem.lenses[0].intrinsics.resized(width: 500, height: 400)
        let summary = BundleAdjuster().adjust(&problem, parallel: Parallel(threads: 2))
        #expect(summary.finalCost < 0.2 * Double(problem.observedCameras.count))
        #expect(abs(problem.lenses[0].intrinsics.focal.x / 1150 - 1) < 0.005)
        #expect(abs(problem.lenses[1].intrinsics.focal.x / 575 - 1) < 0.005)
    }

    @Test func fixedParametersDoNotChange() {
        let scene = SyntheticScene()
        var problem = scene.problem(lens: 0)
        for camera in problem.cameras.indices { problem.cameras[camera].isFixed = true }
        let truth = problem.points
        var numbers = SeededNumbers(seed: 5)
        for i in problem.points.indices { problem.points[i] += numbers.direction() * 0.03 }
        let before = problem.cameras.map(\.cameraFromWorld)
        _ = BundleAdjuster().adjust(&problem, parallel: Parallel(threads: 1))
        #expect(problem.cameras.map(\.cameraFromWorld) == before)
        #expect(problem.lenses[0].intrinsics == scene.options.intrinsics)
        let errors = zip(problem.points, truth).map { length($0 - $1) }.sorted()
        #expect(errors[errors.count / 2] < 0.003)
    }

    @Test func robustLossLimitsOutliers() {
        let scene = SyntheticScene()
        var problem = Self.disturbed(scene, lens: 2)
        var numbers = SeededNumbers(seed: 9)
        for o in problem.observedPixels.indices where numbers.uniform() < 0.03 {
            problem.observedPixels[o] += Vector2d(numbers.uniform(-40...40), numbers.uniform(-40...40))
        }
        _ = BundleAdjuster().adjust(&problem, parallel: Parallel(threads: 1))
        let found = problem.cameras.map { PosedCamera(intrinsics: problem.lenses[0].intrinsics, cameraFromWorld: $0.cameraFromWorld) }
        #expect(scene.errors(of: found).map { $0.rotation < 0.05 } == true)
    }

    @Test func toleratesUnsolvableProblems() {
        var problem = BundleProblem()
        #expect(!BundleAdjuster().adjust(&problem, parallel: Parallel(threads: 1)).isUsable)
        // One camera, points seen once each, one behind the camera.
        problem.cameras = [.init(cameraFromWorld: .identity, lens: 0)]
        problem.lenses = [.init(intrinsics: Self.richLens, freeParameters: 9)]
        for z in [2.0, -1, 3] {
            problem.appendPoint(Vector3d(0.1 * z, 0.2, z))
            problem.appendObservation(camera: 0, pixel: Vector2d(500, 300))
        }
        let summary = BundleAdjuster().adjust(&problem, parallel: Parallel(threads: 1))
        #expect(summary.finalCost.isFinite && summary.finalCost <= summary.initialCost)
        #expect(problem.points.allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite })
        problem.observedPixels[0].x = .nan
        #expect(!BundleAdjuster().adjust(&problem, parallel: Parallel(threads: 1)).isUsable)
    }
}
