import VitrineMath
import VitrineVision

/// Visual-inertial bundle adjustment over a short window: poses, velocities, biases, the camera's clock and the points, together the least
/// squares of what the camera and the IMU say; and how sure the newest state is.
///
/// The world's gravity is −Y; the first frame's position and heading are held. Points are directions and inverse depths in the first frame
/// that shows them, eliminated one by one.
struct WindowAdjustment {
    struct Frame: Sendable {
        var worldFromBody: RigidTransform
        var velocity: Vector3d
        /// The body's angular velocity as read, to move with the clock.
        var rate: Vector3d
    }

    struct Point: Sendable {
        var track: InitializationWindow.Track
        /// x/z, y/z and 1/z in the camera of the track's first sight.
        var place: Vector3d
    }

    /// What is known beside the window: values, and their standard deviations.
    struct Prior: Sendable {
        var gyroscopeBias = Vector3d.zero
        var gyroscopeBiasDeviation = 0.1
        var accelerometerBias = Vector3d.zero
        var accelerometerBiasDeviation = 0.15
        /// In seconds, against the frames' times.
        var timeOffset = 0.0
        var timeOffsetDeviation = 0.01
    }

    var frames: [Frame]
    var points: [Point]
    var gyroscopeBias: Vector3d
    var accelerometerBias: Vector3d
    /// Seconds that the pictures were taken later than the frames' times.
    var timeOffset = 0.0
    /// From each frame to the next.
    let steps: [Preintegration]
    let bodyFromCamera: RigidTransform
    let gravity: Vector3d
    let prior: Prior
    /// Standard deviation of a sight, in normalized coordinates.
    let sight: Double
    /// Misses beyond this many standard deviations count less and less (Cauchy's function).
    var cut = 3.0
    private let information: [[Double]]

    init?(
        frames: [Frame], points: [Point], steps: [Preintegration], gyroscopeBias: Vector3d, prior: Prior, bodyFromCamera: RigidTransform,
        gravity: Double, sight: Double
    ) {
        (self.frames, self.points, self.steps, self.bodyFromCamera) = (frames, points, steps, bodyFromCamera)
        (self.gyroscopeBias, accelerometerBias) = (gyroscopeBias, prior.accelerometerBias)
        (self.gravity, self.prior, self.sight) = (Vector3d(0, -gravity, 0), prior, sight)
        var all: [[Double]] = []
        for step in steps {
            var system = SymmetricSystem(size: 9)
            system.matrix = step.covarianceMatrix
            // What integration over samples leaves out.
            for k in 0..<9 { system.matrix[10 * k] += k < 3 ? 1e-9 : k < 6 ? 1e-7 : 1e-9 }
            guard let inverse = system.factored()?.inverse(Array(0..<9)) else { return nil }
            all.append(inverse)
        }
        information = all
    }

    /// Unknowns: nine a frame (turn on the right, position, velocity), the two biases, the clock.
    private var size: Int { 9 * frames.count + 7 }

    /// - Returns: the cost, twice the negative logarithm of the probability with large residuals cut; nil where it can't be solved.
    mutating func solve(rounds: Int) -> Double? {
        var damping = 1e-6
        guard var built = build(damping: damping) else { return nil }
        for _ in 0..<rounds {
            var moved = self
            // Next to none for the frames: the IMU holds neighbours together so stiffly that any share of it would hold back the scale, the
            // softest of all.
            guard let factor = built.system.factored(damping: damping * 1e-6) else { return nil }
            moved.apply(factor.solve(built.system.right), built)
            guard let next = moved.build(damping: damping / 10), next.cost < built.cost else {
                damping *= 30
                guard damping < 1e4, let again = build(damping: damping) else { break }
                built = again
                continue
            }
            let isSettled = built.cost - next.cost < 1e-4 * built.cost && damping < 1e-2
            (self, built, damping) = (moved, next, damping / 10)
            if isSettled { break }
        }
        return built.cost
    }

