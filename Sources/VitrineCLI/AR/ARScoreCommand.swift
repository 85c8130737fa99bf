import VitrineARView
import VitrineSimulation
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
    /// nil for the default of the recording.
    var tracker: TrackingMethod?
    var scale = ScaleArguments()
    /// Whether to ignore the IMU.
    var isWithoutIMU = false
    /// The file for the tracked path.
    var output: String?
    /// The loss of tracking to inject.
    var loss: SensorLoss?

    static let summary = """
        Tracks the camera of RECORDING as an AR session does, and compares each pose with the ground truth of the recording ('vitrine ar \
        simulate' writes such recordings). If the recording has a room.json, also compares the detected planes with it.
        """
    static let examples = [
        "vitrine ar score room", "vitrine ar score room --json -o room.tum", "vitrine ar score room --loss pocket:20:8",
    ]
    static let table = ArgumentTable<ARScoreSettings>(
        operands: ["RECORDING"],
        options: [
            CommandOption("-o", "--output", value: "FILE", help: "Writes the tracked camera poses, one per line: time x y z qx qy qz qw.") {
                (settings, text) throws(UsageError) in settings.output = text
            },
            CommandOption(
                "--tracker", value: "KIND",
                help: "world (visual-inertial) or visual (images only). Default: world if the recording has an IMU."
            ) {
                (settings, text) throws(UsageError) in
                settings.tracker = try parseWord(text, [("world", TrackingMethod.visualInertial), ("visual", .visual(.unknown))])
            },
            CommandOption(
                "--loss", value: "KIND:T:D",
                help:
                    "Injects a loss of tracking from second T for D seconds and reports how tracking recovers. KIND: cover (black images), pocket (an interruption), kidnap (the recording is cut)."
            ) { (settings, text) throws(UsageError) in settings.loss = try loss(text) },
            CommandOption("--no-imu", help: "Ignores the IMU.") { $0.isWithoutIMU = true },
            CommandOption("--json", help: "Prints the scores as JSON.") { $0.isJSON = true },
        ] + ScaleArguments.options.map { $0.within(\.scale) })

    private static func loss(_ text: String) throws(UsageError) -> SensorLoss {
        let pieces = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard pieces.count == 3, let kind = SensorLoss.Kind(rawValue: pieces[0]) else {
            throw UsageError("'\(text)' is not KIND:START:DURATION, such as cover:20:3")
        }
        return SensorLoss(
            kind, start: Double(try parseNumber(pieces[1], in: 0...1e6)), duration: Double(try parseNumber(pieces[2], in: 0.1...1e6)))
    }
}

private struct ARScoreJob {
    let input: String
    let settings: ARScoreSettings

    private struct Report: Encodable {
        let recording: String
        let frames, tracked, losses: Int
        let startDelay, pathLength, positionRmse, largestPositionError, orientationRmse, scale: Double
        /// The RMSE after similarity alignment, because images alone do not determine rotation, position and scale.
        let shapeRmse: Double
        let positionNees, orientationNees: Double
        let poseCovariances: Int
        let medianMilliseconds, slowMilliseconds: Double
        let planes: [PlaneEvaluation.Plane]?
        let loss: TrackingEvaluation.Recovery?
        let anchors: Anchors?
    }

    /// Where frames show the anchors that were placed along the path, at least five seconds before: errors in metres, for anchors that follow the
    /// map's keyframes, and without that.
    private struct Anchors: Encodable {
        let count: Int
        let rmse, largestError, fixedRmse, fixedLargestError: Double

        init?(_ anchors: AnchorEvaluation) {
            guard !anchors.errors.isEmpty else { return nil }
            func rootMeanSquare(_ errors: [Double]) -> Double { (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)).squareRoot() }
            count = anchors.count
            (rmse, largestError) = (rootMeanSquare(anchors.errors), anchors.errors.max() ?? 0)
            (fixedRmse, fixedLargestError) = (
                rootMeanSquare(anchors.fixedErrors), anchors.fixedErrors.max() ?? 0
            )
        }

