import Foundation
import VitrineARView
import VitrineSimulation
import VitrineVision

extension Command {
    static let arScore = Command(
        name: "ar score", summary: "Tracks a recording that has ground truth and reports the errors.",
        help: {
            ARScoreSettings.table.help(command: "ar score", summary: ARScoreSettings.summary, examples: ARScoreSettings.examples)
        },
        run: { arguments in
            var settings = ARScoreSettings()
            let path = try ARScoreSettings.table.parse(arguments, into: &settings)[0]
            try await ARScoreJob(input: path, settings: settings).run()
        })
}

struct ARScoreSettings {
    var isJSON = false
    /// nil: what suits the recording.
    var tracker: TrackingMethod?
    var scale = ScaleArguments()
    /// Whether the IMU is left out.
    var isWithoutIMU = false
    /// Where to write what was tracked.
    var output: String?

    static let summary = """
        Follows the camera of RECORDING as a session would, picture by picture, and compares each pose with the true one that lies with the \
        picture (vitrine ar simulate writes such recordings). Where the recording has a room.json, the planes that are found are compared with it.
        """
    static let examples = ["vitrine ar score room", "vitrine ar score room --json -o room.tum"]
    static let table = ArgumentTable<ARScoreSettings>(
        operands: ["RECORDING"],
        options: [
            CommandOption("-o", "--output", value: "FILE", help: "Writes the camera's tracked poses: time x y z qx qy qz qw.") {
                (settings, text) throws(UsageError) in settings.output = text
            },
            CommandOption("--tracker", value: "KIND", help: "world, the default where there is an IMU, or visual, else.") {
                (settings, text) throws(UsageError) in
                settings.tracker = try parseWord(text, [("world", TrackingMethod.visualInertial), ("visual", .visual(.medianDepth(2)))])
            },
            CommandOption("--no-imu", help: "As if the recording had no IMU.") { $0.isWithoutIMU = true },
            CommandOption("--json", help: "Prints the scores as JSON.") { $0.isJSON = true },
        ] + ScaleArguments.options.map { $0.within(\.scale) })
}

private struct ARScoreJob {
    let input: String
    let settings: ARScoreSettings

    private struct Report: Encodable {
        let recording: String
        let pictures, tracked, losses: Int
        let startDelay, pathLength, positionRmse, largestPositionError, orientationRmse, scale: Double
        /// After the best turn, shift and scale, which pictures alone leave open.
        let shapeRmse: Double
        let positionNees, orientationNees: Double
        let poseCovariances: Int
        let medianMilliseconds, slowMilliseconds: Double
        let planes: [PlaneEvaluation.Plane]?
    }

    func run() async throws {
        let source = try SensorSourceFile.open(URL(fileURLWithPath: input))
        var rig = source.rig
        if settings.isWithoutIMU { rig.hasInertialUnit = false }
        var runner = try TrackerArguments.runner(settings.tracker, rig, of: input, scale: settings.scale.scale)
        var evaluation = TrackingEvaluation()
        try await evaluation.track(source, with: &runner)
        if !settings.isJSON { for note in runner.notes { print(note) } }
        warn(about: source.problems)
        guard !evaluation.truth.isEmpty else { throw CommandError(file: input, reason: "the recording doesn't know the truth") }
        if let output = settings.output {
            try AtomicFile.write(Array(TrajectoryText.text(evaluation.estimate).utf8), to: URL(fileURLWithPath: output))
        }
        let score: TrackingEvaluation.Score
        do {
            score = try evaluation.score()
        } catch {
            throw CommandError(
                file: input, reason: "\(evaluation.trackedCount) of \(evaluation.sampleCount) pictures were tracked: \(error)")
        }
        let report = Report(
            recording: input, pictures: evaluation.sampleCount, tracked: evaluation.trackedCount, losses: evaluation.losses,
            startDelay: evaluation.startDelay ?? 0, pathLength: score.pathLength, positionRmse: score.positionRMSE,
            largestPositionError: score.largestPositionError, orientationRmse: score.orientationRMSE, scale: score.scale,
            shapeRmse: score.shapeRMSE, positionNees: score.consistency.position, orientationNees: score.consistency.orientation,
            poseCovariances: score.consistency.count, medianMilliseconds: score.medianMilliseconds,
            slowMilliseconds: score.slowMilliseconds,
            planes: try faces().map { evaluation.planes.planes(in: $0, score.truthFromEstimate) })
        if settings.isJSON { try printARJSON(report) } else { print(text(report)) }
    }

    /// What the room is made of; nil where the recording doesn't say.
    private func faces() throws -> [SimulatedRoom.Face]? {
        let file = URL(fileURLWithPath: input).appendingPathComponent("room.json")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        do {
            return try JSONDecoder().decode([SimulatedRoom.Face].self, from: Data(FileBytes.read(file, limit: 1 << 26)))
        } catch let error as DecodingError {
            throw CommandError(file: file.path, reason: "isn't a list of surfaces: \(error)")
        }
    }

    private func text(_ plane: PlaneEvaluation.Plane) -> String {
        let found = String(format: "\n  %@ of %.2f m² after %.1f s: ", plane.classification, plane.area, plane.after)
        guard !plane.isFalse, let angle = plane.angle, let distance = plane.distance else { return found + "there is no such surface" }
        return found + String(format: "%.2f° and %.1f cm off, moved %d times", angle, distance * 100, plane.moves)
    }

    private func text(_ report: Report) -> String {
        let planes = report.planes.map { "\nplanes: \($0.count)" + $0.map(text).joined() } ?? ""
        return String(
            format: """
                %@: %d of %d pictures tracked, the first after %.1f s, lost %d times
                %.3f m, %.2f° RMSE over %.1f m (largest %.3f m, scale off by %+.2f %%; %.3f m with turn and scale as fits best)
                %@
                %.1f ms a picture, 99 of 100 below %.1f ms
                """, report.recording, report.tracked, report.pictures, report.startDelay, report.losses, report.positionRmse,
            report.orientationRmse, report.pathLength, report.largestPositionError, (1 / report.scale - 1) * 100, report.shapeRmse,
            consistency(report), report.medianMilliseconds, report.slowMilliseconds) + planes
    }

    private func consistency(_ report: Report) -> String {
        guard report.poseCovariances > 0 else { return "no covariance is told" }
        return String(format: "NEES: position %.2f, orientation %.2f (honest: 3)", report.positionNees, report.orientationNees)
    }
}