    /// The covariance of some unknowns, by rows.
    func covariance(_ indices: [Int]) -> [Double]? { build()?.system.factored()?.inverse(indices) }

    // MARK: The system

    struct Built {
        var system: SymmetricSystem
        var cost = 0.0
        /// To find the points' steps again: V⁻¹ b and V⁻¹ W for each, with the unknowns that W is about.
        var eliminated: [(step: Vector3d, unknowns: [Int], rows: [Vector3d])] = []
    }

    /// - Parameter damping: the share by which the points' own equations are stiffened.
    func build(damping: Double = 0) -> Built? {
        var built = Built(system: SymmetricSystem(size: size))
        addPriors(&built)
        for index in steps.indices { addStep(index, &built) }
        for point in points { guard addPoint(point, damping, &built) else { return nil } }
        return built.cost.isFinite ? built : nil
    }

    private func addPriors(_ built: inout Built) {
        func hold(_ index: Int, _ difference: Double, _ deviation: Double) {
            let weight = 1 / (deviation * deviation)
            built.system.matrix[index * size + index] += weight
            built.system.right[index] += weight * difference
            built.cost += weight * difference * difference
        }
        // The gauge: the first position and heading stay; held by weight, on the body's axes.
        for k in 0..<3 { hold(3 + k, 0, 1e-5) }
        let up = frames[0].worldFromBody.rotation.transpose * Vector3d(0, 1, 0)
        for i in 0..<3 { for j in 0..<3 { built.system.matrix[i * size + j] += 1e10 * up[i] * up[j] } }
        let biases = 9 * frames.count
        for k in 0..<3 {
            hold(biases + k, prior.gyroscopeBias[k] - gyroscopeBias[k], prior.gyroscopeBiasDeviation)
            hold(biases + 3 + k, prior.accelerometerBias[k] - accelerometerBias[k], prior.accelerometerBiasDeviation)
        }
        hold(biases + 6, prior.timeOffset - timeOffset, max(prior.timeOffsetDeviation, 1e-6))
    }

    /// What the IMU says between a frame and the next: residuals of turn, velocity and position (Forster et al. 2017).
    private func addStep(_ index: Int, _ built: inout Built) {
        let (a, b, step) = (frames[index], frames[index + 1], steps[index])
        let said = step.corrected(gyroscopeBias: gyroscopeBias, accelerometerBias: accelerometerBias)
        let t = step.duration
        let back = a.worldFromBody.rotation.transpose
        let faster = back * (b.velocity - a.velocity - gravity * t)
        let further = back * (b.worldFromBody.translation - a.worldFromBody.translation - a.velocity * t - gravity * (t * t / 2))
        let turn = (said.rotation.transpose * back * b.worldFromBody.rotation).rotationVector
        let residual = [turn, faster - said.velocity, further - said.position]

        let jr = Rotations.rightJacobian(turn).inverse
        let zero = Matrix3d(.zero, .zero, .zero)
        let biases = 9 * frames.count
        // Blocks of three unknowns: where they begin, and their derivatives in the three residuals.
        let blocks: [(Int, [Matrix3d])] = [
            (
                9 * index,
                [jr * b.worldFromBody.rotation.transpose * a.worldFromBody.rotation * -1, Matrix3d.skew(faster), Matrix3d.skew(further)]
            ),
            (9 * index + 3, [zero, zero, back * -1]),
            (9 * index + 6, [zero, back * -1, back * -t]),
            (9 * index + 9, [jr, zero, zero]),
            (9 * index + 12, [zero, zero, back]),
            (9 * index + 15, [zero, back, zero]),
            (
                biases,
                [
                    jr * Matrix3d.rotation(turn).transpose * step.rotationByGyroscope * -1, step.velocityByGyroscope * -1,
                    step.positionByGyroscope * -1,
                ]
            ),
            (biases + 3, [zero, step.velocityByAccelerometer * -1, step.positionByAccelerometer * -1]),
        ]
        add(blocks, residual, information[index], &built)
    }

