import VitrineARView
import VitrineSimulation
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let arSimulate = Command(
        name: "ar simulate", summary: "Simulates a recording of a camera in a room, with ground truth.",
        help: {
            ARSimulateSettings.table.help(
                command: "ar simulate", summary: ARSimulateSettings.summary, examples: ARSimulateSettings.examples)
        },
        run: { arguments in
            var settings = ARSimulateSettings()
            let room = try ARSimulateSettings.table.parse(arguments, into: &settings)[0]
            if settings.inertialError > 0 {
                settings.simulation.inertial.distort(by: settings.inertialError, seed: settings.simulation.seed)
            }
            guard !settings.output.isEmpty else { throw UsageError("-o RECORDING is missing: name the folder to write") }
            guard settings.inertial == nil || SimulatedPath(rawValue: settings.path) == nil else {
                throw UsageError("--imu requires --path FILE, the path of the IMU")
            }
            try await ARSimulateJob(room: room, settings: settings).run()
        })
}

private struct ARSimulateJob {
    let room: String
    let settings: ARSimulateSettings

    private struct Report: Encodable {
        let output: String
        let frames, inertialSamples: Int
        /// The length of the path in metres, and its duration in seconds.
        let length, duration: Double
        let millisecondsPerFrame: Double
        let fit: Fit?
    }

    /// The fit of a real IMU's samples to the poses of the path: millimetres, degrees, rad/s, m/s², milliseconds.
    private struct Fit: Encodable {
        struct Residuals: Encodable {
            let position, rotation, angularVelocity, acceleration: Double

            init(_ residuals: InertialTrajectoryFit.Residuals) {
                (position, rotation) = (residuals.position * 1000, residuals.rotation * 180 / Double.pi)
                (angularVelocity, acceleration) = (residuals.angularVelocity, residuals.acceleration)
            }
        }
        let before, after: Residuals
        let tilt, mountRotation, mountTranslation, clock: Double

        init(_ fit: InertialTrajectoryFit) {
            (before, after) = (Residuals(fit.before), Residuals(fit.after))
            tilt = VitrineMath.length(fit.worldFromReferenceWorld.rotationVector) * 180 / Double.pi
            mountRotation = VitrineMath.length(fit.referenceBodyFromBody.rotation.rotationVector) * 180 / Double.pi
            mountTranslation = VitrineMath.length(fit.referenceBodyFromBody.translation) * 1000
            clock = fit.clockOffset * 1000
        }
    }

    private static func text(_ fit: InertialTrajectoryFit) -> String {
        func line(_ r: Fit.Residuals) -> String {
            let inertial = "IMU \(r.angularVelocity.fixed(4)) rad/s, \(r.acceleration.fixed(3)) m/s²"
            return "poses \(r.position.fixed(1)) mm, \(r.rotation.fixed(2))°; \(inertial) (means of 0.2 s)"
        }
        let values = Fit(fit)
        let extrinsics = "\(values.mountRotation.fixed(2))° and \(values.mountTranslation.fixed(0)) mm"
        return "residuals of the poses alone:  \(line(values.before))\nresiduals of poses and IMU:    \(line(values.after))\n"
            + "estimated: gravity \(values.tilt.fixed(2))°, extrinsics \(extrinsics), time offset \(values.clock.fixed(1)) ms"
    }

    func run() async throws {
        guard settings.simulation.secondCameraTurn == 0 || settings.baseline != nil else {
            throw UsageError("--stereo-turn requires --stereo")
        }
        let path = try path()
        if !settings.isJSON, let fit = path.fit { print(Self.text(fit)) }
        let source = try await source(path)
        let progress = ProgressLine(isShown: !settings.isJSON)
        let began = ContinuousClock.now
        let written = try await SimulatedRecording(source: source).write(
            to: URL(fileURLWithPath: settings.output), device: "simulated: \(room), \(settings.device.rawValue)"
        ) { progress.report("rendering", fraction: $0) }
        progress.finish()
        let took = (ContinuousClock.now - began) / .seconds(1)
        let (truth, inertial) = (written.truth, written.inertialSampleCount)
        let length = zip(truth, truth.dropFirst()).reduce(0) { $0 + VitrineMath.length($1.1.pose.translation - $1.0.pose.translation) }
        let duration = (truth.last?.time ?? 0) - (truth.first?.time ?? 0)
        if settings.isJSON {
            try JSONReport.print(
                Report(
                    output: settings.output, frames: truth.count, inertialSamples: inertial, length: length, duration: duration,
                    millisecondsPerFrame: took * 1000 / Double(max(truth.count, 1)), fit: path.fit.map(Fit.init)))
        } else {
            print(
                "\(settings.output): \(truth.count) frames, \(inertial) inertial samples, \(duration.fixed(1)) s, \(length.fixed(1)) m")
        }
    }

