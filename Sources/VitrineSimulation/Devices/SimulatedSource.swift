import Vitrine
import VitrineAR
import VitrineVision

/// A simulated device that moves through a room: rendered images, IMU samples, and the ground-truth pose with each image.
///
/// ```swift
/// let rig = SensorRig(camera: CameraIntrinsics(width: 640, height: 480, verticalFieldOfView: 0.9))
/// let source = try SimulatedSource(.study, along: SimulatedPath.around.cameraPoses(duration: 20), rig: rig)
/// while let event = try await source.next() { … }
/// ```
///
/// The same room, path, rig and settings give the same samples; images are the same on the same GPU and driver.
public actor SimulatedSource: SensorSource {
    /// The device's calibration.
    public nonisolated let rig: SensorRig
    /// Always false, because events are simulated on demand.
    public nonisolated var isLive: Bool { false }
    /// Always empty, because a simulation has no problems.
    public nonisolated var problems: SourceProblems { SourceProblems() }
    /// The true trajectory of the body; that of a simulated person up to now.
    package nonisolated var spline: TrajectorySpline { person?.spline ?? path }
    /// The simulated user, whose walk depends on feedback; nil if the path is given.
    package nonisolated let person: SimulatedPerson?
    /// The parameters of the simulation.
    public nonisolated let settings: SimulationSettings
    /// The surfaces of the room, as ground truth for planes.
    package nonisolated let faces: [SimulatedRoom.Face]
    /// The number of frames, including those in gaps; at most, if a simulated person may end earlier.
    public nonisolated let frameCount: Int

    private nonisolated let path: TrajectorySpline
    private let camera: SimulatedCamera
    /// The second camera of a stereo pair; nil without one.
    private let secondCamera: SimulatedCamera?
    /// The true pose of the second camera in the first one's frame.
    private nonisolated let firstFromSecond: RigidTransform
    private var samples: [InertialSample]
    /// Records the IMU of a simulated person.
    private var recorder: InertialSimulator.Recorder?
    private var nextFrame = 0
    private var nextSample = 0

    /// Simulates a device in a furnished room around a path.
    ///
    /// - Parameters:
    ///   - cameraPoses: At least four poses of the camera (x right, y down, z forward) in the world, +Y up, with increasing times. A smooth
    ///     trajectory through them is followed.
    ///   - rig: The true calibration; `timeOffset` is ignored, see `SimulationSettings.delay`.
    /// - Throws: `TrajectoryError`, `RenderError` or `GPUError`.
    public init(
        _ style: SimulatedRoom.Style, along cameraPoses: [TimedPose], rig: SensorRig, settings: SimulationSettings = SimulationSettings()
    ) throws {
        try self.init(style, along: Self.spline(through: cameraPoses, rig), rig: rig, settings: settings)
    }

    /// Simulates a device in a given room.
    ///
    /// - Parameters:
    ///   - room: A room that the source takes over.
    ///   - cameraPoses: At least four poses of the camera (x right, y down, z forward) in the world, +Y up, with increasing times.
    ///   - rig: The true calibration; `timeOffset` is ignored, see `SimulationSettings.delay`.
    /// - Throws: `TrajectoryError`, `RenderError` or `GPUError`.
    public init(
        in room: sending SimulatedRoom, along cameraPoses: [TimedPose], rig: SensorRig, settings: SimulationSettings = SimulationSettings()
    ) throws {
        try self.init(in: room, along: Self.spline(through: cameraPoses, rig), rig: rig, settings: settings)
    }

    /// The trajectory of the body of a camera with these poses.
    private static func spline(through cameraPoses: [TimedPose], _ rig: SensorRig) throws(TrajectoryError) -> TrajectorySpline {
        try TrajectorySpline(through: cameraPoses.map { TimedPose(time: $0.time, pose: $0.pose * rig.cameraFromBody) })
    }

    /// Simulates a device in a furnished room around the path of its body.
    ///
    /// - Parameters:
    ///   - spline: The trajectory of the body (the IMU), +Y up.
    ///   - rig: The true calibration; `timeOffset` is ignored, see `SimulationSettings.delay`.
    ///   - samples: Samples of a real IMU on the trajectory instead of simulated ones. Default nil.
    /// - Throws: `RenderError` or `GPUError`.
    package init(
        _ style: SimulatedRoom.Style, along spline: TrajectorySpline, rig: SensorRig, settings: SimulationSettings = SimulationSettings(),
        samples: [InertialSample]? = nil
    ) throws {
        let eyes = spline.poses(rate: 10).map { ($0.pose * rig.cameraFromBody.inverse).translation }
        try self.init(
            in: SimulatedRoom(style, around: eyes, markerEdge: settings.markerEdge, seed: settings.seed), along: spline, rig: rig,
            settings: settings, samples: samples)
    }

    /// Simulates a device in a given room along the path of its body.
    package init(
        in room: sending SimulatedRoom, along spline: TrajectorySpline, rig: SensorRig, settings: SimulationSettings = SimulationSettings(),
        samples: [InertialSample]? = nil
    ) throws {
        try self.init(in: room, along: spline, person: nil, rig: rig, settings: settings, samples: samples)
    }

    /// Simulates the device of a person in a given room, who hears the feedback between two frames.
    package init(
        in room: sending SimulatedRoom, with person: SimulatedPerson, rig: SensorRig, settings: SimulationSettings = SimulationSettings()
    ) throws {
        try self.init(in: room, along: person.spline, person: person, rig: rig, settings: settings, samples: nil)
    }

    private init(
        in room: sending SimulatedRoom, along spline: TrajectorySpline, person: SimulatedPerson?, rig: SensorRig,
        settings: SimulationSettings,
        samples: [InertialSample]?
    ) throws {
        precondition(settings.frameRate > 0 && settings.frameRate.isFinite, "SimulationSettings.frameRate must be above 0")
        faces = room.faces
        camera = try SimulatedCamera(rig.camera, in: room)
        secondCamera = try rig.secondCamera.map { [camera] in try camera.beside($0) }
        var reported = rig
        reported.timeOffset = settings.reportsDelay ? -settings.delay : 0
        reported.secondFromCamera =
            RigidTransform(rotation: .rotation(Vector3d(0, settings.secondCameraTurn, 0)), translation: .zero) * rig.secondFromCamera
        firstFromSecond = rig.secondFromCamera.inverse
        reported.readoutTime = settings.reportsReadoutTime ? settings.readoutTime : 0
        (self.rig, self.settings, path, self.person) = (reported, settings, spline, person)
        let duration = min(settings.duration ?? .infinity, person?.timeLimit ?? spline.duration)
        frameCount = Int(duration * settings.frameRate + 1e-9) + 1
        var inertial = settings.inertial
        inertial.noise = inertial.noise == nil ? nil : rig.noise
        inertial.seed = inertial.seed &+ settings.seed &* 1_000_003
        let end = spline.start + duration
        if person != nil {
            self.samples = []
            recorder = rig.hasInertialUnit ? InertialSimulator.Recorder(inertial) : nil
        } else {
            self.samples =
                rig.hasInertialUnit
                ? (samples ?? inertial.record(spline).samples).filter {
                    $0.time >= spline.start && $0.time <= end && !settings.hasInertialGap(at: $0.time - spline.start)
                }
                : []
        }
    }

    /// Returns events in the order in which a device delivers them: an image after its last row is read, and after the inertial samples until then.
    public func next() async throws -> SensorEvent? {
        while nextFrame < frameCount {
            let time = path.start + Double(nextFrame) / settings.frameRate
            if let person {
                let needed = time + abs(settings.readoutTime) + settings.exposure
                let spline = person.walk(until: needed)
                record(spline)
                if spline.end < needed { nextFrame = frameCount }
            }
            if nextSample < samples.count, samples[nextSample].time <= time + abs(settings.readoutTime) / 2 {
                nextSample += 1
                return .inertial(samples[nextSample - 1])
            }
            guard nextFrame < frameCount else { break }
            nextFrame += 1
            if settings.gaps.contains(where: { $0.contains(time - path.start) }) { continue }
            return .image(try image(nextFrame - 1, at: time))
        }
        guard nextSample < samples.count else { return nil }
        nextSample += 1
        return .inertial(samples[nextSample - 1])
    }

    /// Adds the IMU's samples up to the end of a person's trajectory.
    private func record(_ spline: TrajectorySpline) {
        guard let count = recorder?.recording.samples.count else { return }
        recorder?.record(spline)
        samples += (recorder?.recording.samples[count...] ?? []).filter { !settings.hasInertialGap(at: $0.time - spline.start) }
    }

    /// Restarts at the first event. A simulated person repeats the walk up to now.
    public func rewind() { (nextFrame, nextSample) = (0, 0) }

    /// The camera's true pose.
    ///
    /// - Parameter time: A time in seconds on the IMU's clock.
    public nonisolated func worldFromCamera(at time: Double) -> RigidTransform { spline.pose(at: time) * rig.cameraFromBody.inverse }

    private func image(_ index: Int, at time: Double) throws -> CameraSample {
        let duration = exposureTime(at: time)
        let gain = pow(2, settings.exposureDrift * sin(2 * Double.pi * (time - spline.start) / 12))
        let truth = worldFromCamera(at: time)
        var sample = CameraSample(
            time: time + settings.delay, image: try capture(camera, .identity, index, at: time, seed: settings.seed),
            depth: settings.depthSize.map { camera.depth(at: truth, width: $0.x, height: $0.y) },
            exposureDuration: duration > 0 ? duration : nil, gain: settings.exposureDrift > 0 ? gain : nil, worldFromCamera: truth)
        if let secondCamera {
            sample.secondLuma = try capture(
                secondCamera, firstFromSecond, index, at: time, seed: settings.seed &+ 7_368_787
            ).luma
        }
        return sample
    }

    /// The image of one of the cameras.
    ///
    /// - Parameter firstFromCamera: The first camera's frame from this one's.
    private func capture(
        _ camera: SimulatedCamera, _ firstFromCamera: RigidTransform, _ index: Int, at time: Double, seed: UInt64
    ) throws -> CapturedImage {
        var exposure = SensorExposure(width: camera.camera.width, height: camera.camera.height)
        let duration = exposureTime(at: time)
        let (count, strips) = (exposures(at: time, duration), strips(at: time))
        for strip in 0..<strips {
            let delay = ((Double(strip) + 0.5) / Double(strips) - 0.5) * settings.readoutTime
            for step in 0..<count {
                let share = (Double(step) + 0.5) / Double(count) - 0.5
                let moment = time + delay + share * duration
                let turn = firstFromCamera.rotation.transpose * rowTurn(at: moment, strips: strips)
                let pose = worldFromCamera(at: moment) * firstFromCamera
                try camera.expose(&exposure, at: pose, strip: strip, of: strips, rowTurn: turn)
            }
        }
        exposure.finish(exposures: count)
        let since = time - spline.start
        let isCovered = settings.covered.contains { $0.contains(since) }
        let gain = pow(2, settings.exposureDrift * sin(2 * Double.pi * since / 12))
        return exposure.captured(
            SensorExposure.ReadOut(
                gain: Float(gain) * (isCovered ? 0.004 : 1), falloff: Float(settings.falloff), noise: Float(settings.pixelNoise),
                seed: seed &* 1_000_003 &+ UInt64(index), isGray: settings.isGray))
    }

    /// The exposure time of a frame in seconds.
    private func exposureTime(at time: Double) -> Double {
        settings.exposure * (1 - settings.exposureVariation * (0.5 + 0.5 * sin(2 * Double.pi * (time - spline.start) / 7)))
    }

    /// The number of strips of rows with poses of their own: the camera's translation within a strip moves a point at 1.5 m by less than about a
    /// third of a pixel; its rotation is corrected row by row.
    private func strips(at time: Double) -> Int {
        guard settings.readoutTime != 0 else { return 1 }
        let pixels = length(spline.motion(at: time).velocity) / 1.5 * abs(settings.readoutTime) * rig.camera.focal.x
        let wanted = pixels / 0.6
        return SimulatedCamera.stripCounts.first { Double($0) >= wanted } ?? SimulatedCamera.stripCounts.last!
    }

    /// The rotation vector of the camera, on its axes, from the first row of the image to the last.
    private func rowTurn(at time: Double, strips: Int) -> Vector3d {
        settings.readoutTime == 0 ? .zero : rig.cameraFromBody.rotation * spline.motion(at: time).angularVelocity * settings.readoutTime
    }

    /// The number of sub-exposures for motion blur: one per pixel of image motion, at most eight.
    private func exposures(at time: Double, _ duration: Double) -> Int {
        guard duration > 0 else { return 1 }
        let motion = spline.motion(at: time)
        // Assumes a distance of 1.5 m.
        let speed = length(motion.angularVelocity) + length(motion.velocity) / 1.5
        return Int(clamp((speed * duration * rig.camera.focal.x / 1.2).rounded(.up), 1, 8))
    }
}
