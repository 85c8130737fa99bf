import VitrineGeometry

/// The normal equations of a bundle adjustment and their solution. Points are eliminated (Schur complement); the unknowns of the reduced system are
/// those of the free cameras (6 each: a small rotation of the camera frame and a change of its translation), then those of the lenses.
// `@unchecked Sendable`: every stored property is a constant, and in each pass (one `forEach`, which returns when all its threads have) only one
// index writes an element of the memory behind the pointers, and no index reads what another writes.
final class BundleSystem: @unchecked Sendable {
    /// The number of unknowns of the reduced system.
    let unknowns: Int
    let reduced: ReducedSystem
    private let step: UnsafeMutablePointer<Double>

    /// First unknown of each camera or −1.
    private let cameraUnknown: [Int]
    /// First unknown of each lens or −1.
    private let lensUnknown: [Int]
    private let lensStart: Int
    private let pointStarts: [Int]
    private let pointOfObservation: [Int32]
    /// The observations of each camera: `cameraObservations[cameraStarts[i]..<cameraStarts[i + 1]]`, in ascending order.
    private let cameraStarts: [Int]
    private let cameraObservations: [Int32]
    /// The free lenses that observe point i: `pointLenses[pointLensStarts[i]..<pointLensStarts[i + 1]]`, in ascending order.
    private let pointLensStarts: [Int]
    private let pointLenses: [Int32]
    /// The index of an observation's lens in `pointLenses`, or −1.
    private let lensEntryOfObservation: [Int32]

    // Per observation: weight; 3 rows of 8 (camera unknown by point coordinate). Per entry of pointLenses: 3 rows of 16.
    private let weights: UnsafeMutablePointer<Double>
    private let cameraPoint: UnsafeMutablePointer<Double>
    private let lensPoint: UnsafeMutablePointer<Double>
    // Per point: the upper triangle of the 3 × 3 block and of its damped inverse, the right side, the step.
    private let pointBlock: UnsafeMutablePointer<Double>
    private let pointInverse: UnsafeMutablePointer<Double>
    private let pointRight: UnsafeMutablePointer<Double>
    private let pointStep: UnsafeMutablePointer<Double>
    // Per camera: its lens's 9 rows of 16 and right side of 16.
    private let lensBlock: UnsafeMutablePointer<Double>
    /// The reduced system's diagonal before elimination, and the full right side.
    private let diagonal: UnsafeMutablePointer<Double>
    private let right: UnsafeMutablePointer<Double>
    private let allocations: [UnsafeMutablePointer<Double>]

    private static let lensBlockSize = 10 * 16
    private static let pointChunk = 512

    /// - Parameter sparseCameras: See `ReducedSystem`.
    init(_ problem: BundleProblem, sparseCameras: Int = ReducedSystem.sparseCameras) {
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
        pointStarts = problem.pointStarts

        let index = ObservationIndex(problem, lensUnknown: lenses)
        (cameraStarts, cameraObservations, pointOfObservation) = (index.cameraStarts, index.cameraObservations, index.pointOfObservation)
        (pointLensStarts, pointLenses, lensEntryOfObservation) = (index.pointLensStarts, index.pointLenses, index.lensEntryOfObservation)
        reduced = ReducedSystem(cameraUnknown: cameras, lensStart: lensStart, size: next, sparseCameras: sparseCameras) {
            index.coupledCameras(problem, cameraUnknown: cameras)
        }

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

    /// Selects the first `count` lanes.
    static func prefixMask(_ count: Int) -> SIMDMask<SIMD16<Int64>> {
        SIMD16<Int64>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) .< Int64(count)
    }
}

extension BundleSystem {
    /// Points with a smaller depth count as behind the camera.
    static let minimumDepth = 1e-6

