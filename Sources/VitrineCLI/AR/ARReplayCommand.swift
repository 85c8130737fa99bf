import Foundation
import VitrineARView

extension Command {
    static let arReplay = Command(
        name: "ar replay", summary: "Runs a recording again with models put into its pictures.",
        help: {
            ARReplaySettings.table.help(
                command: "ar replay", summary: ARReplaySettings.summary, examples: ARReplaySettings.examples,
                notes: ARReplaySettings.notes)
        },
        run: { arguments in
            var settings = ARReplaySettings()
            let path = try ARReplaySettings.table.parse(arguments, into: &settings)[0]
            guard !settings.output.isEmpty else { throw UsageError("-o OUT is missing: a folder for pictures, or a video") }
            try await ARReplayJob(input: path, settings: settings).run()
        })
}

/// What `vitrine ar replay` was asked to do.
struct ARReplaySettings {
    /// One `--place`.
    struct Request {
        /// A model's file, or `cube`.
        let model: String
        let place: ARPlacement.Place
    }

    var source = SourceArguments()
    var output = ""
    var requests: [Request] = []
    /// Of the pictures; nil: as the camera's.
    var size: (width: Int, height: Int)?
    var orientation = InterfaceOrientation.landscapeRight
    /// The longest side of each model in metres; nil: as large as it is.
    var modelSize: Float? = 0.2
    /// Of the models: a name, a number from 0, or none; nil: the first.
    var animation: String?
    var sampleCount = 4
    var tracking: ARTracking?
    var scale = ScaleArguments()
    var duration = Double.infinity
    var framesPerSecond = 30.0
    var adapter: String?
    var isJSON = false

    static let summary = """
        Runs RECORDING through a session again, puts models into it, and writes every frame with them: shadows on the planes that are found, the light as
        it is estimated, behind what a depth camera saw before them. The same recording gives the same bytes.
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
        options: [
            CommandOption("-o", "--output", value: "OUT", help: "A folder, which gets 000000.png …, or a video: .mp4, .mkv or .mov.") {
                (settings, text) throws(UsageError) in settings.output = text
            },
            CommandOption("--place", value: "MODEL@PLACE", help: "A model's file, or cube; at tap:X,Y,T or plane. May be given again.") {
                (settings, text) throws(UsageError) in settings.requests.append(try Request(parsing: text))
            },
            CommandOption("--model-size", value: "METRES", help: "The models' longest side; 0.2 by default, 0: as large as they are.") {
                (settings, text) throws(UsageError) in
                let size = try parseNumber(text, in: 0...1000)
                settings.modelSize = size > 0 ? size : nil
            },
            CommandOption(
                "--animation", value: "NAME",
                help: "What moves the models: an animation's name, its number from 0, or none. The first by default."
            ) { (settings, text) throws(UsageError) in settings.animation = text },
            CommandOption("--size", value: "WxH", help: "Of the pictures; the camera's own by default.") {
                (settings, text) throws(UsageError) in settings.size = try parseSize(text)
            },
            CommandOption("--orientation", value: "HOW", help: "How the picture is held: landscapeRight, the default, portrait …") {
                (settings, text) throws(UsageError) in
                settings.orientation = try parseWord(text, InterfaceOrientation.allCases.map { ($0.rawValue, $0) })
            },
            CommandOption("--samples", value: "1|4", help: "Samples a pixel at the models' edges; 4 by default.") {
                (settings, text) throws(UsageError) in settings.sampleCount = try parseWord(text, [("1", 1), ("4", 4)])
            },
            CommandOption(
                "--tracker", value: "KIND",
                help:
                    "recorded: the poses that come with the recording, the default where it has them; else automatic: by the IMU where there is one, else visual, by pictures alone."
            ) { (settings, text) throws(UsageError) in
                settings.tracking = try parseWord(
                    text,
                    [("recorded", ARTracking.recorded), ("automatic", .automatic), ("visual", .visual(VisualTracker.Settings().scale))])
            },
            CommandOption("--duration", value: "SECONDS", help: "Stops after so much of it.") { (settings, text) throws(UsageError) in
                settings.duration = Double(try parseNumber(text, in: 0.001...1e6))
            },
            CommandOption("--fps", value: "COUNT", help: "Of a video, frames a second; 30 by default.") {
                (settings, text) throws(UsageError) in settings.framesPerSecond = Double(try parseNumber(text, in: 1...240))
            },
            CommandOption("--adapter", value: "NAME", help: "The GPU: auto, hardware, software or a part of its name.") {
                (settings, text) throws(UsageError) in settings.adapter = text
            },
            CommandOption("--json", help: "Prints the report as JSON.") { $0.isJSON = true },
        ] + ScaleArguments.options.map { $0.within(\.scale) } + SourceArguments.options.map { $0.within(\.source) })
}

extension ARReplaySettings.Request {
    fileprivate init(parsing text: String) throws(UsageError) {
        guard let at = text.lastIndex(of: "@"), at != text.startIndex else {
            throw UsageError("'\(text)' is not MODEL@tap:X,Y,T or MODEL@plane")
        }
        model = String(text[..<at])
        let place = text[text.index(after: at)...]
        if place == "plane" {
            self.place = .plane
            return
        }
        guard place.hasPrefix("tap:") else { throw UsageError("'\(place)' is neither tap:X,Y,T nor plane") }
        let numbers = try parseVector(String(place.dropFirst(4)), as: "X,Y,T: two pixels and seconds")
        guard numbers.z >= 0 else { throw UsageError("a tap can't be before the beginning") }
        self.place = .tap(Vector2(numbers.x, numbers.y), time: Double(numbers.z))
    }
}