        var text: String {
            func centimetres(_ value: Double) -> String { (value * 100).fixed(2) }
            return
                "\nanchors: \(count), seen again \(centimetres(rmse)) cm off (RMS), at most \(centimetres(largestError)); without following "
                + "keyframes \(centimetres(fixedRmse)) cm, at most \(centimetres(fixedLargestError))"
        }
    }

    func run() async throws {
        let source = try SensorSourceFile.open(URL(fileURLWithPath: input))
        var rig = source.rig
        if settings.isWithoutIMU { rig.hasInertialUnit = false }
        var runner = try TrackerArguments.runner(settings.tracker, rig, of: input, scale: settings.scale.scale)
        var evaluation = TrackingEvaluation()
        try await evaluation.track(source, with: &runner, loss: settings.loss)
        if !settings.isJSON { for note in runner.notes { print(note) } }
        warn(about: source.problems)
        guard !evaluation.truth.isEmpty else { throw CommandError(file: input, reason: "has no ground truth") }
        if let output = settings.output {
            try AtomicFile.write(Array(TrajectoryText.text(evaluation.estimate).utf8), to: URL(fileURLWithPath: output))
        }
        let score: TrackingEvaluation.Score
        let recovery: TrackingEvaluation.Recovery?
        do {
            score = try evaluation.score()
            recovery = try evaluation.lossTimes.map { times throws(TrajectoryError) in
                try evaluation.recovery(start: times.start, returnTime: times.end)
            }
        } catch {
            throw CommandError(file: input, reason: "\(evaluation.trackedCount) of \(evaluation.sampleCount) frames were tracked: \(error)")
        }
        let report = Report(
            recording: input, frames: evaluation.sampleCount, tracked: evaluation.trackedCount, losses: evaluation.losses,
            startDelay: evaluation.startDelay ?? 0, pathLength: score.pathLength, positionRmse: score.positionRMSE,
            largestPositionError: score.largestPositionError, orientationRmse: score.orientationRMSE, scale: score.scale,
            shapeRmse: score.shapeRMSE, positionNees: score.consistency.position, orientationNees: score.consistency.orientation,
            poseCovariances: score.consistency.count, medianMilliseconds: score.medianMilliseconds,
            slowMilliseconds: score.slowMilliseconds,
            planes: try faces().map { evaluation.planes.planes(in: $0, score.truthFromEstimate) }, loss: recovery,
            anchors: Anchors(evaluation.anchors))
        if settings.isJSON { try JSONReport.print(report) } else { print(text(report)) }
    }

    /// The surfaces of the room; nil if the recording has no room.json.
    private func faces() throws -> [SimulatedRoom.Face]? {
        let file = URL(fileURLWithPath: input).appendingPathComponent("room.json")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        do {
            return try JSONDecoder().decode([SimulatedRoom.Face].self, from: Data(FileBytes.read(file, limit: 1 << 26)))
        } catch let error as DecodingError {
            throw CommandError(file: file.path, reason: "is not a list of surfaces: \(error)")
        }
    }

    private func text(_ plane: PlaneEvaluation.Plane) -> String {
        let found = "\n  \(plane.classification) of \(plane.area.fixed(2)) m² after \(plane.after.fixed(1)) s: "
        guard !plane.isFalse, let angle = plane.angle, let distance = plane.distance else { return found + "no such surface in the room" }
        return found + "\(angle.fixed(2))° and \((distance * 100).fixed(1)) cm off, updated \(plane.moves) times"
    }

    private func text(_ report: Report) -> String {
        let planes = report.planes.map { "\nplanes: \($0.count)" + $0.map(text).joined() } ?? ""
        let tracked = "\(report.tracked) of \(report.frames) frames tracked, the first after \(report.startDelay.fixed(1)) s"
        let rmse = "\(report.positionRmse.fixed(3)) m, \(report.orientationRmse.fixed(2))° RMSE over \(report.pathLength.fixed(1)) m"
        let scale = "scale error \(((1 / report.scale - 1) * 100).fixed(2, showsPlus: true)) %"
        return """
            \(report.recording): \(tracked), tracking lost \(report.losses) times
            \(rmse) (maximum \(report.largestPositionError.fixed(3)) m, \(scale); \(report.shapeRmse.fixed(3)) m RMSE after similarity alignment)
            \(consistency(report))
            \(report.medianMilliseconds.fixed(1)) ms per frame (median), 99 % below \(report.slowMilliseconds.fixed(1)) ms
            """ + (report.loss.map(text) ?? "") + (report.anchors?.text ?? "") + planes
    }

    private func text(_ loss: TrackingEvaluation.Recovery) -> String {
        func centimetres(_ value: Double?) -> String { value.map { "\(($0 * 100).fixed(1)) cm" } ?? "none" }
        let delay = loss.recoveryDelay.map { "normal \($0.fixed(1)) s after the view returned" } ?? "not normal again"
        return "\nloss: \(delay); largest error while normal \(centimetres(loss.largestError)); from two seconds later on median "
            + "\(centimetres(loss.medianError)), largest \(centimetres(loss.largestLaterError)); before the loss \(centimetres(loss.errorBefore))"
    }

    private func consistency(_ report: Report) -> String {
        guard report.poseCovariances > 0 else { return "no covariance reported" }
        return "NEES: position \(report.positionNees.fixed(2)), orientation \(report.orientationNees.fixed(2)) (consistent: 3)"
    }
}