    private func add(_ blocks: [(Int, [Matrix3d])], _ residual: [Vector3d], _ information: [Double], _ built: inout Built) {
        func weighted(_ vectors: [Vector3d]) -> [Vector3d] {
            (0..<3).map { row in
                var sum = Vector3d.zero
                for k in 0..<3 {
                    for column in 0..<9 { sum[k] += information[(3 * row + k) * 9 + column] * vectors[column / 3][column % 3] }
                }
                return sum
            }
        }
        let pulled = weighted(residual)
        for k in 0..<3 { built.cost += dot(pulled[k], residual[k]) }
        // Each unknown's column through the information, against every other's.
        var columns: [(Int, [Vector3d])] = []
        for (start, parts) in blocks { for k in 0..<3 { columns.append((start + k, parts.map { $0.column(k) })) } }
        for (index, column) in columns {
            let through = weighted(column)
            for (other, parts) in columns {
                built.system.matrix[index * size + other] +=
                    dot(through[0], parts[0]) + dot(through[1], parts[1]) + dot(through[2], parts[2])
            }
            built.system.right[index] -= dot(column[0], pulled[0]) + dot(column[1], pulled[1]) + dot(column[2], pulled[2])
        }
    }

    /// All sights of a point, the point eliminated.
    private func addPoint(_ point: Point, _ damping: Double, _ built: inout Built) -> Bool {
        let anchor = point.track.sights[0].frame
        let clock = 9 * frames.count + 6
        // Unknowns that the point touches: six for each frame, and the clock.
        var unknowns: [Int] = []
        for sight in point.track.sights { for k in 0..<6 { unknowns.append(9 * sight.frame + k) } }
        unknowns.append(clock)
        let width = unknowns.count
        var rows = [Vector3d](repeating: .zero, count: width)
        var square = Matrix3d(.zero, .zero, .zero)
        var right = Vector3d.zero
        // A depth that nothing tells stays where it is.
        square.z.z += 1e-6

        for (slot, seen) in point.track.sights.enumerated() {
            guard let d = derivatives(point.place, anchor, seen) else {
                // Behind the camera: counts as far off, and says nothing of where to go.
                built.cost += cut * cut * log(1 + 1e6 / (cut * cut))
                continue
            }
            let squared = (d.residual * d.residual).sum() / (sight * sight)
            built.cost += cut * cut * log(1 + squared / (cut * cut))
            let weight = 1 / (sight * sight * (1 + squared / (cut * cut)))
            square = square + (Rotations.outer(d.pointX, d.pointX) + Rotations.outer(d.pointY, d.pointY)) * weight
            right -= (d.pointX * d.residual.x + d.pointY * d.residual.y) * weight
            if slot == 0 { continue }
            for p in 0..<13 {
                let local = p < 6 ? p : p < 12 ? 6 * slot + p - 6 : width - 1
                let (x, y) = (d.x[p] * weight, d.y[p] * weight)
                rows[local] += d.pointX * x + d.pointY * y
                let row = unknowns[local] * size
                built.system.right[unknowns[local]] -= x * d.residual.x + y * d.residual.y
                for q in 0..<13 {
                    let other = q < 6 ? q : q < 12 ? 6 * slot + q - 6 : width - 1
                    built.system.matrix[row + unknowns[other]] += x * d.x[q] + y * d.y[q]
                }
            }
        }
        square.x.x *= 1 + damping
        square.y.y *= 1 + damping
        square.z.z *= 1 + damping
        guard square.determinant > 0 else { return false }
        let inverse = square.inverse
        let step = inverse * right
        let through = rows.map { inverse * $0 }
        let size = size
        built.system.matrix.withUnsafeMutableBufferPointer { matrix in
            for i in 0..<width {
                let row = unknowns[i] * size
                for j in 0..<width { matrix[row + unknowns[j]] -= dot(through[i], rows[j]) }
            }
        }
        for i in 0..<width { built.system.right[unknowns[i]] -= dot(rows[i], step) }
        built.eliminated.append((step, unknowns, through))
        return true
    }

