import VitrineCaptureView

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options of `vitrine capture`.
struct CaptureSettings: Sendable {
    var source = SourceArguments()
    var output = ""
    var tracker: TrackingMethod?
    var scale = ScaleArguments()
    var isArea = false
    var continues = false
    var overCaptures = false
    /// The number of shots after which the capture ends; nil for none.
    var shotLimit: Int?
    /// Seconds without a new image after which a folder counts as complete.
    var idle = 30.0
    var showsWindow = false
    /// The size in points.
    var size = (width: 1280, height: 800)
    var reconstruction = ReconstructSettings()
    var isJSON = false
}

extension CaptureSettings {
    func validate() throws(UsageError) {
        guard !output.isEmpty else { throw UsageError("-o FOLDER is missing: name the folder for the shots") }
        let wanted = reconstruction
        if wanted.outputs.isEmpty {
            guard wanted.details.isEmpty, wanted.checkpoint == nil, wanted.report == nil else {
                throw UsageError("--detail, --checkpoint and --report require --reconstruct OUT")
            }
        } else {
            try wanted.validate()
        }
        guard !showsWindow || !isArea else { throw UsageError("--area is for captures without a window: press A in the window") }
    }

    static let summary = """
        Takes the photos for a model: detects the object in front of the camera, takes a shot from each new direction when the image is sharp, says \
        what to do better, and writes the shots into FOLDER, which vitrine reconstruct reads. SOURCE is a camera (/dev/video0), a video file, a \
        recording, a folder that photos arrive in, or a model file, which is captured in a simulated room to try it.
        """

    static let examples = [
        "vitrine capture /dev/video0 -o shots --window",
        "vitrine capture walk.mp4 -o shots --reconstruct vase.usdz",
        "vitrine capture recording -o shots --json",
        "vitrine capture inbox -o shots --idle 60 --reconstruct vase.glb",
        "vitrine capture vase.glb -o shots --window",
    ]

    static let notes = """
        Put the object on a table with a pattern, in even light, with room to walk around it. Move slowly, and keep the object in the middle. When a
        pass is complete, walk around once more at another height; turn the object over if it has texture, and capture its underside.
        Ctrl-C finishes the capture. Each shot is written at once: after a crash, --continue adds to the shots.
        To make a model from a video without tracking the camera first, use vitrine reconstruct VIDEO.
        Exit codes: 0 success, 1 failed, or no shot was taken, 2 invalid command line.
        """

    static var table: ArgumentTable<CaptureSettings> {
        ArgumentTable(
            operands: ["SOURCE"],
            sections: [
                OptionSection("capture", captureOptions), OptionSection("window", windowOptions),
                OptionSection("model", modelOptions),
                OptionSection("source", SourceArguments.options.map { $0.within(\.source) } + trackingOptions),
            ])
    }

    private static var captureOptions: [CommandOption<CaptureSettings>] {
        [
            CommandOption("-o", "--output", value: "FOLDER", help: "The folder for the shots. It must be new or empty, or see --continue.")
            {
                (settings, text) throws(UsageError) in settings.output = text
            },
            CommandOption("--continue", help: "Adds to the shots of an earlier capture in FOLDER, also of an interrupted one.") {
                $0.continues = true
            },
            CommandOption("--area", help: "Captures an area instead of an object: no box, shots along the camera's way.") {
                $0.isArea = true
            },
            CommandOption("--shots", value: "N", help: "Ends the capture after N shots. Default: when all directions are captured.") {
                (settings, text) throws(UsageError) in settings.shotLimit = try parseCount(text, in: 1...100_000)
            },
            CommandOption(
                "--over-capture", help: "Takes more shots than one reconstruction on this machine uses, for a reconstruction elsewhere."
            ) { $0.overCaptures = true },
            CommandOption(
                "--idle", value: "SECONDS",
                help: "For a folder that receives photos: ends after this time without a new photo. Default: 30."
            ) { (settings, text) throws(UsageError) in settings.idle = Double(try parseNumber(text, in: 0.1...86_400)) },
            CommandOption("--json", help: "Prints events and the result as JSON, one object per line.") { $0.isJSON = true },
        ]
    }

    private static var windowOptions: [CommandOption<CaptureSettings>] {
        [
            CommandOption("--window", help: "Shows the camera, the box, the dial and buttons in a window, where you decide when to start.")
            {
                $0.showsWindow = true
            },
            CommandOption("--size", value: "WxH", help: "The window's size in points. Default: 1280x800.") {
                (settings, text) throws(UsageError) in settings.size = try parseSize(text)
            },
        ]
    }

    private static var modelOptions: [CommandOption<CaptureSettings>] {
        [
            CommandOption(
                "--reconstruct", value: "OUT", help: "Reconstructs a model of the shots afterwards: \(ReconstructSettings.formats)."
            ) {
                (settings, text) throws(UsageError) in settings.reconstruction.outputs.append(text)
            },
            CommandOption("--detail", value: "LEVEL", help: "The model's detail, see vitrine reconstruct --help. Default: reduced.") {
                (settings, text) throws(UsageError) in settings.reconstruction.details = [try ReconstructSettings.parseDetail(text)]
            },
            CommandOption("--checkpoint", value: "DIR", help: "Saves finished stages of the reconstruction in DIR and resumes from them.") {
                (settings, text) throws(UsageError) in settings.reconstruction.checkpoint = text
            },
            CommandOption("--report", value: "OUT.html", help: "Writes the report of the reconstruction.") {
                (settings, text) throws(UsageError) in settings.reconstruction.report = text
            },
        ]
    }

    private static var trackingOptions: [CommandOption<CaptureSettings>] {
        [
            CommandOption("--tracker", value: "NAME", help: "The tracking method: \(TrackerArguments.help)") {
                (settings, text) throws(UsageError) in
                settings.tracker = try parseWord(text, TrackerArguments.methods.map { ($0.name, $0.method) })
            }
        ] + ScaleArguments.options.map { $0.within(\.scale) }
    }
}
