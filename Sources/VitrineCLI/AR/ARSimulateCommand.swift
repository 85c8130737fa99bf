import Foundation
import VitrineARView
import VitrineVision

extension Command {
    static let arSimulate = Command(
        name: "ar simulate", summary: "Writes the recording of a camera in a room that is made in code, with the truth.",
        help: {
            ARSimulateSettings.table.help(
                command: "ar simulate", summary: ARSimulateSettings.summary, examples: ARSimulateSettings.examples)
        },
        run: { arguments in
            var settings = ARSimulateSettings()
            let room = try ARSimulateSettings.table.parse(arguments, into: &settings)[0]
            guard !settings.output.isEmpty else { throw UsageError("-o RECORDING is missing: the folder to write") }
            guard settings.inertial == nil || SimulatedPath(rawValue: settings.path) == nil else {
                throw UsageError("--imu needs the --path FILE that the IMU went along")
            }
            try await ARSimulateJob(room: room, settings: settings).run()
        })
}

private struct ARSimulateJob {
    let room: String
    let settings: ARSimulateSettings

    private struct Report: Encodable {
        let output: String
        let pictures, inertialSamples: Int
        /// Of the path, in metres and seconds.
        let length, duration: Double
        let millisecondsPerPicture: Double
    }

    func run() async throws {
        let source = try await source()
        let writer = try RecordingWriter(
            directory: URL(fileURLWithPath: settings.output), rig: source.rig, device: "simulated: \(room), \(settings.device.rawValue)")
        let progress = ProgressLine(isShown: !settings.isJSON)
        let began = ContinuousClock.now
        var (truth, inertial): ([TimedPose], Int) = ([], 0)
        while let event = try await source.next() {
            try writer.write(event)
            switch event {
            case .inertial: inertial += 1
            case .picture(let sample):
                let time = sample.time - source.settings.delay
                truth.append(TimedPose(time: time, pose: source.spline.pose(at: time)))
                progress.report("\(truth.count) pictures", fraction: Double(truth.count) / Double(source.frameCount))
            case .interruptionBegan, .interruptionEnded: break
            }
        }
        try writer.finish()
        progress.finish()
        let took = (ContinuousClock.now - began) / .seconds(1)
        let folder = URL(fileURLWithPath: settings.output)
        try AtomicFile.write(Array(TrajectoryText.text(truth).utf8), to: folder.appendingPathComponent("truth.tum"))
        if !source.faces.isEmpty {
            try AtomicFile.write(Array(JSONEncoder().encode(source.faces)), to: folder.appendingPathComponent("room.json"))
        }
        let length = zip(truth, truth.dropFirst()).reduce(0) { $0 + VitrineMath.length($1.1.pose.translation - $1.0.pose.translation) }
        let duration = (truth.last?.time ?? 0) - (truth.first?.time ?? 0)
        if settings.isJSON {
            try printARJSON(
                Report(
                    output: settings.output, pictures: truth.count, inertialSamples: inertial, length: length, duration: duration,
                    millisecondsPerPicture: took * 1000 / Double(max(truth.count, 1))))
        } else {
            print(
                "\(settings.output): \(truth.count) pictures, \(inertial) inertial samples, "
                    + String(format: "%.1f s, %.1f m", duration, length))
        }
    }

    private func source() async throws -> SimulatedSource {
        let (spline, origin) = try spline()
        var samples: [InertialSample]?
        if let path = settings.inertial {
            samples = try numbers(path, InertialText.samples).map { sample in
                var sample = sample
                sample.time -= origin
                return sample
            }
            guard samples?.contains(where: { $0.time >= spline.start && $0.time <= spline.end }) == true else {
                throw CommandError(file: path, reason: "no sample lies within the path's \(spline.duration) seconds")
            }
        }
        if let style = SimulatedRoom.Style(rawValue: room) {
            return try SimulatedSource(style, along: spline, rig: settings.rig, settings: settings.simulation, samples: samples)
        }
        guard URL(fileURLWithPath: room).pathExtension != "" else {
            let names = SimulatedRoom.Style.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("'\(room)' is none of \(names), and no model file")
        }
        return try SimulatedSource(
            in: try await Self.model(room), along: spline, rig: settings.rig, settings: settings.simulation, samples: samples)
    }

    /// A model as a room, lit by its own light or by the studio.
    private static func model(_ path: String) async throws -> sending SimulatedRoom {
        let scene = try await SceneFile.load(URL(fileURLWithPath: path)).scene
        if scene.environment.image == nil { scene.environment = .studio() }
        return SimulatedRoom(scene)
    }

    /// The body's motion from second 0, and the time that was its start.
    private func spline() throws -> (TrajectorySpline, origin: Double) {
        let rig = settings.rig
        if let path = SimulatedPath(rawValue: settings.path) {
            let poses = path.cameraPoses(
                duration: settings.simulation.duration ?? 30, rest: settings.rest, extent: settings.extent, seed: settings.simulation.seed)
            return (try TrajectorySpline(through: poses.map { TimedPose(time: $0.time, pose: $0.pose * rig.cameraFromBody) }), 0)
        }
        var poses = try numbers(settings.path, TrajectoryText.poses)
        if settings.up == .z { poses = poses.map(\.fromZUp) }
        let origin = (poses.first?.time ?? 0) + settings.start
        poses = poses.filter { $0.time >= origin - 1e-9 }.map { TimedPose(time: max($0.time - origin, 0), pose: $0.pose) }
        if let duration = settings.simulation.duration { poses = poses.filter { $0.time <= duration + 0.5 } }
        // A real IMU is followed closely; a simulated one had better not feel the noise of the poses.
        let fit = settings.inertial == nil ? TrajectorySpline.Settings() : TrajectorySpline.Settings(knotSpacing: 0.025, smoothing: 0.01)
        do {
            return (try TrajectorySpline(through: poses, settings: fit), origin)
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
