import Vitrine

/// What `vitrine show` was asked to do.
struct ShowSettings {
    var look = LookSettings()
    var lighting = LightingSettings()
    /// Points.
    var size = (width: 1280, height: 800)
    /// Pictures after which the window closes; nil: the person decides.
    var frames: Int?
    var isPaused = false
    var presentMode = Window.PresentMode.fifo
}

extension ShowSettings {
    static let summary = """
        Shows MODEL in a window: drag to turn it, drag with shift to turn the light, press H for the rest. Models and environment pictures can
        be dropped on it. Without --background a dark backdrop is seen, or the environment where --environment names one. --light, --shadows
        and --ground belong to MODEL: what is dropped later comes without.
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
            CommandOption("--paused", help: "Animations start with the space bar.") { $0.isPaused = true },
            CommandOption("--present", value: "MODE", help: "fifo (waits for the display, default), mailbox, or immediate.") {
                (settings, text) throws(UsageError) in
                settings.presentMode = try parseWord(text, [("fifo", .fifo), ("mailbox", .mailbox), ("immediate", .immediate)])
            },
            CommandOption("--frames", value: "N", help: "Closes the window after N frames: for tests.") {
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