    /// The robust cost with priors. Observations behind a camera have a large cost, so that no step moves points there.
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
        for camera in problem.cameras where !camera.isFixed { sum += camera.prior?.cost(of: camera.cameraFromWorld) ?? 0 }
        for lens in problem.lenses where lens.freeParameters > 0 {
            let error = lens.intrinsics.parameters - lens.expected
            sum += (error * error * lens.expectedInformation).sum()
            if !(lens.intrinsics.focal.x > 0 && lens.intrinsics.focal.y > 0) { return .infinity }
        }
        return sum
    }

    /// The problem after the step of the last solution.
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

    /// The decrease of the cost that the linear model predicts for the step: stepᵀ (λ D step + right-hand side).
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

extension BundleSystem {
    /// Computes weights, the points' blocks and right-hand sides, and the blocks between points and cameras or lenses.
    func linearizePoints(_ problem: BundleProblem, _ loss: RobustLoss, _ parallel: Parallel) {
        let lenses = problem.lenses.map(\.intrinsics)
        let masks = problem.lenses.map { Self.prefixMask($0.freeParameters) }
        parallel.forEachChunk(of: problem.points.count, size: Self.pointChunk) { chunk in
            problem.withBuffers { cameras, points, starts, observedCameras, pixels, information in
                let (cameraPoint, lensPoint, weights) = (cameraPoint, lensPoint, weights)
                for point in chunk {
                    var (xx, xy, xz, yy, yz, zz) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
                    var right = Vector3d.zero
                    for entry in pointLensStarts[point]..<pointLensStarts[point + 1] {
                        (lensPoint + 48 * entry).update(repeating: 0, count: 48)
                    }
                    for o in starts[point]..<starts[point + 1] {
                        let camera = cameras[Int(observedCameras[o])]
                        let rotated = camera.cameraFromWorld.rotation * points[point]
                        let inCamera = rotated + camera.cameraFromWorld.translation
                        let blocks = cameraPoint + 24 * o
                        guard inCamera.z > Self.minimumDepth else {
                            weights[o] = 0
                            blocks.update(repeating: 0, count: 24)
                            continue
                        }
                        let jacobian = lenses[camera.lens].derivatives(inCamera)
                        let error = jacobian.pixel - pixels[o]
                        let weight = information[o] * loss.weight((error.x * error.x + error.y * error.y) * information[o])
                        weights[o] = weight
                        let (ax, ay) = (jacobian.xByPoint, jacobian.yByPoint)
                        let turned = camera.cameraFromWorld.rotation
                        let jx = Vector3d(dot(ax, turned.x), dot(ax, turned.y), dot(ax, turned.z))
                        let jy = Vector3d(dot(ay, turned.x), dot(ay, turned.y), dot(ay, turned.z))
                        let (wx, wy) = (jx * weight, jy * weight)
                        xx += wx.x * jx.x + wy.x * jy.x
                        xy += wx.x * jx.y + wy.x * jy.y
                        xz += wx.x * jx.z + wy.x * jy.z
                        yy += wx.y * jx.y + wy.y * jy.y
                        yz += wx.y * jx.z + wy.y * jy.z
                        zz += wx.z * jx.z + wy.z * jy.z
                        right = right - wx * error.x - wy * error.y

                        let (cx, cy) = (Self.byPose(rotated, ax), Self.byPose(rotated, ay))
                        store8(cx * wx.x + cy * wy.x, blocks)
                        store8(cx * wx.y + cy * wy.y, blocks + 8)
                        store8(cx * wx.z + cy * wy.z, blocks + 16)
                        let entry = Int(lensEntryOfObservation[o])
                        if entry >= 0 {
                            let mask = masks[camera.lens]
                            let lx = SIMD16<Double>.zero.replacing(with: jacobian.xByParameters, where: mask)
                            let ly = SIMD16<Double>.zero.replacing(with: jacobian.yByParameters, where: mask)
                            let target = lensPoint + 48 * entry
                            store16(load16(target) + lx * wx.x + ly * wy.x, target)
                            store16(load16(target + 16) + lx * wx.y + ly * wy.y, target + 16)
                            store16(load16(target + 32) + lx * wx.z + ly * wy.z, target + 32)
                        }
                    }
                    let block = pointBlock + 6 * point
                    (block[0], block[1], block[2], block[3], block[4], block[5]) = (xx, xy, xz, yy, yz, zz)
                    let side = pointRight + 3 * point
                    (side[0], side[1], side[2]) = (right.x, right.y, right.z)
                }
            }
        }
    }

