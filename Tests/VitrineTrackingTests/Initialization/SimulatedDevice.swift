import VitrineMath
import VitrineTracking
import VitrineVision

/// A device that moves along a path: inertial samples, features of its camera's frames, and ground truth.
struct SimulatedDevice {
    struct Frame {
        /// The time on the camera's clock.
        var time: Double
        var features: [ObservedFeature]
    }

    var rig: SensorRig
    /// The body's path.
    var spline: TrajectorySpline
    var recording: InertialSimulator.Recording
    var frames: [Frame] = []
    let gyroscopeBias = Vector3d(0.02, -0.03, 0.015)
    let accelerometerBias = Vector3d(0.06, -0.05, 0.08)

    /// - Parameters:
    ///   - clock: Delay of the frames' time stamps in seconds; the rig does not contain it.
    ///   - pixelNoise: Standard deviation of features in pixels.
    ///   - drift: Random walk of features in pixels per frame.
    ///   - noise: The IMU's true noise.
    ///   - readoutTime: Of the rolling shutter; the rig contains it.
    ///   - depthNoise: Relative standard deviation of the features' measured depths; nil for a device without a depth sensor.
    ///   - secondTurn: Depths come from a second camera 11 cm beside the first, which is turned by so many radians against its calibration; nil: from a depth
    ///     sensor.
    ///   - poses: The camera's poses, instead of those of the path.
    ///   - inertialError: Standard deviation of the IMU's scale errors and misalignments; the rig contains their corrections.
    init(
        _ path: SimulatedPath, duration: Double, rest: Double = 1, clock: Double = 0, seed: UInt64 = 1, pixelNoise: Double = 0.7,
        drift: Double = 0, outliers: Double = 0.005, noise: InertialNoise = InertialNoise(), readoutTime: Double = 0,
        inertialError: Double = 0, depthNoise: Double? = nil, secondTurn: Double? = nil,
        poses given: [TimedPose]? = nil
    ) throws {
        let camera = CameraIntrinsics(width: 640, height: 360, focal: Vector2d(453, 453), center: Vector2d(321, 177))
        let cameraFromBody = RigidTransform(
            rotation: Matrix3d(rows: Vector3d(0, -1, 0), Vector3d(0, 0, -1), Vector3d(1, 0, 0))
                * Matrix3d.rotation(Vector3d(0.02, -0.03, 0.01)),
            translation: Vector3d(0.01, -0.03, 0.02))
        rig = SensorRig(camera: camera, cameraFromBody: cameraFromBody, noise: noise, readoutTime: readoutTime)
        let poses = given ?? path.cameraPoses(duration: duration, rest: rest, seed: seed)
        let bodies = poses.map { TimedPose(time: $0.time, pose: $0.pose * cameraFromBody) }
        spline = try TrajectorySpline(through: bodies)
        var simulator = InertialSimulator(
            rate: 220, noise: rig.noise, gyroscopeBias: gyroscopeBias, accelerometerBias: accelerometerBias, seed: seed)
        if inertialError > 0 {
            simulator.distort(by: inertialError, seed: seed)
            rig.gyroscopeCorrection = simulator.gyroscopeDistortion.inverse
            rig.accelerometerCorrection = simulator.accelerometerDistortion.inverse
        }
        recording = simulator.record(spline)
        var features = FeatureSimulator(
            rig: rig, around: poses.map(\.pose.translation), margin: 1.5,
            settings: FeatureSimulator.Settings(count: 120, noise: pixelNoise, drift: drift, outliers: outliers, density: 3000, seed: seed))
        var time = spline.start + 0.1
        var random = GaussianGenerator(seed: seed)
        while time < spline.end - 0.1 {
            var observed = features.observe(spline, at: time, readoutTime: readoutTime)
            if let secondTurn {
                let cameraFromWorld = cameraFromBody * spline.pose(at: time).inverse
                for index in observed.indices {
                    let point = cameraFromWorld * features.truth[observed[index].id]
                    let slope = (1 + (point.x / point.z) * (point.x / point.z)) / 0.11
                    let noise = 0.35 / (453 * 0.11)
                    let inverse = 1 / point.z + slope * secondTurn + noise * random.next()
                    if inverse > 4 * noise {
                        observed[index].depth = MeasuredDepth(metres: 1 / inverse, inverseNoise: noise, turnSlope: slope)
                    }
                }
            }
            if let depthNoise {
                let cameraFromWorld = cameraFromBody * spline.pose(at: time).inverse
                for index in observed.indices {
                    let depth = (cameraFromWorld * features.truth[observed[index].id]).z
                    // Edges: a depth of another surface.
                    let metres = depth * (observed[index].id % 25 == 0 ? 1.3 : 1 + depthNoise * random.next())
                    observed[index].depth = MeasuredDepth(metres: metres, inverseNoise: (0.01 + 0.015 * metres) / (metres * metres))
                }
            }
            frames.append(Frame(time: time + clock, features: observed))
            time += 1 / 19.0
        }
    }
}
