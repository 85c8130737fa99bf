import VitrineMath
import VitrineVision

/// From turns to a whole.
extension DynamicInitializer {
    struct Input {
        var frames: [InitializationWindow.Frame]
        var tracks: [InitializationWindow.Track]
        var inertial: InertialBuffer
        var rig: SensorRig
        var belief: Belief
    }

    struct Solved {
        var adjustment: WindowAdjustment
        var freeGravity: Double
        /// Of the frames, on the IMU's clock.
        var times: [Double]
        /// What was added to the pictures' times, and what the adjustment says.
        var timeOffset: Double
        /// Of the features, in pixels, as what is left over tells it.
        var noise: Double

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
    func adjusted(_ input: Input, _ bias: Vector3d, _ offset: Double) throws(InitializationFailure) -> Solved {
        let (steps, times) = try steps(input, bias, offset)
        let linear = LinearAlignment(
            frames: Self.chained(steps), tracks: input.tracks, bodyFromCamera: input.rig.cameraFromBody.inverse, gravity: settings.gravity)
        guard parallax(linear) >= settings.leastParallax else { throw .tooLittleTravel }
        guard let solution = linear.solve() else { throw .noSolution }
        guard abs(solution.freeGravity / settings.gravity - 1) <= settings.gravityTolerance else { throw .gravityDisagrees }
        guard var adjustment = adjustment(linear, solution, steps, times, input, bias, offset) else { throw .noSolution }
        let count = adjustment.points.count
        guard count >= settings.leastFeatures / 2 else { throw .featuresDisagree }
        let pixel = pixel(input.rig)
        // From afar nothing may be called an outlier yet.
        adjustment.cut = 30
        guard adjustment.solve(rounds: 20) != nil else { throw .noSolution }
        adjustment.cut = 3
        for (limit, rounds) in [(6.0, 8), (4.0, 5)] {
            let noise = adjustment.noise
            guard noise <= settings.mostNoise * pixel else { throw .featuresDisagree }
            adjustment.sight = max(noise, settings.leastNoise * pixel)
            adjustment.dropOutliers(limit: limit, least: 3)
            guard Double(adjustment.points.count) >= settings.share * Double(count) else { throw .featuresDisagree }
            guard adjustment.solve(rounds: rounds) != nil else { throw .noSolution }
        }
        return Solved(
            adjustment: adjustment, freeGravity: solution.freeGravity, times: times, timeOffset: times[0] - input.frames[0].time,
            noise: adjustment.noise / pixel)
    }

    /// The samples added up between the frames, and the frames' times.
    private func steps(_ input: Input, _ bias: Vector3d, _ offset: Double) throws(InitializationFailure) -> ([Preintegration], [Double]) {
        let (times, inertial) = (input.frames.map { $0.time + offset }, input.inertial)
        guard inertial.longestGap(from: times[0], to: times[times.count - 1]) <= settings.longestGap else { throw .inertialGap }
        let steps = zip(times, times.dropFirst()).map {
            Preintegration(
                inertial.samples(from: $0, to: $1), noise: input.rig.noise, gyroscopeBias: bias,
                accelerometerBias: input.belief.accelerometerBias)
        }
        return (steps, times)
    }

    /// The gyroscope's bias and the clock.
    func align(
        _ window: InitializationWindow, _ inertial: InertialBuffer, _ rig: SensorRig, _ belief: Belief
    ) throws(InitializationFailure) -> RotationAlignment.Result {
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

    /// A pixel in normalized coordinates.
    private func pixel(_ rig: SensorRig) -> Double { 1 / min(rig.camera.focal.x, rig.camera.focal.y) }
    private func sight(_ rig: SensorRig) -> Double { settings.pixelNoise * pixel(rig) }

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
        let worldFromFirst = Rotations.shortest(from: normalize(-solution.gravity), to: Vector3d(0, 1, 0))
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
            timeOffset: belief.timeOffset - (times[0] - input.frames[0].time), timeOffsetDeviation: belief.timeOffsetDeviation)
        return WindowAdjustment(
            frames: frames, points: points, steps: steps, gyroscopeBias: bias, prior: prior,
            bodyFromCamera: linear.bodyFromCamera, gravity: settings.gravity, sight: sight(input.rig))
    }
}