    private struct Sighted {
        /// Seen − expected has its sign turned: expected − seen, normalized coordinates.
        var residual: Vector2d
        /// By the point's place.
        var pointX, pointY: Vector3d
        /// By the anchor's turn and position, this frame's turn and position, and the clock.
        var x = SIMD16<Double>.zero
        var y = SIMD16<Double>.zero
    }

    /// Where the body was when the picture was taken, the clock's error made up for.
    private func pictured(_ frame: Frame) -> Frame {
        guard timeOffset != 0 else { return frame }
        var moved = frame
        moved.worldFromBody.rotation = frame.worldFromBody.rotation * Matrix3d.rotation((frame.rate - gyroscopeBias) * timeOffset)
        moved.worldFromBody.translation += frame.velocity * timeOffset
        return moved
    }

    private func derivatives(_ place: Vector3d, _ anchor: Int, _ sight: (frame: Int, normalized: Vector2d)) -> Sighted? {
        guard sight.frame != anchor else {
            return Sighted(
                residual: Vector2d(place.x, place.y) - sight.normalized, pointX: Vector3d(1, 0, 0), pointY: Vector3d(0, 1, 0))
        }
        let (a, j) = (pictured(frames[anchor]), pictured(frames[sight.frame]))
        let direction = bodyFromCamera.rotation * Vector3d(place.x, place.y, 1)
        // The point times its inverse depth, so that far ones are like others: on the anchor's body, in the world, on the other's body.
        let onAnchor = direction + bodyFromCamera.translation * place.z
        let between = a.worldFromBody.translation - j.worldFromBody.translation
        let inWorld = a.worldFromBody.rotation * onAnchor + between * place.z
        let onBody = j.worldFromBody.rotation.transpose * inWorld
        let cameraFromBody = bodyFromCamera.rotation.transpose
        let h = cameraFromBody * (onBody - bodyFromCamera.translation * place.z)
        guard h.z > 1e-3 else { return nil }
        let projected = Vector2d(h.x, h.y) / h.z
        let rowX = Vector3d(1, 0, -projected.x) / h.z
        let rowY = Vector3d(0, 1, -projected.y) / h.z

        let cameraFromWorld = cameraFromBody * j.worldFromBody.rotation.transpose
        let cameraFromAnchorBody = cameraFromWorld * a.worldFromBody.rotation
        let byAnchorTurn = cameraFromAnchorBody * Matrix3d.skew(onAnchor) * -1
        let byTurn = cameraFromBody * Matrix3d.skew(onBody)
        let byPosition = cameraFromWorld * place.z
        let moved = j.worldFromBody.rotation.transpose * (between + a.worldFromBody.rotation * bodyFromCamera.translation)
        let byDepth = cameraFromBody * (moved - bodyFromCamera.translation)
        let byDirection = cameraFromAnchorBody * bodyFromCamera.rotation
        let byClock =
            byAnchorTurn * (a.rate - gyroscopeBias) + byTurn * (j.rate - gyroscopeBias) + byPosition * (a.velocity - j.velocity)

        func row(_ r: Vector3d) -> (point: Vector3d, rest: SIMD16<Double>) {
            let (t, p, u) = (byAnchorTurn.transpose * r, byPosition.transpose * r, byTurn.transpose * r)
            return (
                Vector3d(dot(r, byDirection.x), dot(r, byDirection.y), dot(r, byDepth)),
                SIMD16(t.x, t.y, t.z, p.x, p.y, p.z, u.x, u.y, u.z, -p.x, -p.y, -p.z, dot(r, byClock), 0, 0, 0)
            )
        }
        let (x, y) = (row(rowX), row(rowY))
        return Sighted(residual: projected - sight.normalized, pointX: x.point, pointY: y.point, x: x.rest, y: y.rest)
    }