    /// A row of the projection's derivative by the pose's six unknowns: d (exp(w) R X + t + s) = w × (R X) + s.
    @inline(__always) static func byPose(_ rotated: Vector3d, _ byPoint: Vector3d) -> SIMD8<Double> {
        let turn = cross(rotated, byPoint)
        return SIMD8(turn.x, turn.y, turn.z, byPoint.x, byPoint.y, byPoint.z, 0, 0)
    }

    /// Solves the damped equations for the step. Returns false if they are not positive definite.
    func solve(_ problem: BundleProblem, damping: Double, parallel: Parallel) -> Bool {
        if !problem.pointsAreFixed { invertPoints(damping) }
        reduced.clear()
        linearizeCameras(problem, parallel)
        addLenses(problem)
        for i in 0..<unknowns {
            diagonal[i] = reduced.diagonal(i).pointee
            step[i] = right[i]
        }
        if !problem.pointsAreFixed { eliminatePoints(problem, parallel) }
        for i in 0..<unknowns { reduced.diagonal(i).pointee += damping * diagonal[i] + 1e-300 }
        guard reduced.factor(parallel) else { return false }
        reduced.solve(step)
        if !problem.pointsAreFixed { backSubstitute(problem, parallel) }
        return (0..<unknowns).allSatisfy { step[$0].isFinite }
    }

