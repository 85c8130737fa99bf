import VitrineMath
import VitrineVision

/// Begins a track in motion: from a second or two of features and inertial samples to pose, velocity, gravity, biases and scale, or a reason
/// why not.
///
/// The gyroscope's bias and the camera's clock come first (``RotationAlignment``), then velocity, gravity and points in one linear system
/// (``LinearAlignment``), then all together (``WindowAdjustment``). What comes out is believed only where everything fits: left free, gravity
/// has its magnitude; features and IMU have small residuals; and the scale's own standard deviation is small.
struct DynamicInitializer: Sendable {
    struct Settings: Equatable, Sendable {
        /// Seconds of the window, at most and at least.
        var longest = 1.6
        var shortest = 0.9
        /// Frames of the window that are used for the adjustment.
        var frames = 10
        var leastFeatures = 20
        var mostFeatures = 50
        /// Standard deviation of a feature in pixels.
        var pixelNoise = 1.0
        /// How far features must move, the turn taken out, from the window's first frame to its last: the median in radians.
        var leastParallax = 0.015
        /// How far from the true one a free gravity may be, as a share of it.
        var gravityTolerance = 0.15
        /// The scale's standard deviation, as a share of it.
        var scaleDeviation = 0.08
        /// Of the points, the share that has to fit.
        var share = 0.6
        /// Seconds without a sample.
        var longestGap = 0.06
        /// m/s².
        var gravity = 9.81
    }

    /// What is believed before: standard deviations of the gyroscope's bias (rad/s), the accelerometer's (m/s²) and the clock's offset.
    struct Belief: Sendable {
        var gyroscopeBias = Vector3d.zero
        var gyroscopeBiasDeviation = 0.1
        var accelerometerBias = Vector3d.zero
        var accelerometerBiasDeviation = 0.15
        var timeOffset = 0.0
        var timeOffsetDeviation = 0.05
    }

    var settings = Settings()

    func start(
        _ window: InitializationWindow, _ inertial: InertialBuffer, rig: SensorRig, belief: Belief
    ) throws(StartRefusal) -> StartEstimate {
        let frames = window.spread(settings.frames)
        guard window.duration >= settings.shortest, frames.count >= 6 else { throw .tooShort }
        let tracks = InitializationWindow.tracks(frames, sights: 4, limit: settings.mostFeatures)
        guard tracks.count >= settings.leastFeatures else { throw .tooFewFeatures }
        let aligned = try align(window, inertial, rig, belief)
        let input = Input(frames: frames, tracks: tracks, inertial: inertial, rig: rig, belief: belief)
        // From a bias that is a little off the linear solution comes out too small, and what begins there may end elsewhere. So the adjusted bias
        // and clock begin it all again, until what comes out is what came out before.
        var last = try adjusted(input, aligned.gyroscopeBias, aligned.timeOffset)
        for _ in 0..<2 {
            let next = try adjusted(input, last.adjustment.gyroscopeBias, last.offset)
            let estimate = try judged(next, rig)
            if abs(next.extent / last.extent - 1) <= max(0.02, estimate.scaleDeviation) { return estimate }
            last = next
        }
        throw .scaleUnsure
    }

    private struct Input {
        var frames: [InitializationWindow.Frame]
        var tracks: [InitializationWindow.Track]
        var inertial: InertialBuffer
        var rig: SensorRig
        var belief: Belief
    }

    private struct Solved {
        var adjustment: WindowAdjustment
        var freeGravity: Double
        /// Of the frames, on the IMU's clock.
        var times: [Double]
        /// What was added to the pictures' times, and what the adjustment says.
        var timeOffset: Double

        var offset: Double { timeOffset + adjustment.timeOffset }
        /// The frame farthest from the first, and how far that is.
        var farthest: Int {
            adjustment.frames.indices.max { distance($0) < distance($1) } ?? 0
        }
        var extent: Double { distance(farthest) }

        func distance(_ frame: Int) -> Double {
            length(adjustment.frames[frame].worldFromBody.translation - adjustment.frames[0].worldFromBody.translation)
        }
    }

