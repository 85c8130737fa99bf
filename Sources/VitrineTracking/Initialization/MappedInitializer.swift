import VitrineMapping
import VitrineMath
import VitrineVision

/// Initialization in a landmark map: relocalized frames determine position, heading and scale, so that half a second suffices for velocity, biases
/// and the camera's clock.
extension DynamicInitializer {
    /// Starts a filter from relocalized frames.
    ///
    /// - Parameter poses: Relocalized frames of the window, in the world of the result.
    func start(
        _ window: InitializationWindow, _ inertial: InertialBuffer, rig: SensorRig, prior: InertialPrior, poses: [MappedPose]
    ) throws(InitializationFailure) -> InitialEstimate {
        guard let first = poses.first, let last = poses.last, poses.count >= settings.mappedPoses,
            last.time - first.time >= settings.mappedDuration
        else { throw .tooShort }
        let times = Set(poses.map(\.time)).union(window.spread(settings.frames).map(\.time))
        let frames = window.frames.filter { times.contains($0.time) }
        let tracks = InitializationWindow.tracks(frames, minimumLength: 3, limit: settings.maximumFeatures)
        guard frames.count >= 4, tracks.count >= settings.minimumFeatures else { throw .tooFewFeatures }
        let input = Input(frames: frames, tracks: tracks, inertial: inertial, rig: rig, prior: prior)
        let aligned = try align(window, inertial, rig, prior)
        return try estimate(solved(input, poses, aligned))
    }

    /// Solves until the clock offset, in which the adjustment is linear, settles.
    private func solved(
        _ input: Input, _ poses: [MappedPose], _ aligned: RotationAlignment.Result
    ) throws(InitializationFailure) -> Solution {
        var offset = aligned.timeOffset
        for _ in 0..<4 {
            guard let adjustment = try adjustment(input, poses, aligned.gyroscopeBias, offset) else { throw .noSolution }
            let capture = input.frames.map { $0.time + offset }
            let solution = try solved(adjustment, unconstrainedGravity: settings.gravity, capture, input)
            let change = abs(solution.offset - offset)
            offset = solution.offset
            guard change > settings.mappedClockChange else {
                guard solution.adjustment.poseResidual < settings.mappedResidual else { throw .inconsistentFeatures }
                return solution
            }
        }
        throw .inconsistentRotation
    }

    /// The bundle adjustment that starts from the poses and the inertial samples.
    private func adjustment(
        _ input: Input, _ poses: [MappedPose], _ bias: Vector3d, _ offset: Double
    ) throws(InitializationFailure) -> VisualInertialBundleAdjustment? {
        let (steps, times) = try steps(input, bias, offset)
        let chain = Self.chained(steps)
        let measurements = poses.compactMap { pose -> VisualInertialBundleAdjustment.PoseMeasurement? in
            guard let frame = input.frames.firstIndex(where: { $0.time == pose.time }), let information = information(pose) else {
                return nil
            }
            return VisualInertialBundleAdjustment.PoseMeasurement(
                frame: frame, worldFromBody: pose.worldFromCamera * input.rig.cameraFromBody, information: information)
        }
        guard let newest = measurements.last, let motion = motion(chain, measurements) else { return nil }
        let worldFromFirst = newest.worldFromBody.rotation * chain[newest.frame].rotation.transpose
        let down = Vector3d(0, -settings.gravity, 0)
        var (velocity, frames): (Vector3d, [VisualInertialBundleAdjustment.Frame]) = (motion.velocity, [])
        for (index, link) in chain.enumerated() {
            let rotation = worldFromFirst * link.rotation
            let position =
                motion.position + motion.velocity * link.time + worldFromFirst * link.displacement + down * (link.time * link.time / 2)
            frames.append(
                VisualInertialBundleAdjustment.Frame(
                    worldFromBody: RigidTransform(rotation: rotation, translation: position), velocity: velocity,
                    rate: input.inertial.reading(at: times[index])?.angularVelocity ?? .zero))
            if index < steps.count { velocity += rotation * steps[index].velocity + down * steps[index].duration }
        }
        let bodyFromCamera = input.rig.cameraFromBody.inverse
        let points = input.tracks.map { Self.point($0, frames.map { $0.worldFromBody * bodyFromCamera }) }
        var adjustment = adjustment(frames, points, steps, times, input, bias)
        adjustment?.poseMeasurements = measurements
        return adjustment
    }

    /// The inverse covariance of a pose, with the errors that all poses share.
    private func information(_ pose: MappedPose) -> [Double]? {
        var system = SymmetricSystem(size: 6)
        system.matrix = pose.covariance
        for k in 0..<6 {
            let noise = k < 3 ? settings.mappedRotationNoise : settings.mappedPositionNoise
            system.matrix[7 * k] += noise * noise
        }
        return system.factored()?.inverse(Array(0..<6))
    }

    /// Position and velocity at the first frame: least squares over the measured positions.
    private func motion(
        _ chain: [LinearAlignment.Frame], _ measurements: [VisualInertialBundleAdjustment.PoseMeasurement]
    ) -> (position: Vector3d, velocity: Vector3d)? {
        guard let newest = measurements.last else { return nil }
        let worldFromFirst = newest.worldFromBody.rotation * chain[newest.frame].rotation.transpose
        var (count, time, square) = (0.0, 0.0, 0.0)
        var (sum, moment) = (Vector3d.zero, Vector3d.zero)
        for measurement in measurements {
            let link = chain[measurement.frame]
            let position =
                measurement.worldFromBody.translation - worldFromFirst * link.displacement
                - Vector3d(0, -settings.gravity, 0) * (link.time * link.time / 2)
            (count, time, square) = (count + 1, time + link.time, square + link.time * link.time)
            sum += position
            moment += position * link.time
        }
        let determinant = count * square - time * time
        guard determinant > 1e-6 else { return nil }
        return ((sum * square - moment * time) / determinant, (moment * count - sum * time) / determinant)
    }

    /// A track's point, in the camera of its first observation; at two metres if the rays do not determine the distance.
    private static func point(
        _ track: InitializationWindow.Track, _ cameras: [RigidTransform]
    ) -> VisualInertialBundleAdjustment.Point {
        let anchor = cameras[track.observations[0].frame]
        var midpoint = RayMidpoint()
        for observation in track.observations {
            let camera = cameras[observation.frame]
            midpoint.add(
                origin: camera.translation - anchor.translation,
                direction: camera.rotation * NormalizedObservation.ray(observation.normalized))
        }
        let first = track.observations[0].normalized
        if let depth = track.depth {
            return VisualInertialBundleAdjustment.Point(track: track, parameters: Vector3d(first.x, first.y, 1 / depth.metres))
        }
        let inCamera = midpoint.point(minimumDeterminant: 1e-4).map { anchor.rotation.transpose * $0 }
        guard let inCamera, inCamera.z > 0.1, inCamera.z < 20 else {
            return VisualInertialBundleAdjustment.Point(track: track, parameters: Vector3d(first.x, first.y, 0.5))
        }
        return VisualInertialBundleAdjustment.Point(track: track, parameters: Vector3d(first.x, first.y, 1 / inCamera.z))
    }
}
