import Vitrine

/// The options of `vitrine show`.
struct ShowSettings {
    var look = LookSettings()
    var lighting = LightingSettings()
    /// The size in points.
    var size = (width: 1280, height: 800)
    /// The number of frames after which the window closes; nil to keep it open.
    var frames: Int?
    var isPaused = false
    var presentMode = Window.PresentMode.fifo
}

extension ShowSettings {
    static let summary = """
        Shows MODEL in a window. Drag to orbit, drag with Shift to rotate the environment, press H for all commands. Drop other models or
        environment images on the window to show them. The background is dark unless --background or --environment is given. --light,
        --shadows and --ground apply to MODEL only.
        """

    static var table: ArgumentTable<ShowSettings> {
        ArgumentTable(
            operands: ["MODEL"],
            sections: [OptionSection("window", ownOptions)] + LookSettings.sections.map { $0.within(\.look) }
                + [LightingSettings.section.within(\.lighting)])
    }

    private static var ownOptions: [CommandOption<ShowSettings>] {
        [
            CommandOption("--size", value: "WxH", help: "The window's size in points. Default: 1280x800.") {
                (settings, text) throws(UsageError) in settings.size = try parseSize(text)
            },
            CommandOption("--paused", help: "Starts with paused animations; the space bar plays them.") { $0.isPaused = true },
            CommandOption(
                "--present", value: "MODE", help: "Present mode: fifo (waits for the display), mailbox or immediate. Default: fifo."
            ) {
                (settings, text) throws(UsageError) in
                settings.presentMode = try parseWord(text, [("fifo", .fifo), ("mailbox", .mailbox), ("immediate", .immediate)])
            },
            CommandOption("--frames", value: "N", help: "Closes the window after N frames, for tests.") {
                (settings, text) throws(UsageError) in settings.frames = try parseCount(text, in: 1...1_000_000)
            },
        ]
    }

    static let examples = [
        "vitrine show helmet.glb",
        "vitrine show helmet.glb --environment hall.hdr --environment-rotation 90",
        "vitrine show helmet.glb --ground --light spot,azimuth=-40,size=0.05",
        "vitrine show robot.glb --animation Walk --background color:#F2F2F4",
    ]

    static let notes = "In the window:\n" + ViewerCommand.helpText
}