    /// Everything after the turns: the linear solution, and the adjustment from there.
    private func adjusted(_ input: Input, _ bias: Vector3d, _ offset: Double) throws(StartRefusal) -> Solved {
        let times = input.frames.map { $0.time + offset }
        let inertial = input.inertial
        guard inertial.longestGap(from: times[0], to: times[times.count - 1]) <= settings.longestGap else { throw .inertialGap }
        let steps = zip(times, times.dropFirst()).map {
            Preintegration(
                inertial.samples(from: $0, to: $1), noise: input.rig.noise, gyroscopeBias: bias,
                accelerometerBias: input.belief.accelerometerBias)
        }
        let linear = LinearAlignment(
            frames: Self.chained(steps), tracks: input.tracks, bodyFromCamera: input.rig.cameraFromBody.inverse, gravity: settings.gravity)
        guard parallax(linear) >= settings.leastParallax else { throw .tooLittleTravel }
        guard let solution = linear.solve() else { throw .noSolution }
        guard abs(solution.freeGravity / settings.gravity - 1) <= settings.gravityTolerance else { throw .gravityDisagrees }
        guard var adjustment = adjustment(linear, solution, steps, times, input, bias, offset) else { throw .noSolution }
        let count = adjustment.points.count
        guard count >= settings.leastFeatures / 2 else { throw .featuresDisagree }
        // From afar nothing may be called an outlier yet.
        adjustment.cut = 30
        guard adjustment.solve(rounds: 20) != nil else { throw .noSolution }
        adjustment.cut = 3
        adjustment.dropOutliers(limit: 6, least: 3)
        guard adjustment.solve(rounds: 10) != nil else { throw .noSolution }
        adjustment.dropOutliers(limit: 3.5, least: 3)
        guard Double(adjustment.points.count) >= settings.share * Double(count) else { throw .featuresDisagree }
        guard adjustment.solve(rounds: 6) != nil else { throw .noSolution }
        return Solved(adjustment: adjustment, freeGravity: solution.freeGravity, times: times, timeOffset: offset)
    }

    /// The gyroscope's bias and the clock.
    private func align(
        _ window: InitializationWindow, _ inertial: InertialBuffer, _ rig: SensorRig, _ belief: Belief
    ) throws(StartRefusal) -> RotationAlignment.Result {
        var options = RotationAlignment.Settings()
        options.sight = sight(rig)
        options.bias = belief.gyroscopeBiasDeviation
        options.timeOffset = belief.timeOffsetDeviation
        options.reach = min(0.12, 3 * belief.timeOffsetDeviation)
        let reach = options.reach + 0.02
        let (start, end) = (window.frames[0].time + belief.timeOffset, window.frames[window.frames.count - 1].time + belief.timeOffset)
        let alignment = RotationAlignment(
            frames: window.frames, samples: inertial.samples(from: start - reach, to: end + reach),
            cameraFromBody: rig.cameraFromBody.rotation, bias: belief.gyroscopeBias, offset: belief.timeOffset, settings: options)
        guard let result = alignment?.solve() else { throw .tooFewFeatures }
        guard result.residual < 2 else { throw .rotationDisagrees }
        return result
    }

    private func sight(_ rig: SensorRig) -> Double { settings.pixelNoise / min(rig.camera.focal.x, rig.camera.focal.y) }

    /// The steps added up: where each frame would be had the first one not moved and were there no gravity.
    private static func chained(_ steps: [Preintegration]) -> [LinearAlignment.Frame] {
        var frames = [LinearAlignment.Frame(time: 0, rotation: .identity, push: .zero)]
        var (velocity, frame) = (Vector3d.zero, frames[0])
        for step in steps {
            frame.push += velocity * step.duration + frame.rotation * step.position
            velocity += frame.rotation * step.velocity
            frame.rotation = frame.rotation * step.rotation
            frame.time += step.duration
            frames.append(frame)
        }
        return frames
    }

    /// The median angle that rays turned over the tracks' lengths, besides the camera's own turn.
    private func parallax(_ linear: LinearAlignment) -> Double {
        let turnedBy = linear.tracks.map { track -> Double in
            let (a, b) = (track.sights[0], track.sights[track.sights.count - 1])
            func ray(_ sight: (frame: Int, normalized: Vector2d)) -> Vector3d {
                linear.frames[sight.frame].rotation * (linear.bodyFromCamera.rotation * InitializationWindow.ray(sight.normalized))
            }
            let (first, last) = (ray(a), ray(b))
            return atan2(length(cross(first, last)), dot(first, last))
        }
        return turnedBy.sorted()[turnedBy.count / 2]
    }