    private func invertPoints(_ damping: Double) {
        for point in 0..<pointStarts.count - 1 {
            let (c, target) = (pointBlock + 6 * point, pointInverse + 6 * point)
            let grown = 1 + damping
            let (xx, xy, xz, yy, yz, zz) = (c[0] * grown, c[1], c[2], c[3] * grown, c[4], c[5] * grown)
            let (a, b, d) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy)
            let determinant = xx * a + xy * b + xz * d
            // A point that its observations do not determine does not move.
            let scale = determinant > 1e-14 * xx * yy * zz ? 1 / determinant : 0
            (target[0], target[1], target[2]) = (a * scale, b * scale, d * scale)
            (target[3], target[4], target[5]) = ((xx * zz - xz * xz) * scale, (xy * xz - xx * yz) * scale, (xx * yy - xy * xy) * scale)
        }
    }

    /// Computes the cameras' blocks, the blocks between cameras and lenses, and each camera's share of its lens's block.
    private func linearizeCameras(_ problem: BundleProblem, _ parallel: Parallel) {
        let lenses = problem.lenses.map(\.intrinsics)
        let masks = problem.lenses.map { Self.prefixMask($0.freeParameters) }
        parallel.forEach(problem.cameras.count) { index in
            let camera = problem.cameras[index]
            let (cameraRows, values) = (reduced.rows[index], reduced.values)
            let (unknown, lensUnknown) = (cameraUnknown[index], lensUnknown[camera.lens])
            guard unknown >= 0 || lensUnknown >= 0 else { return }
            let (lens, mask) = (lenses[camera.lens], masks[camera.lens])
            let pose = camera.cameraFromWorld
            var poseRight = SIMD8<Double>.zero
            var lensRight = SIMD16<Double>.zero
            withUnsafeTemporaryAllocation(of: Double.self, capacity: 6 * 8 + 6 * 16 + 9 * 16) { scratch in
                scratch.initialize(repeating: 0)
                let own = scratch.baseAddress!
                let (across, lensOwn) = (own + 48, own + 48 + 96)
                problem.withBuffers { _, points, _, _, pixels, _ in
                    for at in cameraStarts[index]..<cameraStarts[index + 1] {
                        let o = Int(cameraObservations[at])
                        let weight = weights[o]
                        if weight == 0 { continue }
                        let rotated = pose.rotation * points[Int(pointOfObservation[o])]
                        let jacobian = lens.derivatives(rotated + pose.translation)
                        let error = (jacobian.pixel - pixels[o]) * weight
                        let cx = Self.byPose(rotated, jacobian.xByPoint)
                        let cy = Self.byPose(rotated, jacobian.yByPoint)
                        poseRight = poseRight - cx * error.x - cy * error.y
                        let (wx, wy) = (cx * weight, cy * weight)
                        for row in 0..<6 { store8(load8(own + 8 * row) + cx * wx[row] + cy * wy[row], own + 8 * row) }
                        if lensUnknown >= 0 {
                            let lx = SIMD16<Double>.zero.replacing(with: jacobian.xByParameters, where: mask)
                            let ly = SIMD16<Double>.zero.replacing(with: jacobian.yByParameters, where: mask)
                            lensRight = lensRight - lx * error.x - ly * error.y
                            for row in 0..<6 {
                                store16(load16(across + 16 * row) + lx * wx[row] + ly * wy[row], across + 16 * row)
                            }
                            let (vx, vy) = (lx * weight, ly * weight)
                            for row in 0..<9 {
                                store16(load16(lensOwn + 16 * row) + lx * vx[row] + ly * vy[row], lensOwn + 16 * row)
                            }
                        }
                    }
                }
                if unknown >= 0 {
                    if let prior = camera.prior { Self.add(prior, of: pose, to: own, &poseRight) }
                    for row in 0..<6 {
                        let target = values + cameraRows.start + row * cameraRows.stride
                        for column in row..<6 { target[cameraRows.own + column] = own[8 * row + column] }
                        if lensUnknown >= 0 { store16(load16(across + 16 * row), target + cameraRows.lens + lensUnknown - lensStart) }
                        right[unknown + row] = poseRight[row]
                    }
                }
                let target = lensBlock + Self.lensBlockSize * index
                target.update(from: lensOwn, count: 144)
                store16(lensRight, target + 144)
            }
        }
    }

    /// Adds a prior to a camera's block (6 rows of 8) and right side.
    private static func add(
        _ prior: BundleProblem.PosePrior, of pose: RigidTransform, to block: UnsafeMutablePointer<Double>, _ right: inout SIMD8<Double>
    ) {
        let residual = prior.residual(of: pose)
        let rotated = pose.rotation * prior.expectedCenter
        for axis in 0..<3 {
            var unit = Vector3d.zero
            unit[axis] = 1
            // To first order, a turn of the camera adds to the rotation vector; the centre moves like a point.
            let turn = SIMD8(unit.x, unit.y, unit.z, 0, 0, 0, 0, 0)
            for (row, error, information) in [
                (turn, residual.rotation[axis], prior.rotationInformation),
                (byPose(rotated, unit), residual.center[axis], prior.positionInformation),
            ] {
                for index in 0..<6 { store8(load8(block + 8 * index) + row * (row[index] * information), block + 8 * index) }
                right = right - row * (error * information)
            }
        }
    }

    /// The lenses' own blocks: the cameras' shares in order, and the priors of the parameters.
    private func addLenses(_ problem: BundleProblem) {
        for unknown in lensStart..<max(lensStart, unknowns) { right[unknown] = 0 }
        for (index, camera) in problem.cameras.enumerated() {
            let unknown = lensUnknown[camera.lens]
            guard unknown >= 0 else { continue }
            let block = lensBlock + Self.lensBlockSize * index
            for row in 0..<problem.lenses[camera.lens].freeParameters {
                let target = reduced.lensRows + (unknown + row - lensStart) * reduced.lensStride + unknown - lensStart
                store16(load16(target) + load16(block + 16 * row), target)
                right[unknown + row] += block[144 + row]
            }
        }
        for (index, lens) in problem.lenses.enumerated() where lensUnknown[index] >= 0 {
            let error = lens.intrinsics.parameters - lens.expected
            for row in 0..<lens.freeParameters {
                let unknown = lensUnknown[index] + row
                reduced.diagonal(unknown).pointee += lens.expectedInformation[row]
                right[unknown] -= lens.expectedInformation[row] * error[row]
            }
        }
    }

    /// W C⁻¹ of one 3 × 8 or 3 × 16 block.
    @inline(__always) private func times<V: SIMD>(_ inverse: UnsafePointer<Double>, _ x: V, _ y: V, _ z: V) -> (V, V, V)
    where V.Scalar == Double {
        (
            x * inverse[0] + y * inverse[1] + z * inverse[2], x * inverse[1] + y * inverse[3] + z * inverse[4],
            x * inverse[2] + y * inverse[4] + z * inverse[5]
        )
    }

    /// Subtracts W C⁻¹ Wᵀ and W C⁻¹ b. Each camera's rows are one thread's.
    private func eliminatePoints(_ problem: BundleProblem, _ parallel: Parallel) {
        let lensUnknowns = lensUnknown
        parallel.forEach(problem.cameras.count) { index in
            let unknown = cameraUnknown[index]
            guard unknown >= 0 else { return }
            let (cameraRows, stride) = (reduced.rows[index], reduced.rows[index].stride)
            let ownRows = reduced.values + cameraRows.start
            var right = SIMD8<Double>.zero
            withUnsafeTemporaryAllocation(of: Double.self, capacity: 24) { scratch in
                let left = scratch.baseAddress!
                problem.withBuffers { _, _, starts, observedCameras, _, _ in
                    reduced.withColumns(of: index) { columns in
                        for at in cameraStarts[index]..<cameraStarts[index + 1] {
                            let o = Int(cameraObservations[at])
                            if weights[o] == 0 { continue }
                            let point = Int(pointOfObservation[o])
                            let w = cameraPoint + 24 * o
                            let (x, y, z) = times(pointInverse + 6 * point, load8(w), load8(w + 8), load8(w + 16))
                            let b = pointRight + 3 * point
                            right = right - (x * b[0] + y * b[1] + z * b[2])
                            store8(x, left)
                            store8(y, left + 8)
                            store8(z, left + 16)
                            for other in o..<starts[point + 1] {
                                let column = columns[Int(observedCameras[other])]
                                if column < 0 { continue }
                                let v = cameraPoint + 24 * other
                                let (vx, vy, vz) = (load8(v), load8(v + 8), load8(v + 16))
                                Self.subtractSixRows(ownRows + column, stride, left, vx, vy, vz)
                            }
                            for entry in pointLensStarts[point]..<pointLensStarts[point + 1] {
                                let v = lensPoint + 48 * entry
                                let (vx, vy, vz) = (load16(v), load16(v + 16), load16(v + 32))
                                var target = ownRows + cameraRows.lens + lensUnknowns[Int(pointLenses[entry])] - lensStart
                                for row in 0..<6 {
                                    store16(load16(target) - vx * x[row] - vy * y[row] - vz * z[row], target)
                                    target += stride
                                }
                            }
                        }
                    }
                }
            }
            for row in 0..<6 { step[unknown + row] += right[row] }
        }
        eliminateFromLenses(problem, parallel)
    }

    /// rows −= leftᵀ · (vx, vy, vz), for the 3 × 6 block `left` (rows of 8). Written out: the compiler does not unroll it.
    @inline(__always) private static func subtractSixRows(
        _ target: UnsafeMutablePointer<Double>, _ stride: Int, _ left: UnsafePointer<Double>, _ vx: SIMD8<Double>, _ vy: SIMD8<Double>,
        _ vz: SIMD8<Double>
    ) {
        @inline(__always) func row(_ index: Int) {
            let rowStart = target + index * stride
            store8(load8(rowStart) - (vx * left[index] + vy * left[8 + index] + vz * left[16 + index]), rowStart)
        }
        row(0)
        row(1)
        row(2)
        row(3)
        row(4)
        row(5)
    }

    private func eliminateFromLenses(_ problem: BundleProblem, _ parallel: Parallel) {
        let count = unknowns - lensStart
        guard count > 0 else { return }
        let width = count + 16
        // One block of rows (and the right side as the last) a chunk, summed in order.
        let pointCount = problem.points.count
        let chunkSize = max(2048, (pointCount + 31) / 32)
        let chunks = parallel.map((pointCount + chunkSize - 1) / chunkSize) { chunk -> [Double] in
            var sums = [Double](repeating: 0, count: (count + 1) * width)
            sums.withUnsafeMutableBufferPointer { sums in
                let base = sums.baseAddress!
                for point in chunk * chunkSize..<min(pointCount, (chunk + 1) * chunkSize) {
                    let entries = pointLensStarts[point]..<pointLensStarts[point + 1]
                    let b = pointRight + 3 * point
                    for entry in entries {
                        let w = lensPoint + 48 * entry
                        let (x, y, z) = times(pointInverse + 6 * point, load16(w), load16(w + 16), load16(w + 32))
                        let lens = Int(pointLenses[entry])
                        let first = lensUnknown[lens] - lensStart
                        let side = base + count * width + first
                        store16(load16(side) + x * b[0] + y * b[1] + z * b[2], side)
                        for other in entries where pointLenses[other] >= pointLenses[entry] {
                            let v = lensPoint + 48 * other
                            let (vx, vy, vz) = (load16(v), load16(v + 16), load16(v + 32))
                            var target = base + first * width + lensUnknown[Int(pointLenses[other])] - lensStart
                            for row in 0..<problem.lenses[lens].freeParameters {
                                store16(load16(target) + vx * x[row] + vy * y[row] + vz * z[row], target)
                                target += width
                            }
                        }
                    }
                }
            }
            return sums
        }
        for sums in chunks {
            for row in 0..<count {
                let target = reduced.lensRows + row * reduced.lensStride
                for column in row..<count { target[column] -= sums[row * width + column] }
                step[lensStart + row] -= sums[count * width + row]
            }
        }
    }

    private func backSubstitute(_ problem: BundleProblem, _ parallel: Parallel) {
        parallel.forEachChunk(of: problem.points.count, size: Self.pointChunk) { chunk in
            problem.withBuffers { _, _, starts, observedCameras, _, _ in
                for point in chunk {
                    let b = pointRight + 3 * point
                    var (x, y, z) = (b[0], b[1], b[2])
                    for o in starts[point]..<starts[point + 1] {
                        let unknown = cameraUnknown[Int(observedCameras[o])]
                        if unknown < 0 || weights[o] == 0 { continue }
                        let (w, s) = (cameraPoint + 24 * o, load8(step + unknown))
                        // The blocks' last two lanes are 0.
                        x -= (load8(w) * s).sum()
                        y -= (load8(w + 8) * s).sum()
                        z -= (load8(w + 16) * s).sum()
                    }
                    for entry in pointLensStarts[point]..<pointLensStarts[point + 1] {
                        let (w, s) = (lensPoint + 48 * entry, load16(step + lensUnknown[Int(pointLenses[entry])]))
                        x -= (load16(w) * s).sum()
                        y -= (load16(w + 16) * s).sum()
                        z -= (load16(w + 32) * s).sum()
                    }
                    let (inverse, target) = (pointInverse + 6 * point, pointStep + 3 * point)
                    target[0] = inverse[0] * x + inverse[1] * y + inverse[2] * z
                    target[1] = inverse[1] * x + inverse[3] * y + inverse[4] * z
                    target[2] = inverse[2] * x + inverse[4] * y + inverse[5] * z
                }
            }
        }
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