    /// Sights that miss by more than `limit` standard deviations; points with fewer than `least` sights left go.
    mutating func dropOutliers(limit: Double, least: Int) {
        var kept: [Point] = []
        for point in points {
            let anchor = point.track.sights[0].frame
            var track = point.track
            track.sights = point.track.sights.filter { seen in
                guard let d = derivatives(point.place, anchor, seen) else { return false }
                return (d.residual * d.residual).sum() <= limit * limit * sight * sight
            }
            guard track.sights.count >= least, track.sights.first?.frame == anchor, point.place.z > -1e-3 else { continue }
            kept.append(Point(track: track, place: point.place))
        }
        points = kept
    }

    /// The root of the mean square of the sights' misses, in normalized coordinates, by coordinate.
    var residual: Double {
        var (sum, count) = (0.0, 0)
        for point in points {
            for sight in point.track.sights.dropFirst() {
                guard let d = derivatives(point.place, point.track.sights[0].frame, sight) else { continue }
                sum += (d.residual * d.residual).sum()
                count += 2
            }
        }
        return (sum / Double(max(1, count))).squareRoot()
    }

    /// The root of the mean square of what the IMU says otherwise, in standard deviations.
    var inertialResidual: Double {
        var sum = 0.0
        for index in steps.indices {
            let (a, b, step) = (frames[index], frames[index + 1], steps[index])
            let said = step.corrected(gyroscopeBias: gyroscopeBias, accelerometerBias: accelerometerBias)
            let back = a.worldFromBody.rotation.transpose
            let t = step.duration
            let parts = [
                (said.rotation.transpose * back * b.worldFromBody.rotation).rotationVector,
                back * (b.velocity - a.velocity - gravity * t) - said.velocity,
                back * (b.worldFromBody.translation - a.worldFromBody.translation - a.velocity * t - gravity * (t * t / 2)) - said.position,
            ]
            for i in 0..<9 { for j in 0..<9 { sum += parts[i / 3][i % 3] * information[index][i * 9 + j] * parts[j / 3][j % 3] } }
        }
        return (sum / Double(max(1, 9 * steps.count))).squareRoot()
    }

    /// How far the biases are from what was believed, in standard deviations: the larger.
    var biasResidual: Double {
        max(
            length(gyroscopeBias - prior.gyroscopeBias) / prior.gyroscopeBiasDeviation,
            length(accelerometerBias - prior.accelerometerBias) / prior.accelerometerBiasDeviation)
    }

    // MARK: The step

    mutating func apply(_ step: [Double], _ built: Built) {
        func three(_ index: Int) -> Vector3d { Vector3d(step[index], step[index + 1], step[index + 2]) }
        for index in points.indices {
            let part = built.eliminated[index]
            var move = part.step
            for (k, unknown) in part.unknowns.enumerated() { move -= part.rows[k] * step[unknown] }
            // Depths, not their inverses, follow the frames when all grow: so a wrong scale is left in one step, not in a hundred.
            let inverse = points[index].place.z
            let grown = inverse / (1 - min(max(move.z / inverse, -4), 0.75))
            points[index].place = Vector3d(
                points[index].place.x + move.x, points[index].place.y + move.y, min(max(grown, 1e-4), 20))
        }
        for index in frames.indices {
            let pose = frames[index].worldFromBody
            frames[index].worldFromBody = RigidTransform(
                rotation: Rotations.tidied(pose.rotation * Matrix3d.rotation(three(9 * index))),
                translation: pose.translation + three(9 * index + 3))
            frames[index].velocity += three(9 * index + 6)
        }
        let biases = 9 * frames.count
        gyroscopeBias += three(biases)
        accelerometerBias += three(biases + 3)
        timeOffset += step[biases + 6]
    }
}