    private func adjustment(
        _ linear: LinearAlignment, _ solution: LinearAlignment.Solution, _ steps: [Preintegration], _ times: [Double], _ input: Input,
        _ bias: Vector3d, _ offset: Double
    ) -> WindowAdjustment? {
        let worldFromFirst = Rotations.turning(normalize(-solution.gravity), to: Vector3d(0, 1, 0))
        let down = Vector3d(0, -settings.gravity, 0)
        var (velocity, frames): (Vector3d, [WindowAdjustment.Frame]) = (worldFromFirst * solution.velocity, [])
        for (index, frame) in linear.frames.enumerated() {
            let rotation = worldFromFirst * frame.rotation
            let position =
                worldFromFirst * (solution.velocity * frame.time + frame.push) + down * (frame.time * frame.time / 2)
            frames.append(
                WindowAdjustment.Frame(
                    worldFromBody: RigidTransform(rotation: rotation, translation: position), velocity: velocity,
                    rate: input.inertial.reading(at: times[index])?.angularVelocity ?? .zero))
            if index < steps.count { velocity += rotation * steps[index].velocity + down * steps[index].duration }
        }
        let points = zip(linear.tracks, solution.points).compactMap { track, place -> WindowAdjustment.Point? in
            guard let place else { return nil }
            let anchor = frames[track.sights[0].frame].worldFromBody * linear.bodyFromCamera
            let inCamera = anchor.inverse * (worldFromFirst * place)
            guard inCamera.z > 0.05 else { return nil }
            return WindowAdjustment.Point(track: track, place: Vector3d(inCamera.x, inCamera.y, 1) / inCamera.z)
        }
        let belief = input.belief
        let prior = WindowAdjustment.Prior(
            gyroscopeBias: belief.gyroscopeBias, gyroscopeBiasDeviation: belief.gyroscopeBiasDeviation,
            accelerometerBias: belief.accelerometerBias, accelerometerBiasDeviation: belief.accelerometerBiasDeviation,
            timeOffset: belief.timeOffset - offset, timeOffsetDeviation: belief.timeOffsetDeviation)
        return WindowAdjustment(
            frames: frames, points: points, steps: steps, gyroscopeBias: bias, prior: prior,
            bodyFromCamera: linear.bodyFromCamera, gravity: settings.gravity, sight: sight(input.rig))
    }

    /// The last word: whether the whole is to be believed.
    private func judged(_ solved: Solved, _ rig: SensorRig) throws(StartRefusal) -> StartEstimate {
        let adjustment = solved.adjustment
        let residual = adjustment.residual / sight(rig) * settings.pixelNoise
        guard residual < 1.6 * settings.pixelNoise else { throw .featuresDisagree }
        guard adjustment.inertialResidual < 2, adjustment.biasResidual < 3 else { throw .inertialDisagrees }
        // The frame farthest from the first tells how sure the scale is.
        let origin = adjustment.frames[0].worldFromBody.translation
        let (far, last) = (solved.farthest, adjustment.frames.count - 1)
        let biases = 9 * adjustment.frames.count
        let wanted = (0..<9).map { 9 * last + $0 } + (0..<7).map { biases + $0 } + (0..<3).map { 9 * far + 3 + $0 }
        guard far > 0, let covariance = adjustment.covariance(wanted) else { throw .noSolution }
        let way = normalize(adjustment.frames[far].worldFromBody.translation - origin)
        var variance = 0.0
        for i in 0..<3 { for j in 0..<3 { variance += way[i] * way[j] * covariance[(16 + i) * 19 + 16 + j] } }
        let deviation = variance.squareRoot() / solved.extent
        guard deviation.isFinite, deviation <= settings.scaleDeviation else { throw .scaleUnsure }

        let frame = adjustment.frames[last]
        let state = FilterState(
            time: solved.times[last], worldFromBody: frame.worldFromBody, velocity: frame.velocity, gyroscopeBias: adjustment.gyroscopeBias,
            accelerometerBias: adjustment.accelerometerBias)
        return StartEstimate(
            state: state, timeOffset: solved.offset,
            timeOffsetDeviation: max(covariance[15 * 19 + 15], 0).squareRoot(),
            covariance: Self.inWorld(covariance, frame.worldFromBody.rotation), first: adjustment.frames[0].worldFromBody,
            scaleDeviation: deviation, freeGravity: solved.freeGravity, residual: residual)
    }

    /// The first fifteen unknowns, their turn about the world's axes instead of the body's.
    private static func inWorld(_ covariance: [Double], _ rotation: Matrix3d) -> [Double] {
        var result = [Double](repeating: 0, count: 225)
        var half = result
        for i in 0..<15 {
            for j in 0..<15 {
                half[i * 15 + j] =
                    i >= 3 ? covariance[i * 19 + j] : (0..<3).reduce(0) { $0 + rotation.column($1)[i] * covariance[$1 * 19 + j] }
            }
        }
        for i in 0..<15 {
            for j in 0..<15 {
                result[i * 15 + j] = j >= 3 ? half[i * 15 + j] : (0..<3).reduce(0) { $0 + half[i * 15 + $1] * rotation.column($1)[j] }
            }
        }
        return result
    }
}
