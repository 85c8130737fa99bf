import Foundation
import VitrineARView

extension Command {
    static let arTrack = Command(
        name: "ar track", summary: "Tracks the camera of a recording and writes its path.",
        help: {
            ARTrackSettings.table.help(
                command: "ar track", summary: ARTrackSettings.summary, examples: ARTrackSettings.examples, notes: ARTrackSettings.notes)
        },
        run: { arguments in
            var settings = ARTrackSettings()
            let path = try ARTrackSettings.table.parse(arguments, into: &settings)[0]
            try await ARTrackJob(input: path, settings: settings).run()
        })
}

struct ARTrackSettings {
    enum Pose: String { case camera, body }

    var source = SourceArguments()
    var output: String?
    /// nil: what suits the recording.
    var tracker: TrackingMethod?
    var scale = ScaleArguments()
    var pose = Pose.camera
    /// Seconds of the recording that are left out, and that are used; nil: all.
    var start = 0.0
    var duration: Double?
    /// How many times the recording is followed.
    var rounds = 1
    /// A saved world to be found, and where to save the world that was seen.
    var map: String?
    var savedMap: String?
    var isJSON = false

    static let summary = """
        Replays RECORDING through a tracker as fast as it goes, tells how that went, and writes where the camera was. The same recording gives the
        same bytes.
        """
    static let examples = [
        "vitrine ar track V1_01_easy -o path.tum", "vitrine ar track walk --tracker orientation --json",
        "vitrine ar track walk -o body.tum --pose body", "vitrine ar track walk.mp4 --camera 900 --tracker visual --marker-size 0.16",
        "vitrine ar track monday --save-map room.json && vitrine ar track tuesday --map room.json",
    ]
    static let notes = """
        The path is text, a pose a line: time x y z qx qy qz qw. The time is the recording's own clock in seconds; metres and a unit quaternion turn the
        camera (x right, y down, z forward) or the body (the IMU's axes) into a world whose +Y points up and which begins where tracking
        began. Only poses whose state is normal are written. docs/ar.md tells what the states mean.
        """
    static let table = ArgumentTable<ARTrackSettings>(
        operands: ["RECORDING"],
        sections: [
            OptionSection("tracking", options), OptionSection("tracking", ScaleArguments.options).within(\.scale),
            OptionSection("input", SourceArguments.options).within(\.source),
        ])

    private static let options: [CommandOption<ARTrackSettings>] = [
        CommandOption("-o", "--output", value: "PATH.tum", help: "Where to write the path; without it only the report is made.") {
            (settings, text) throws(UsageError) in settings.output = text
        },
        CommandOption("--tracker", value: "KIND", help: TrackerArguments.help) { (settings, text) throws(UsageError) in
            settings.tracker = try parseWord(text, TrackerArguments.methods.map { ($0.name, $0.method) })
        },
        CommandOption("--pose", value: "WHOSE", help: "camera, the default, or body: the IMU's.") {
            (settings, text) throws(UsageError) in
            settings.pose = try parseWord(text, [("camera", Pose.camera), ("body", .body)])
        },
        CommandOption("--from", value: "SECONDS", help: "Leaves out so much of it.") { (settings, text) throws(UsageError) in
            settings.start = Double(try parseNumber(text, in: 0...1e6))
        },
        CommandOption("--map", value: "MAP.json", help: "A saved world: looks for its place, and tells poses in it once it is found.") {
            (settings, text) throws(UsageError) in settings.map = text
        },
        CommandOption("--save-map", value: "MAP.json", help: "Saves by what the place can be found again.") {
            (settings, text) throws(UsageError) in settings.savedMap = text
        },
        CommandOption("--duration", value: "SECONDS", help: "Stops after so much of it.") { (settings, text) throws(UsageError) in
            settings.duration = Double(try parseNumber(text, in: 0.001...1e6))
        },
        CommandOption(
            "--loop", value: "COUNT",
            help:
                "Follows the recording so many times, each time from nothing; the path is that of the first. The report has the memory after each."
        ) { (settings, text) throws(UsageError) in settings.rounds = try parseCount(text, in: 1...100_000) },
        CommandOption("--json", help: "Prints the report as JSON.") { $0.isJSON = true },
    ]
}