    private func source(_ path: Path) async throws -> SimulatedSource {
        if let style = SimulatedRoom.Style(rawValue: room) {
            guard let poster = settings.poster else {
                return try SimulatedSource(
                    style, along: path.spline, rig: settings.rig, settings: settings.simulation, samples: path.samples)
            }
            return try SimulatedSource(
                in: try Self.room(style, path, poster, settings), along: path.spline, rig: settings.rig, settings: settings.simulation,
                samples: path.samples)
        }
        guard settings.poster == nil else { throw UsageError("--poster requires a room by name, not a model file") }
        guard URL(fileURLWithPath: room).pathExtension != "" else {
            let names = SimulatedRoom.Style.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("'\(room)' is not one of \(names), or a model file")
        }
        return try SimulatedSource(
            in: try await model(room), along: path.spline, rig: settings.rig, settings: settings.simulation, samples: path.samples)
    }

    /// A furnished room with a poster on its floor.
    private static func room(
        _ style: SimulatedRoom.Style, _ path: Path, _ poster: (file: URL, width: Double), _ settings: ARSimulateSettings
    ) throws -> sending SimulatedRoom {
        let cameraFromBody = settings.rig.cameraFromBody.inverse
        let eyes = path.spline.poses(rate: 10).map { ($0.pose * cameraFromBody).translation }
        let room = SimulatedRoom(style, around: eyes, markerEdge: settings.simulation.markerEdge, seed: settings.simulation.seed)
        let image = try Image(contentsOf: poster.file)
        let material = Material(name: "poster", baseColor: .white)
        material.baseColor.map = TextureMap(Texture(image))
        let width = Float(poster.width)
        let plane = Geometry.plane(width: width, height: width * Float(image.height) / Float(image.width))
        let (center, floor) = (room.bounds.center, room.bounds.minimum.y)
        room.add(
            Node(name: "poster", mesh: Mesh(geometry: plane, material: material)), at: Vector3(center.x, floor + 0.012, center.z - 0.7),
            rotatedBy: Quaternion(angle: .degrees(-90), axis: .right))
        return room
    }

    /// Loads a model as a room, with its own environment or the studio.
    private func model(_ path: String) async throws -> sending SimulatedRoom {
        var options = ModelLoadOptions()
        options.allowedFolders = settings.allowedFolders
        let scene = try await SceneFile.load(URL(fileURLWithPath: path), options: options).scene
        if scene.environment.image == nil { scene.environment = .studio() }
        return SimulatedRoom(scene)
    }

    /// The motion of the body from second 0, optional samples of a real IMU along it, and their fit.
    private struct Path {
        var spline: TrajectorySpline
        var samples: [InertialSample]?
        var fit: InertialTrajectoryFit?
    }

    private func path() throws -> Path {
        let rig = settings.rig
        if let path = SimulatedPath(rawValue: settings.path) {
            let poses = path.cameraPoses(
                duration: settings.simulation.duration ?? 30, rest: settings.rest, extent: settings.extent, seed: settings.simulation.seed)
            let bodies = poses.map { TimedPose(time: $0.time, pose: $0.pose * rig.cameraFromBody) }
            return Path(spline: try TrajectorySpline(through: bodies))
        }
        var poses = try numbers(settings.path, TrajectoryText.poses)
        if settings.up == .z { poses = poses.map(\.fromZUp) }
        let origin = (poses.first?.time ?? 0) + settings.start
        poses = poses.filter { $0.time >= origin - 1e-9 }.map { TimedPose(time: max($0.time - origin, 0), pose: $0.pose) }
        if let duration = settings.simulation.duration { poses = poses.filter { $0.time <= duration + 0.5 } }
        do throws(TrajectoryError) {
            guard settings.inertial != nil else { return Path(spline: try TrajectorySpline(through: poses)) }
        } catch {
            throw CommandError(file: settings.path, reason: error.description)
        }
        return try path(through: poses, origin)
    }

    /// Fits a path to poses and samples: the acceleration of poses alone would not match the samples.
    private func path(through poses: [TimedPose], _ origin: Double) throws -> Path {
        let file = settings.inertial ?? ""
        let samples = try numbers(file, InertialText.samples).map { sample in
            InertialSample(time: sample.time - origin, angularVelocity: sample.angularVelocity, acceleration: sample.acceleration)
        }
        guard let last = poses.last, samples.contains(where: { $0.time >= 0 && $0.time <= last.time }) else {
            throw CommandError(file: file, reason: "has no sample within the path's \(poses.last?.time ?? 0) seconds")
        }
        do {
            let fit = try InertialTrajectoryFit(through: poses, samples: samples, noise: settings.rig.noise)
            return Path(spline: fit.spline, samples: samples, fit: fit)
        } catch {
            throw CommandError(file: settings.path, reason: error.description)
        }
    }

    private func numbers<Record>(
        _ path: String, _ read: ([UInt8]) throws(NumberTextError) -> [Record]
    ) throws -> [Record] {
        let bytes = try FileBytes.read(URL(fileURLWithPath: path), limit: 1 << 30)
        do throws(NumberTextError) {
            return try read(bytes)
        } catch {
            throw CommandError(file: "\(path):\(error.line)", reason: error.reason)
        }
    }
}
