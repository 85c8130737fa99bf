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

        /// The frame that it is told in.
        var anchor: Int { track.sights[0].frame }
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
    var sight: Double
    /// Misses beyond this many standard deviations count less and less (Cauchy's function).
    var cut = 3.0
    /// Of each step, nine rows of nine: what turns its misses into independent ones of deviation one.
    let whitenings: [[Double]]

    init?(
        frames: [Frame], points: [Point], steps: [Preintegration], gyroscopeBias: Vector3d, prior: Prior, bodyFromCamera: RigidTransform,
        gravity: Double, sight: Double
    ) {
        (self.frames, self.points, self.steps, self.bodyFromCamera) = (frames, points, steps, bodyFromCamera)
        (self.gyroscopeBias, accelerometerBias) = (gyroscopeBias, prior.accelerometerBias)
        (self.gravity, self.prior, self.sight) = (Vector3d(0, -gravity, 0), prior, sight)
        var all: [[Double]] = []
        for step in steps {
            guard let whitening = step.whitening else { return nil }
            all.append(whitening)
        }
        whitenings = all
    }

    // MARK: Unknowns

    /// In this order: of each frame its turn (on the right) and position; the clock; the frames' velocities; the biases.
    func pose(_ frame: Int) -> Int { 6 * frame }
    var clock: Int { 6 * frames.count }
    func velocity(_ frame: Int) -> Int { 6 * frames.count + 1 + 3 * frame }
    /// The gyroscope's bias, then the accelerometer's.
    var biases: Int { 9 * frames.count + 1 }
    private var size: Int { 9 * frames.count + 7 }

    // MARK: The solution

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

    struct Built {
        var system: SymmetricSystem
        var cost = 0.0
        var points: EliminatedPoints
    }

    /// - Parameter damping: the share by which the points' own equations are stiffened.
    func build(damping: Double = 0) -> Built? {
        var built = Built(system: SymmetricSystem(size: size), points: EliminatedPoints(width: clock + 1, count: points.count))
        addPriors(&built)
        for index in steps.indices { addStep(index, &built) }
        guard addSights(damping, &built) else { return nil }
        return built.cost.isFinite ? built : nil
    }

    mutating func apply(_ step: [Double], _ built: Built) {
        for index in points.indices {
            let move = built.points.step(of: index, after: step)
            // Depths, not their inverses, follow the frames when all grow: so a wrong scale is left in one step, not in a hundred.
            let place = points[index].place
            let grown = place.z / (1 - min(max(move.z / place.z, -4), 0.75))
            points[index].place = Vector3d(place.x + move.x, place.y + move.y, min(max(grown, 1e-4), 20))
        }
        moveFrames(step)
    }

    mutating func moveFrames(_ step: [Double]) {
        func three(_ index: Int) -> Vector3d { Vector3d(step[index], step[index + 1], step[index + 2]) }
        for index in frames.indices {
            let old = frames[index].worldFromBody
            frames[index].worldFromBody = RigidTransform(
                rotation: Rotations.orthonormalized(old.rotation * Matrix3d.rotation(three(pose(index)))),
                translation: old.translation + three(pose(index) + 3))
            frames[index].velocity += three(velocity(index))
        }
        gyroscopeBias += three(biases)
        accelerometerBias += three(biases + 3)
        timeOffset += step[clock]
    }
}
