import VitrineGeometry

/// The normal equations of one bundle adjustment and their solution. Points are eliminated; free cameras (6 unknowns each: a small
/// rotation of the camera's frame, a shift of its translation) and lenses remain, in this order.
// `@unchecked Sendable`, because every stored property is a `let` that nobody changes after `init`, and of the memory behind the pointers
// each pass (one `forEach`, which returns when all its threads have) writes an element from one index only and reads none that another writes.
final class BundleSystem: @unchecked Sendable {
    /// The size of the reduced system.
    let unknowns: Int
    let reduced: DenseCholesky
    let step: UnsafeMutablePointer<Double>

    /// First unknown of each camera or −1.
    let cameraUnknown: [Int]
    /// First unknown of each lens or −1.
    let lensUnknown: [Int]
    let lensStart: Int
    let pointStarts: [Int]
    let pointOfObservation: [Int32]
    /// Observations of each camera that has anything free: `cameraObservations[cameraStarts[i]..<cameraStarts[i + 1]]`, rising.
    let cameraStarts: [Int]
    let cameraObservations: [Int32]
    /// The free lenses that see point i: `pointLenses[pointLensStarts[i]..<pointLensStarts[i + 1]]`, rising.
    let pointLensStarts: [Int]
    let pointLenses: [Int32]
    /// Where in `pointLenses` an observation's lens is, or −1.
    let lensEntryOfObservation: [Int32]

    // Per observation: weight; 3 rows of 8 (camera unknown by point coordinate). Per entry of pointLenses: 3 rows of 16.
    let weights: UnsafeMutablePointer<Double>
    let cameraPoint: UnsafeMutablePointer<Double>
    let lensPoint: UnsafeMutablePointer<Double>
    // Per point: the upper triangle of the 3 × 3 block and of its damped inverse, the right side, the step.
    let pointBlock: UnsafeMutablePointer<Double>
    let pointInverse: UnsafeMutablePointer<Double>
    let pointRight: UnsafeMutablePointer<Double>
    let pointStep: UnsafeMutablePointer<Double>
    // Per camera: its lens's 9 rows of 16 and right side of 16.
    let lensBlock: UnsafeMutablePointer<Double>
    /// The reduced system's diagonal before elimination, and the full right side.
    let diagonal: UnsafeMutablePointer<Double>
    let right: UnsafeMutablePointer<Double>
    private let allocations: [UnsafeMutablePointer<Double>]

    static let lensBlockSize = 10 * 16
    static let pointChunk = 512

    init(_ problem: BundleProblem) {
        var next = 0
        var cameras: [Int] = []
        for camera in problem.cameras {
            cameras.append(camera.isFixed ? -1 : next)
            if !camera.isFixed { next += 6 }
        }
        lensStart = next
        var lenses: [Int] = []
        for lens in problem.lenses {
            lenses.append(lens.freeParameters > 0 ? next : -1)
            next += lens.freeParameters
        }
        (cameraUnknown, lensUnknown, unknowns) = (cameras, lenses, next)
        reduced = DenseCholesky(size: next)
        pointStarts = problem.pointStarts

        let index = ObservationIndex(problem, lensUnknown: lenses)
        (cameraStarts, cameraObservations, pointOfObservation) = (index.cameraStarts, index.cameraObservations, index.pointOfObservation)
        (pointLensStarts, pointLenses, lensEntryOfObservation) = (index.pointLensStarts, index.pointLenses, index.lensEntryOfObservation)

        func buffer(_ count: Int) -> UnsafeMutablePointer<Double> {
            let pointer = UnsafeMutablePointer<Double>.allocate(capacity: count + 16)
            pointer.initialize(repeating: 0, count: count + 16)
            return pointer
        }
        weights = buffer(pointOfObservation.count)
        cameraPoint = buffer(24 * pointOfObservation.count)
        lensPoint = buffer(48 * pointLenses.count)
        pointBlock = buffer(6 * problem.points.count)
        pointInverse = buffer(6 * problem.points.count)
        pointRight = buffer(3 * problem.points.count)
        pointStep = buffer(3 * problem.points.count)
        lensBlock = buffer(Self.lensBlockSize * problem.cameras.count)
        diagonal = buffer(next)
        right = buffer(next)
        step = buffer(next)
        allocations = [
            weights, cameraPoint, lensPoint, pointBlock, pointInverse, pointRight, pointStep, lensBlock, diagonal, right, step,
        ]
    }

    deinit { for allocation in allocations { allocation.deallocate() } }

