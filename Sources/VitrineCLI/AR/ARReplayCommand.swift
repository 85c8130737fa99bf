import Foundation
import VitrineARView

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
                throw UsageError("--loop runs whole recordings: not with --duration")
            }
            guard !settings.output.isEmpty else { throw UsageError("-o OUT is missing: a folder for pictures, or a video") }
            try await ARReplayJob(input: path, settings: settings).run()
        })
}

/// What `vitrine ar replay` was asked to do.
struct ARReplaySettings {
    var source = SourceArguments()
    var output = ""
    var models = ReplayModelArguments()
    var pictures = ReplayPictureArguments()
    var tracking: TrackingMethod?
    var scale = ScaleArguments()
    var duration = Double.infinity
    /// How many times the recording is run.
    var rounds = 1
    var isJSON = false

    static let summary = """
        Runs RECORDING through a session again, puts models into it, and writes every frame with them: shadows on the planes that are found, the light as
        it is estimated, behind what a depth camera saw before them. The same recording gives the same bytes. vitrine ar --help tells what is
        read as a recording.
        """
    static let examples = [
        "vitrine ar replay walk --place cube@tap:320,240,2 -o frames",
        "vitrine ar replay walk --place lamp.glb@plane --model-size 0.4 -o walk.mp4",
    ]
    static let notes = """
        A place is tap:X,Y,T, what a tap on pixel X,Y of the picture T seconds after its start would hit (a plane that was found, a surface guessed from
        points, else 0.3 m ahead of the camera), or plane, the middle of the first level plane that is found. Models stand on their lowest
        point. A model's animation runs over and over, by the recording's time; its shadow is then drawn anew, and coarser, in every
        picture. The pictures are straightened where the lens bends lines, so that models stay where they are. A recording in which no frame
        advances, or a model that finds no place, is an error.
        """

    static let table = ArgumentTable<ARReplaySettings>(
        operands: ["RECORDING"],
        sections: [
            OptionSection("output", outputOptions), OptionSection("models", ReplayModelArguments.options).within(\.models),
            OptionSection("image", ReplayPictureArguments.options).within(\.pictures), OptionSection("tracking", runOptions),
            OptionSection("tracking", ScaleArguments.options).within(\.scale),
            OptionSection("input", SourceArguments.options).within(\.source),
        ])

    private static let outputOptions: [CommandOption<ARReplaySettings>] = [
        CommandOption(
            "-o", "--output", value: "OUT",
            help: "A folder, new or empty, which gets 000000.png …, or a video, by ffmpeg: .mp4, .mkv or .mov."
        ) { (settings, text) throws(UsageError) in settings.output = try checkedOutput(text) },
        CommandOption("--json", help: "Prints the report as JSON.") { $0.isJSON = true },
    ]

    /// A folder called `walk.avi` is nobody's wish.
    private static func checkedOutput(_ text: String) throws(UsageError) -> String {
        let ending = URL(fileURLWithPath: text).pathExtension.lowercased()
        guard !["avi", "gif", "jpeg", "jpg", "m4v", "mpeg", "mpg", "png", "webm", "webp", "wmv"].contains(ending) else {
            throw UsageError("'\(text)' is neither a folder nor a video that is written: .mp4, .mkv or .mov")
        }
        return text
    }

    private static let runOptions: [CommandOption<ARReplaySettings>] = [
        CommandOption(
            "--tracker", value: "KIND",
            help:
                "recorded: the poses that come with the recording, the default where it has them; else automatic: by the IMU where there is one, else visual, by pictures alone."
        ) { (settings, text) throws(UsageError) in
            settings.tracking = try parseWord(
                text, [("recorded", TrackingMethod.recorded), ("automatic", .automatic), ("visual", .visual(.medianDepth(2)))])
        },
        CommandOption("--duration", value: "SECONDS", help: "Stops after so much of it.") { (settings, text) throws(UsageError) in
            settings.duration = Double(try parseNumber(text, in: 0.001...1e6))
        },
        CommandOption(
            "--loop", value: "COUNT",
            help: "Runs it so many times, each time from nothing; what is written is the first. The report has the memory after each."
        ) { (settings, text) throws(UsageError) in settings.rounds = try parseCount(text, in: 1...100_000) },
    ]
}
