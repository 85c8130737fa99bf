import VitrineARView

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let arReplay = Command(
        name: "ar replay", summary: "Replays a recording with models drawn into its frames.",
        help: {
            ARReplaySettings.table.help(
                command: "ar replay", summary: ARReplaySettings.summary, examples: ARReplaySettings.examples,
                notes: ARReplaySettings.notes)
        },
        run: { arguments in
            var settings = ARReplaySettings()
            let path = try ARReplaySettings.table.parse(arguments, into: &settings)[0]
            guard settings.rounds == 1 || settings.duration == .infinity else {
                throw UsageError("--loop and --duration exclude each other: --loop replays whole recordings")
            }
            guard !settings.output.isEmpty else { throw UsageError("-o OUT is missing: name a folder for images, or a video") }
            try await ARReplayJob(input: path, settings: settings).run()
        })
}

/// The options of `vitrine ar replay`.
struct ARReplaySettings {
    var source = SourceArguments()
    var output = ""
    var models = ReplayModelArguments()
    var images = ReplayImageArguments()
    var scene = SceneArguments()
    var tracking: TrackingMethod?
    var scale = ScaleArguments()
    var duration = Double.infinity
    /// The number of replays.
    var rounds = 1
    var isJSON = false

    static let summary = """
        Replays RECORDING through an AR session and writes every frame with models drawn into it: with shadows on detected planes, estimated
        light, and occlusion by the depth camera's images. The same recording gives the same bytes. 'vitrine ar --help' lists the formats of
        recordings.
        """
    static let examples = [
        "vitrine ar replay walk --place cube@tap:320,240,2 -o frames",
        "vitrine ar replay walk --place chair.glb@plane --model-size 0.4 -o walk.mp4",
        "vitrine ar replay room --image poster.png:0.3 --place cube@image --mesh -o frames",
    ]
    static let notes = """
        TARGET is tap:X,Y,T, the ray cast hit of a tap on pixel X,Y at T seconds (a detected plane, a surface estimated from points, else 0.3 m
        in front of the camera), plane, the centre of the first detected horizontal plane, or image, the centre of the first poster of --image
        that is detected. Models stand on their lowest point. A model's
        animation repeats, by the time of the recording; its shadow is then computed for every frame, at a lower resolution. Images are
        undistorted, so that models match the camera. A recording in which no frame advances, or a model that is never placed, is an error.
        """

    static let table = ArgumentTable<ARReplaySettings>(
        operands: ["RECORDING"],
        sections: [
            OptionSection("output", outputOptions), OptionSection("models", ReplayModelArguments.options).within(\.models),
            OptionSection("scene", SceneArguments.options).within(\.scene),
            OptionSection("image", ReplayImageArguments.options).within(\.images), OptionSection("tracking", runOptions),
            OptionSection("tracking", ScaleArguments.options).within(\.scale),
            OptionSection("input", SourceArguments.options).within(\.source),
        ])

    private static let outputOptions: [CommandOption<ARReplaySettings>] = [
        CommandOption(
            "-o", "--output", value: "OUT",
            help: "A new or empty folder for 000000.png …, or a video: .mp4, .mkv or .mov (requires ffmpeg)."
        ) { (settings, text) throws(UsageError) in settings.output = try checkedOutput(text) },
        CommandOption("--json", help: "Prints the report as JSON.") { $0.isJSON = true },
    ]

    /// Refuses folder names with the extension of an unsupported video or image format.
    private static func checkedOutput(_ text: String) throws(UsageError) -> String {
        let ending = URL(fileURLWithPath: text).pathExtension.lowercased()
        guard !["avi", "gif", "jpeg", "jpg", "m4v", "mpeg", "mpg", "png", "webm", "webp", "wmv"].contains(ending) else {
            throw UsageError("'\(text)': OUT must be a folder, or a video that ends in .mp4, .mkv or .mov")
        }
        return text
    }

    private static let runOptions: [CommandOption<ARReplaySettings>] = [
        CommandOption(
            "--tracker", value: "KIND",
            help:
                "recorded (the poses of the recording), automatic (visual-inertial if the recording has an IMU, else visual) or visual (images only). Default: recorded if the recording has poses, else automatic."
        ) { (settings, text) throws(UsageError) in
            settings.tracking = try parseWord(
                text, [("recorded", TrackingMethod.recorded), ("automatic", .automatic), ("visual", .visual(.unknown))])
        },
        CommandOption("--duration", value: "SECONDS", help: "Stops after this many seconds of the recording.") {
            (settings, text) throws(UsageError) in
            settings.duration = Double(try parseNumber(text, in: 0.001...1e6))
        },
        CommandOption(
            "--loop", value: "COUNT",
            help: "Replays the recording COUNT times, each in a new session, and writes the first. The report has the memory after each."
        ) { (settings, text) throws(UsageError) in settings.rounds = try parseCount(text, in: 1...100_000) },
    ]
}
