import Vitrine

/// What `vitrine render` was asked to do.
struct RenderSettings {
    var look = LookSettings()
    var output: String?
    /// Pixels.
    var size = (width: 1280, height: 720)
    /// Pictures once around the model, in place of one.
    var turntable: Int?
    /// Frames averaged into a picture; nil: 16, or 1 where the command line asks for MSAA.
    var samples: Int?
    /// Frames to time.
    var benchmark: Int?
    var isJSON = false
}

extension RenderSettings {
    static let summary = """
        Renders MODEL into a picture. The kind of picture follows the name of OUT: .png and .jpg as a person sees it, .hdr and .exr with
        linear light. Without --background the picture given by --environment is seen behind the model, or the studio's dark backdrop.
        """

    static var table: ArgumentTable<RenderSettings> {
        ArgumentTable(operands: ["MODEL"], options: ownOptions + LookSettings.options.map { $0.within(\.look) })
    }

    private static var ownOptions: [CommandOption<RenderSettings>] {
        [
            CommandOption("-o", "--output", value: "OUT", help: "The picture to write: .png, .jpg, .hdr or .exr.") {
                (settings, text) throws(UsageError) in settings.output = text
            },
            CommandOption("--size", value: "WxH", help: "Pixels. Default: 1280x720.") { (settings, text) throws(UsageError) in
                settings.size = try parseSize(text)
            },
            CommandOption(
                "--samples", value: "N",
                help: "Frames averaged into each picture, with sharper textures: 1 is what a window shows. Default: 16, or 1 with --msaa."
            ) { (settings, text) throws(UsageError) in settings.samples = try parseCount(text, in: 1...256) },
            CommandOption("--turntable", value: "N", help: "N pictures once around the model: OUT-000.png, OUT-001.png …") {
                (settings, text) throws(UsageError) in settings.turntable = try parseCount(text, in: 1...3600)
            },
            CommandOption("--benchmark", value: "FRAMES", help: "Times this many finished frames, the camera moving 1 degree a frame.") {
                (settings, text) throws(UsageError) in settings.benchmark = try parseCount(text, in: 1...100_000)
            },
            CommandOption("--json", help: "Prints what was done as JSON.") { $0.isJSON = true },
        ]
    }

    static let examples = [
        "vitrine render helmet.glb -o helmet.png",
        "vitrine render helmet.glb -o helmet.png --environment hall.hdr --environment-rotation 90 --background transparent",
        "vitrine render helmet.glb -o turn.png --turntable 36 --orbit 0,15,auto",
        "vitrine render robot.glb -o step.png --animation Walk --time 0.5",
        "vitrine render helmet.glb --benchmark 100 --json",
    ]

    static let notes = """
        The camera stands at target + distance * (sin az cos el, sin el, cos az cos el). The middle of an environment picture lies towards +X.
        Exit code: 0 done, 1 failed, 2 wrong command line.
        """
}
