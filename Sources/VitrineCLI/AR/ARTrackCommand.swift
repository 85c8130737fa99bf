import VitrineARView

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
    /// nil for the default of the recording.
    var tracker: TrackingMethod?
    var scale = ScaleArguments()
    var pose = Pose.camera
    /// Seconds of the recording to skip, and to use; nil for all.
    var start = 0.0
    var duration: Double?
    /// The number of times to track the recording.
    var rounds = 1
    /// The map to relocalize in, and the file to save the map to.
    var map: String?
    var savedMap: String?
    /// Seconds without relocalization after which a new world starts; nil waits.
    var newWorldDelay: Double?
    var isJSON = false

    static let summary = """
        Tracks the camera of RECORDING as fast as possible, prints a report of the tracking quality, and writes the camera path. The same
        recording gives the same bytes.
        """
    static let examples = [
        "vitrine ar track V1_01_easy -o path.tum", "vitrine ar track walk --tracker orientation --json",
        "vitrine ar track walk -o body.tum --pose body", "vitrine ar track walk.mp4 --camera 900 --tracker visual --marker-size 0.16",
        "vitrine ar track monday --save-map room.json && vitrine ar track tuesday --map room.json",
    ]
    static let notes = """
        The path is text with one pose per line: time x y z qx qy qz qw. The time is in seconds on the clock of the recording. Position in
        metres and unit quaternion transform the camera (x right, y down, z forward) or the body (the axes of the IMU) to a world frame with
        +Y up and its origin at the start of tracking. Only poses with tracking state normal, or limited by an unknown scale, are written. docs/guide/track-a-camera.md describes the states.
        """
    static let table = ArgumentTable<ARTrackSettings>(
        operands: ["RECORDING"],
        sections: [
            OptionSection("tracking", options), OptionSection("tracking", ScaleArguments.options).within(\.scale),
            OptionSection("input", SourceArguments.options).within(\.source),
        ])

    private static let options: [CommandOption<ARTrackSettings>] = [
        CommandOption("-o", "--output", value: "PATH.tum", help: "Writes the path. Without it, only prints the report.") {
            (settings, text) throws(UsageError) in settings.output = text
        },
        CommandOption("--tracker", value: "KIND", help: TrackerArguments.help) { (settings, text) throws(UsageError) in
            settings.tracker = try parseWord(text, TrackerArguments.methods.map { ($0.name, $0.method) })
        },
        CommandOption("--pose", value: "WHOSE", help: "camera, or body (the IMU). Default: camera.") {
            (settings, text) throws(UsageError) in
            settings.pose = try parseWord(text, [("camera", Pose.camera), ("body", .body)])
        },
        CommandOption("--from", value: "SECONDS", help: "Skips this many seconds of the recording.") {
            (settings, text) throws(UsageError) in
            settings.start = Double(try parseNumber(text, in: 0...1e6))
        },
        CommandOption("--map", value: "MAP.json", help: "Relocalizes in a saved map, and then reports poses in its frame.") {
            (settings, text) throws(UsageError) in settings.map = text
        },
        CommandOption("--save-map", value: "MAP.json", help: "Saves the map for relocalization.") {
            (settings, text) throws(UsageError) in settings.savedMap = text
        },
        CommandOption("--duration", value: "SECONDS", help: "Stops after this many seconds of the recording.") {
            (settings, text) throws(UsageError) in
            settings.duration = Double(try parseNumber(text, in: 0.001...1e6))
        },
        CommandOption(
            "--loop", value: "COUNT",
            help:
                "Tracks the recording COUNT times, each from scratch, and writes the path of the first. The report has the memory after each."
        ) { (settings, text) throws(UsageError) in settings.rounds = try parseCount(text, in: 1...100_000) },
        CommandOption(
            "--new-world", value: "SECONDS",
            help: "Starts a new world if tracking was lost and has not relocalized after this time. Default: keeps trying."
        ) { (settings, text) throws(UsageError) in settings.newWorldDelay = Double(try parseNumber(text, in: 0...1e6)) },
        CommandOption("--json", help: "Prints the report as JSON.") { $0.isJSON = true },
    ]
}
