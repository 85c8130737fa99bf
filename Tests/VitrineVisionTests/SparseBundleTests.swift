import Testing
import VitrineMath

@testable import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Cameras that fly over bumpy ground in a meander, as in `scripts/quality/scale_scene.py`: each shares points with those nearby.
struct MeanderScene {
    static let intrinsics = CameraIntrinsics(width: 640, height: 480, focal: Vector2d(560, 560), center: Vector2d(320, 240))
    var problem = BundleProblem()

    /// - Parameter pointsPerCamera: The number of points for each camera; about eight cameras observe each.
    init(cameras count: Int, pointsPerCamera: Int = 60) {
        var numbers = SeededNumbers(seed: 3)
        let lanes = max(1, Int((Double(count) * 2.2 / 3.6).squareRoot().rounded()))
        let perLane = (count + lanes - 1) / lanes
        problem.lenses = [BundleProblem.Lens(intrinsics: Self.intrinsics, freeParameters: 3)]
        var centers: [Vector3d] = []
        for index in 0..<count {
            let (lane, step) = index.quotientAndRemainder(dividingBy: perLane)
            let x = 2.2 * Double(lane % 2 == 0 ? step : perLane - 1 - step)
            let center = Vector3d(x + numbers.uniform(-0.3...0.3), 3.6 * Double(lane) + numbers.uniform(-0.3...0.3), 12)
            // Looks down, x right, y down in the image.
            let level = Matrix3d(rows: Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, -1))
            let tilt = Matrix3d.rotation(Vector3d(numbers.uniform(-0.1...0.1), numbers.uniform(-0.1...0.1), numbers.uniform(-3...3)))
            let rotation = tilt * level
            problem.cameras.append(
                .init(cameraFromWorld: RigidTransform(rotation: rotation, translation: -(rotation * center)), lens: 0))
            centers.append(center)
        }
        let size = Vector2d(2.2 * Double(perLane), 3.6 * Double(lanes))
        for _ in 0..<count * pointsPerCamera {
            let point = Vector3d(numbers.uniform(-3...size.x + 3), numbers.uniform(-3...size.y + 3), numbers.uniform(0...3))
            var observations: [(Int, Vector2d)] = []
            for (camera, center) in centers.enumerated() where abs(center.x - point.x) < 9 && abs(center.y - point.y) < 9 {
                let pixel = Self.intrinsics.project(problem.cameras[camera].cameraFromWorld * point)
                let isInside = pixel.x > 0 && pixel.y > 0 && pixel.x < 640 && pixel.y < 480
                guard isInside, numbers.uniform() < 0.5 else { continue }
                observations.append((camera, pixel + Vector2d(numbers.normal(), numbers.normal()) * 0.3))
            }
            guard observations.count > 1 else { continue }
            problem.appendPoint(point)
            for (camera, pixel) in observations { problem.appendObservation(camera: camera, pixel: pixel) }
        }
    }

    /// Puts the cameras into a random order.
    mutating func shuffle() {
        var (numbers, order) = (SeededNumbers(seed: 4), Array(problem.cameras.indices))
        for index in order.indices { order.swapAt(index, index + numbers.below(order.count - index)) }
        var result = BundleProblem()
        (result.lenses, result.cameras) = (problem.lenses, problem.cameras)
        for (camera, position) in order.enumerated() { result.cameras[position] = problem.cameras[camera] }
        for point in problem.points.indices {
            result.appendPoint(problem.points[point])
            let observations = (problem.pointStarts[point]..<problem.pointStarts[point + 1]).map {
                (order[Int(problem.observedCameras[$0])], problem.observedPixels[$0])
            }
            for (camera, pixel) in observations.sorted(by: { $0.0 < $1.0 }) { result.appendObservation(camera: camera, pixel: pixel) }
        }
        problem = result
    }

    /// Moves cameras and points away from their true places.
    mutating func disturb() {
        var numbers = SeededNumbers(seed: 8)
        for index in problem.cameras.indices where !problem.cameras[index].isFixed {
            let old = problem.cameras[index].cameraFromWorld
            problem.cameras[index].cameraFromWorld = RigidTransform(
                rotation: Matrix3d.rotation(numbers.direction() * 0.003) * old.rotation,
                translation: old.translation + numbers.direction() * 0.02)
        }
        for index in problem.points.indices { problem.points[index] += numbers.direction() * 0.02 }
    }
}