    /// The first `count` lanes stay.
    static func prefixMask(_ count: Int) -> SIMDMask<SIMD16<Int64>> {
        SIMD16<Int64>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) .< Int64(count)
    }
}

extension BundleSystem {
    /// Depths below this share of the camera's distance to the point count as behind the camera.
    static let minimumDepth = 1e-6

    /// The robust cost, priors included. Points behind a camera cost much, so that no step moves them there.
    func cost(_ problem: BundleProblem, _ loss: RobustLoss, _ parallel: Parallel) -> Double {
        let pointCount = problem.points.count
        let lenses = problem.lenses.map(\.intrinsics)
        let chunks = parallel.map((pointCount + Self.pointChunk - 1) / Self.pointChunk) { chunk -> Double in
            var sum = 0.0
            problem.withBuffers { cameras, points, starts, observedCameras, pixels, information in
                lenses.withUnsafeBufferPointer { lenses in
                    for point in chunk * Self.pointChunk..<min(pointCount, (chunk + 1) * Self.pointChunk) {
                        for o in starts[point]..<starts[point + 1] {
                            let camera = Int(observedCameras[o])
                            let inCamera = cameras[camera].cameraFromWorld * points[point]
                            var squared = 1e6
                            if inCamera.z > Self.minimumDepth {
                                let error = lenses[cameras[camera].lens].project(inCamera) - pixels[o]
                                squared = error.x * error.x + error.y * error.y
                            }
                            sum += loss.cost(squared * information[o])
                        }
                    }
                }
            }
            return sum
        }
        var sum = chunks.reduce(0, +)
        for lens in problem.lenses where lens.freeParameters > 0 {
            let error = lens.intrinsics.parameters - lens.expected
            sum += (error * error * lens.expectedInformation).sum()
            if !(lens.intrinsics.focal.x > 0 && lens.intrinsics.focal.y > 0) { return .infinity }
        }
        return sum
    }

    /// The problem after the last solution's step.
    func stepped(_ problem: BundleProblem, _ parallel: Parallel) -> BundleProblem {
        var result = problem
        for (index, unknown) in cameraUnknown.enumerated() where unknown >= 0 {
            let s = step + unknown
            let old = problem.cameras[index].cameraFromWorld
            result.cameras[index].cameraFromWorld = RigidTransform(
                rotation: Matrix3d.rotation(Vector3d(s[0], s[1], s[2])) * old.rotation,
                translation: old.translation + Vector3d(s[3], s[4], s[5]))
        }
        for (index, unknown) in lensUnknown.enumerated() where unknown >= 0 {
            let values = load16(step + unknown)
            let own = SIMD16<Double>.zero.replacing(with: values, where: Self.prefixMask(problem.lenses[index].freeParameters))
            result.lenses[index].intrinsics.add(own)
        }
        for point in problem.points.indices {
            let s = pointStep + 3 * point
            result.points[point] = problem.points[point] + Vector3d(s[0], s[1], s[2])
        }
        return result
    }

    /// How much the linear model says that the step lowers the cost: ½ stepᵀ (λ D step + right side), doubled as the cost has no ½.
    func expectedDecrease(_ damping: Double) -> Double {
        var sum = 0.0
        for i in 0..<unknowns { sum += step[i] * (damping * diagonal[i] * step[i] + right[i]) }
        for point in 0..<pointStarts.count - 1 {
            let (s, c, b) = (pointStep + 3 * point, pointBlock + 6 * point, pointRight + 3 * point)
            sum += s[0] * (damping * c[0] * s[0] + b[0])
            sum += s[1] * (damping * c[3] * s[1] + b[1])
            sum += s[2] * (damping * c[5] * s[2] + b[2])
        }
        return sum
    }
}

extension BundleProblem {
    /// The arrays as buffers, for inner loops.
    @inline(__always) func withBuffers<Result>(
        _ body: (
            UnsafeBufferPointer<Camera>, UnsafeBufferPointer<Vector3d>, UnsafeBufferPointer<Int>, UnsafeBufferPointer<Int32>,
            UnsafeBufferPointer<Vector2d>, UnsafeBufferPointer<Double>
        ) -> Result
    ) -> Result {
        cameras.withUnsafeBufferPointer { cameras in
            points.withUnsafeBufferPointer { points in
                pointStarts.withUnsafeBufferPointer { starts in
                    observedCameras.withUnsafeBufferPointer { observedCameras in
                        observedPixels.withUnsafeBufferPointer { pixels in
                            information.withUnsafeBufferPointer { body(cameras, points, starts, observedCameras, pixels, $0) }
                        }
                    }
                }
            }
        }
    }
}