@Suite struct SparseBundleTests {
    /// The step of one damped solution.
    private func step(_ problem: BundleProblem, sparseCameras: Int, threads: Int = 2) throws -> (BundleProblem, lenses: [Double]) {
        let (system, parallel) = (BundleSystem(problem, sparseCameras: sparseCameras), Parallel(threads: threads))
        system.linearizePoints(problem, .cauchy(threshold: 2), parallel)
        try #require(system.solve(problem, damping: 1e-3, parallel: parallel))
        return (system.stepped(problem, parallel), system.reduced.lensInverseDiagonal())
    }

    private func expectEqualSteps(_ problem: BundleProblem) throws {
        let (dense, sparse) = (try step(problem, sparseCameras: .max), try step(problem, sparseCameras: 0))
        var moved = 0.0
        for (index, camera) in problem.cameras.enumerated() {
            let (a, b) = (dense.0.cameras[index].cameraFromWorld, sparse.0.cameras[index].cameraFromWorld)
            #expect(length(a.translation - b.translation) < 1e-9)
            #expect(length((a.rotation * b.rotation.transpose).rotationVector) < 1e-9)
            moved = max(moved, length(a.translation - camera.cameraFromWorld.translation))
        }
        #expect(moved > 1e-3)
        for (a, b) in zip(dense.0.points, sparse.0.points) { #expect(length(a - b) < 1e-9) }
        for (a, b) in zip(dense.0.lenses, sparse.0.lenses) {
            let difference = a.intrinsics.parameters - b.intrinsics.parameters
            #expect((difference * difference).sum().squareRoot() < 1e-6)
        }
        for (a, b) in zip(dense.lenses, sparse.lenses) { #expect(abs(a / b - 1) < 1e-7) }
    }

    @Test func sparseStepsEqualDenseOnes() throws {
        var scene = MeanderScene(cameras: 150, pointsPerCamera: 25)
        scene.disturb()
        try expectEqualSteps(scene.problem)
        scene.shuffle()
        try expectEqualSteps(scene.problem)
        // Several lenses, fixed cameras and priors.
        scene.problem.lenses.append(BundleProblem.Lens(intrinsics: MeanderScene.intrinsics, freeParameters: 9))
        scene.problem.lenses.append(BundleProblem.Lens(intrinsics: MeanderScene.intrinsics, freeParameters: 0))
        for camera in scene.problem.cameras.indices {
            scene.problem.cameras[camera].lens = camera / 50
            scene.problem.cameras[camera].isFixed = camera % 17 == 3
            guard camera % 5 == 1 else { continue }
            scene.problem.cameras[camera].prior = .init(
                cameraFromWorld: scene.problem.cameras[camera].cameraFromWorld, rotationInformation: 1e4, positionInformation: 1e2)
        }
        try expectEqualSteps(scene.problem)
        for lens in scene.problem.lenses.indices { scene.problem.lenses[lens].freeParameters = 0 }
        try expectEqualSteps(scene.problem)
    }

    @Test func sparseStepsEqualDenseOnesForSeparateGroups() throws {
        var problem = BundleProblem()
        for count in [40, 70, 3] {
            var scene = MeanderScene(cameras: count, pointsPerCamera: 25)
            scene.disturb()
            let first = problem.cameras.count
            problem.lenses = scene.problem.lenses
            problem.cameras += scene.problem.cameras
            for point in scene.problem.points.indices {
                problem.appendPoint(scene.problem.points[point])
                for o in scene.problem.pointStarts[point]..<scene.problem.pointStarts[point + 1] {
                    problem.appendObservation(
                        camera: first + Int(scene.problem.observedCameras[o]), pixel: scene.problem.observedPixels[o])
                }
            }
        }
        try expectEqualSteps(problem)
        // All share points with all: no separator.
        try expectEqualSteps(BundleAdjustmentTests.disturbed(SyntheticScene(), lens: 2))
    }

    @Test func sparseAdjustmentDoesNotDependOnThreads() {
        var scene = MeanderScene(cameras: ReducedSystem.sparseCameras, pointsPerCamera: 15)
        scene.disturb()
        let results = [1, 2, 5].map { threads in
            var problem = scene.problem
            var adjuster = BundleAdjuster()
            adjuster.options.maximumIterations = 4
            let summary = adjuster.adjust(&problem, parallel: Parallel(threads: threads))
            #expect(summary.finalCost < 0.1 * summary.initialCost)
            return problem
        }
        for other in results.dropFirst() {
            #expect(other.points == results[0].points && other.lenses[0].intrinsics == results[0].lenses[0].intrinsics)
            #expect(other.cameras.map(\.cameraFromWorld) == results[0].cameras.map(\.cameraFromWorld))
        }
    }

    @Test func dissectionOrdersEachBlockOnceBeforeItsBoundary() {
        // A ring of 300 with chords, a grid, and blocks without neighbours.
        var neighbours = [[Int32]](repeating: [], count: 700)
        func couple(_ a: Int, _ b: Int) {
            neighbours[a].append(Int32(b))
            neighbours[b].append(Int32(a))
        }
        for block in 0..<300 { for reach in 1...7 { couple(block, (block + reach) % 300) } }
        for block in 300..<690 {
            if block % 20 != 19 { couple(block, block + 1) }
            if block + 20 < 690 { couple(block, block + 20) }
        }
        neighbours = neighbours.map { $0.sorted() }
        let dissection = NestedDissection(neighbours: neighbours)
        #expect(dissection.nodes.flatMap(\.own).sorted() == (0..<700).map { Int32($0) })
        #expect(dissection.nodes.map(\.own.count).max()! < 100)
        var isChild = [Bool](repeating: false, count: dissection.nodes.count)
        for (index, node) in dissection.nodes.enumerated() {
            for child in node.children {
                #expect(child < index && !isChild[child] && dissection.nodes[child].depth == node.depth + 1)
                isChild[child] = true
                // The remaining rows of a child are part of its parent.
                let columns = Set(node.own + node.boundary)
                #expect(dissection.nodes[child].boundary.allSatisfy { columns.contains($0) })
            }
            for block in node.own {
                for other in neighbours[Int(block)] where dissection.order[Int(other)] > dissection.order[Int(block)] {
                    #expect(node.own.contains(other) || node.boundary.contains(other))
                }
            }
        }
        #expect(isChild.dropLast().allSatisfy { $0 } && dissection.nodes.last!.boundary.isEmpty)
    }

    /// Prints the processor seconds of a step by the number of cameras, in random order: VITRINE_BUNDLE_CAMERAS="200 500 1000".
    @Test(.enabled(if: ProcessInfo.processInfo.environment["VITRINE_BUNDLE_CAMERAS"] != nil))
    func growthOfAStep() throws {
        let counts = ProcessInfo.processInfo.environment["VITRINE_BUNDLE_CAMERAS"]!.split(separator: " ").compactMap { Int($0) }
        let parallel = Parallel()
        for count in counts {
            var scene = MeanderScene(cameras: count)
            scene.disturb()
            scene.shuffle()
            for sparseCameras in count <= 1000 ? [0, .max] : [0] {
                var moments = [clock()]
                let system = BundleSystem(scene.problem, sparseCameras: sparseCameras)
                moments.append(clock())
                system.linearizePoints(scene.problem, .cauchy(threshold: 2), parallel)
                moments.append(clock())
                try #require(system.solve(scene.problem, damping: 1e-3, parallel: parallel))
                moments.append(clock())
                let seconds = zip(moments.dropFirst(), moments).map { Double($0 - $1) / Double(CLOCKS_PER_SEC) }
                print(
                    "\(count) cameras, \(scene.problem.observedCameras.count) observations, \(sparseCameras == 0 ? "sparse" : "dense"): "
                        + "preparing \(seconds[0]) s, linearizing \(seconds[1]) s, solving \(seconds[2]) s")
                #expect(system.stepped(scene.problem, parallel).cameras.allSatisfy { $0.cameraFromWorld.translation.isFinite })
            }
        }
    }
}
